"""Who may ask, where, and who may see queries and heavy text: one rule for Slack and for the web pages. Pure.

A list that is not set lets everyone through; one that is set lets through what it names, and nothing that is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.settings import Settings

ASK = "Those who run this bot can change that."


@dataclass(frozen=True, slots=True)
class Refusal:
    """Which list says no (a metric's label), and what the one who asked is told."""

    by: str
    sentence: str


TEAMS = Refusal("teams", f"I do not answer people of this workspace. {ASK}")
CHANNELS = Refusal("channels", f"I do not answer here, but in the channels that I was set up for. {ASK}")
USERS = Refusal("users", f"I answer some people only, and you are not one of them yet. {ASK}")
RAW = Refusal(
    "raw", f"Queries and page texts are for a group of people, and you are not known to be one of them. {ASK}"
)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, and where, by Slack's ids.

    `workspaces`: the one that was asked and the asker's own, which differ in a channel shared between organisations;
    each by all its names (its own id, that of its organisation), none where Slack does not say. `channels`: all that a
    request is about. `in_window`: it comes from a modal, which has no channel and was opened where one was allowed.
    """

    user: str
    workspaces: tuple[frozenset[str], ...] = ()
    channels: frozenset[str] = frozenset()
    in_window: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """The lists of an installation; an empty one is not set."""

    teams: frozenset[str] = frozenset()
    channels: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()
    raw_users: frozenset[str] = frozenset()

    @classmethod
    def from_settings(cls, settings: Settings) -> Policy:
        """The policy of an installation."""
        lists = (settings.allowed_teams, settings.allowed_channels, settings.allowed_users, settings.raw_users)
        return cls(*map(frozenset, lists))

    def refusal(self, asker: Asker) -> Refusal | None:
        """Why a request is not answered; None where it is."""
        if self.teams and not all(names & self.teams for names in asker.workspaces or (frozenset[str](),)):
            return TEAMS
        if self.channels and not self._is_answered_in(asker):
            return CHANNELS
        return USERS if self.users and asker.user not in self.users else None

    def refusal_of_raw(self, user: str | None) -> Refusal | None:
        """Why somebody does not see queries and heavy text; None where they do. `user` None: it is not known who."""
        return RAW if self.raw_users and user not in self.raw_users else None

    def _is_answered_in(self, asker: Asker) -> bool:
        return asker.channels <= self.channels and bool(asker.channels or asker.in_window)
