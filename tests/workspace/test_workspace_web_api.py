"""The Web API as slack_sdk's own client sees it: what is answered, and how Slack words a refusal."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace import ANSWER_LOST, HTTP_500_HTML, NOT_JSON, RESET, TIMEOUT, FaultKind, Message, Workspace

BOT_TOKEN = "xoxb-test"
MODAL = {"type": "modal", "title": {"type": "plain_text", "text": "T"}, "blocks": [{"type": "divider"}]}
HOME = {"type": "home", "blocks": [{"type": "divider"}]}


class Clock:
    """A clock that tests set forward."""

    def __init__(self) -> None:
        self.now = 1_796_126_400.0  # 2026-12-01 12:00 UTC

    def __call__(self) -> float:
        """Now."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Noon."""
    return Clock()


@pytest.fixture
async def ws(clock: Clock) -> AsyncIterator[Workspace]:
    """A workspace with no app connected."""
    async with Workspace(signing_secret="s", bot_token=BOT_TOKEN, clock=clock) as workspace:
        yield workspace


@pytest.fixture
async def client(ws: Workspace) -> AsyncIterator[AsyncWebClient]:
    """slack_sdk's client, unmodified but for its address; 0.3 s at most for an answer."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=0.3)) as session:
        yield AsyncWebClient(token=BOT_TOKEN, base_url=ws.api_url, session=session, retry_handlers=[])


async def refused(client: AsyncWebClient, method: str, **arguments: Any) -> dict[str, Any]:
    """The answer to a call that must fail."""
    with pytest.raises(SlackApiError) as caught:
        await client.api_call(method, json=arguments)
    answer = caught.value.response.data
    assert isinstance(answer, dict)
    return answer


REFUSALS = [
    ("chat.postMessage", {"channel": "C0NOWHERE", "text": "x"}, "channel_not_found"),
    ("chat.postMessage", {"channel": "C0OUTSIDE", "text": "x"}, "not_in_channel"),
    ("chat.postMessage", {"channel": "C0GENERAL", "text": ""}, "no_text"),
    ("chat.postMessage", {"channel": "C0GENERAL", "blocks": "[{"}, "invalid_blocks_format"),
    ("chat.postMessage", {"text": "x"}, "invalid_arguments"),
    ("chat.postEphemeral", {"channel": "D0ANN", "user": "U0BEN", "text": "x"}, "user_not_in_channel"),
    ("chat.update", {"channel": "C0GENERAL", "ts": "1.000001", "text": "x"}, "message_not_found"),
    ("chat.delete", {"channel": "C0GENERAL", "ts": "1.000001"}, "message_not_found"),
    ("chat.getPermalink", {"channel": "C0GENERAL", "message_ts": "1.000001"}, "message_not_found"),
    ("chat.unfurl", {"channel": "C0GENERAL", "ts": "1.000001", "unfurls": {}}, "cannot_unfurl_message"),
    ("chat.unfurl", {"channel": "C0NOWHERE", "ts": "1.000001", "unfurls": {}}, "cannot_find_channel"),
    ("conversations.history", {"channel": "C0OUTSIDE"}, "not_in_channel"),
    ("conversations.replies", {"channel": "C0GENERAL", "ts": "1.000001"}, "thread_not_found"),
    ("conversations.open", {"users": "U0NOBODY"}, "user_not_found"),
    ("users.info", {"user": "U0NOBODY"}, "user_not_found"),
    ("reactions.add", {"channel": "C0GENERAL", "name": "eyes", "timestamp": "1.000001"}, "message_not_found"),
    ("views.open", {"trigger_id": "nonsense", "view": MODAL}, "invalid_trigger_id"),
    ("views.update", {"view": MODAL}, "invalid_arguments"),
    ("views.update", {"view_id": "V0", "view": MODAL}, "not_found"),
    ("views.publish", {"user_id": "U0ANN", "view": MODAL}, "invalid_arguments"),
    ("files.info", {"file": "F0"}, "file_not_found"),
    ("apps.connections.open", {}, "not_allowed_token_type"),
    ("chat.shout", {}, "unknown_method"),
]


@pytest.mark.parametrize(("method", "arguments", "error"), REFUSALS)
async def test_a_refusal_has_slacks_name(
    client: AsyncWebClient, ws: Workspace, method: str, arguments: dict[str, Any], error: str
) -> None:
    """The client raises with the name, and the workspace remembers the call."""
    answer = await refused(client, method, **arguments)

    assert (answer["error"], ws.calls[-1].method, ws.calls[-1].error) == (error, method, error)


async def test_a_refused_payload_says_what_and_where(client: AsyncWebClient, ws: Workspace) -> None:
    """As Slack does: the sentences in `errors`, and again in `response_metadata.messages`."""
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}}

    answer = await refused(client, "chat.postMessage", channel="C0GENERAL", text="x", blocks=[block])

    sentence = "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"
    assert answer == {
        "ok": False,
        "error": "invalid_blocks",
        "errors": [sentence],
        "response_metadata": {"messages": [f"[ERROR] {sentence}"]},
    }
    assert [str(problem) for problem in ws.calls[-1].problems] == [sentence]
    assert ws.messages("C0GENERAL") == []


@pytest.mark.parametrize(("token", "error"), [("", "not_authed"), ("xoxb-other", "invalid_auth")])
async def test_a_wrong_token_is_refused(ws: Workspace, token: str, error: str) -> None:
    """Nobody posts without the installation's token."""
    answer = await refused(AsyncWebClient(token=token, base_url=ws.api_url), "auth.test")

    assert answer["error"] == error


