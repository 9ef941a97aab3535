"""The form for one page, with the parameters that a lookup is made of, and its answer. A modal holds no table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from bot.errors import BadInput
from bot.index.profile import IndexProfile
from bot.inspection.indexes import Indexes
from bot.inspection.lookup import HASH_PREFIX, force_shard, with_root_hash
from bot.inspection.model import Lookup
from bot.render import limits
from bot.render.actions import ACTION_REPORT, VIEW_LOOKUP
from bot.render.blocks import fact_value
from bot.render.elements import Block, Element, actions, button, context, header, lines, link, plain, rich, text
from bot.render.limits import cut
from bot.render.text import badge_words
from bot.report.model import KEY_FACTS, SYMBOLS, Report
from bot.slack import wording

Json = Mapping[str, Any]
Read = TypeVar("Read")

TITLE = "Look up a page"
URL, KEY, HASH, SHARD, AS_OF, CHANNEL, INDEX = "url", "unparsed", "root_hash", "shard", "as_of", "channel", "index"
FACT, SENTENCE = 400, 2_500
ERROR_SHOWN = 300
SHARD_DIGITS = 6

_TEXT: Element = {"type": "plain_text_input", "max_length": int(limits.INPUT_LENGTH)}
INPUTS: tuple[tuple[str, str, str, Element], ...] = (  # block id, label, hint, element
    (URL, "URL", "https://example.com/page", _TEXT),
    (KEY, "Unparsed key", "com,example!,/page s443 – instead of a URL", _TEXT),
    (HASH, "Root hash", "A whole number: alone for a site, or beside a URL or key to override its own", _TEXT),
    (SHARD, "Shard", "Asks this shard instead of the one that the hash names", {**_TEXT, "max_length": SHARD_DIGITS}),
    (AS_OF, "As of", "The verdict at a moment in the past; now, where empty", {"type": "datetimepicker"}),
    (
        CHANNEL,
        "Post to",
        "Posts the answer there as well",
        {"type": "conversations_select", "response_url_enabled": True},
    ),
)


class WrongFieldError(Exception):
    """A field holds what cannot be looked up: the id of its block, and a sentence."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True, slots=True)
class Form:
    """What was filled in."""

    lookup: Lookup
    as_of: datetime | None


def form_view(indexes: Sequence[str]) -> dict[str, Any]:
    """The empty form. `indexes` are the names of the crawl indexes, the default first; one is no choice."""
    which = [_input(INDEX, "Index", "Which crawl is asked", _choice(indexes))] if len(indexes) > 1 else []
    return {
        "type": "modal",
        "callback_id": VIEW_LOOKUP,
        "title": plain(TITLE, limits.VIEW_TITLE),
        "submit": plain("Look up", limits.VIEW_TITLE),
        "close": plain("Cancel", limits.VIEW_TITLE),
        "blocks": [*(_input(*row) for row in INPUTS), *which],
    }


def _input(block_id: str, label: str, hint: str, element: Element) -> Block:
    return {
        "type": "input",
        "block_id": block_id,
        "optional": True,
        "label": plain(label, limits.INPUT_LABEL),
        "hint": plain(hint, limits.INPUT_LABEL),
        "element": {**element, "action_id": block_id},
    }


def _choice(names: Sequence[str]) -> Element:
    options = [{"text": plain(name, limits.OPTION_TEXT), "value": name} for name in names]
    return {"type": "static_select", "options": options, "initial_option": options[0]}


