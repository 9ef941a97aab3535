"""Files of URLs: which of a message's files are read, and what stands in them. Pure."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.address.find import find_urls_in_text

ENDINGS = (".txt", ".csv")
LARGEST = 4 * 1024 * 1024  # bytes that are read of a file: 10,000 long URLs
MOST = 5  # files of one message
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that may hold URLs; `url` is where Slack keeps it, for the bot's token."""

    name: str
    url: str


def text_files(event: Mapping[str, Any]) -> tuple[TextFile, ...]:
    """The .txt and .csv files of a message."""
    files = event.get("files")
    described = [file for file in files if isinstance(file, Mapping)] if isinstance(files, list) else []
    named = [TextFile(str(file.get("name") or ""), str(file.get("url_private") or "")) for file in described]
    return tuple(file for file in named if file.name.lower().endswith(ENDINGS) and file.url)[:MOST]


def urls_in(content: bytes) -> list[str]:
    """The URLs of a file, in order, each once. What is no text is passed over, and so is a line that was cut."""
    if len(content) >= LARGEST:
        content = content[: content.rfind(b"\n") + 1]
    coding = next((name for mark, name in BYTE_ORDER_MARKS if content.startswith(mark)), "utf-8")
    return find_urls_in_text(content.decode(coding, errors="replace"), entities=False)
