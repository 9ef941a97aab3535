"""The form for one page, App Home, cards under links, files and shortcuts, beyond what `test_every_listener` plays."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.errors import StoreUnavailable
from bot.inspection.model import Verdict
from bot.render import limits
from bot.render.actions import ACTION_FILTERS
from bot.slack.files import LARGEST
from bot.slack.register import INSPECT_MESSAGE, LOOKUP
from bot.state.state import State
from bot.workspace import FaultKind, Message, View
from bot.workspace.model import TEAM
from tests.slack.running import DM, GENERAL, OTHER, OUTSIDE, PAGE, URL, Running, running

ANN = "U0ANN"
KEY = "example,docs!,/guide s443"
ROOT_HASH = "12345678901234567890"
LINK: dict[str, Any] = {
    "type": "link_shared",
    "channel": GENERAL,
    "user": ANN,
    "message_ts": "1.2",
    "is_bot_user_member": True,
}


def words(blocks: Any) -> str:
    return Message("", "", "", "", "", blocks=tuple(blocks)).words


async def opened_form(bot: Running) -> View:
    await bot.ws.shortcut(LOOKUP)
    await bot.settled()
    [view] = bot.ws.views(ANN)
    return view


@pytest.mark.parametrize(
    ("values", "field", "sentence"),
    [
        ({}, "url", "Give a URL, an unparsed key or a root hash"),
        ({"url": "  "}, "url", "Give a URL"),
        ({"url": "ftp://docs.example/"}, "url", "only http and https"),
        ({"url": URL, "unparsed": KEY}, "unparsed", "one of the two"),
        ({"unparsed": "example,docs!,/guide"}, "unparsed", "not an unparsed key"),
        ({"root_hash": "abc"}, "root_hash", "as a root hash"),
        ({"root_hash": "-1"}, "root_hash", "as a root hash"),
        ({"url": URL, "root_hash": "18446744073709551616"}, "root_hash", "as a root hash"),
        ({"url": URL, "shard": "two"}, "shard", "as a shard"),
        ({"url": URL, "shard": "200"}, "shard", "There is no shard 200"),
    ],
)
async def test_a_mistake_in_the_form_is_shown_at_its_field(values: dict[str, str], field: str, sentence: str) -> None:
    """The form stays open, with what was filled in."""
    async with running() as bot:
        view = await opened_form(bot)
        ack = await bot.ws.submit_view(view.id, values)
        await bot.settled()
        [still] = bot.ws.views(ANN)

    assert ack.error is None
    assert [*still.errors] == [field]
    assert sentence in still.errors[field]


@pytest.mark.parametrize(
    ("values", "shard", "key"),
    [
        ({"url": URL}, None, KEY),
        ({"unparsed": KEY}, None, KEY),
        ({"url": URL, "shard": "7"}, 7, KEY),
        ({"unparsed": KEY, "root_hash": ROOT_HASH}, int(ROOT_HASH) % 200, KEY),
        ({"url": URL, "root_hash": ROOT_HASH, "shard": "8"}, 8, KEY),
    ],
)
async def test_the_form_asks_the_index_for_what_was_filled_in(
    values: dict[str, str], shard: int | None, key: str
) -> None:
    """The hash that was given stands, and so does the shard."""
    async with running() as bot:
        view = await opened_form(bot)
        await bot.ws.submit_view(view.id, values)
        await bot.settled()
        query, asked = next((q, s) for q, s in bot.store.asked if "page_info_local" in q.sql)
        [shown] = bot.ws.views(ANN)

    assert query.parameters["keys"][0][1] == key
    assert asked == shard or shard is None
    assert [pair[0] for pair in query.parameters["keys"]] == [
        int(values.get("root_hash", query.parameters["keys"][0][0]))
    ]
    assert "INDEXABLE" in words(shown.blocks)


async def test_the_form_replays_a_verdict_and_finds_a_site_by_its_hash() -> None:
    """As of a moment; a root hash alone."""
    moment = datetime(2026, 4, 6, tzinfo=UTC)
    async with running() as bot:
        view = await opened_form(bot)
        await bot.ws.submit_view(view.id, {"root_hash": "892221456919234349", "as_of": int(moment.timestamp())})
        await bot.settled()
        instants = {query.parameters["now"] for query, _ in bot.store.asked if "now" in query.parameters}
        [shown] = bot.ws.views(ANN)

    assert instants == {int(moment.timestamp())}
    assert URL in words(shown.blocks)


async def test_the_forms_answer_goes_where_the_bot_is_no_member() -> None:
    """By the response_url that the form asked for."""
    async with running() as bot:
        view = await opened_form(bot)
        await bot.ws.submit_view(view.id, {"url": URL, "channel": OUTSIDE})
        [posted] = await bot.settled(OUTSIDE)

    assert (posted.via, posted.ephemeral_to) == ("response_url", None)


async def test_the_forms_answer_that_cannot_be_posted_is_told_in_the_form() -> None:
    """The modal does not wait for ever."""
    async with running() as bot:
        view = await opened_form(bot)
        bot.ws.fail_next("response_url", FaultKind.error("expired_url"))
        await bot.ws.submit_view(view.id, {"url": URL, "channel": OUTSIDE})
        await bot.settled()
        [shown] = bot.ws.views(ANN)

    assert "expired_url" in words(shown.blocks)


# Home


async def test_home_shows_the_last_ten_lookups_whatever_way_they_came(state: State) -> None:
    """Newest first, each once, with its verdict; only one's own."""
    async with running(state=state) as bot:
        await bot.ws.slash("/inspect", URL)
        await bot.settled()
        await bot.ws.post(DM, f"{OTHER} {URL}")
        await bot.settled(DM)
        await bot.ws.slash("/inspect", "https://docs.example/of-ben", user="U0BEN")
        await bot.settled()
        for number in range(9):
            await state.recent.add(TEAM, ANN, f"https://docs.example/{number}", Verdict.NOT_CRAWLED)
        await bot.ws.open_home(ANN)
        await bot.settled()
        home = bot.ws.home(ANN)

    assert home is not None
    shown = [line for line in words(home.blocks).splitlines() if ": https://docs.example" in line]
    assert len(shown) == 10
    assert "https://docs.example/8" in shown[0]
    assert "of-ben" not in words(home.blocks)
    assert len(home.blocks) <= limits.VIEW_BLOCKS