def read_form(view: Json, indexes: Indexes) -> Form:
    """What a submitted form asks for. Raises WrongFieldError."""
    chosen = _state(view, INDEX).get("selected_option") or {}
    inspector = _at(INDEX, lambda: indexes.of(chosen.get("value")))
    read, profile = inspector.read, inspector.profile
    given = {name: value.strip() for name in (URL, KEY, HASH, SHARD) if (value := _value(view, name))}
    if URL in given and KEY in given:
        raise WrongFieldError(KEY, "There is a URL already: give one of the two.")
    named = next((name for name in (URL, KEY, HASH) if name in given), None)
    if named is None:
        raise WrongFieldError(URL, "Give a URL, an unparsed key or a root hash; example: https://example.com/page")
    by_hash = _at(HASH, lambda: read(HASH_PREFIX + given[HASH], None)) if HASH in given else None
    lookup = by_hash if named == HASH and by_hash else _at(named, lambda: read(given[named], None))
    if by_hash and named != HASH:
        lookup = with_root_hash(lookup, by_hash.root_hash, profile)
    return Form(_on_shard(lookup, given, profile), _as_of(view))


def _on_shard(lookup: Lookup, given: Mapping[str, str], profile: IndexProfile) -> Lookup:
    """The same lookup on the shard that was given. Raises WrongFieldError."""
    digits = given.get(SHARD)
    if digits is None:
        return lookup
    if not (digits.isascii() and digits.isdigit() and len(digits) <= SHARD_DIGITS):
        raise WrongFieldError(SHARD, f"Read {cut(digits, 20)!r} as a shard, which is a whole number; example: 149")
    return _at(SHARD, lambda: force_shard(lookup, int(digits), profile))


def _at(field: str, read: Callable[[], Read]) -> Read:
    try:
        return read()
    except BadInput as error:
        raise WrongFieldError(field, cut(str(error), ERROR_SHOWN)) from error


def _state(view: Json, block_id: str) -> Json:
    values = (view.get("state") or {}).get("values") or {}
    return (values.get(block_id) or {}).get(block_id) or {}


def _value(view: Json, block_id: str) -> str:
    return str(_state(view, block_id).get("value") or "").strip()


def _as_of(view: Json) -> datetime | None:
    picked = _state(view, AS_OF).get("selected_date_time")
    return None if picked is None else datetime.fromtimestamp(int(picked), UTC)


def errors_of(wrong: WrongFieldError) -> dict[str, Any]:
    """The acknowledgement that shows the sentence under its field."""
    return {"response_action": "errors", "errors": {wrong.field: str(wrong)}}


def waiting() -> dict[str, Any]:
    """The acknowledgement that puts a waiting view in the form's place."""
    return {"response_action": "update", "view": wording.waiting_view(TITLE)}


def result_view(report: Report, *, posted: bool = False) -> dict[str, Any]:
    """The answer: a row of words for each filter, and the key facts."""
    linked = report.link is not None and len(report.link) <= limits.URL
    blocks = [
        header(f"{SYMBOLS[report.tone]} {report.verdict_words}"),
        rich(
            lines(
                (
                    [link(report.url, report.title)],
                    [text(badge_words(report.badges), FACT)],
                    [text(report.summary, SENTENCE)],
                )
            )
        ),
        *_filters(report),
        *_facts(report),
        *([context("Posted to the channel.")] if posted else []),
        *actions([button(ACTION_REPORT, url=report.link)] if linked else []),
    ]
    return {
        "type": "modal",
        "title": plain(TITLE, limits.VIEW_TITLE),
        "close": plain("Close", limits.VIEW_TITLE),
        "blocks": blocks[: limits.VIEW_BLOCKS],
    }


def _filters(report: Report) -> list[Block]:
    rows = [
        lines(
            (
                [
                    text(f"{SYMBOLS[row.tone]} {row.outcome.upper()} ", FACT, bold=True),
                    text(f"{row.title}: {row.details}", FACT),
                ],
                [text(row.condition, FACT, code=True)],
            )
        )
        for row in report.filters
    ]
    return [rich(*rows[start : start + 20]) for start in range(0, len(rows), 20)]


def _facts(report: Report) -> list[Block]:
    facts = [
        [text(f"{line.title}: ", FACT, bold=True), *fact_value(line)] for line in map(report.line, KEY_FACTS) if line
    ]
    return [rich(lines(facts))] if facts else []
