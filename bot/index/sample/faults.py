"""How a page fails a filter, or gives it nothing to judge: for each filter id, the columns that make it so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from random import Random

from bot.address.key import url_key
from bot.index.sample.spec import Row

HOUR = 3600
DAY = 24 * HOUR
NO_TEXT: Row = dict.fromkeys(
    ("meta_title", "attrs_boilerpipe_text", "attrs_markdown", "attrs_readable_markdown", "attrs_language")
)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a fault may depend on. `related` is another URL of the site."""

    rng: Random
    now: int
    related: str


Fault = Callable[[Circumstances], Row]


def _http_status(case: Circumstances) -> Row:
    code = case.rng.choice((301, 302, 308, 404, 404, 404, 410, 403, 429, 500, 503, 206, 204))
    if code in (301, 302, 308):
        return {**NO_TEXT, "download_http_code": code, "download_redirect_target": url_key(case.related).unparsed}
    return {"download_http_code": code} if code == 206 else {**NO_TEXT, "download_http_code": code}


def _age_cutoff(case: Circumstances) -> Row:
    stamp = case.now - case.rng.randint(200 * DAY, 1500 * DAY)
    return {"download_stamp": stamp, "props_url_first_seen": stamp - case.rng.randint(HOUR, 900 * DAY)}


def _history_drop(case: Circumstances) -> Row:
    reasons = ("duplicate_content", "soft_404", "thin_content", "crawl_trap", "owner_request", "parked_domain")
    return {"history_drop_reason": case.rng.choice(reasons)}


def _spam_ban(case: Circumstances) -> Row:
    return {"ml_spam_score": case.rng.choice((1, 7, 35, 80, 99, 100, 1000))}


def _canonical(case: Circumstances) -> Row:
    return {"meta_canonical": url_key(case.related).unparsed}


FAILING: Mapping[str, Fault] = {
    "http-status": _http_status,
    "age-cutoff": _age_cutoff,
    "history-drop": _history_drop,
    "spam-ban": _spam_ban,
    "canonical": _canonical,
}

# SQL's NULL: the other two filters ask `isNull` and so always know.
UNKNOWN: Mapping[str, Fault] = {
    "http-status": lambda _: {"download_http_code": None},
    "age-cutoff": lambda _: {"download_stamp": None},
    "spam-ban": lambda case: case.rng.choice(({"fh_dont_index": None}, {"ml_spam_score": None})),
}


def six_months_before(now: datetime) -> datetime:
    """`now - INTERVAL 6 MONTH` as ClickHouse counts it: the same day of the month, or the month's last one."""
    year, month = divmod(now.year * 12 + now.month - 1 - 6, 12)
    for day in (now.day, 30, 29, 28):
        try:
            return now.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue  # the month is shorter
    raise AssertionError("every month has 28 days")