async def test_a_missing_scope_says_which() -> None:
    """The answer names what is needed and what was granted."""
    async with Workspace(signing_secret="s", bot_token=BOT_TOKEN, scopes=["commands"]) as ws:
        client = AsyncWebClient(token=BOT_TOKEN, base_url=ws.api_url)
        answer = await refused(client, "chat.postMessage", channel="C0GENERAL", text="x")

    assert answer == {"ok": False, "error": "missing_scope", "needed": "chat:write", "provided": "commands"}


async def test_a_message_is_posted_edited_and_deleted(client: AsyncWebClient, ws: Workspace) -> None:
    """The life of one message of the bot."""
    button = {"type": "button", "text": {"type": "plain_text", "text": "b"}}
    posted = await client.chat_postMessage(
        channel="#general", text="a & b", blocks=[{"type": "actions", "elements": [button]}], unfurl_links=False
    )
    (before,) = ws.messages("C0GENERAL")
    assert before.blocks[0]["block_id"]
    assert before.blocks[0]["elements"][0]["action_id"]

    await client.chat_update(channel="C0GENERAL", ts=str(posted["ts"]), text="c")
    (after,) = ws.messages("C0GENERAL")
    assert (after.text, after.blocks, after.edited, after.via) == ("c", (), True, "chat.update")

    await client.chat_delete(channel="C0GENERAL", ts=str(posted["ts"]))
    assert ws.messages("C0GENERAL") == []


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({}, True),
        ({"unfurl_links": True, "unfurl_media": False}, True),
        ({"unfurl_links": False}, True),
        ({"unfurl_links": False, "unfurl_media": False}, False),
    ],
)
async def test_a_post_that_slack_would_decorate_is_marked(
    client: AsyncWebClient, ws: Workspace, flags: dict[str, bool], expected: bool
) -> None:
    """Only when both are off does Slack add no cards."""
    await client.chat_postMessage(channel="C0GENERAL", text="x", **flags)  # type: ignore[arg-type]

    assert ws.messages("C0GENERAL")[0].would_unfurl is expected


