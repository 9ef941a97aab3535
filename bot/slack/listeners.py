"""What Slack tells us → what is to be done. Each listener acknowledges, decides by pure functions, starts the work."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext

from bot.address.find import find_urls
from bot.errors import IndexGone
from bot.inspection.indexes import Indexes
from bot.render.blocks import error_message
from bot.slack import wording
from bot.slack.asked import Asked, Read, names_site, read_command, read_message, read_paste, words_in
from bot.slack.channel_settings import Place, index_of_channel
from bot.slack.files import text_files
from bot.slack.followups.conversation import Conversation
from bot.slack.gateway import Gateway, OpenView, Target
from bot.slack.lookup_modal import WrongFieldError, errors_of, read_form, waiting
from bot.slack.memory import Memory
from bot.slack.replies import Replies
from bot.slack.requests import is_written
from bot.slack.surfaces import Surfaces
from bot.slack.tasks import Tasks
from bot.slack.watches.asked import is_about_watches
from bot.slack.watches.commands import WatchCommands

log = logging.getLogger(__name__)

Json = Mapping[str, Any]
Work = Coroutine[Any, Any, None]
Reading = Callable[[Read], Asked]  # by the index that answers there
Answer = Callable[[Asked, Target], Work]

SETTINGS = "settings"  # the word after /inspect


class Listeners:
    """One method for each thing that `register` lists."""

    def __init__(
        self,
        indexes: Indexes,
        replies: Replies,
        surfaces: Surfaces,
        conversation: Conversation,
        gateway: Gateway,
        tasks: Tasks,
        memory: Memory,
        watches: WatchCommands,
    ) -> None:
        self._indexes = indexes
        self._replies = replies
        self._surfaces = surfaces
        self._conversation = conversation
        self._gateway = gateway
        self._tasks = tasks
        self._memory = memory
        self._watches = watches

    # commands

    async def inspect(self, ack: AsyncAck, command: Json) -> None:
        """/inspect"""
        await ack()
        target = Target(command["channel_id"], command["user_id"], response_url=command.get("response_url"))
        text = command.get("text") or ""
        if text.strip().lower() == SETTINGS:
            work = self._surfaces.open_settings(command["trigger_id"], Place(target.channel, target.response_url))
        elif is_about_watches(text):
            work = self._watches.asked(text, target)
        else:
            work = self._answered(partial(read_command, text), self._replies.to_command, target)
        self._do(work, target)

    async def unknown_command(self, ack: AsyncAck) -> None:
        """A command that the manifest has and we have not."""
        await ack(wording.UNKNOWN_COMMAND, unfurl_links=False, unfurl_media=False)

    # events: Bolt has acknowledged them

    async def message(self, event: Json, context: AsyncBoltContext) -> None:
        """A message, or a mention of the bot: Slack sends a mention as both."""
        if not is_written(event):
            return
        target = Target(event["channel"], event["user"], thread_ts=event.get("thread_ts") or event["ts"])
        # Slack shows an ephemeral message in a thread only where there is a thread already (chat.postEphemeral).
        told = replace(target, thread_ts=event.get("thread_ts"))
        if event.get("thread_ts") in (None, event["ts"]):
            if work := self._anywhere(event, context.bot_user_id, target):
                self._do(work, told)
        else:
            self._do(self._in_thread(event, context.bot_user_id, target), told)

    async def link_shared(self, event: Json, context: AsyncBoltContext) -> None:
        """Links of our domains, in a message or still in the composer. Never in what we posted ourselves."""
        if event.get("bot_id") or event.get("user") in (None, context.bot_user_id):
            return
        self._do(self._surfaces.unfurl(event), None)

    async def home_opened(self, event: Json) -> None:
        """A visit to App Home; its other tab is the conversation with the bot."""
        if event.get("tab") == "home":
            self._do(self._surfaces.show_home(event["user"]), None)

    async def ignore_event(self) -> None:
        """An event that nobody waits for."""

    # shortcuts and modals

    async def inspect_message(self, ack: AsyncAck, body: Json) -> None:
        """The shortcut in a message's menu."""
        await ack()
        target = Target(body["channel"]["id"], body["user"]["id"], response_url=body.get("response_url"))
        self._do(self._surfaces.inspect_message(body.get("message") or {}, target), target)

    async def open_form(self, ack: AsyncAck, body: Json) -> None:
        """The global shortcut, or its button in App Home: the form for one page."""
        await ack()
        self._click(body, self._surfaces.open_form(body["trigger_id"]))

    async def look_up(self, ack: AsyncAck, body: Json, view: Json) -> None:
        """The form, filled in: its mistakes are shown at their fields."""
        await ack(**self._form_answer(view))
        try:
            form = read_form(view, self._indexes)
        except WrongFieldError:
            return
        places = body.get("response_urls") or ()
        self._click(body, self._surfaces.look_up(form, view["id"], body["user"]["id"], places))

    async def save_settings(self, ack: AsyncAck, body: Json, view: Json) -> None:
        """The settings of a channel, filled in."""
        await ack()
        self._click(body, self._surfaces.save_settings(view, body["user"]["id"]))

    async def refresh_home(self, ack: AsyncAck, body: Json) -> None:
        """App Home again."""
        await ack()
        self._click(body, self._surfaces.show_home(body["user"]["id"]))

    def _form_answer(self, view: Json) -> dict[str, Any]:
        try:
            read_form(view, self._indexes)
        except WrongFieldError as wrong:
            return errors_of(wrong)
        return waiting()

    # buttons

    async def acknowledge(self, ack: AsyncAck) -> None:
        """Nothing else to do: a link's click, a closed window, a button of an older release."""
        await ack()

    async def recheck(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """Look again, in place."""
        await ack()
        self._click(body, self._replies.recheck(action.get("value") or "", _clicked(body)))

    async def filters(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """The whole answer, in the thread."""
        await ack()
        self._click(body, self._replies.in_full(action.get("value") or "", _in_thread(body)))

    async def share(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """The whole answer, for everyone."""
        await ack()
        self._click(body, self._replies.in_full(action.get("value") or "", _clicked(body)))

    async def text(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """The page's text, in a modal."""
        await ack()
        self._click(body, self._replies.text(action.get("value") or "", body["trigger_id"], _in_thread(body)))

    async def raw(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """Queries and responses, in a modal."""
        await ack()
        self._click(body, self._replies.raw(action.get("value") or "", body["trigger_id"]))

    async def turn_page(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """Another page of the text in a modal."""
        await ack()
        self._click(body, self._replies.turn(*_shown_text(body), action.get("value") or ""))

    async def text_file(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """The whole text of a modal, as a file."""
        await ack()
        work = self._replies.text_file(*_shown_text(body), action.get("value") or "", body["user"]["id"])
        self._click(body, work)

    async def cancel_list(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """Look up no more of a list."""
        await ack()
        self._click(body, self._replies.cancel_list(action.get("value") or "", _clicked(body)))

    async def unwatch(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """Stop a watch."""
        await ack()
        self._click(body, self._watches.stop_button(action.get("value") or "", _clicked(body)))

    async def no_options(self, ack: AsyncAck) -> None:
        """A menu that asks for options: we have none."""
        await ack(options=[])

    # what the policy refuses

    def refuse(self, body: Json, bot_user: str | None, sentence: str) -> None:
        """Tell the one who asked why nothing is done; nobody, where a message asked us for nothing."""
        event = body.get("event")
        if event is None:
            clicked = _clicked(body)
            self._do(self._tell(clicked, sentence), clicked)
        elif event["type"] in ("message", "app_mention") and is_written(event) and _is_to_us(event, bot_user):
            told = Target(event["channel"], event["user"], thread_ts=event.get("thread_ts"))
            self._do(self._tell(told, sentence), told)

    # within

    def _anywhere(self, event: Json, bot_user: str | None, target: Target) -> Work | None:
        """What a message asks for wherever it stands; None where it asks us for nothing."""
        to_us = _is_to_us(event, bot_user)
        if to_us and (files := text_files(event)):
            return self._surfaces.to_files(files, find_urls(event), target, event["ts"])
        if to_us and is_about_watches(said := words_in(event, bot_user)):
            return self._watches.asked(said, target)
        if to_us:
            answer = partial(self._replies.to_mention, ts=event["ts"])
            return self._answered(partial(read_message, event, bot_user), answer, target)
        return self._pasted(event, target) if find_urls(event) else None

    async def _pasted(self, event: Json, target: Target) -> None:
        """URLs that nobody asked about: a channel whose index is gone is not told so at each of them."""
        try:
            answer = partial(self._replies.to_paste, ts=event["ts"])
            await self._answered(partial(read_paste, event), answer, target)
        except IndexGone as gone:
            log.warning("a pasted message is not answered: %s", gone)

    async def _in_thread(self, event: Json, bot_user: str | None, target: Target) -> None:
        """A follow-up where the thread is about a page. Whose thread it is, must be looked up first."""
        to_us = _is_to_us(event, bot_user)
        # A file's URLs, or a site, are asked for whatever the thread is about.
        of_its_own = to_us and (text_files(event) or names_site(event, bot_user))
        work = None if of_its_own else await self._conversation.heard(event, target, bot_user, to_us=to_us)
        work = work or self._anywhere(event, bot_user, target)
        if work:
            await work

    async def _answered(self, asked: Reading, answer: Answer, target: Target) -> None:
        inspector = await index_of_channel(target.channel, self._indexes, self._memory)
        await answer(asked(inspector.read), target)

    def _click(self, body: Json, work: Work) -> None:
        """Do what a click asks for, and tell failures where it was clicked."""
        self._do(work, _clicked(body))

    def _do(self, work: Work, told: Target | None) -> None:
        """Start it, and tell failures at `told`; nobody, where None."""
        self._tasks.start(work, partial(self._tell, told))

    async def _tell(self, target: Target | None, sentence: str) -> None:
        """Say one sentence to the one who asked."""
        if target:
            await self._gateway.answer(target, error_message(sentence), everyone=False)


def _is_to_us(event: Json, bot_user: str | None) -> bool:
    """A mention, or a direct message. A mention in a message with a file comes as a message only: bolt-python #925."""
    named = bool(bot_user) and f"<@{bot_user}>" in str(event.get("text") or "")
    return event["type"] == "app_mention" or event.get("channel_type") == "im" or named


def _shown_text(body: Json) -> tuple[OpenView, str]:
    """The modal that was clicked in, and what it keeps of the text that it shows."""
    view = body.get("view") or {}
    return OpenView(view.get("id", ""), view.get("hash", "")), view.get("private_metadata", "")


def _clicked(body: Json) -> Target:
    """Where a click happened. In a modal there is no channel: the answer goes to the user."""
    container = body.get("container") or {}
    user = body["user"]["id"]
    return Target(
        channel=container.get("channel_id") or (body.get("channel") or {}).get("id") or user,
        user=user,
        thread_ts=container.get("thread_ts"),
        response_url=body.get("response_url"),
        message_ts=container.get("message_ts"),
    )


def _in_thread(body: Json) -> Target:
    """The thread of the message that was clicked; an ephemeral message has none."""
    clicked = _clicked(body)
    if (body.get("container") or {}).get("is_ephemeral"):
        return clicked
    thread = clicked.thread_ts or clicked.message_ts
    return replace(clicked, thread_ts=thread)
