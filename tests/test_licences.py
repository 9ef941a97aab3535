from __future__ import annotations

from pathlib import Path

import pytest

from tests.licences import installed, is_allowed, licence_of

LISTED = (Path(__file__).parents[1] / ".ci" / "licences.md").read_text(encoding="utf-8")
PACKAGES = installed()


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_that_is_installed_has_a_licence_that_is_allowed_and_listed(name: str) -> None:
    """By its own metadata. Where a package is new: `python -m tests.licences > .ci/licences.md`."""
    licence = licence_of(PACKAGES[name])
    rows = [line for line in LISTED.splitlines() if line.startswith(f"| {licence} | ")]

    assert is_allowed(licence), licence
    assert [name in row.strip("|").split(" | ")[1].strip().split(", ") for row in rows] == [True]


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 OR GPL-3.0-only", True),
        ("Apache-2.0 AND GPL-3.0-only", False),
        ("BSD-3-Clause AND (MIT OR GPL-2.0-or-later)", True),
        ("GPL-3.0-or-later", False),
        ("AGPL-3.0", False),
        ("UNKNOWN", False),
    ],
)
def test_of_an_or_one_must_be_allowed_and_of_an_and_all(expression: str, allowed: bool) -> None:
    """SPDX expressions, as packages write them."""
    assert is_allowed(expression) is allowed


def test_the_walk_reaches_what_the_dependencies_need() -> None:
    """Not the named ones alone."""
    assert {"aiohttp", "yarl", "cryptography", "cffi", "pytest"} <= set(PACKAGES)
