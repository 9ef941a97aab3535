"""The one message of a long piece of work: it tells how far the work is, and becomes the answer."""

from __future__ import annotations

from collections.abc import Sequence

from bot.errors import DeliveryFailed
from bot.render.blocks import error_message
from bot.slack.gateway import Gateway, Message, Target

# A response_url is good for five uses: the first message, these two, the answer, and one in reserve.
# https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
EDITS_BY_RESPONSE_URL = (1 / 3, 2 / 3)  # made once so much is done


class Board:
    """A message that the bot posted, which takes as many edits as there is time for; or one behind a response_url.

    Behind a response_url stands what only the asker may see, and what is asked where the bot is no member.
    """

    def __init__(self, gateway: Gateway, target: Target, *, everyone: bool) -> None:
        self._gateway = gateway
        self._target = target
        self._everyone = everyone
        self._posted: Target | None = None
        self._edits: Sequence[float] = EDITS_BY_RESPONSE_URL

    @property
    def thread(self) -> Target | None:
        """The thread that the message stands in or begins; None where it is not the bot's own."""
        return self._posted

    async def open(self, message: Message) -> None:
        """Show the message. Raises DeliveryFailed."""
        if self._everyone or not self._target.response_url:
            try:
                self._posted = await self._gateway.post(self._target, message)
                return
            except DeliveryFailed:
                if not self._target.response_url:
                    raise
        await self._gateway.answer(self._target, message, everyone=self._everyone)

    async def progress(self, message: Message, done: float) -> None:
        """Edit the message while the work goes on: `done` of 1. One that fails is made good by the next."""
        if self._posted is None:
            if not self._edits or done < self._edits[0]:
                return
            self._edits = self._edits[1:]
        try:
            await self._gateway.replace(self._posted or self._target, message)
        except DeliveryFailed:
            return  # the gateway logged it

    async def finish(self, message: Message) -> None:
        """Put the answer in its place, or beside it where the message is gone. Raises DeliveryFailed."""
        try:
            await self._gateway.replace(self._posted or self._target, message)
        except DeliveryFailed:
            await self._gateway.answer(self._target, message, everyone=self._everyone)

    async def fail(self, sentence: str) -> None:
        """Say what went wrong. Raises DeliveryFailed."""
        await self.finish(error_message(sentence))

    async def attach(self, name: str, content: bytes, letter: Message) -> bool:
        """Put a file into the thread; True where there is none, and it went to the asker with a letter instead.

        Raises DeliveryFailed, as where the app may not upload.
        """
        directly = self._posted is None
        asker = Target(self._target.user, self._target.user)  # a user's id opens the direct messages
        thread = self._posted or await self._gateway.post(asker, letter)
        await self._gateway.upload(name, content, thread)
        return directly
