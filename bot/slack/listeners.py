"""What Slack tells us → what is to be done. Each listener acknowledges, decides by pure functions, starts the work."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext

from bot.inspection.model import Lookup
from bot.render.blocks import error_message
from bot.slack import wording
from bot.slack.asked import Asked, read_command, read_message, read_paste
from bot.slack.gateway import Gateway, OpenView, Target
from bot.slack.once import Once
from bot.slack.replies import Replies
from bot.slack.tasks import Tasks

Json = Mapping[str, Any]
Work = Coroutine[Any, Any, None]
Answer = Callable[[Asked, Target], Work]

# Messages that a person wrote; every other subtype is an edit, a deletion, a bot's, or Slack's own.
WRITTEN = frozenset({None, "file_share", "thread_broadcast", "me_message"})
SLACKBOT = "USLACKBOT"


class Listeners:
    """One method for each thing that `register` lists."""

    def __init__(
        self, read: Callable[[str], Lookup], replies: Replies, gateway: Gateway, tasks: Tasks, once: Once
    ) -> None:
        self._read = read
        self._replies = replies
        self._gateway = gateway
        self._tasks = tasks
        self._once = once

    # commands

    async def inspect(self, ack: AsyncAck, command: Json) -> None:
        """/inspect"""
        await ack()
        target = Target(command["channel_id"], command["user_id"], response_url=command.get("response_url"))
        if self._is_new_trigger(command):
            asked = partial(read_command, command.get("text") or "", self._read)
            self._start(asked, self._replies.to_command, target)

    async def unknown_command(self, ack: AsyncAck) -> None:
        """A command that the manifest has and we have not."""
        await ack(wording.UNKNOWN_COMMAND, unfurl_links=False, unfurl_media=False)

    # events: Bolt has acknowledged them

    async def message(self, event: Json, body: Json, context: AsyncBoltContext) -> None:
        """A message, or a mention of the bot: Slack sends a mention as both."""
        if not _is_written(event) or not self._is_new(event, body):
            return
        target = Target(event["channel"], event["user"], thread_ts=event.get("thread_ts") or event["ts"])
        # Slack shows an ephemeral message in a thread only where there is a thread already (chat.postEphemeral).
        told = replace(target, thread_ts=event.get("thread_ts"))
        if _is_to_us(event, context.bot_user_id):
            asked = partial(read_message, event, context.bot_user_id, self._read)
            self._start(asked, self._replies.to_mention, target, told)
        elif (pasted := read_paste(event, self._read)).lookups:
            self._start(lambda: pasted, self._replies.to_paste, target, told)

    async def ignore_event(self) -> None:
        """An event that nobody waits for."""

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
        self._click(body, self._replies.text(action.get("value") or "", body["trigger_id"]))

    async def raw(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """Queries and responses, in a modal."""
        await ack()
        self._click(body, self._replies.raw(action.get("value") or "", body["trigger_id"]))

    async def turn_page(self, ack: AsyncAck, body: Json, action: Json) -> None:
        """Another page of the text in a modal."""
        await ack()
        view = body.get("view") or {}
        shown = OpenView(view.get("id", ""), view.get("hash", ""))
        work = self._replies.turn(shown, view.get("private_metadata", ""), action.get("value") or "")
        self._click(body, work)

    async def no_options(self, ack: AsyncAck) -> None:
        """A menu that asks for options: we have none."""
        await ack(options=[])

    # within

    def _is_new(self, event: Json, body: Json) -> bool:
        """Slack's retries carry the same event_id, or a new one for the same message."""
        return self._once.first(("event", body.get("event_id")), ("message", event["channel"], event["ts"]))

    def _is_new_trigger(self, body: Json) -> bool:
        return self._once.first(("trigger", body.get("trigger_id") or object()))

    def _start(self, asked: Callable[[], Asked], answer: Answer, target: Target, told: Target | None = None) -> None:
        """Read what was asked and answer it at `target`; failures are told at `told`."""

        async def work() -> None:
            await answer(asked(), target)

        self._tasks.start(work(), partial(self._tell, told or target))

    def _click(self, body: Json, work: Work) -> None:
        """Do what a click asks for, and tell failures where it was clicked."""
        if self._is_new_trigger(body):
            self._tasks.start(work, partial(self._tell, _clicked(body)))
        else:
            work.close()

    async def _tell(self, target: Target, sentence: str) -> None:
        """Say one sentence to the one who asked."""
        await self._gateway.answer(target, error_message(sentence), everyone=False)


def _is_written(event: Json) -> bool:
    """Did a person write this, just now?"""
    by_a_bot = event.get("bot_id") or event.get("bot_profile") or event.get("hidden")
    has_place = event.get("channel") and event.get("ts")
    by_a_person = event.get("user") not in (None, SLACKBOT) and not by_a_bot
    return bool(event.get("subtype") in WRITTEN and by_a_person and has_place)


def _is_to_us(event: Json, bot_user: str | None) -> bool:
    """A mention, or a direct message. A mention in a message with a file comes as a message only: bolt-python #925."""
    named = bool(bot_user) and f"<@{bot_user}>" in str(event.get("text") or "")
    return event["type"] == "app_mention" or event.get("channel_type") == "im" or named


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
