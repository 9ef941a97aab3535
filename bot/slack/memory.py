"""What the bot remembers between requests, shared by its replicas. Nothing here fails: where the database does not
answer, the log says so and the bot does without, as an answer matters more than a memory of it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from bot.errors import StoreUnavailable
from bot.report.kept_list import KeptList
from bot.report.model import Report
from bot.slack.runs import Run, current_run
from bot.slack.workspaces import current_workspace
from bot.state.records import Answer, Answerer, Cancelling, ChannelSettings, RecentLookup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.state.state import State

log = logging.getLogger(__name__)

SHORT_WHILE = timedelta(minutes=10)  # in which a URL that is pasted again gets a link to the answer


class Memory:
    """The repositories of `state`, of the workspace that is being answered. Without a state nothing is remembered."""

    def __init__(self, state: State | None = None) -> None:
        self.state = state
        self._read: WeakKeyDictionary[Run, dict[str, ChannelSettings]] = WeakKeyDictionary()

    async def channel(self, channel: str) -> ChannelSettings:
        """How the bot behaves in a channel. Read once for a request, which asks for it several times."""
        run = current_run()
        read = self._read.setdefault(run, {}) if run else {}
        with _spared():
            if self.state and channel not in read:
                read[channel] = await self.state.channels.get(_team(), channel)
        return read.get(channel, ChannelSettings())

    async def set_channel(self, channel: str, settings: ChannelSettings, user: str) -> None:
        """From now on it behaves so. Raises StoreUnavailable: who sets something must know."""
        if self.state is None:
            raise StoreUnavailable("The bot has no database here, and cannot keep settings.")
        await self.state.channels.put(
            _team(),
            channel,
            paste=settings.paste,
            profile=settings.profile,
            visibility=settings.visibility,
            updated_by=user,
        )

    async def knows_thread(self, channel: str, thread_ts: str) -> bool:
        """Is it remembered what this thread is about?"""
        with _spared():
            if self.state:
                return await self.state.threads.find(_team(), channel, thread_ts) is not None
        return False

    async def begin_thread(self, channel: str, thread_ts: str, subject: Mapping[str, Any]) -> None:
        """This thread is about that subject (the payload of one)."""
        with _spared():
            if self.state:
                await self.state.threads.remember(_team(), channel, thread_ts, subject)

    async def looked_up(self, user: str, reports: Iterable[Report]) -> None:
        """A user's last lookups: the last of them first, as they stand in App Home."""
        with _spared():
            for report in reports if self.state else ():
                text = report.url or report.subject.text
                await self._needed.recent.add(_team(), user, text, report.verdict)

    async def last(self, user: str) -> tuple[RecentLookup, ...]:
        """A user's last ten lookups, newest first."""
        with _spared():
            if self.state:
                return await self.state.recent.last(_team(), user)
        return ()

    async def answered(self, channel: str, ts: str | None, keys: Iterable[str]) -> None:
        """That message answered these unparsed keys. A message without a ts cannot be found again."""
        with _spared():
            for key in keys if self.state and ts else ():
                await self._needed.answers.add(_team(), channel, key, ts or "", "")

    async def answer_of(self, channel: str, key: str) -> Answer | None:
        """The message that answered a key a short while ago."""
        with _spared():
            if self.state:
                return await self.state.answers.find(_team(), channel, key, SHORT_WHILE)
        return None

    async def forget_answer(self, channel: str, ts: str) -> None:
        """That message is gone."""
        with _spared():
            if self.state:
                await self.state.answers.forget(_team(), channel, ts)

    async def claim(self, channel: str, message_ts: str, by: Answerer) -> Answerer:
        """What answers the links of a message: `by`, unless the other claimed them before."""
        with _spared():
            if self.state:
                return await self.state.claims.claim(_team(), channel, message_ts, by)
        return by

    async def answerer(self, channel: str, message_ts: str) -> Answerer | None:
        """What answers the links of a message; None where nothing has claimed them. Without a database none ever will:
        cards then wait for nothing.
        """
        with _spared():
            if self.state:
                return await self.state.claims.find(_team(), channel, message_ts)
        return Answerer.CARD

    async def list_started(self, list_id: str, user: str) -> None:
        """A user's list is being looked up here."""
        with _spared():
            if self.state:
                await self.state.lists.start(list_id, _team(), user)

    async def list_cancelled(self, list_id: str) -> bool:
        """Was it cancelled by a click that reached another replica?"""
        with _spared():
            return bool(self.state and await self.state.lists.is_cancelled(list_id))
        return False

    async def cancel_list(self, list_id: str, user: str) -> Cancelling:
        """Tell the replica that runs it, where the user may."""
        with _spared():
            if self.state:
                return await self.state.lists.cancel(list_id, _team(), user)
        return Cancelling.NOT_RUNNING

    async def list_done(self, list_id: str, kept: KeptList | None, keep: timedelta) -> bool:
        """It is done; what came of it is kept so long, where this says so."""
        with _spared():
            if self.state:
                await self.state.lists.finish(list_id, kept, keep)
                return kept is not None
        return False

    @property
    def _needed(self) -> State:
        assert self.state is not None  # noqa: S101 - for the type checker; every caller looked
        return self.state


def _team() -> str:
    return current_workspace().team


@contextmanager
def _spared() -> Iterator[None]:
    """The database's trouble goes to the log and no further."""
    try:
        yield
    except StoreUnavailable as error:
        log.warning("going on without memory: %s", error)
