from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

verdict = runpy.run_path(str(Path(__file__).parents[1] / ".ci" / "audit.py"))["verdict"]
FINE, VULNERABLE = {"name": "a", "version": "1", "vulns": []}, {"name": "b", "version": "2", "vulns": [{"id": "CVE-1"}]}
UNKNOWN = {"name": "c", "skip_reason": "Dependency not found on PyPI"}


@pytest.mark.parametrize(
    ("packages", "code", "says"),
    [
        (None, 0, "NOTHING was audited"),
        ([FINE], 0, "1 of 1 packages audited, 0 vulnerable"),
        ([UNKNOWN, UNKNOWN], 0, "0 of 2 packages audited, 0 vulnerable; 2 could NOT be audited"),
        ([FINE, VULNERABLE, UNKNOWN], 1, "b 2: CVE-1"),
    ],
)
def test_a_vulnerable_package_fails_the_audit_and_a_silent_service_is_told(
    packages: list[dict[str, Any]] | None, code: int, says: str
) -> None:
    """pip-audit says "No known vulnerabilities found" of packages that it skipped."""
    ended, said = verdict(None if packages is None else {"dependencies": packages, "fixes": []})

    assert ended == code
    assert says in said
