"""Small checks that compose into the shapes of Slack's payloads, with the sentences that Slack refuses them with.

A `Check` takes a value and the JSON pointer to it and yields what is wrong. Slack's wording is matched where a
response of Slack's is known; the tests hold the sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason to refuse a payload: Slack's error name, its sentence, and where: a JSON pointer, or ""."""

    error: str
    message: str
    pointer: str = ""

    def __str__(self) -> str:
        """The line as it stands in Slack's `response_metadata.messages`, without its `[ERROR] `."""
        return f"{self.message} [json-pointer:{self.pointer}]" if self.pointer else self.message


Check = Callable[[Any, str], Iterator[Problem]]

INVALID = "invalid_blocks"  # the error of a message; `check_view` renames it, as views answer `invalid_arguments`


def wrong(message: str, pointer: str) -> Problem:
    """A problem of a block."""
    return Problem(INVALID, message, pointer)


def anything(value: Any, at: str) -> Iterator[Problem]:
    """Takes every value."""
    yield from ()


def string(longest: int | None = None, shortest: int = 1) -> Check:
    """A string of `shortest` to `longest` characters."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        if not isinstance(value, str):
            yield wrong("must provide a string", at)
        elif len(value) < shortest:
            yield wrong(f"must be more than {shortest - 1} characters", at)
        elif longest is not None and len(value) > longest:
            yield wrong(f"must be less than {longest + 1} characters", at)

    return check


def json_object(value: Any, at: str) -> Iterator[Problem]:
    """An object with any keys."""
    if not isinstance(value, Mapping):
        yield wrong("must provide an object", at)


def boolean(value: Any, at: str) -> Iterator[Problem]:
    """true or false."""
    if not isinstance(value, bool):
        yield wrong("must provide a boolean", at)


def number(value: Any, at: str) -> Iterator[Problem]:
    """A number; JSON's true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield wrong("must provide a number", at)


def whole(lowest: int, highest: int) -> Check:
    """An integer between both, both included."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        if isinstance(value, bool) or not isinstance(value, int):
            yield wrong("must provide an integer", at)
        elif not lowest <= value <= highest:
            yield wrong(f"must be between {lowest} and {highest}", at)

    return check


def one_of(*values: Any) -> Check:
    """One of the values, which are listed in the sentence."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        if value not in values:
            yield wrong(f"must be a valid enum value: {', '.join(map(str, values))}", at)

    return check


def many(each: Check, most: int | None = None, least: int = 1) -> Check:
    """A list of `least` to `most` items, each of which passes."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        if not isinstance(value, list | tuple):
            yield wrong("must provide an array", at)
            return
        if len(value) < least:
            yield wrong(f"no less than {least} items allowed", at)
        if most is not None and len(value) > most:
            yield wrong(f"no more than {most} items allowed", at)
            return
        for index, item in enumerate(value):
            yield from each(item, f"{at}/{index}")

    return check


@dataclass(frozen=True, slots=True)
class Shape:
    """An object: which keys it may have and how each is checked, which it must have, and what holds between them."""

    fields: Mapping[str, Check]
    required: tuple[str, ...] = ()
    rules: tuple[Check, ...] = ()

    def __call__(self, value: Any, at: str) -> Iterator[Problem]:
        """What is wrong with `value`; unknown keys are."""
        if not isinstance(value, Mapping):
            yield wrong("must provide an object", at)
            return
        for name in self.required:
            if value.get(name) is None:
                yield wrong(f"missing required field: {name}", at)
        for name, item in value.items():
            yield from self._field(name, item, at)
        for rule in self.rules:
            yield from rule(value, at)

    def _field(self, name: str, item: Any, at: str) -> Iterator[Problem]:
        if name not in self.fields:
            yield wrong(f"invalid additional property: {name}", at)
        elif item is not None or name not in self.required:
            yield from self.fields[name](item, f"{at}/{name}")


def typed(shapes: Mapping[str, Check], allowed: Iterable[str] | None = None) -> Check:
    """An object whose `type` picks its shape; types outside `allowed` are refused as unsupported."""
    permitted = frozenset(shapes if allowed is None else allowed)

    def check(value: Any, at: str) -> Iterator[Problem]:
        if not isinstance(value, Mapping):
            yield wrong("must provide an object", at)
        elif "type" not in value:
            yield wrong("missing required field: type", at)
        elif not isinstance(value["type"], str) or value["type"] not in permitted:
            yield wrong(f"unsupported type: {value['type']}", f"{at}/type")
        else:
            yield from shapes[value["type"]](value, at)

    return check


def either(first: str, second: str, *, both: bool) -> Check:
    """A rule of a shape: one of two keys must be there; `both` says whether both may."""

    def check(value: Any, at: str) -> Iterator[Problem]:
        present = [name for name in (first, second) if value.get(name) is not None]
        if not present:
            yield wrong(f"must define either `{first}` or `{second}`", at)
        elif len(present) == 2 and not both:
            yield wrong(f"must not define both `{first}` and `{second}`", at)

    return check
