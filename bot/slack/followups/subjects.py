"""What a thread is about: remembered when an inspection is posted in it, or else read back from Slack.

The bot's own database is asked first: it is near, and Slack allows an app one conversations.replies a minute where it
is not on the Marketplace (https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps).
Slack is asked where a message can only be meant for the bot, so that any replica answers with an empty database too.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.errors import BadInput, DeliveryFailed, StoreUnavailable
from bot.render.actions import ACTION_FILTERS, ACTION_RAW, ACTION_RECHECK
from bot.report.subject import EVENT_TYPE, Subject, decode
from bot.slack.changes import FACTS, Facts, remembered
from bot.slack.gateway import Gateway, Message, Target
from bot.slack.memory import Memory
from bot.slack.workspaces import current_workspace

log = logging.getLogger(__name__)

SUBJECT_BUTTONS = frozenset({ACTION_FILTERS, ACTION_RAW, ACTION_RECHECK})  # their values begin with a subject
READ = 100  # messages of a thread that are read: its root, and what stands next to it
GONE = frozenset({"thread_not_found", "message_not_found"})
FOREIGN_SECONDS, FOREIGN_KEPT = 10 * 60.0, 10_000  # how long, and how many threads, are known not to be ours


@dataclass(frozen=True, slots=True)
class Known:
    """What a thread is about, and what was found when it was last looked at (to tell what changed)."""

    subject: Subject
    facts: Facts | None = None


class RootGone(BadInput):
    """The message that a thread began with is not there any more."""


class NoSubject(BadInput):
    """We wrote in the thread, and of no one page: a table of many, or help."""


def about(message: Mapping[str, Any]) -> Known | None:
    """What an inspection's message says of itself: in its metadata, or in a button where Slack gives none back."""
    metadata = message.get("metadata") or {}
    buttons = {str(button.get("action_id")): str(button.get("value") or "") for button in _buttons(message)}
    facts = remembered(buttons.get(ACTION_RECHECK, ""))
    values = [metadata["event_payload"]] if metadata.get("event_type") == EVENT_TYPE else []
    for value in [*values, *(value for action, value in buttons.items() if action in SUBJECT_BUTTONS)]:
        try:
            return Known(decode(value), facts)
        except BadInput:
            continue
    return None


def _buttons(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for block in message.get("blocks") or ():
        if block.get("type") == "actions":
            yield from block.get("elements") or ()


class RememberingGateway(Gateway):
    """Remembers, for every inspection that everyone sees, which thread it stands in or begins."""

    def __init__(self, *arguments: Any, memory: Memory, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._memory = memory

    async def answer(self, target: Target, message: Message, *, everyone: bool = True) -> str | None:
        """As any gateway does."""
        ts = await super().answer(target, message, everyone=everyone)
        metadata, thread = message.get("metadata"), target.thread_ts or ts
        if everyone and metadata and thread and self._memory.state:
            known = about(message)
            facts = {FACTS: dict(known.facts)} if known and known.facts else {}
            await self._memory.begin_thread(target.channel, thread, {**metadata["event_payload"], **facts})
        return ts

    async def thread(self, channel: str, thread_ts: str) -> list[Mapping[str, Any]]:
        """The first messages of a thread, oldest first. Raises DeliveryFailed, as without the history scope."""
        # The arguments travel in a form: Slack reads no JSON in a method that only reads.
        arguments = {"channel": channel, "ts": thread_ts, "limit": READ, "include_all_metadata": True}
        answer = await self._called("conversations.replies", data=arguments)
        return list(answer.get("messages") or ())


class Subjects:
    """Finds what a thread is about."""

    def __init__(
        self, memory: Memory, gateway: RememberingGateway, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._memory = memory
        self._gateway = gateway
        self._clock = clock
        self._foreign: OrderedDict[tuple[str, str, str], float] = OrderedDict()  # until when

    async def find(self, channel: str, thread_ts: str, bot_user: str | None, *, ask_slack: bool) -> Known | None:
        """What the thread is about; None where it is not ours. Raises RootGone, NoSubject."""
        known = await self._remembered(channel, thread_ts)
        if known or not ask_slack or self._is_foreign(channel, thread_ts):
            return known
        try:
            messages = await self._gateway.thread(channel, thread_ts)
        except DeliveryFailed as failure:
            if failure.error in GONE:
                raise RootGone("The message that this thread began with is gone.") from failure
            return None  # no scope, no answer: as if the thread were not ours
        ours = [message for message in messages if bot_user and message.get("user") == bot_user]
        if not ours:
            self._note_foreign(channel, thread_ts)
            return None
        found = [known for message in ours if (known := about(message))]
        if not found:
            raise NoSubject("This thread is about no one page.")
        return found[-1]

    async def _remembered(self, channel: str, thread_ts: str) -> Known | None:
        if self._memory.state is None:
            return None
        try:
            thread = await self._memory.state.threads.find(current_workspace().team, channel, thread_ts)
            return None if thread is None else Known(decode(thread.subject), _facts(thread.subject))
        except (StoreUnavailable, BadInput) as error:
            log.warning("a thread's subject is not known: %s", error)
            return None

    def _is_foreign(self, channel: str, thread_ts: str) -> bool:
        return self._foreign.get((current_workspace().team, channel, thread_ts), 0.0) > self._clock()

    def _note_foreign(self, channel: str, thread_ts: str) -> None:
        self._foreign[current_workspace().team, channel, thread_ts] = self._clock() + FOREIGN_SECONDS
        if len(self._foreign) > FOREIGN_KEPT:
            self._foreign.popitem(last=False)


def _facts(subject: Mapping[str, Any]) -> Facts | None:
    facts = subject.get(FACTS)
    return {str(name): str(word) for name, word in facts.items()} if isinstance(facts, dict) else None
