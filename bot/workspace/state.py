"""A workspace in memory: what happened in it, and the rules of what may. No I/O; the clock is given."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.render import limits
from bot.workspace.elements import ELEMENTS
from bot.workspace.model import (
    BOT_USER,
    SLACKBOT,
    Call,
    Change,
    Channel,
    Delivery,
    File,
    Installation,
    Json,
    Message,
    Offer,
    ResponseUrl,
    SlackError,
    Trigger,
    Unfurl,
    User,
    View,
)
from bot.workspace.validator import elements_of

USERS = (
    User("U0ANN", "ann", "Ann Example", "Europe/Berlin"),
    User("U0BEN", "ben", "Ben Example", "America/New_York"),
    User(BOT_USER, "inspector", "Crawler Inspector", is_bot=True),
)
CHANNELS = (
    Channel("C0GENERAL", "general", frozenset(("U0ANN", "U0BEN", BOT_USER))),
    Channel("C0RANDOM", "random", frozenset(("U0ANN", "U0BEN", BOT_USER))),
    Channel("C0OUTSIDE", "outside", frozenset(("U0ANN", "U0BEN"))),
    Channel("D0ANN", "directmessage", frozenset(("U0ANN", BOT_USER)), kind="im"),
)


class State:
    """Everything that a workspace remembers. Methods raise SlackError where Slack would refuse."""

    def __init__(self, installation: Installation, clock: Callable[[], float]) -> None:
        self.installation = installation
        self.clock = clock
        self.origin = ""  # "http://127.0.0.1:PORT" once the server listens
        self.users = {user.id: user for user in USERS}
        self.channels = {channel.id: channel for channel in CHANNELS}
        self.messages: dict[tuple[str, str], Message] = {}
        self.views: dict[str, View] = {}
        self.stacks: dict[str, list[str]] = {}
        self.homes: dict[str, View] = {}
        self.unfurls: list[Unfurl] = []
        self.offers: dict[tuple[str, str], Offer] = {}  # by (channel, ts), and by (source, unfurl_id)
        self.files: dict[str, File] = {}
        self.triggers: dict[str, Trigger] = {}
        self.response_urls: dict[str, ResponseUrl] = {}
        self.codes: set[str] = set()  # OAuth codes that were given out
        self.calls: list[Call] = []
        self.deliveries: list[Delivery] = []
        self.observers: list[Callable[[Change], None]] = []
        self._numbers = itertools.count(1)
        self._last_micros = 0

    # what is new

    def emit(self, kind: str, value: Any) -> None:
        """Tell every observer."""
        for observer in tuple(self.observers):
            observer(Change(kind, value))

    def record(self, call: Call) -> None:
        """The app asked for something."""
        self.calls.append(call)
        self.emit("call", call)

    def delivered(self, delivery: Delivery) -> None:
        """The app was told something."""
        self.deliveries.append(delivery)
        self.emit("delivery", delivery)

    def new_id(self, prefix: str) -> str:
        """An id that no other thing of this workspace has."""
        return f"{prefix}{next(self._numbers):08d}"

    def new_ts(self) -> str:
        """A message's ts: later than every other."""
        self._last_micros = max(self._last_micros + 1, int(self.clock() * 1_000_000))
        return f"{self._last_micros // 1_000_000}.{self._last_micros % 1_000_000:06d}"

    # conversations

    def channel(self, name: str) -> Channel:
        """By id, by "#name", or by the id of a user for their DM. Raises channel_not_found."""
        if name in self.users and name != BOT_USER:
            return self.open_im(name)
        named = (channel for channel in self.channels.values() if f"#{channel.name}" == name)
        found = self.channels.get(name) or next(named, None)
        if found is None:
            raise SlackError("channel_not_found")
        return found

    def joined(self, name: str) -> Channel:
        """A channel that the bot is in. Raises channel_not_found, not_in_channel."""
        channel = self.channel(name)
        if BOT_USER not in channel.members:
            raise SlackError("not_in_channel")
        return channel

    def open_im(self, user: str) -> Channel:
        """The DM of the bot with a user, made where there is none. Raises user_not_found."""
        if user not in self.users or user == BOT_USER:
            raise SlackError("user_not_found")
        existing = next((c for c in self.channels.values() if c.kind == "im" and user in c.members), None)
        channel = existing or Channel(self.new_id("D"), "directmessage", frozenset((user, BOT_USER)), "im")
        self.channels[channel.id] = channel
        return channel

    # messages

    def _parent_of(self, message: Message) -> str | None:
        """Who began the thread that a message stands in; where that is deleted, Slack's own user."""
        if message.thread_ts in (None, message.ts):
            return None
        root = self.messages.get((message.channel, message.thread_ts or ""))
        return root.user if root else SLACKBOT

    def add(self, message: Message) -> Message:
        """A new message; its blocks get the ids that Slack gives to those without."""
        stored = replace(message, blocks=self.with_ids(message.blocks), parent=self._parent_of(message))
        self.messages[message.channel, message.ts] = stored
        self.emit("message", stored)
        return stored

    def change(self, message: Message, kind: str = "message_changed") -> Message:
        """The same message with another content."""
        stored = replace(message, blocks=self.with_ids(message.blocks))
        self.messages[message.channel, message.ts] = stored
        self.emit(kind, stored)
        return stored

    def remove(self, message: Message) -> None:
        """Take a message away."""
        del self.messages[message.channel, message.ts]
        self.emit("message_deleted", message)

    def message(self, channel: str, ts: str) -> Message:
        """A message that everyone in the channel sees. Raises message_not_found: ephemerals are found by no method."""
        found = self.messages.get((channel, ts))
        if found is None or found.ephemeral_to is not None:
            raise SlackError("message_not_found")
        return found

    def with_ids(self, blocks: Iterable[Json]) -> tuple[Json, ...]:
        """The blocks with a block_id each, and an action_id in each interactive element."""
        copies = [copy.deepcopy(dict(block)) for block in blocks]
        for block in copies:
            self._give_ids(block)
        return tuple(copies)

    def _give_ids(self, block: dict[str, Any]) -> None:
        block.setdefault("block_id", self.new_id("b"))
        for element, _ in elements_of(block):
            if element.get("type") in ELEMENTS and isinstance(element, dict):
                element.setdefault("action_id", self.new_id("a"))
        for child in block.get("child_blocks") or ():
            self._give_ids(child)

    # triggers, response URLs

    def new_trigger(self, user: str, view: str | None = None) -> str:
        """A trigger_id for what a user just did."""
        trigger = Trigger(self.new_id("trigger."), user, self.clock(), view=view)
        self.triggers[trigger.id] = trigger
        return trigger.id

    def use_trigger(self, trigger_id: str) -> Trigger:
        """Use it up. Raises invalid_trigger_id, exchanged_trigger_id, expired_trigger_id."""
        trigger = self.triggers.get(trigger_id)
        if trigger is None:
            raise SlackError("invalid_trigger_id")
        if trigger.used:
            raise SlackError("exchanged_trigger_id")
        if self.clock() - trigger.issued > limits.TRIGGER_SECONDS:
            raise SlackError("expired_trigger_id")
        self.triggers[trigger_id] = replace(trigger, used=True)
        return trigger

    def new_response_url(self, channel: str, user: str, message: Message | None = None) -> str:
        """The token of a response_url; that of an interaction knows the message it came from."""
        thread = message.thread_ts if message else None
        url = ResponseUrl(
            self.new_id("response"), channel, user, self.clock(), 0, message.ts if message else None, thread
        )
        self.response_urls[url.token] = url
        return url.token

    def use_response_url(self, token: str) -> ResponseUrl:
        """A response_url that may be used now. Raises no_such_url; used_url after 5; expired_url after 30 minutes."""
        url = self.response_urls.get(token)
        if url is None:
            raise SlackError("no_such_url")
        if url.uses >= limits.RESPONSE_URL_USES:
            raise SlackError("used_url")
        if self.clock() - url.issued > limits.RESPONSE_URL_SECONDS:
            raise SlackError("expired_url")
        return url

    # views

    def new_view(self, user: str, payload: Json, previous: View | None = None) -> View:
        """A view with ids of its own; a pushed one knows the one below."""
        view_id = self.new_id("V")
        root = previous.root if previous else view_id
        content = {**payload, "blocks": list(self.with_ids(payload.get("blocks") or ()))}
        view = View(view_id, user, self.new_id("hash."), content, root, previous.id if previous else None)
        self.views[view_id] = view
        return view

    def stack(self, user: str) -> list[View]:
        """The views that a user has open, the root first."""
        return [self.views[view_id] for view_id in self.stacks.get(user, ())]

    def show(self, view: View) -> None:
        """Put a view on top of what its user has open."""
        stack = self.stacks.setdefault(view.user, [])
        if len(stack) >= limits.VIEW_STACK:
            raise SlackError("push_limit_reached")
        stack.append(view.id)
        self.emit("view", self.stack(view.user))

    def close(self, user: str, views: int | None = None) -> None:
        """Close the topmost views of a user: so many, or all."""
        stack = self.stacks.get(user, [])
        del stack[-(views or len(stack) or 1) :]
        self.emit("view", self.stack(user))

    def replace_view(self, view: View, payload: Json, expected_hash: str | None = None) -> View:
        """Another content for an open view or a Home. Raises hash_conflict."""
        if expected_hash and expected_hash != view.hash:
            raise SlackError("hash_conflict")
        content = {**payload, "blocks": list(self.with_ids(payload.get("blocks") or ()))}
        return self.keep_view(replace(view, hash=self.new_id("hash."), payload=content, errors={}, values={}))

    def keep_view(self, view: View) -> View:
        """The view as it is now."""
        self.views[view.id] = view
        if view.payload.get("type") == "home":
            self.homes[view.user] = view
            self.emit("home", view)
        else:
            self.emit("view", self.stack(view.user))
        return view

    def find_view(self, view_id: str | None, external_id: str | None) -> View:
        """An open view by either id. Raises not_found."""
        external = (v for v in self.views.values() if external_id and v.payload.get("external_id") == external_id)
        view = self.views.get(view_id or "") or next(external, None)
        shown = view and (view.id in self.stacks.get(view.user, ()) or self.homes.get(view.user) == view)
        if view is None or not shown:
            raise SlackError("not_found")
        return view

    def offer(self, channel: str, ts: str, source: str, urls: Iterable[str]) -> str:
        """The app is told of these links and may unfurl them. Returns the unfurl_id: in the composer, the ts too."""
        unfurl_id = self.new_id("Uf")
        offer = Offer(channel, ts or unfurl_id, frozenset(urls))
        self.offers[channel, offer.ts] = self.offers[source, unfurl_id] = offer
        return unfurl_id

    def show_unfurl(self, card: Unfurl) -> None:
        """A card under a link; a second call replaces the first."""
        place = (card.url, card.channel, card.ts)
        self.unfurls = [old for old in self.unfurls if (old.url, old.channel, old.ts) != place] + [card]
        self.emit("unfurl", card)


def refuse_missing(arguments: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raises invalid_arguments, as Slack does, where a required argument is absent."""
    missing = [name for name in names if arguments.get(name) in (None, "")]
    if missing:
        raise SlackError("invalid_arguments", *(f"missing required field: {name}" for name in missing))
