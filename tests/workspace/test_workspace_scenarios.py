"""A small, unmodified Bolt app in a workspace: what people do arrives, and what the app does is seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace import FaultKind, Workspace
from tests.workspace.small_app import ACTIONS, SECRET, TOKEN, build_app, serving


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """One session for the app's calls."""
    async with aiohttp.ClientSession() as opened:
        yield opened


@pytest.fixture
async def ws(session: aiohttp.ClientSession) -> AsyncIterator[Workspace]:
    """A workspace with the app in it."""
    async with (
        Workspace(signing_secret=SECRET, bot_token=TOKEN) as workspace,
        serving(build_app(workspace, session)) as url,
    ):
        workspace.connect(url)
        yield workspace


async def test_a_command_is_acknowledged_and_then_answered(ws: Workspace) -> None:
    """The answer replaces the acknowledgement, and only who asked sees it."""
    ack = await ws.slash("/inspect", "https://a.example/?x=1&y=2", channel="C0OUTSIDE", user="U0BEN")
    reply = await ws.wait_for(lambda message: message.text == "INDEXABLE")

    assert (ack.status, ack.body, ack.error) == (200, "Looking at https://a.example/?x=1&y=2", None)
    assert ws.messages("C0OUTSIDE") == [reply]
    assert (reply.ephemeral_to, reply.edited, reply.via) == ("U0BEN", True, "response_url")


async def test_an_escaped_command_arrives_marked_up(ws: Workspace) -> None:
    """As with the app's setting "Escape channels, users, and links"."""
    ack = await ws.slash("/inspect", "https://a.example/?x=1&y=2", escape=True)

    assert ack.body == "Looking at <https://a.example/?x=1&amp;y=2>"


async def test_an_empty_acknowledgement_shows_nothing(ws: Workspace) -> None:
    """Not even an empty message."""
    ack = await ws.slash("/silent")

    assert (ack.status, ack.error, ws.messages("C0GENERAL")) == (200, None, [])


@pytest.mark.parametrize(
    ("command", "error"), [("/nobody-listens", "dispatch_failed"), ("/broken", "invalid_command_response")]
)
async def test_a_command_that_fails_tells_its_user(ws: Workspace, command: str, error: str) -> None:
    """As Slack does, with the name of the failure."""
    ack = await ws.slash(command, channel="C0GENERAL", user="U0BEN")

    (told,) = ws.messages("C0GENERAL")
    assert ack.error == error
    assert (told.user, told.ephemeral_to) == ("USLACKBOT", "U0BEN")
    assert told.text == f'{command} failed with the error "{error}"'


async def test_a_mention_arrives_twice_and_is_answered_in_its_thread(ws: Workspace) -> None:
    """As app_mention and as message, with one ts; the text has entities, the blocks have not."""
    ts = await ws.post("C0GENERAL", "see https://a.example/?x=1&y=2", mention=True)
    reply = await ws.wait_for(lambda message: message.from_bot)

    events = [delivery.payload["event"] for delivery in ws.deliveries]
    assert sorted((event["type"], event["ts"]) for event in events) == [("app_mention", ts), ("message", ts)]
    assert {event["text"] for event in events} == {"<@U0BOT> see <https://a.example/?x=1&amp;y=2>"}
    leaves = events[0]["blocks"][0]["elements"][0]["elements"]
    assert leaves[-1] == {"type": "link", "url": "https://a.example/?x=1&y=2"}
    assert (reply.thread_ts, ws.messages("C0GENERAL", ts)[-1]) == (ts, reply)


@pytest.mark.parametrize(
    ("channel", "mention", "types"),
    [
        ("C0RANDOM", False, [("message", "channel")]),
        ("D0ANN", False, [("message", "im")]),
        ("D0ANN", True, [("message", "im")]),
        ("C0OUTSIDE", True, []),
    ],
)
async def test_what_the_app_hears_of_a_message(
    ws: Workspace, channel: str, mention: bool, types: list[tuple[str, str]]
) -> None:
    """Nothing where the bot is not in, and no app_mention in a DM."""
    await ws.post(channel, "hello", mention=mention)

    events = [delivery.payload["event"] for delivery in ws.deliveries]
    assert [(event["type"], event["channel_type"]) for event in events] == types


async def test_a_shared_file_comes_with_its_message(ws: Workspace) -> None:
    """Subtype file_share, and file_shared beside it."""
    await ws.post("D0ANN", "these", files={"urls.txt": b"https://a.example/\n"})

    events = {delivery.payload["event"]["type"]: delivery.payload["event"] for delivery in ws.deliveries}
    assert (events["message"]["subtype"], events["message"]["files"][0]["name"]) == ("file_share", "urls.txt")
    assert events["file_shared"]["file_id"] == ws.files[0].id


