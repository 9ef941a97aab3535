"""The licences of everything that is installed with the bot, by what each package says of itself.

`python -m tests.licences > .ci/licences.md` writes the list; a test holds the two together.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
EXTRAS = ("embedded", "test")
# What a company may use inside a service and pass on: permissive, or weak copyleft that is not altered here.
ALLOWED = frozenset(
    {
        *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "MIT-CMU"),
        *("MPL-2.0", "PSF-2.0", "Unlicense", "Zlib"),
    }
)
# As packages wrote it before https://peps.python.org/pep-0639; the first that fits.
SPELT: tuple[tuple[str, str], ...] = (
    (r"apache.*2|apache software", "Apache-2.0"),
    (r"mozilla.*2|mpl.*2", "MPL-2.0"),
    (r"3-clause|bsd-3|new bsd|bsd 3", "BSD-3-Clause"),
    (r"2-clause|bsd-2|simplified bsd", "BSD-2-Clause"),
    (r"\bbsd\b", "BSD-3-Clause"),
    (r"python software foundation|\bpsf", "PSF-2.0"),
    (r"\bisc\b", "ISC"),
    (r"\bmit\b", "MIT"),
)
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
HEADING = """# Licences

What is installed with the bot and its tests, made by `python -m tests.licences > .ci/licences.md`.

| licence | packages |
|---|---|"""


def installed() -> Mapping[str, Distribution]:
    """Every package that the project needs here, with its extras, and what those need in turn."""
    found: dict[str, Distribution] = {}
    waiting, met = [*map(Requirement, required())], set()
    while waiting:
        needed = waiting.pop()
        name, extras = canonicalize_name(needed.name), frozenset(needed.extras)
        if (name, extras) in met:
            continue
        met.add((name, extras))
        with suppress(PackageNotFoundError):  # what the whole of an extra names, and this platform has not
            found[name] = distribution(name)
            waiting += _needs(found[name], extras)
    return dict(sorted(found.items()))


def required() -> Iterator[str]:
    """What pyproject.toml names."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    yield from project["dependencies"]
    for extra in EXTRAS:
        yield from project["optional-dependencies"][extra]


def _needs(package: Distribution, extras: Iterable[str]) -> Iterator[Requirement]:
    for requirement in map(Requirement, package.requires or ()):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def licence_of(package: Distribution) -> str:
    """An SPDX expression: as the package gives it, or as its classifiers, older fields and licence file are read."""
    about = package.metadata
    for expression in about.get_all("License-Expression") or ():
        return str(expression)
    lines = about.get_all("Classifier") or ()
    said = [line.rpartition(" :: ")[2] for line in lines if line.startswith("License ::")]
    said += [str(line)[:80] for line in about.get_all("License") or ()]
    said += [text.strip()[:80] for file in package.files or () if file.name == "LICENSE" and (text := file.read_text())]
    spelt = (name for words in said for pattern, name in SPELT if re.search(pattern, words, re.IGNORECASE))
    return next(spelt, "UNKNOWN")


def is_allowed(expression: str) -> bool:
    """Is every licence of an AND allowed, and one of each OR? Brackets and exceptions are read as words."""
    return all(ALLOWED.intersection(WORD.findall(part)) for part in expression.split(" AND "))


def table() -> str:
    """The list in Markdown."""
    by_licence: defaultdict[str, list[str]] = defaultdict(list)
    for name, package in installed().items():
        by_licence[licence_of(package)].append(name)
    rows = [f"| {licence} | {', '.join(names)} |" for licence, names in sorted(by_licence.items())]
    return "\n".join([HEADING, *rows])


if __name__ == "__main__":
    print(table())
