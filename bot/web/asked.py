"""What a reader may ask by the parameters of a page: the subject of their link, and what stands next to it.

A link is for one lookup. Within it a reader chooses the instant and the shard, and one of the addresses that the report
itself names as near; with a link to a root hash, any page that has it. Everything else needs a link of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from bot.address.variants import near_urls
from bot.errors import BadInput, BadLink
from bot.inspection.lookup import read_time
from bot.inspection.model import Lookup
from bot.inspection.pipeline import Inspector
from bot.report.subject import Subject
from bot.report.words import iso_time

OUTSIDE = "This link does not open that page: it is for one lookup and the addresses next to it."
RIGHTS_PAGE = (
    "This link opens this page at any instant, on any shard, and its near addresses "
    "(http or https, www, final slash, letter case, tracking parameters, percent-encoding)."
)
RIGHTS_SITE = "This link opens the pages that have this root hash, at any instant and on any shard."


@dataclass(frozen=True, slots=True)
class Asked:
    """The lookup to make, its instant if fixed, and what to write into the form again."""

    lookup: Lookup
    as_of: datetime | None
    form: Mapping[str, str]


def read_asked(subject: Subject, query: Mapping[str, str], inspector: Inspector) -> Asked:
    """What `query` asks within the rights of a link to `subject`. Raises BadLink outside of them, BadInput."""
    key, root_hash, shard = (query.get(name, "").strip() for name in ("key", "hash", "shard"))
    lookup = _lookup(subject, key, _shard(shard, subject), inspector)
    if root_hash and root_hash != str(subject.root_hash):
        raise BadLink(OUTSIDE)
    as_of = _instant(query["as_of"]) if "as_of" in query else subject.as_of
    form = {
        "key": lookup.unparsed or "",
        "hash": str(subject.root_hash),
        "shard": str(lookup.shard),
        "as_of": iso_time(as_of) if as_of else "",
    }
    return Asked(lookup, as_of, form)


def subject_lookup(subject: Subject, inspector: Inspector) -> Lookup:
    """The lookup of a subject itself, with the hash and the shard that the link was made with."""
    return replace(inspector.read(subject.text, subject.shard), root_hash=subject.root_hash)


def rights_of(subject: Subject) -> str:
    """What a link to this subject opens, in a sentence."""
    return RIGHTS_SITE if subject.unparsed is None else RIGHTS_PAGE


def _lookup(subject: Subject, key: str, shard: int | None, inspector: Inspector) -> Lookup:
    own = replace(inspector.read(subject.text, shard), root_hash=subject.root_hash)
    if not key or key == own.unparsed:
        return own
    asked = inspector.read(key, shard)
    if asked.unparsed == own.unparsed:
        return own
    if not _is_near(own, asked):
        raise BadLink(OUTSIDE)
    return asked


def _is_near(own: Lookup, asked: Lookup) -> bool:
    if own.unparsed is None:
        return asked.root_hash == own.root_hash
    return asked.unparsed in {variant.unparsed for variant in near_urls(own.url or "")}


def _shard(text: str, subject: Subject) -> int | None:
    if not text:
        return subject.shard
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise BadInput(f"Read {text[:40]!r} as a shard, which is a whole number; example: 149.")
    return int(text)


def _instant(text: str) -> datetime | None:
    return None if text.strip().lower() in ("", "now") else read_time(text)