async def test_an_edit_carries_both_versions(ws: Workspace) -> None:
    """message_changed, hidden."""
    ts = await ws.post("C0GENERAL", "one")
    await ws.edit(ws.messages("C0GENERAL", ts)[0], "two")

    event = ws.deliveries[-1].payload["event"]
    assert (event["subtype"], event["message"]["text"], event["previous_message"]["text"]) == (
        "message_changed",
        "two",
        "one",
    )


async def test_a_click_updates_the_message(ws: Workspace) -> None:
    """block_actions carries the value, the message and a place to answer."""
    await ws.slash("/inspect", "x")
    posted = await ws.wait_for(lambda message: message.text == "INDEXABLE")
    ephemeral = await ws.click(posted, "again")
    client = AsyncWebClient(token=TOKEN, base_url=ws.api_url)
    await client.chat_postMessage(channel="C0GENERAL", text="public", blocks=[ACTIONS])
    public = await ws.wait_for(lambda message: message.text == "public")
    await ws.click(public, "again", user="U0BEN", block_id="row")
    updated = await ws.wait_for(lambda message: message.text == "again page-1")

    first, second = (d.payload for d in ws.deliveries if d.payload.get("type") == "block_actions")
    assert ephemeral.status == 200
    assert "message" not in first
    assert first["container"]["is_ephemeral"] is True
    assert (second["user"]["id"], second["actions"][0]["block_id"]) == ("U0BEN", "row")
    assert (updated.ts, updated.via) == (public.ts, "chat.update")


async def test_nobody_clicks_what_is_not_there(ws: Workspace) -> None:
    """The sentence says what there is."""
    await ws.slash("/inspect", "x")
    message = await ws.wait_for(lambda message: message.text == "INDEXABLE")

    with pytest.raises(LookupError, match=r"no.*'delete'; there are \['again'\]"):
        await ws.click(message, "delete")


async def open_modal(ws: Workspace, user: str = "U0ANN") -> str:
    """The id of a modal that was just opened."""
    with ws.subscribe() as changes:
        await ws.slash("/modal", user=user)
        async with asyncio.timeout(5):
            while not ws.views(user):
                await anext(changes)
    return ws.views(user)[-1].id


@pytest.mark.parametrize(
    ("typed", "titles", "errors", "failure"),
    [
        ("https://a.example/", [], [], None),
        ("bad", ["Inspect"], [{"address": "Not a URL."}], None),
        ("more", ["Inspect", "More"], [{}, {}], None),
        ("new", ["New"], [{}], None),
        ("odd", ["Inspect"], [{}], "invalid_response_action"),
    ],
)
async def test_a_submitted_view_does_what_the_app_answers(
    ws: Workspace, typed: str, titles: list[str], errors: list[dict[str, str]], failure: str | None
) -> None:
    """Close, errors, push and update; errors for an input that is not there are refused."""
    view_id = await open_modal(ws)
    ack = await ws.submit_view(view_id, {"url": typed})

    left = ws.views("U0ANN")
    assert [view.payload["title"]["text"] for view in left] == titles
    assert [view.errors for view in left] == errors
    assert ack.error == failure


@pytest.mark.parametrize(
    ("values", "sentence"), [({}, "'address' is required"), ({"nonsense": "x"}, "no input 'nonsense'")]
)
async def test_slack_does_not_submit_a_view_that_is_not_filled_in(
    ws: Workspace, values: dict[str, str], sentence: str
) -> None:
    """The app never hears of it."""
    view_id = await open_modal(ws)

    with pytest.raises(LookupError, match=sentence):
        await ws.submit_view(view_id, values)


async def test_shortcuts_carry_a_trigger_and_a_message_shortcut_its_message(ws: Workspace) -> None:
    """A global one has neither channel nor response_url."""
    await ws.shortcut("global", user="U0BEN")
    ts = await ws.post("C0GENERAL", "https://a.example/")
    await ws.message_shortcut("on_message", ws.messages("C0GENERAL", ts)[0])

    first, second = (d.payload for d in ws.deliveries if d.kind == "interaction")
    assert (first["type"], "channel" in first, "response_url" in first) == ("shortcut", False, False)
    assert (second["type"], second["message"]["text"]) == ("message_action", "<https://a.example/>")
    assert second["response_url"].startswith("http://127.0.0.1:")


async def test_the_home_is_published_when_it_is_opened(ws: Workspace) -> None:
    """And what stands in it can be clicked."""
    with ws.subscribe() as changes:
        await ws.open_home("U0BEN")
        async with asyncio.timeout(5):
            while (home := ws.home("U0BEN")) is None:
                await anext(changes)
    ack = await ws.click(home, "again", user="U0BEN")

    assert ack.status == 200
    assert ws.deliveries[-1].payload["container"] == {"type": "view", "view_id": home.id}