async def test_nobody_edits_the_message_of_a_person(client: AsyncWebClient, ws: Workspace) -> None:
    """A bot's token changes and deletes the bot's own messages."""
    ts = await ws.post("C0OUTSIDE", "mine")

    assert (await refused(client, "chat.update", channel="C0OUTSIDE", ts=ts, text="x"))[
        "error"
    ] == "cant_update_message"
    assert (await refused(client, "chat.delete", channel="C0OUTSIDE", ts=ts))["error"] == "cant_delete_message"


async def test_an_ephemeral_is_seen_by_one_and_found_by_no_method(client: AsyncWebClient, ws: Workspace) -> None:
    """It is in no history and cannot be updated."""
    answer = await client.chat_postEphemeral(channel="C0GENERAL", user="U0BEN", text="psst")

    assert [(m.ephemeral_to, m.text) for m in ws.messages("C0GENERAL")] == [("U0BEN", "psst")]
    assert (await client.conversations_history(channel="C0GENERAL"))["messages"] == []
    update = {"channel": "C0GENERAL", "ts": answer["message_ts"], "text": "x"}
    assert (await refused(client, "chat.update", **update))["error"] == "message_not_found"


async def test_a_thread_is_read_page_by_page(client: AsyncWebClient, ws: Workspace) -> None:
    """conversations.replies gives the root first, and a cursor while there is more."""
    root = str((await client.chat_postMessage(channel="C0GENERAL", text="0"))["ts"])
    for number in "12":
        await client.chat_postMessage(channel="C0GENERAL", text=number, thread_ts=root)

    first = await client.conversations_replies(channel="C0GENERAL", ts=root, limit=2)
    rest = await client.conversations_replies(
        channel="C0GENERAL", ts=root, limit=2, cursor=first["response_metadata"]["next_cursor"]
    )

    assert [[m["text"] for m in page["messages"]] for page in (first, rest)] == [["0", "1"], ["2"]]
    assert [m.text for m in ws.messages("C0GENERAL", root)] == ["0", "1", "2"]
    assert [m["text"] for m in (await client.conversations_history(channel="C0GENERAL"))["messages"]] == ["0"]


def written(ws: Workspace, user: str, **place: Any) -> Message:
    return ws.state.add(Message("C0GENERAL", ws.state.new_ts(), user, "words", "user", **place))


async def test_a_message_in_a_thread_says_whose_thread_it_is(client: AsyncWebClient, ws: Workspace) -> None:
    """Slack's own user where the root is gone; outside of threads there is no such field."""
    of_bot = str((await client.chat_postMessage(channel="C0GENERAL", text="root"))["ts"])
    of_ben, gone = (written(ws, "U0BEN").ts for _ in range(2))
    ws.state.remove(ws.state.message("C0GENERAL", gone))
    replies = [written(ws, "U0ANN", thread_ts=root) for root in (of_bot, of_ben, gone)]
    read = (await client.conversations_replies(channel="C0GENERAL", ts=of_bot))["messages"]

    assert [reply.to_slack().get("parent_user_id") for reply in replies] == ["U0BOT", "U0BEN", "USLACKBOT"]
    assert [message.get("parent_user_id") for message in read] == [None, "U0BOT"]


async def test_a_trigger_opens_one_view_within_three_seconds(
    client: AsyncWebClient, ws: Workspace, clock: Clock
) -> None:
    """Used twice it is exchanged; used late it is expired."""
    first, late = ws.state.new_trigger("U0ANN"), ws.state.new_trigger("U0ANN")

    opened = await client.views_open(trigger_id=first, view=MODAL)
    again = await refused(client, "views.open", trigger_id=first, view=MODAL)
    clock.now += 3.1
    expired = await refused(client, "views.open", trigger_id=late, view=MODAL)

    assert [view.id for view in ws.views("U0ANN")] == [opened["view"]["id"]]
    assert (again["error"], expired["error"]) == ("exchanged_trigger_id", "expired_trigger_id")


