"""Known vulnerabilities of the pinned versions, by pip-audit in an environment of its own.

Fails where one is found. Where the advisories cannot be asked, or do not know the packages, it says so and passes:
pip-audit itself prints "No known vulnerabilities found" of packages that it has skipped.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PINNED = Path(__file__).with_name("constraints.txt")
AUDITOR = "pip-audit>=2.10,<3"
SECONDS = 180


def verdict(found: dict[str, Any] | None) -> tuple[int, str]:
    """The exit code and what is printed, of pip-audit's JSON; None where it did not come to an end."""
    if found is None:
        return 0, "audit: the advisory service is out of reach; NOTHING was audited"
    packages = found["dependencies"]
    wrong = [
        f"{package['name']} {package['version']}: {', '.join(one['id'] for one in package['vulns'])}"
        for package in packages
        if package.get("vulns")
    ]
    skipped = sum("skip_reason" in package for package in packages)
    said = f"audit: {len(packages) - skipped} of {len(packages)} packages audited, {len(wrong)} vulnerable"
    if skipped:
        said += f"; {skipped} could NOT be audited, as the advisory service does not know them"
    return (1 if wrong else 0), "\n".join([said, *wrong])


def audited() -> dict[str, Any] | None:
    """What pip-audit found."""
    with tempfile.TemporaryDirectory() as folder:
        python, report = Path(folder, "venv", "bin", "python"), Path(folder, "found.json")
        options = ["-r", str(PINNED), "--disable-pip", "--no-deps", "--progress-spinner", "off"]
        steps = (
            [sys.executable, "-m", "venv", str(Path(folder, "venv"))],
            [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", AUDITOR],
            [str(python), "-m", "pip_audit", *options, "-f", "json", "-o", str(report)],
        )
        try:
            for step in steps:
                subprocess.run(step, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603 - our own words
        except subprocess.TimeoutExpired:
            return None
        return json.loads(report.read_text(encoding="utf-8")) if report.is_file() else None


if __name__ == "__main__":
    code, said = verdict(audited())
    print(said)
    sys.exit(code)
