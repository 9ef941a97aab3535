"""Who may ask, over signed HTTP and over the socket: every kind of request, allowed and refused."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot import metrics
from bot.policy import CHANNELS, RAW, TEAMS, USERS
from bot.render import actions
from bot.slack.followups.grammar import COMMANDS, Needs
from bot.slack.register import INSPECT_MESSAGE, LOOKUP
from bot.state.state import State
from bot.workspace.sender import FORM, JSON, encode
from tests.slack.running import DM, GENERAL, RANDOM, URL, Running, running
from tests.slack.test_intake import send, signed

ANN, BEN, TEAM = "U0ANN", "U0BEN", "T0EXAMPLE"
Act = Callable[[Running], Awaitable[Any]]


def command(text: str = URL, **where: Any) -> Act:
    return lambda bot: bot.ws.slash("/inspect", text, user=BEN, **where)


def post(text: str = URL, channel: str = GENERAL, **how: Any) -> Act:
    return lambda bot: bot.ws.post(channel, text, user=BEN, **how)


async def menu(bot: Running) -> None:
    ts = await bot.ws.post(GENERAL, f"see {URL}", user=BEN)
    [message] = [message for message in bot.ws.messages(GENERAL) if message.ts == ts]
    await bot.ws.message_shortcut(INSPECT_MESSAGE, message, user=BEN)


async def form(bot: Running) -> None:
    await bot.ws.shortcut(LOOKUP, user=BEN)


async def home(bot: Running) -> None:
    await bot.ws.open_home(BEN)


async def link(bot: Running) -> None:
    await bot.ws.share_link(GENERAL, URL, composer=True, user=BEN)


def told(bot: Running) -> list[str]:
    """What a person may have seen of it, by the way that it came."""
    places = (GENERAL, RANDOM, bot.ws.state.open_im(BEN).id)
    seen = [f"{message.via}: {message.words}" for place in places for message in bot.replies(place)]
    seen += [f"view: {view.payload['title']['text']}" for view in bot.ws.views(BEN)]
    return seen + [f"{len(bot.ws.unfurls)} unfurls"] * bool(bot.ws.unfurls) + ["home"] * bool(bot.ws.home(BEN))


SAYS: dict[str, tuple[Act, str]] = {  # what somebody does who may not, and by which way they are told
    "a command": (command(), "ack"),
    "help": (command("help"), "ack"),
    "an unknown command": (lambda bot: bot.ws.slash("/inspekt", URL, user=BEN), "ack"),
    "settings": (command("settings"), "ack"),
    "a mention": (post(mention=True), "chat.postEphemeral"),
    "a mention in a thread": (post("why", mention=True, thread_ts="1.1"), "chat.postEphemeral"),
    "a shortcut of a message": (menu, "response_url"),
    "a shortcut": (form, "chat.postMessage"),
    "a pasted URL": (post(), ""),
    "words": (post("hello"), ""),
    "a word in a thread": (post("why", thread_ts="1.1"), ""),
    "a link": (link, ""),
    "Home": (home, ""),
}
LISTS: dict[str, tuple[dict[str, Any], str]] = {
    "teams": ({"allowed_teams": ("T0OTHER",)}, TEAMS.sentence),
    "channels": ({"allowed_channels": ("C0OTHER",)}, CHANNELS.sentence),
    "users": ({"allowed_users": (ANN,)}, USERS.sentence),
}


@pytest.mark.parametrize("which", LISTS)
@pytest.mark.parametrize(("act", "way"), SAYS.values(), ids=SAYS)
async def test_who_may_not_ask_is_told_so_once_and_nothing_is_looked_up(
    act: Act, way: str, which: str, caplog: pytest.LogCaptureFixture
) -> None:
    """One line for them alone; nothing at all where they asked us for nothing. The log has ids only."""
    caplog.set_level(logging.INFO, "bot")
    changed, sentence = LISTS[which]
    counted = _counted(which)
    async with running(changed=changed) as bot:
        await act(bot)
        await bot.settled()
        seen, asked, failed = told(bot), bot.store.asked, [one for one in bot.ws.deliveries if not one.ok]

    assert seen == ([f"{way}: ⚠️ {sentence}".replace("ack: ⚠️ ", "ack: ")] if way else [])
    assert (asked, failed) == ([], [])
    assert _counted(which) > counted
    lines = [record.getMessage() for record in caplog.records if record.name == "bot.slack.admission"]
    assert all(f"refused by {which}: user '{BEN}'" in line and URL not in line for line in lines)
    assert lines


@pytest.mark.parametrize(
    "changed",
    [
        {"allowed_teams": (TEAM,)},
        {"allowed_channels": (GENERAL,)},
        {"allowed_users": (BEN,)},
        {"allowed_teams": (TEAM,), "allowed_channels": (GENERAL,), "allowed_users": (ANN, BEN), "raw_users": (BEN,)},
    ],
    ids=str,
)
async def test_who_is_named_is_answered(changed: dict[str, Any], transport: str, state: State) -> None:
    """With every list that names them, and in the windows that they open."""
    async with running(changed=changed, transport=transport, state=state) as bot:
        await bot.ws.post(GENERAL, URL, user=BEN, mention=True)
        [reply] = await bot.settled()
        await bot.ws.click(reply, actions.ACTION_TEXT, user=BEN)
        await bot.settled()
        await bot.ws.click(bot.ws.views(BEN)[0], actions.ACTION_NEXT, user=BEN)
        await bot.ws.post(GENERAL, "sql", user=BEN, thread_ts=reply.thread_ts)
        await bot.settled()
        words = [message.words for message in bot.replies()]
        [view] = bot.ws.views(BEN)

    assert "Indexable" in words[0]
    assert "SELECT" in words[1]
    assert "Page 2 of" in json.dumps(view.payload, ensure_ascii=False)


async def test_a_click_by_who_may_not_ask_is_refused_with_a_line_for_them(transport: str) -> None:
    """A message in a channel is seen by all, and so are its buttons."""
    async with running(changed={"allowed_users": (ANN,)}, transport=transport) as bot:
        await bot.ws.slash("/inspect", URL, user=ANN)
        [reply] = await bot.settled()
        asked = len(bot.store.asked)
        await bot.ws.click(reply, actions.ACTION_RECHECK, user=BEN)
        [_, line] = await bot.settled()

    assert (line.ephemeral_to, line.words) == (BEN, f"⚠️ {USERS.sentence}")
    assert len(bot.store.asked) == asked


async def test_a_form_of_who_may_not_ask_says_so_in_its_place() -> None:
    """Opened before the list was made; and it posts nowhere that is not named."""
    async with running() as bot, running(ws=bot.ws, changed={"allowed_users": (ANN,)}) as limited:
        bot.ws.connect(bot.url)
        await bot.ws.shortcut(LOOKUP, user=BEN)
        await bot.settled()
        bot.ws.connect(limited.url)
        await bot.ws.submit_view(bot.ws.views(BEN)[0].id, {"url": URL, "channel": RANDOM})
        [view] = bot.ws.views(BEN)

    assert USERS.sentence in json.dumps(view.payload, ensure_ascii=False)
    assert (limited.store.asked, bot.replies(RANDOM)) == ([], [])


@pytest.mark.parametrize(
    ("changed", "answered"),
    [({"is_ext_shared_channel": False}, True), ({"is_ext_shared_channel": True, "user_team": "T0GUESTS"}, False)],
)
async def test_a_guest_of_another_workspace_in_a_shared_channel_is_not_one_of_ours(
    changed: dict[str, Any], answered: bool
) -> None:
    """https://docs.slack.dev/apis/slack-connect: `team_id` is where the app is, `user_team` whose the user is."""
    said = {"type": "app_mention", "channel": GENERAL, "user": BEN, "ts": "17.1", "text": f"<@U0BOT> {URL}"}
    event = {"team_id": TEAM, "event": {**said, "team": TEAM, **changed}, **changed}
    body, content_type = encode("event", {"type": "event_callback", "event_id": "Ev1", **event})
    async with running(changed={"allowed_teams": (TEAM,)}) as bot:
        status = await send(bot.url, body, content_type, signed(body))
        await bot.settled()

    assert (status, bool(bot.store.asked)) == (200, answered)


