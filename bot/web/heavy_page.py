"""One heavy column: read when asked for, length first, and never whole in memory.

/h/<token>        the page: its head is sent before anything is asked of the index, then the text, part by part
/h/<token>.txt    the stored bytes, streamed
/h/<token>.json   what is known of them, and the text, streamed
"""

from __future__ import annotations

import asyncio
import codecs
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aiohttp import web

from bot.errors import BadLink, StoreError
from bot.index.profile import FieldSpec
from bot.inspection.heavy import HeavyHead, HeavyText
from bot.inspection.indexes import Indexes
from bot.inspection.model import Lookup
from bot.links import ALTERED, Action, Grant, Links
from bot.render.html_markdown import LARGEST, rendered
from bot.report.words import iso_time, number, readable, utc_time
from bot.web.answers import TWIN, split_token, streamed
from bot.web.asked import subject_lookup
from bot.web.report_page import with_query
from bot.web.search_within import LONGEST_QUERY, find, marked
from bot.web.templating import page
from bot.web.text_parts import part_count, part_of, read_part

DOWNLOAD = ".txt"
STREAM = "<!--stream-->"  # where a page's template is cut in two
DIGEST_SHOWN = 16  # characters of the digest that links carry
TOO_LARGE = "At {size} bytes this text is too large to be rendered (the limit is {limit}): its source is shown."


@dataclass(frozen=True, slots=True)
class Shown:
    """One request for a heavy column, read."""

    lookup: Lookup
    text: HeavyText
    grant: Grant
    token: str
    query: Mapping[str, str]
    now: datetime

    @property
    def q(self) -> str:
        """What is searched for."""
        return self.query.get("q", "")[:LONGEST_QUERY]

    @property
    def view(self) -> str:
        """rendered or source; Markdown is rendered unless its source is asked for."""
        usual = "rendered" if is_markdown(self.text.spec) and not self.q else "source"
        return self.query.get("view", usual)

    def url(self, **changes: str | int) -> str:
        """This page with other parameters."""
        kept = {name: self.query[name] for name in ("view", "wrap", "q", "d") if self.query.get(name)}
        return with_query({**kept, **{name: str(value) for name, value in changes.items()}})


def is_markdown(spec: FieldSpec) -> bool:
    """Profiles name their fields so."""
    return "markdown" in spec.id


class HeavyPage:
    """`/h/<token>` and its twins."""

    def __init__(self, indexes: Indexes, links: Links) -> None:
        self._indexes = indexes
        self._links = links

    async def show(self, request: web.Request) -> web.StreamResponse:
        """The page, the bytes or the JSON."""
        token, twin = split_token(request, DOWNLOAD)
        shown = self._read(token, request.query)
        if twin == DOWNLOAD:
            return await self._download(request, shown)
        return await (self._json(request, shown) if twin else self._page(request, shown))

    def _read(self, token: str, query: Mapping[str, str]) -> Shown:
        grant = self._links.open(Action.HEAVY, token)
        inspector = self._indexes.of(grant.subject.index)
        lookup = subject_lookup(grant.subject, inspector)
        try:
            text = inspector.heavy_text(lookup, grant.field_id or "")
        except KeyError as error:
            raise BadLink(ALTERED) from error
        return Shown(lookup, text, grant, token, query, inspector.now())

    async def _page(self, request: web.Request, shown: Shown) -> web.StreamResponse:
        return await streamed(request, "text/html", self._parts(shown))

    async def _parts(self, shown: Shown) -> AsyncIterator[bytes]:
        """The page's head, before the index is asked; its body; its end."""
        before, after = page("heavy.html", **self._values(shown)).split(STREAM)
        yield before.encode()
        async for part in self._body(shown):
            yield part.encode("utf-8", "replace")
        yield after.encode()

    def _values(self, shown: Shown) -> dict[str, Any]:
        wraps = shown.query.get("wrap") != "0"
        views = [("rendered", "Rendered")] if is_markdown(shown.text.spec) else []
        links = [
            {"title": title, "url": shown.url(view=view, q=""), "current": shown.view == view and not shown.q}
            for view, title in (*views, ("source", "Source" if views else "Text"))
        ]
        if shown.view == "source":
            wrap = {"title": "Do not wrap lines" if wraps else "Wrap lines", "url": shown.url(wrap=int(not wraps))}
            links.append({**wrap, "current": False})
        return {
            "field": readable(shown.text.spec.title),
            "title": readable(shown.lookup.url or shown.grant.subject.text),
            "report_url": self._links.issued(shown.grant.issued).of_subject(shown.grant.subject),
            "views": links,
            "text_url": shown.token + DOWNLOAD,
            "json_url": shown.token + TWIN,
            "q": readable(shown.q),
        }

    async def _body(self, shown: Shown) -> AsyncIterator[str]:
        """What follows the page's head; an index that does not answer is a sentence in its place."""
        try:
            head = await shown.text.head()
            yield self._head(shown, head)
            if head is not None:
                async for part in _content(shown, head):
                    yield part
        except StoreError as error:
            yield page("heavy_note.html", note=f"The index did not answer: {error}")

    def _head(self, shown: Shown, head: HeavyHead | None) -> str:
        return page("heavy_head.html", head=head, now=shown.now, changed=changed_sentence(shown, head))

    async def _download(self, request: web.Request, shown: Shown) -> web.StreamResponse:
        head = await shown.text.head()
        size, digest = (head.size, head.digest) if head else (0, "")
        return await streamed(
            request,
            "text/plain",
            shown.text.pieces(0, size),
            Content_Length=str(size),
            Content_Disposition=f'attachment; filename="{shown.text.spec.id}.txt"',
            ETag=f'"{digest}"',
        )

    async def _json(self, request: web.Request, shown: Shown) -> web.StreamResponse:
        head = await shown.text.head()
        known = {
            "unparsed": shown.lookup.unparsed,
            "url": shown.lookup.url,
            "field": shown.text.spec.id,
            "size": head.size if head else None,
            "digest": head.digest if head else None,
            "crawled": iso_time(head.crawled) if head and head.crawled else None,
            "changed": changed_sentence(shown, head) or None,
        }
        return await streamed(request, "application/json", _json_object(known, shown.text, head))


