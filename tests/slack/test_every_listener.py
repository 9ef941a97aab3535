"""Every listener, over signed HTTP and over Socket Mode: what a person does, and what comes of it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bot.inspection.pipeline import Inspector
from bot.render import actions
from bot.slack import wording
from bot.slack.gateway import NOT_THERE
from bot.slack.register import ANYTHING, INSPECT_MESSAGE, LISTENERS, LOOKUP, Row
from bot.state.state import State
from bot.workspace import Message, View
from tests.slack.running import DM, GENERAL, OTHER, RANDOM, URL, Running, running, until

ANN = "U0ANN"
Scene = Callable[[Running], Awaitable[str]]  # does it, and returns what is seen of it


async def command(bot: Running) -> str:
    await bot.ws.slash("/inspect", URL)
    return words(await bot.settled())


async def settings_command(bot: Running) -> str:
    await bot.ws.slash("/inspect", "settings")
    await bot.settled()
    return title(bot)


async def mention(bot: Running) -> str:
    await bot.ws.post(GENERAL, URL, mention=True)
    return words(await bot.settled())


async def paste(bot: Running) -> str:
    await bot.ws.post(RANDOM, URL)
    return words(await bot.settled(RANDOM))


async def direct_message(bot: Running) -> str:
    await bot.ws.post(DM, URL)
    return words(await bot.settled(DM))


async def file(bot: Running) -> str:
    await bot.ws.post(GENERAL, "these", mention=True, files={"urls.csv": f"url,n\n{URL},1\n{OTHER},2\n".encode()})
    return words(await bot.settled())


async def shared_link(bot: Running) -> str:
    await bot.ws.share_link("C0OUTSIDE", URL)
    await bot.settled()
    return words_of_card(bot)


async def link_in_composer(bot: Running) -> str:
    await bot.ws.share_link(GENERAL, URL, composer=True)
    await bot.settled()
    return words_of_card(bot)


async def home(bot: Running) -> str:
    await bot.ws.open_home(ANN)
    await bot.settled()
    return home_words(bot)


async def home_button(bot: Running) -> str:
    await bot.ws.open_home(ANN)
    await bot.settled()
    await bot.ws.slash("/inspect", URL)
    await bot.settled()
    await bot.ws.click(shown_home(bot), actions.ACTION_HOME)
    await bot.settled()
    return home_words(bot)


async def form_button(bot: Running) -> str:
    await bot.ws.open_home(ANN)
    await bot.settled()
    await bot.ws.click(shown_home(bot), actions.ACTION_LOOKUP)
    await bot.settled()
    return title(bot)


async def form_shortcut(bot: Running) -> str:
    await bot.ws.shortcut(LOOKUP)
    await bot.settled()
    return title(bot)


async def form(bot: Running) -> str:
    await bot.ws.shortcut(LOOKUP)
    await bot.settled()
    await bot.ws.submit_view(bot.ws.views(ANN)[0].id, {"url": URL, "channel": RANDOM})
    await bot.settled()
    return view_words(bot.ws.views(ANN)[0]) + words(bot.replies(RANDOM))


async def settings_form(bot: Running) -> str:
    await bot.ws.slash("/inspect", "settings")
    await bot.settled()
    await bot.ws.submit_view(bot.ws.views(ANN)[0].id, {"paste": "never"})
    return words(await bot.settled())


async def message_shortcut(bot: Running) -> str:
    ts = await bot.ws.post("C0OUTSIDE", f"see {URL}")
    [message] = [message for message in bot.ws.messages("C0OUTSIDE") if message.ts == ts]
    await bot.ws.message_shortcut(INSPECT_MESSAGE, message)
    return words(await bot.settled("C0OUTSIDE"))


def clicking(action: str, text: str = URL, *, paste_it: bool = False) -> Scene:
    async def click(bot: Running) -> str:
        if paste_it:
            await bot.ws.post(GENERAL, text)
        else:
            await bot.ws.slash("/inspect", text)
        [message] = await bot.settled()
        await bot.ws.click(message, action)
        await bot.settled()
        return words(bot.replies()) + "".join(view_words(view) for view in bot.ws.views(ANN))

    return click


async def ephemeral_share(bot: Running) -> str:
    ts = await bot.ws.post("C0OUTSIDE", f"see {URL}")
    [message] = [message for message in bot.ws.messages("C0OUTSIDE") if message.ts == ts]
    await bot.ws.message_shortcut(INSPECT_MESSAGE, message)
    [answer] = await bot.settled("C0OUTSIDE")
    await bot.ws.click(answer, actions.ACTION_SHARE)
    return words([m for m in await bot.settled("C0OUTSIDE") if m.ephemeral_to is None])


async def turned_page(bot: Running) -> str:
    await clicking(actions.ACTION_TEXT)(bot)
    await bot.ws.click(bot.ws.views(ANN)[0], actions.ACTION_NEXT)
    await bot.settled()
    await bot.ws.click(bot.ws.views(ANN)[0], actions.ACTION_PREVIOUS)
    await bot.settled()
    return view_words(bot.ws.views(ANN)[0])


async def filed_text(bot: Running) -> str:
    await clicking(actions.ACTION_TEXT)(bot)
    await bot.ws.click(bot.ws.views(ANN)[0], actions.ACTION_FILE)
    await bot.settled()
    return view_words(bot.ws.views(ANN)[0])


async def example_of_a_site(bot: Running) -> str:
    await bot.ws.post(GENERAL, "site docs.example", mention=True)
    [site] = await bot.settled()
    await bot.ws.click(site, actions.ACTION_EXAMPLE)
    return words((await bot.settled())[1:])


async def stopped_watch(bot: Running) -> str:
    await bot.ws.slash("/inspect", f"watch {URL}")
    [message] = await bot.settled()
    await bot.ws.click(message, actions.ACTION_UNWATCH)
    return words(await bot.settled())


async def cancelled_list(bot: Running) -> str:
    bot.store.says(page_info_local=0.5)
    await bot.ws.slash("/inspect", " ".join(f"{URL}/{number}" for number in range(30)))
    await until(bot.replies)
    await bot.ws.click(bot.replies()[0], actions.ACTION_CANCEL)
    return words(await bot.settled())


def words(messages: list[Message]) -> str:
    return "\n".join(message.words for message in messages)


def view_words(view: View) -> str:
    return words([Message("", "", "", "", "", blocks=tuple(view.blocks))])


def title(bot: Running) -> str:
    [view] = bot.ws.views(ANN)
    return str(view.payload["title"]["text"]) + view_words(view)


def words_of_card(bot: Running) -> str:
    return words([Message("", "", "", "", "", blocks=tuple(card.blocks)) for card in bot.ws.unfurls])


def shown_home(bot: Running) -> View:
    view = bot.ws.home(ANN)
    assert view is not None
    return view


def home_words(bot: Running) -> str:
    return view_words(shown_home(bot))


# (kind and id of a row of LISTENERS, what a person does, what is seen of it)
SCENES: tuple[tuple[str, str, Scene, str], ...] = (
    ("command", "/inspect", command, "INDEXABLE"),
    ("command", "/inspect", settings_command, "Settings of this channel"),
    ("event", "app_mention", mention, "INDEXABLE"),
    ("event", "message", paste, "INDEXABLE"),
    ("event", "message", direct_message, "INDEXABLE"),
    ("event", "message", file, "2 URLs"),
    ("event", "link_shared", shared_link, "Indexable"),
    ("event", "link_shared", link_in_composer, "Indexable"),
    ("event", "app_home_opened", home, "Nothing yet"),
    ("shortcut", INSPECT_MESSAGE, message_shortcut, "INDEXABLE"),
    ("shortcut", LOOKUP, form_shortcut, "Look up a page"),
    ("view", actions.VIEW_LOOKUP, form, "Posted to the channel."),
    ("view", actions.VIEW_SETTINGS, settings_form, "Saved. Pasted URLs are answered: never"),
    ("action", actions.ACTION_RECHECK, clicking(actions.ACTION_RECHECK), "Rechecked: nothing changed."),
    ("action", actions.ACTION_FILTERS, clicking(actions.ACTION_FILTERS, paste_it=True), "Condition"),
    ("action", actions.ACTION_EXAMPLE, example_of_a_site, "Condition"),
    ("action", actions.ACTION_SHARE, ephemeral_share, "INDEXABLE"),
    ("action", actions.ACTION_TEXT, clicking(actions.ACTION_TEXT), "word word"),
    ("action", actions.ACTION_RAW, clicking(actions.ACTION_RAW), "SELECT"),
    ("action", actions.ACTION_PREVIOUS, turned_page, "word word"),
    ("action", actions.ACTION_NEXT, turned_page, "word word"),
    ("action", actions.ACTION_FILE, filed_text, "in the thread, as a file"),
    ("action", actions.ACTION_LOOKUP, form_button, "Look up a page"),
    ("action", actions.ACTION_HOME, home_button, URL),
    ("action", actions.ACTION_CANCEL, cancelled_list, "Cancelled: 0 of 30 URLs"),
    ("action", actions.ACTION_UNWATCH, stopped_watch, "stopped the watch of"),
)
WITHOUT_A_SCENE = {  # nothing is seen of these but the acknowledgement: test_messages, test_buttons, test_intake
    ("action", actions.ACTION_REPORT),
    ("action", actions.ACTION_CANCEL),  # of a list that still runs
}


@pytest.mark.parametrize(
    ("scene", "seen"), [row[2:] for row in SCENES], ids=[f"{row[0]} {row[1]}, {row[3][:12]}" for row in SCENES]
)
async def test_what_people_do_is_answered_over_http_and_over_the_socket(
    scene: Scene, seen: str, transport: str, state: State
) -> None:
    """And Slack accepts every payload that is sent."""
    async with running(state=state, transport=transport) as bot:
        words_seen = await scene(bot)
        # Where the bot is no member, that is found out by trying; a response_url works all the same.
        refused = [call for call in bot.ws.calls if not call.ok and call.error not in NOT_THERE]
        failed = [delivery for delivery in bot.ws.deliveries if not delivery.ok]

    assert seen in words_seen
    assert (refused, failed) == ([], [])


README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
EXAMPLES = sorted(set(re.findall(r"`/inspect ([^`]+)`", README)))


@pytest.mark.parametrize("text", EXAMPLES)
async def test_every_example_of_the_readme_is_answered_over_http_and_over_the_socket(
    text: str, transport: str, state: State, inspector: Inspector
) -> None:
    """What people copy works, on the sample crawl."""
    async with running(state=state, transport=transport, inspector=inspector) as bot:
        ack = await bot.ws.slash("/inspect", text)
        replies = await bot.settled()
        views = bot.ws.views(ANN)
        # Where the bot is no member, that is found out by trying; a response_url works all the same.
        refused = [call for call in bot.ws.calls if not call.ok and call.error not in NOT_THERE]

    assert (ack.status, ack.error, refused) == (200, None, [])
    assert len(replies) + len(views) == 1
    assert "⚠️" not in words(replies)


def test_the_readme_has_an_example_of_every_use() -> None:
    """Those that help prints."""
    assert {typed.partition(" ")[2] for typed, _ in wording.USES} <= set(EXAMPLES)


def test_every_listener_has_a_scene() -> None:
    """A new row of the table needs one."""
    rows: list[Row] = [row for row in LISTENERS if row.id is not ANYTHING]
    played = {row[:2] for row in SCENES}

    assert {(row.kind, str(row.id)) for row in rows} == played | WITHOUT_A_SCENE