@pytest.mark.parametrize(
    ("says", "seen"),
    [
        ({"SELECT 1": [{"one": 1}], "newest": [{"newest": 1_796_000_000}]}, ["200 of 200 shards answer", "2026"]),
        (
            {"SELECT 1": StoreUnavailable("no"), "newest": [{"newest": 0}]},
            ["0 of 200 shards answer; not: laksa0", "not known"],
        ),
        ({"SELECT 1": [{"one": 1}], "newest": StoreUnavailable("no")}, ["200 of 200", "not known"]),
    ],
)
async def test_home_shows_the_state_of_the_index(says: dict[str, Any], seen: list[str]) -> None:
    """Shards that answer, and the age of what they hold."""
    async with running(**says) as bot:
        await bot.ws.open_home(ANN)
        await bot.settled()
        home = bot.ws.home(ANN)

    assert home is not None
    assert [word for word in seen if word not in words(home.blocks)] == []


async def test_the_messages_tab_of_home_is_no_visit_to_home() -> None:
    """app_home_opened comes for both tabs."""
    async with running() as bot:
        await bot.ws.open_home(ANN, tab="messages")
        await bot.settled()

    assert bot.made("views.publish") == []


# cards under links


def carding(**named: Any) -> Any:
    """A bot whose settings leave the links of docs.example to their cards."""
    return running(changed={"unfurl_domains": ("docs.example",)}, **named)


