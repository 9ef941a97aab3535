"""Which workspace a request came from. Set once at the door, for the listener and all the work that it starts.

A context variable, as the work of a request runs in tasks that inherit it: one process serves many workspaces, and no
signature between the listener and the Web API has to carry a token.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from slack_bolt.context.async_context import AsyncBoltContext


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace (or an organisation, where the app is installed for all of it), and the bot's token there."""

    team: str
    token: str | None = None
    enterprise: str = ""  # the organisation that it belongs to, where there is one

    @property
    def authorization(self) -> dict[str, str]:
        """The header by which Slack knows the bot; none where the client's own token is meant."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


NOWHERE = Workspace("")
_current: ContextVar[Workspace] = ContextVar("workspace", default=NOWHERE)


def current_workspace() -> Workspace:
    """That of the request which is being answered."""
    return _current.get()


@contextmanager
def working_for(workspace: Workspace) -> Iterator[None]:
    """What is done in here, no request of Slack's began, and is done in that workspace."""
    before = _current.set(workspace)
    try:
        yield
    finally:
        _current.reset(before)


async def enter_workspace(context: AsyncBoltContext, next: Callable[[], Awaitable[None]]) -> None:
    """Bolt's middleware, after the one that authorises."""
    enterprise = context.enterprise_id or ""
    _current.set(Workspace(context.team_id or enterprise, context.bot_token, enterprise))
    await next()
