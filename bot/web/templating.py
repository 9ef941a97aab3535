"""Jinja's environment for the pages: autoescape everywhere, a missing value is an error."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from bot.inspection.model import StepOutcome
from bot.report.model import TONE_OF_VERDICT, Tone
from bot.report.sentences import VERDICT_WORDS
from bot.report.words import age, iso_time, number, plural, utc_time

FOLDER = Path(__file__).parent
STATIC = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}  # name → media type
# Bytes of HTML that one value may take: a page stays light whatever a crawl holds, and the JSON has all.
TEXT_SHOWN, CODE_SHOWN, CURL_SHOWN, QUERY_SHOWN = 2_000, 3_000, 5_000, 8_000
BEGIN_SHOWN = 1_000  # of a query that is longer: half of one cannot be used
CLASSES_SHOWN = 24

# Shape and word carry a status; colour only repeats it.
MARKS = {Tone.GOOD: "✓", Tone.BAD: "✕", Tone.UNSURE: "?"}
STEP_TONES = {StepOutcome.DONE: "good", StepOutcome.SKIPPED: "skipped", StepOutcome.FAILED: "bad"}


@cache
def static_file(name: str) -> bytes:
    """A file of our own that pages load."""
    return (FOLDER / "static" / name).read_bytes()


@cache
def static_url(name: str) -> str:
    """Where it is, with a digest, so that it may be kept for ever; every page is one folder deep."""
    return f"../static/{sha256(static_file(name)).hexdigest()[:12]}/{name}"


def anchor(title: str) -> str:
    """A group's title as part of an anchor: "ML Classification" → "ml-classification"."""
    return "-".join("".join(letter if letter.isalnum() else " " for letter in title.lower()).split())


def breakable(path: str) -> Markup:
    """A class's path, which may go on in the next line before a slash and after an underscore."""
    written = str(escape(path[:1])) + str(escape(path[1:])).replace("/", "<wbr>/").replace("_", "_<wbr>")
    return Markup(written)  # noqa: S704 - escaped above, and "/" and "_" stand in no entity


def fitting(text: str, most: int) -> str:
    """As much of a text as takes about `most` bytes of HTML.

    >>> fitting("abc", 3), fitting("<&>" * 100, 28)
    ('abc', '<&><&>')
    """
    size = len(escape(text).encode("utf-8", "replace"))
    return text if size <= most else text[: most * len(text) // size]


def pretty(value: Any) -> str:
    """JSON for reading."""
    return json.dumps(value, ensure_ascii=False, indent=2)


@cache
def environment() -> Environment:
    """The environment, with its templates compiled when first used."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        {
            "anchor": anchor,
            "breakable": breakable,
            "fitting": fitting,
            "pretty": pretty,
            "number": number,
            "utc": utc_time,
            "iso": iso_time,
        }
    )
    made.globals.update(
        {
            "age": age,
            "plural": plural,
            "marks": MARKS,
            "step_tones": STEP_TONES,
            "verdict_words": VERDICT_WORDS,
            "verdict_tones": TONE_OF_VERDICT,
            "static_url": static_url,
            "text_shown": TEXT_SHOWN,
            "code_shown": CODE_SHOWN,
            "curl_shown": CURL_SHOWN,
            "begin_shown": BEGIN_SHOWN,
            "query_shown": QUERY_SHOWN,
            "classes_shown": CLASSES_SHOWN,
        }
    )
    return made


def page(name: str, **values: Any) -> str:
    """A template with its values."""
    return environment().get_template(name).render(values)