@pytest.mark.parametrize("composer", [False, True])
async def test_a_shared_link_gets_its_card(ws: Workspace, composer: bool) -> None:
    """Under the URL exactly as the event wrote it; in the composer there is no message yet."""
    with ws.subscribe() as changes:
        where = await ws.share_link("C0OUTSIDE", "https://a.example/?x=1&y=2", composer=composer)
        async with asyncio.timeout(5):
            while not ws.unfurls:
                await anext(changes)

    (card,) = ws.unfurls
    event = next(d.payload["event"] for d in ws.deliveries if d.payload["event"]["type"] == "link_shared")
    assert (card.url, card.ts) == ("https://a.example/?x=1&amp;y=2", where)
    assert (event["source"], event["is_bot_user_member"]) == (
        "composer" if composer else "conversations_history",
        False,
    )


async def test_a_click_in_a_card_comes_without_a_message(ws: Workspace) -> None:
    """But with the card."""
    with ws.subscribe() as changes:
        await ws.share_link("C0GENERAL", "https://a.example/")
        async with asyncio.timeout(5):
            while not ws.unfurls:
                await anext(changes)
    await ws.click(ws.unfurls[0], "again")

    payload = ws.deliveries[-1].payload
    assert ("message" in payload, payload["app_unfurl"]["app_unfurl_url"]) == (False, "https://a.example/")


async def test_a_response_url_can_fail_too(ws: Workspace) -> None:
    """The acknowledgement stays; the answer is lost."""
    ws.fail_next("response_url", FaultKind.ratelimited(1))
    with ws.subscribe() as changes:
        await ws.slash("/inspect", "x")
        async with asyncio.timeout(5):
            while ws.calls[-1:] == [] or ws.calls[-1].method != "response_url":
                await anext(changes)

    assert (ws.calls[-1].payload["text"], ws.calls[-1].error) == ("INDEXABLE", "ratelimited")
    assert [message.text for message in ws.messages("C0GENERAL")] == ["Looking at x"]


async def test_a_wrong_secret_is_refused_by_bolt(session: aiohttp.ClientSession) -> None:
    """The signature is Slack's: Bolt's own verification reads it."""
    async with Workspace(signing_secret="another", bot_token=TOKEN) as ws, serving(build_app(ws, session)) as url:
        ws.connect(url)
        ack = await ws.slash("/inspect", "x")

    assert (ack.status, ack.error) == (401, "dispatch_failed")


async def test_slack_checks_the_request_url(ws: Workspace) -> None:
    """url_verification is answered with the challenge, ssl_check with 200."""
    verified = await ws.verify_url("abc")

    assert verified.body == {"challenge": "abc"}
    assert (await ws.ssl_check()).status == 200


@pytest.mark.parametrize("new_event_id", [False, True])
async def test_an_event_can_be_sent_again_by_hand(ws: Workspace, new_event_id: bool) -> None:
    """With the same event_id, or as a new event with the same ts."""
    await ws.post("C0GENERAL", "x")
    again = await ws.redeliver(ws.deliveries[0], new_event_id=new_event_id)

    first = ws.deliveries[0].payload
    assert (again.retry, again.payload["event"]) == (1, first["event"])
    assert (again.payload["event_id"] != first["event_id"]) is new_event_id


async def test_waiting_in_vain_says_what_there_is(ws: Workspace) -> None:
    """So that a failing test can be read."""
    await ws.post("C0GENERAL", "hello")

    with pytest.raises(TimeoutError, match="user: 'hello'"):
        await ws.wait_for(lambda message: message.from_bot, timeout=0.05)


async def test_socket_mode_carries_the_same(session: aiohttp.ClientSession) -> None:
    """Commands, events and interactions in envelopes; after a refresh the app is back."""
    async with Workspace(signing_secret=SECRET, bot_token=TOKEN) as ws:
        handler = AsyncSocketModeHandler(build_app(ws, session), ws.installation.app_token)
        await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped
        await ws.sockets.connected()
        ack = await ws.slash("/inspect", "x")
        message = await ws.wait_for(lambda message: message.text == "INDEXABLE")
        click = await ws.click(message, "again")
        await ws.post("C0GENERAL", "hi", mention=True)
        await ws.wait_for(lambda message: "You said" in message.text)

        await ws.sockets.disconnect("refresh_requested")
        await ws.sockets.connected()
        after = await ws.slash("/silent")
        await handler.close_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped

    assert (ack.body, click.error, after.error) == ({"text": "Looking at x"}, None, None)