async def test_views_stack_three_high_and_know_their_hash(client: AsyncWebClient, ws: Workspace) -> None:
    """The third push is refused, and so is an update of what has changed since."""
    view = (await client.views_open(trigger_id=ws.state.new_trigger("U0ANN"), view=MODAL))["view"]
    for _ in range(2):
        await client.views_push(trigger_id=ws.state.new_trigger("U0ANN"), view=MODAL)
    trigger = ws.state.new_trigger("U0ANN")
    pushed = await refused(client, "views.push", trigger_id=trigger, view=MODAL)
    await client.views_update(view_id=view["id"], view=MODAL, hash=view["hash"])
    stale = await refused(client, "views.update", view_id=view["id"], view=MODAL, hash=view["hash"])

    assert (len(ws.views("U0ANN")), pushed["error"], stale["error"]) == (3, "push_limit_reached", "hash_conflict")


async def test_a_home_is_published_for_one_person(client: AsyncWebClient, ws: Workspace) -> None:
    """Publishing again replaces it."""
    await client.views_publish(user_id="U0ANN", view=HOME)
    await client.views_publish(user_id="U0ANN", view={**HOME, "private_metadata": "2"})

    home = ws.home("U0ANN")
    assert home is not None
    assert home.payload["private_metadata"] == "2"
    assert ws.home("U0BEN") is None


async def test_a_file_goes_up_and_is_read_back_with_the_token(client: AsyncWebClient, ws: Workspace) -> None:
    """slack_sdk's files_upload_v2 takes three calls; without the token a download meets the sign-in page."""
    await client.files_upload_v2(
        channel="C0GENERAL", content="a,b\n1,2\n", filename="pages.csv", initial_comment="All pages"
    )
    (file,) = ws.files
    (message,) = ws.messages("C0GENERAL")
    described = (await client.files_info(file=file.id))["file"]
    async with aiohttp.ClientSession() as session:
        async with session.get(described["url_private"], headers={"Authorization": f"Bearer {BOT_TOKEN}"}) as response:
            content = await response.text()
        async with session.get(described["url_private"]) as response:
            page = await response.text()

    assert (file.name, file.channels, content) == ("pages.csv", ("C0GENERAL",), "a,b\n1,2\n")
    assert (message.text, message.files[0]["id"]) == ("All pages", file.id)
    assert "Sign in" in page


async def test_people_have_time_zones(client: AsyncWebClient) -> None:
    """users.info gives the zone and its offset at this moment."""
    zones = [(await client.users_info(user=user))["user"] for user in ("U0ANN", "U0BEN")]

    assert [(zone["tz"], zone["tz_offset"]) for zone in zones] == [
        ("Europe/Berlin", 3600),
        ("America/New_York", -18000),
    ]


async def test_a_message_reads_as_lines(client: AsyncWebClient, ws: Workspace) -> None:
    """`words` is what a person reads off the blocks: a line for each text, paragraph and row of a table."""
    cell = {"type": "raw_text", "text": "HTTP status"}
    status = [{"type": "emoji", "name": "x"}, {"type": "text", "text": " FAIL"}]
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": status}]}
    header = {"type": "header", "text": {"type": "plain_text", "text": "NOT INDEXABLE"}}
    blocks: list[dict[str, Any]] = [header, {"type": "table", "rows": [[cell, rich]]}, rich]
    await client.chat_postMessage(channel="C0GENERAL", text="fallback", blocks=blocks)

    assert ws.messages("C0GENERAL")[0].words == "NOT INDEXABLE\nHTTP status | :x: FAIL\n:x: FAIL"


async def test_a_user_is_reached_by_their_id(client: AsyncWebClient, ws: Workspace) -> None:
    """Posting to a person opens their DM."""
    posted = await client.chat_postMessage(channel="U0BEN", text="hello")
    opened = await client.conversations_open(users="U0BEN")

    assert posted["channel"] == opened["channel"]["id"] != "D0ANN"


