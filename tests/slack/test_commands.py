from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.errors import StoreUnavailable
from bot.workspace import Message
from tests.slack.running import GENERAL, OTHER, OUTSIDE, URL, running

KEY = "example,docs!,/guide s443"
FOR_ANN = "U0ANN"


@pytest.mark.parametrize(
    ("text", "says", "to"),
    [
        (URL, "INDEXABLE", None),
        (f"please check {URL}, thanks", "INDEXABLE", None),
        (f"<{URL}|{URL}>", "INDEXABLE", None),
        (f"<{URL}>", "INDEXABLE", None),
        (KEY, "INDEXABLE", None),
        ("hash:892221456919234349", URL, None),
        (f"{URL} as of 2026-04-06", "As of", None),
        (f"{URL} AS OF 2026-04-06T20:00Z", "As of", None),
        (f"{URL} as of 2026-04-06 20:00", "As of", None),
        (f"{URL} {OTHER}", "2 URLs", None),
        (f"{URL} {URL}", "INDEXABLE", None),
        ("", "/inspect https://", FOR_ANN),
        ("help", "/inspect https://", FOR_ANN),
        ("  HELP ", "/inspect https://", FOR_ANN),
        ("what is this", "Read “what is this” and found no URL", FOR_ANN),
        ("ftp://docs.example/a", "only http and https", FOR_ANN),
        ("look at ftp://docs.example/a now", "only http and https", FOR_ANN),
        ("https://", "no host", FOR_ANN),
        ("hash:abc", "root hash", FOR_ANN),
        ("hash:18446744073709551616", "root hash", FOR_ANN),
        ("example,docs!,/guide", "not an unparsed key", FOR_ANN),
        (f"{URL} as of 2026-13-45", "as a time", FOR_ANN),
        ("'; DROP TABLE pages; --", "found no URL", FOR_ANN),
        ("<!channel> `x` *y*", "found no URL", FOR_ANN),
    ],
)
async def test_inspect_answers_every_text_once(text: str, says: str, to: str | None) -> None:
    """Valid lookups for everyone; help and mistakes for the one who typed. bolt-python #87, #322"""
    async with running() as bot:
        ack = await bot.ws.slash("/inspect", text)
        replies = await bot.settled()

    assert (ack.status, ack.body, ack.error) == (200, "", None)
    assert [reply.ephemeral_to for reply in replies] == [to]
    assert says in replies[0].words


async def test_a_mistake_is_told_without_pinging_anybody() -> None:
    """What was typed stands in rich_text, and escaped in `text`."""
    async with running() as bot:
        await bot.ws.slash("/inspect", "<!channel> nothing")
        [reply] = await bot.settled()

    assert "<!" not in reply.text


async def test_the_command_works_where_the_bot_is_no_member() -> None:
    """bolt-python #438, bolt-js #365: say() would get channel_not_found; the response_url works everywhere."""
    async with running() as bot:
        await bot.ws.slash("/inspect", URL, channel=OUTSIDE)
        replies = await bot.settled(OUTSIDE)

    assert [reply.via for reply in replies] == ["response_url"]


@pytest.mark.parametrize(
    ("patience", "waiting"),
    [(0.05, ["Still looking: the index is slow to answer."]), (5.0, [])],
)
async def test_only_who_waits_long_is_told_so(patience: float, waiting: list[str]) -> None:
    """No "working…" for the fast answers: it costs a use of the response_url and a moment."""
    async with running(patience=patience, page_info_local=0.2) as bot:
        await bot.ws.slash("/inspect", URL)
        replies = await bot.settled()

    assert [reply.words for reply in replies[:-1]] == waiting
    assert "NOT CRAWLED" in replies[-1].words


async def test_a_slow_index_does_not_delay_the_acknowledgement() -> None:
    """Slack waits 3 seconds. Ours comes within Bolt's own 10 ms."""
    async with running(page_info_local=0.8) as bot:
        ack = await bot.ws.slash("/inspect", URL)

    assert (ack.status, ack.error) == (200, None)
    assert ack.elapsed_ms < 500


@pytest.mark.parametrize(
    ("failure", "says"),
    [
        (StoreUnavailable("laksa1 did not answer."), "laksa1 did not answer"),
        (RuntimeError("secret detail"), "Something went wrong here"),
    ],
)
async def test_every_failure_is_told_and_none_shows_its_inside(
    failure: Exception, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    """bolt-python #635, #526, #1061.

    Nothing is swallowed. A store's failure is a step's; anything else has an id, and a log.
    """
    async with running(page_info_local=failure) as bot:
        ack = await bot.ws.slash("/inspect", URL)
        [reply] = await bot.settled()

    assert ack.status == 200
    assert says in reply.words
    assert "secret detail" not in reply.words
    assert isinstance(failure, StoreUnavailable) or "secret detail" in caplog.text


async def test_an_error_id_leads_from_the_reply_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """The id that the user sees stands in the log with the traceback."""
    async with running(page_info_local=ZeroDivisionError()) as bot:
        await bot.ws.slash("/inspect", URL)
        [reply] = await bot.settled()

    number = reply.words.rpartition("report error ")[2].rstrip(".")
    assert f"error {number}" in caplog.text
    assert "Traceback" in caplog.text


async def test_no_reply_unfurls_and_all_are_taken() -> None:
    """bolt-python #346, bolt-js #1525: the flags are off on every path; Slack's rules are kept."""
    async with running() as bot:
        for text in (URL, f"{URL} {OTHER}", "help", "nonsense"):
            await bot.ws.slash("/inspect", text)
        await bot.ws.slash("/unheard", "")
        await bot.ws.post(GENERAL, URL)
        await bot.ws.post(GENERAL, URL, mention=True)
        replies = await bot.settled()

    def unfurls(message: Message) -> Any:
        return message.payload.get("unfurl_links"), message.payload.get("unfurl_media")

    assert {unfurls(reply) for reply in replies} == {(False, False)}
    assert {reply.would_unfurl for reply in replies} == {False}
    assert [call.error for call in bot.ws.calls if not call.ok] == []


async def test_people_who_ask_at_once_are_each_answered() -> None:
    """Each by their own response_url, which has its own pace."""
    async with running() as bot:
        await asyncio.gather(*(bot.ws.slash("/inspect", URL, channel=GENERAL) for _ in range(8)))
        replies = await bot.settled()

    assert len(replies) == 8


async def test_more_urls_than_a_table_holds_are_all_looked_up() -> None:
    """300 URLs: the answer is a list, of which `test_lists` says more."""
    urls = " ".join(f"https://docs.example/{number}" for number in range(300))
    async with running() as bot:
        await bot.ws.slash("/inspect", urls)
        [reply, _file] = await bot.settled()

    assert "300 URLs: 300 not crawled" in reply.words