async def test_a_workspace_that_removes_the_app_is_heard_whoever_may_ask() -> None:
    """Nobody asks there, and tokens must be forgotten."""
    body = json.dumps(
        {"type": "event_callback", "team_id": "T0X", "event_id": "E", "event": {"type": "app_uninstalled"}}
    )
    before = _counted("teams")
    async with running(changed={"allowed_teams": (TEAM,)}) as bot:
        status = await send(bot.url, body, JSON, signed(body))

    assert (status, _counted("teams")) == (200, before)


@pytest.mark.parametrize(
    ("payload", "answer"),
    [
        ({"type": "block_suggestion", "action_id": "a", "block_id": "b"}, '{"options": []}'),
        ({"type": "view_closed", "view": {"id": "V", "type": "modal", "callback_id": "c"}, "trigger_id": "1"}, ""),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_what_shows_no_words_is_refused_without_any(payload: dict[str, Any], answer: str) -> None:
    """A menu without options, a window that is closed."""
    body, _ = encode("interaction", {**payload, "user": {"id": BEN}, "team": {"id": TEAM}})
    async with running(changed={"allowed_users": (ANN,)}) as bot:
        headers = {"Content-Type": FORM, **signed(body)}
        async with bot.session.post(bot.url, data=body, headers=headers) as response:
            got = response.status, await response.text()
        await bot.settled()

    assert (*got, bot.replies()) == (200, answer, [])


# queries and heavy text


@pytest.mark.parametrize("action", [actions.ACTION_RAW, actions.ACTION_TEXT])
async def test_a_raw_button_opens_for_the_group_alone(action: str, transport: str) -> None:
    """The message is for all, so the button is shown to all; who is not in the group gets a sentence."""
    async with running(changed={"raw_users": (ANN,)}, transport=transport) as bot:
        await bot.ws.slash("/inspect", URL, user=BEN)
        [reply] = await bot.settled()
        await bot.ws.click(reply, action, user=BEN)
        await bot.ws.click(reply, action, user=ANN)
        [_, line] = await bot.settled()

    assert (line.ephemeral_to, line.words) == (BEN, f"⚠️ {RAW.sentence}")
    assert (len(bot.ws.views(BEN)), len(bot.ws.views(ANN))) == (0, 1)


@pytest.mark.parametrize("action", [actions.ACTION_NEXT, actions.ACTION_FILE])
async def test_a_window_of_text_is_of_no_more_use_to_who_is_taken_out_of_the_group(action: str) -> None:
    """The window is still open when the setting changes."""
    async with running() as bot, running(ws=bot.ws, changed={"raw_users": (ANN,)}) as limited:
        bot.ws.connect(bot.url)
        await bot.ws.slash("/inspect", URL, user=BEN)
        [reply] = await bot.settled()
        await bot.ws.click(reply, actions.ACTION_TEXT, user=BEN)
        await bot.settled()
        bot.ws.connect(limited.url)
        await bot.ws.click(bot.ws.views(BEN)[0], action, user=BEN)
        await limited.settled()

    assert limited.store.asked == []
    assert bot.made("files.getUploadURLExternal") == []


RAW_WORDS = ("text", "markdown", "readable", "raw", "raw 2", "sql", "curl", "json", "show me the query, please")


@pytest.mark.parametrize("word", RAW_WORDS)
async def test_a_raw_question_in_a_thread_is_answered_for_the_group_alone(word: str, state: State) -> None:
    """Nothing is asked of the index for anybody else."""
    async with running(changed={"raw_users": (ANN,)}, state=state) as bot:
        await bot.ws.post(GENERAL, URL, user=BEN)
        [reply] = await bot.settled()
        asked = len(bot.store.asked)
        await bot.ws.post(GENERAL, word, user=BEN, thread_ts=reply.thread_ts)
        [_, refused] = await bot.settled()
        after = len(bot.store.asked)
        await bot.ws.post(GENERAL, word, user=ANN, thread_ts=reply.thread_ts)
        [*_, answer] = await bot.settled()

    assert (refused.ephemeral_to, refused.words, after) == (BEN, f"⚠️ {RAW.sentence}", asked)
    assert answer.ephemeral_to is None


@pytest.mark.parametrize("word", ["why", "details", "filters", "robots", "host", "recheck", "help"])
async def test_every_other_question_is_for_all(word: str, state: State) -> None:
    """The verdict and its rules are no secret."""
    async with running(changed={"raw_users": (ANN,)}, state=state) as bot:
        await bot.ws.post(GENERAL, URL, user=BEN)
        [reply] = await bot.settled()
        await bot.ws.post(GENERAL, word, user=BEN, thread_ts=reply.thread_ts)
        [_, answer] = await bot.settled()

    assert answer.ephemeral_to is None
    assert "SELECT" not in answer.words


def test_every_command_for_heavy_text_is_limited() -> None:
    """A new row must say whether it is."""
    assert {command.name for command in COMMANDS if command.needs is Needs.HEAVY} <= {
        command.name for command in COMMANDS if command.raw
    }
    assert {command.name for command in COMMANDS if command.raw} >= {word for word in RAW_WORDS if word.isalpha()}


async def test_direct_messages_are_answered_where_no_channel_is_named() -> None:
    """And refused where channels are: such a list says where, and a direct message is elsewhere."""
    async with running(changed={"allowed_users": (ANN,)}) as bot:
        await bot.ws.post(DM, URL)
        answered = await bot.settled(DM)
    async with running(changed={"allowed_channels": (GENERAL,)}) as bot:
        await bot.ws.post(DM, URL)
        refused = await bot.settled(DM)

    assert [("Indexable" in answer.words) for answer in answered] == [True]
    assert [answer.words for answer in refused] == [f"⚠️ {CHANNELS.sentence}"]


def _counted(by: str) -> float:
    return metrics.REGISTRY.get_sample_value("crawler_inspector_refused_total", {"by": by}) or 0.0