def changed_sentence(shown: Shown, head: HeavyHead | None) -> str:
    """How the stored text differs from what the link was made for; "" where it does not."""
    digest, version = shown.query.get("d", ""), shown.grant.version
    now_digest = head.digest[:DIGEST_SHOWN] if head else ""
    crawled = head.crawled if head else None
    if version is not None and crawled is not None and int(crawled.timestamp()) != version:
        return f"The page was crawled again: {utc_time(crawled)}."
    if version is not None and head is None:
        return "There is none any more."
    return f"The digest was {readable(digest)[:40]}." if digest and digest != now_digest else ""


async def _content(shown: Shown, head: HeavyHead) -> AsyncIterator[str]:
    """The text itself: what a search found, the rendered Markdown, or one part of the source."""
    if shown.q and "part" not in shown.query:
        yield await find(shown.text, shown.q, lambda at: shown.url(view="source", part=part_of(at), d=_short(head)))
        return
    if shown.view == "rendered" and head.size <= LARGEST:
        source = (await shown.text.read(0, LARGEST)).decode("utf-8", "replace")
        yield page("heavy_rendered.html", html=await asyncio.to_thread(rendered, source, shown.lookup.url))
        return
    if shown.view == "rendered":
        yield page("heavy_note.html", note=TOO_LARGE.format(size=number(head.size), limit=number(LARGEST)))
    yield await _source(shown, head)


async def _source(shown: Shown, head: HeavyHead) -> str:
    parts = part_count(head.size)
    asked = shown.query.get("part", "1")
    part = min(max(int(asked), 1), parts) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 1
    text = readable(await read_part(shown.text, part), lines=True)

    def link(other: int) -> str | None:
        return shown.url(view="source", part=other, d=_short(head)) if 1 <= other <= parts else None

    return page(
        "heavy_text.html",
        pieces=marked(text, shown.q),
        parts=parts,
        part=part,
        previous=link(part - 1),
        following=link(part + 1),
        wrapped=shown.query.get("wrap") != "0",
    )


def _short(head: HeavyHead) -> str:
    return head.digest[:DIGEST_SHOWN]


async def _json_object(known: Mapping[str, Any], text: HeavyText, head: HeavyHead | None) -> AsyncIterator[bytes]:
    """What is known, and the text as its last member."""
    yield json.dumps(known, ensure_ascii=False)[:-1].encode("utf-8", "replace") + b', "text": '
    if head is None:
        yield b"null"
    else:
        async for part in _json_string(text.pieces(0, head.size)):
            yield part
    yield b"}"


async def _json_string(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Bytes as one JSON string, piece by piece; a character may stand across two pieces."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    yield b'"'
    async for piece in pieces:
        yield json.dumps(decoder.decode(piece), ensure_ascii=False)[1:-1].encode()
    yield json.dumps(decoder.decode(b"", final=True), ensure_ascii=False)[1:-1].encode() + b'"'