async def test_a_card_is_keyed_by_the_url_as_slack_wrote_it_and_inspects_the_one_it_means() -> None:
    """python-slack-events-api #49, bolt-python #283, #563: `&amp;` stays in the key."""
    async with carding() as bot:
        await bot.ws.share_link(GENERAL, "https://docs.example/guide?a=1&b=2")
        await bot.settled()
        asked = [query.parameters["keys"] for query, _ in bot.store.asked if "page_info_local" in query.sql]
        [made] = bot.made("chat.unfurl")

    assert [*made.payload["unfurls"]] == ["https://docs.example/guide?a=1&amp;b=2"]
    assert asked[0][0][1] == "example,docs!,/guide?a=1&b=2 s443"


@pytest.mark.parametrize(("composer", "buttons"), [(False, 1), (True, 0)])
async def test_a_card_holds_neither_rich_text_nor_table_and_no_button_in_the_composer(
    composer: bool, buttons: int
) -> None:
    """Slack refuses the first two in chat.unfurl; there is no message yet whose thread a click could be answered in."""
    async with carding() as bot:
        await bot.ws.share_link(GENERAL, URL, composer=composer)
        await bot.settled()
        [card] = bot.ws.unfurls

    kinds = [block["type"] for block in card.blocks]
    assert {"rich_text", "table"} & {*kinds} == set()
    assert kinds.count("actions") == buttons


async def test_a_click_in_a_card_is_answered_in_the_messages_thread() -> None:
    """Its payload has no message: container.type is message_attachment."""
    async with carding() as bot:
        ts = await bot.ws.share_link(GENERAL, URL)
        await bot.settled()
        await bot.ws.click(bot.ws.unfurls[0], ACTION_FILTERS)
        replies = await bot.settled()

    assert ts in {reply.thread_ts for reply in replies if any(block["type"] == "table" for block in reply.blocks)}


@pytest.mark.parametrize(
    "changed",
    [
        {"user": "U0BOT"},
        {"bot_id": "B0BOT"},
        {"links": []},
        {"links": None},
        {"links": [{"url": "mailto:a@b.example"}, 7]},
    ],
    ids=str,
)
async def test_no_card_in_the_bots_own_posts_nor_where_nothing_can_be_inspected(changed: dict[str, Any]) -> None:
    """monorobot #114: an app is told of its own links too."""
    event = {**LINK, "links": [{"url": URL, "domain": "docs.example"}], **changed}
    async with carding() as bot:
        delivery = await bot.ws.send_event(event)
        await bot.settled()

    assert (delivery.status, bot.made("chat.unfurl")) == (200, [])