async def test_a_reaction_is_added_once(client: AsyncWebClient, ws: Workspace) -> None:
    """And removed once."""
    ts = await ws.post("C0OUTSIDE", "not here")
    posted = str((await client.chat_postMessage(channel="C0GENERAL", text="x"))["ts"])
    mark = {"channel": "C0GENERAL", "timestamp": posted, "name": "eyes"}

    await client.reactions_add(**mark)
    assert ws.messages("C0GENERAL")[0].reactions == (("eyes", "U0BOT"),)
    assert (await refused(client, "reactions.add", **mark))["error"] == "already_reacted"
    await client.reactions_remove(**mark)
    assert (await refused(client, "reactions.remove", **mark))["error"] == "no_reaction"
    outside = {"channel": "C0OUTSIDE", "timestamp": ts, "name": "eyes"}
    assert (await refused(client, "reactions.add", **outside))["error"] == "not_in_channel"


@pytest.mark.parametrize("basic", [False, True])
async def test_an_oauth_code_is_worth_one_token(ws: Workspace, basic: bool) -> None:
    """The app's id and secret come in the form or in the Authorization header."""
    form = {"code": ws.grant_code()} | ({} if basic else {"client_id": "1.2", "client_secret": "client-secret"})
    login = base64.b64encode(b"1.2:client-secret").decode()
    headers = {"Authorization": f"Basic {login}"} if basic else {}
    async with aiohttp.ClientSession(headers=headers) as session:
        answers = [await (await session.post(ws.api_url + "oauth.v2.access", data=form)).json() for _ in range(2)]

    assert answers[0]["access_token"] == BOT_TOKEN
    assert answers[1] == {"ok": False, "error": "invalid_code"}


FAULTS = [
    (FaultKind.ratelimited(2), SlackApiError, "ratelimited"),
    (FaultKind.error("internal_error"), SlackApiError, "internal_error"),
    (HTTP_500_HTML, SlackApiError, "500"),
    (NOT_JSON, SlackApiError, "Unexpectedly failed to read"),
    (RESET, aiohttp.ClientError, None),
    (TIMEOUT, TimeoutError, None),
]


@pytest.mark.parametrize(("kind", "raised", "words"), FAULTS, ids=lambda value: getattr(value, "name", None))
async def test_a_fault_strikes_once_and_nothing_is_done(
    client: AsyncWebClient, ws: Workspace, kind: FaultKind, raised: type[Exception], words: str | None
) -> None:
    """The call after it works."""
    ws.fail_next("chat.postMessage", kind)

    with pytest.raises(raised, match=words):
        await client.chat_postMessage(channel="C0GENERAL", text="lost")
    await client.chat_postMessage(channel="C0GENERAL", text="kept")

    assert [message.text for message in ws.messages("C0GENERAL")] == ["kept"]
    assert [(call.payload["text"], call.ok) for call in ws.calls] == [("lost", False), ("kept", True)]


async def test_an_answer_can_get_lost_after_the_deed(client: AsyncWebClient, ws: Workspace) -> None:
    """The message stands although the app saw an error: whoever tries again posts twice."""
    ws.fail_next("*", ANSWER_LOST)

    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel="C0GENERAL", text="there")

    assert [message.text for message in ws.messages("C0GENERAL")] == ["there"]


async def test_a_rate_limit_says_how_long_to_wait(client: AsyncWebClient, ws: Workspace) -> None:
    """429 with Retry-After."""
    ws.fail_next("auth.test", FaultKind.ratelimited(7))

    with pytest.raises(SlackApiError) as caught:
        await client.auth_test()

    assert (caught.value.response.status_code, caught.value.response.headers["Retry-After"]) == (429, "7")


async def test_what_happens_can_be_watched(client: AsyncWebClient, ws: Workspace) -> None:
    """A page for people is built on this."""
    with ws.subscribe() as changes:
        await client.chat_postMessage(channel="C0GENERAL", text="x")
        seen = [(await anext(changes)).kind for _ in range(2)]

    assert seen == ["message", "call"]
