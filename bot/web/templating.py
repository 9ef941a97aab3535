"""Jinja's environment for the pages: autoescape everywhere, a missing value is an error."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from bot.inspection.model import StepOutcome
from bot.report.model import TONE_OF_VERDICT, Tone
from bot.report.sentences import VERDICT_WORDS
from bot.report.words import age, iso_time, number, plural, utc_time

FOLDER = Path(__file__).parent
STATIC = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}  # name → media type
TEXT_SHOWN, CODE_SHOWN, CLASSES_SHOWN = 3_000, 4_000, 24  # of one value; the rest is in the JSON

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
    """A class's path, which may go on in the next line after each slash."""
    return Markup("/<wbr>").join(path.split("/"))


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
        {"anchor": anchor, "breakable": breakable, "pretty": pretty, "number": number, "utc": utc_time, "iso": iso_time}
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
            "classes_shown": CLASSES_SHOWN,
        }
    )
    return made


def page(name: str, **values: Any) -> str:
    """A template with its values."""
    return environment().get_template(name).render(values)
