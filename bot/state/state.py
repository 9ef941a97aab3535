"""The door to the bot's own database. Import it where a database is wanted, since it brings SQLAlchemy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Protocol, Self

from bot.state.claims import Claims
from bot.state.conversations import Channels, Clock, Threads
from bot.state.database import Database
from bot.state.engine import create_file, engine_at, parse_address, shown
from bot.state.failures import opening
from bot.state.installations import Installations, OAuthStates
from bot.state.jobs import KEPT, LEASE, Jobs
from bot.state.lists import Lists
from bot.state.lookups import Answers, Recent
from bot.state.migrate import current_revision, upgrade_to_head
from bot.state.seal import Seal, key_from
from bot.state.watches import Watches


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class Seals(NamedTuple):
    """What tokens are sealed with, and what requests are."""

    tokens: Seal
    requests: Seal


class Sweeping(Protocol):
    """A repository whose records grow old."""

    async def sweep(self, now: datetime) -> int:
        """Delete what is old as of `now`; how many records."""


class State:
    """Everything that the bot remembers, shared by its replicas. Every method may raise StoreUnavailable."""

    def __init__(self, database: Database, seals: Seals, clock: Clock, lease: timedelta, trail_kept: timedelta) -> None:
        """For `open`, which makes sure of the schema."""
        self._database = database
        self.clock = clock
        self.threads = Threads(database, clock)
        self.channels = Channels(database, clock)
        self.recent = Recent(database, clock)
        self.answers = Answers(database, clock)
        self.installations = Installations(database, seals.tokens)
        self.oauth_states = OAuthStates(database, clock)
        self.jobs = Jobs(database, clock, seals.requests, lease=lease, kept=trail_kept)
        self.watches = Watches(database, clock)
        self.lists = Lists(database, clock)
        self.claims = Claims(database, clock)

    @classmethod
    async def open(
        cls,
        url: str,
        keys: Sequence[str] = (),
        clock: Clock = utc_now,
        *,
        secret: str = "",
        lease: timedelta = LEASE,
        trail_kept: timedelta = KEPT,
    ) -> Self:
        """Connect to `sqlite:///file` or `postgresql://…` and bring its schema up to date.

        `keys` are Fernet keys, newest first; none are needed until a workspace is installed by OAuth. `secret`
        is one that every replica has, and the database has not: requests are sealed by it. `lease` is how long a
        replica may be silent before another finishes its work. Raises BadSetting for an address, a key, a
        schema or a database that cannot be used.
        """
        address, seals = parse_address(url), Seals(Seal(keys), Seal([key_from(secret)]))
        with opening(shown(address)):
            create_file(address)
            await upgrade_to_head(address)
        state = cls(Database(engine_at(address)), seals, clock, lease, trail_kept)
        try:
            await state.installations.check_keys()
        except BaseException:
            await state.close()
            raise
        return state

    async def revision(self) -> str | None:
        """The revision of the schema that the database is at."""
        return await self._database.read(current_revision)

    async def sweep(self, now: datetime) -> Mapping[str, int]:
        """Delete what is old or expired as of `now`; how many records, by repository."""
        old: dict[str, Sweeping] = {
            "threads": self.threads,
            "recent": self.recent,
            "answers": self.answers,
            "oauth_states": self.oauth_states,
            "jobs": self.jobs,
            "lists": self.lists,
            "claims": self.claims,
        }
        return {name: await repository.sweep(now) for name, repository in old.items()}

    async def close(self) -> None:
        """Close every connection."""
        await self._database.close()