@pytest.mark.parametrize(
    "error", ["cannot_unfurl_url", "cannot_find_channel", "cannot_find_service", "cannot_unfurl_message"]
)
async def test_a_card_that_slack_refuses_is_logged_and_nobody_is_told(
    error: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody asked for it."""
    async with carding() as bot:
        bot.ws.fail_next("chat.unfurl", FaultKind.error(error))
        await bot.ws.share_link(OUTSIDE, URL)
        replies = await bot.settled(OUTSIDE)

    assert replies == []
    assert error in caplog.text


async def test_the_place_of_an_enterprise_event_without_unfurl_id_is_its_channel_and_ts() -> None:
    """Some payloads lack unfurl_id and source."""
    async with carding() as bot:
        await bot.ws.send_event({**LINK, "links": [{"url": URL, "domain": "docs.example"}]})
        await bot.settled()
        [made] = bot.made("chat.unfurl")

    assert {name: made.payload.get(name) for name in ("channel", "ts", "unfurl_id")} == {
        "channel": GENERAL,
        "ts": "1.2",
        "unfurl_id": None,
    }


# files


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("urls.txt", f"{URL}\r\n{OTHER}\r\n".encode(), "2 URLs"),
        ("URLS.TXT", f"\ufeff{URL}\n{OTHER}".encode(), "2 URLs"),
        ("urls.csv", f'"{URL}","a & b"\n"{OTHER}",2\n'.encode(), "2 URLs"),
        ("urls.csv", f"{URL};{OTHER}".encode("utf-16"), "2 URLs"),
        ("one.txt", URL.encode(), "INDEXABLE"),
        ("big.txt", URL.encode() + b" \n" * LARGEST + OTHER.encode(), "INDEXABLE"),
        ("none.txt", b"good morning", "Read none.txt and found no URL"),
        ("bytes.txt", bytes(range(256)), "Read bytes.txt and found no URL"),
        ("empty.csv", b"", "Read empty.csv and found no URL"),
    ],
)
@pytest.mark.parametrize("channel", [GENERAL, DM])
async def test_the_urls_of_a_file_are_inspected(channel: str, name: str, content: bytes, says: str) -> None:
    """Dropped with a mention, or in a direct message."""
    async with running() as bot:
        await bot.ws.post(channel, "", mention=channel == GENERAL, files={name: content})
        replies = await bot.settled(channel)

    assert len(replies) == 1
    assert says in replies[0].words


async def test_the_urls_of_message_and_files_are_one_answer() -> None:
    """In order, each once."""
    async with running() as bot:
        files = {"a.txt": URL.encode(), "b.csv": OTHER.encode(), "c.png": b"https://docs.example/picture"}
        await bot.ws.post(GENERAL, f"{URL} and these", mention=True, files=files)
        [reply] = await bot.settled()

    assert "2 URLs" in reply.words


async def test_a_file_without_a_mention_is_not_opened() -> None:
    """Nobody asked."""
    async with running() as bot:
        await bot.ws.post(GENERAL, "", files={"urls.txt": URL.encode()})
        replies = await bot.settled()

    assert replies == []


async def test_the_bots_token_goes_to_slacks_own_hosts_only() -> None:
    """A file of another service stands in a message with that service's address."""
    foreign = {"id": "F1", "name": "urls.txt", "url_private": "http://127.0.0.1:9/urls.txt"}
    event = {"type": "message", "subtype": "file_share", "channel": DM, "channel_type": "im", "user": ANN, "ts": "1.5"}
    async with running() as bot:
        await bot.ws.send_event({**event, "text": "", "files": [foreign]})
        [reply] = await bot.settled(DM)

    assert "not_slacks" in reply.words


async def test_a_file_that_slack_does_not_give_is_told() -> None:
    """Who lacks files:read is led to a sign-in page."""
    async with running() as bot:
        event = {
            "type": "message",
            "subtype": "file_share",
            "channel": DM,
            "channel_type": "im",
            "user": ANN,
            "ts": "1.5",
        }
        gone = {"id": "F1", "name": "urls.txt", "url_private": f"{bot.ws.state.origin}/files-pri/T-F1/urls.txt"}
        await bot.ws.send_event({**event, "text": "", "files": [gone]})
        [reply] = await bot.settled(DM)

    assert "http_404" in reply.words


# shortcuts


@pytest.mark.parametrize(
    ("text", "says"),
    [(URL, "INDEXABLE"), (f"{URL} {OTHER}", "2 URLs"), ("good morning", "no web address in this message")],
)
@pytest.mark.parametrize("channel", [GENERAL, OUTSIDE])
async def test_the_message_shortcut_answers_the_one_who_chose_it(channel: str, text: str, says: str) -> None:
    """Where the bot is no member too, as the answer goes by the response_url."""
    async with running() as bot:
        message = bot.ws.state.add(Message(channel, bot.ws.state.new_ts(), "U0BEN", text, "user"))
        await bot.ws.message_shortcut(INSPECT_MESSAGE, message)
        [reply] = await bot.settled(channel)

    assert (reply.ephemeral_to, reply.via) == (ANN, "response_url")
    assert says in reply.words


def test_the_page_of_these_tests_is_indexable() -> None:
    """What the words above rest on."""
    assert PAGE["key"] == KEY
