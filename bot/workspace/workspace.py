"""A Slack workspace on loopback: people type, click and look; the app is an unmodified one.

    async with Workspace(signing_secret="…", bot_token="xoxb-…") as ws:   # ws.api_url: the app's base_url
        ws.connect("http://127.0.0.1:3000/slack/events")                  # or the app opens Socket Mode
        await ws.slash("/inspect", "https://example.com/", channel="C0GENERAL", user="U0ANN")
        reply = await ws.wait_for(lambda message: "INDEXABLE" in message.words)

It refuses what Slack refuses (`validator`), and remembers every call, delivery and message. Nothing leaves the machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from bot.render.limits import escape_mrkdwn
from bot.workspace import answers, choices, composer, payloads
from bot.workspace.hub import Hub
from bot.workspace.model import BOT_USER, Ack, Channel, File, Json, Message, Unfurl, View
from bot.workspace.sender import COMMAND, INTERACTION


class Workspace(Hub):
    """Channels C0GENERAL, C0RANDOM, C0OUTSIDE (without the bot), D0ANN; people U0ANN, U0BEN; the bot is U0BOT."""

    # what people do

    async def slash(
        self, command: str, text: str = "", *, channel: str = "C0GENERAL", user: str = "U0ANN", escape: bool = False
    ) -> Ack:
        """Type a slash command. `escape` is the app's setting "Escape channels, users, and links"."""
        place, person = self.state.channel(channel), self.state.users[user]
        trigger = self.state.new_trigger(user)
        token = self.state.new_response_url(place.id, user)
        typed = composer.mark_up(text) if escape else text
        payload = payloads.command(command, typed, place, person, trigger, self._response_url(token))
        self.in_flight.begin(token)
        try:
            delivery = await self._send(COMMAND, payload)
            error = answers.after_command(self.state, delivery, token, place, person)
        finally:
            self.in_flight.done(token)
        return answers.acknowledged(delivery, trigger, error)

    async def post(
        self,
        channel: str,
        text: str,
        *,
        user: str = "U0ANN",
        thread_ts: str | None = None,
        mention: bool = False,
        files: Mapping[str, bytes] | None = None,
    ) -> str:
        """Write a message; `mention` names the bot first. Returns its ts once the app took the events."""
        typed = f"<@{BOT_USER}> {text}" if mention else text
        links = [url for url in composer.links(typed) if self._is_ours(url)]
        return await self._post(self.state.channel(channel), typed, user, thread_ts, links, files or {})

    async def share_link(
        self,
        channel: str,
        url: str,
        *,
        composer: bool = False,
        user: str = "U0ANN",
        thread_ts: str | None = None,
    ) -> str:
        """Paste a link that the app may unfurl. Returns the message's ts; in the composer, the unfurl_id."""
        place = self.state.channel(channel)
        if not composer:
            return await self._post(place, url, user, thread_ts, [url], {})
        return await self._offer(place, user, "", [url], thread_ts)

    async def edit(self, message: Message, text: str) -> Message:
        """A person changes their message."""
        marked, blocks = composer.compose(text)
        after = self.state.change(replace(message, text=marked, blocks=tuple(blocks), edited=True))
        kind = "message.im" if message.channel.startswith("D") else "message.channels"
        await self._tell([(kind, payloads.message_changed(message, after, self.state.new_ts()))])
        return after

    async def click(
        self,
        where: Message | View | Unfurl,
        action_id: str,
        *,
        user: str = "U0ANN",
        block_id: str | None = None,
        choice: Any = None,
    ) -> Ack:
        """Use an element; `choice` is the value of the option, or what was picked or typed. Raises LookupError."""
        blocks = self.state.with_ids(where.blocks)  # those of a message that a test made up have none yet
        block, element = choices.find(blocks, action_id, block_id)
        trigger = self.state.new_trigger(user, where.id if isinstance(where, View) else None)
        values = choices.state_values(blocks, {} if choice is None else {element["action_id"]: choice})
        payload = payloads.interaction(
            "block_actions",
            self.state.users[user],
            trigger,
            **self._place(where, user),
            actions=[choices.action(block, element, choice, self.state.new_ts())],
            state={"values": values},
        )
        return answers.acknowledged(await self._send(INTERACTION, payload), trigger)

    async def submit_view(self, view_id: str, values: Json | None = None, *, user: str | None = None) -> Ack:
        """Fill in a modal, by action_id or block_id, and submit it. Raises LookupError where Slack would not submit."""
        view = self.state.find_view(view_id, None)
        choices.refuse_unknown(view.blocks, values or {})
        filled = replace(view, values=choices.state_values(view.blocks, values or {}), errors={})
        choices.refuse_empty(view.blocks, filled.values)
        self.state.keep_view(filled)
        trigger = self.state.new_trigger(view.user, view.id)
        person = self.state.users[user or view.user]
        chosen = choices.chosen_for_response(view.blocks, filled.values)
        urls = [self._response_to(*place, view.user) for place in chosen]
        payload = payloads.interaction("view_submission", person, trigger, view=filled.to_slack(), response_urls=urls)
        delivery = await self._send(INTERACTION, payload)
        error = answers.after_submission(self.state, delivery, filled)
        return answers.acknowledged(delivery, trigger, error)

    async def close_view(self, view_id: str) -> Ack | None:
        """Close a modal; the app is told only when the view asked for it."""
        view = self.state.find_view(view_id, None)
        self.state.close(view.user, None if view.payload.get("clear_on_close") else 1)
        if not view.payload.get("notify_on_close"):
            return None
        trigger = self.state.new_trigger(view.user)
        person = self.state.users[view.user]
        payload = payloads.interaction("view_closed", person, trigger, view=view.to_slack(), is_cleared=False)
        return answers.acknowledged(await self._send(INTERACTION, payload), trigger)

    async def shortcut(self, callback_id: str, *, user: str = "U0ANN") -> Ack:
        """Choose a global shortcut: no channel, no response_url."""
        trigger = self.state.new_trigger(user)
        more = {"callback_id": callback_id, "action_ts": self.state.new_ts()}
        payload = payloads.interaction("shortcut", self.state.users[user], trigger, **more)
        return answers.acknowledged(await self._send(INTERACTION, payload), trigger)

    async def message_shortcut(self, callback_id: str, message: Message, *, user: str = "U0ANN") -> Ack:
        """Choose a shortcut in a message's menu."""
        trigger = self.state.new_trigger(user)
        payload = payloads.interaction(
            "message_action",
            self.state.users[user],
            trigger,
            callback_id=callback_id,
            action_ts=self.state.new_ts(),
            message_ts=message.ts,
            message=message.to_slack(),
            channel=payloads.named(self.state.channel(message.channel)),
            response_url=self._response_url(self.state.new_response_url(message.channel, user, message)),
        )
        return answers.acknowledged(await self._send(INTERACTION, payload), trigger)

    async def open_home(self, user: str = "U0ANN", tab: str = "home") -> None:
        """Look at the app's Home (or "messages") tab."""
        channel = self.state.open_im(user).id
        event = payloads.app_home_opened(user, channel, self.home(user), tab, self.state.new_ts())
        await self._tell([("app_home_opened", event)])

    # within

    def _response_url(self, token: str) -> str:
        return f"{self.state.origin}/response/{token}"

    def _response_to(self, block_id: str, action_id: str, channel: str, user: str) -> dict[str, str]:
        url = self._response_url(self.state.new_response_url(channel, user))
        return {"block_id": block_id, "action_id": action_id, "channel_id": channel, "response_url": url}

    def _is_ours(self, url: str) -> bool:
        host = urlsplit(url).hostname or ""
        return any(host == domain or host.endswith("." + domain) for domain in self.unfurl_domains)

    def _place(self, where: Message | View | Unfurl, user: str) -> dict[str, Any]:
        if isinstance(where, View):
            return payloads.in_view(where)
        message = self.state.messages.get((where.channel, where.ts))
        url = self._response_url(self.state.new_response_url(where.channel, user, message))
        channel = self.state.channel(where.channel)
        in_place = payloads.in_message if isinstance(where, Message) else payloads.in_unfurl
        return in_place(where, channel, url)  # type: ignore[arg-type]  # the pair fits by the line above

    async def _post(
        self,
        channel: Channel,
        typed: str,
        user: str,
        thread_ts: str | None,
        links: list[str],
        files: Mapping[str, bytes],
    ) -> str:
        text, blocks = composer.compose(typed)
        ts = self.state.new_ts()
        shared = tuple(self._keep_file(name, content, user, channel) for name, content in files.items())
        written = Message(
            channel.id, ts, user, text, "user", thread_ts, tuple(blocks), files=shared, payload={"typed": typed}
        )
        message = self.state.add(written)
        await asyncio.gather(
            self._tell(self._events_of(message, channel)),
            *([self._offer(channel, user, ts, links, thread_ts)] if links else ()),
        )
        return ts

    def _keep_file(self, name: str, content: bytes, user: str, channel: Channel) -> Json:
        file = File(self.state.new_id("F"), name, user, name, content, (channel.id,))
        self.state.files[file.id] = file
        self.state.emit("file", file)
        return file.to_slack(self.state.origin)

    def _events_of(self, message: Message, channel: Channel) -> list[tuple[str, Json]]:
        """What the app is told of a message: nothing where the bot is not in; a mention twice."""
        if BOT_USER not in channel.members:
            return []
        client_msg_id = self.state.new_id("client-")
        kind = "message.im" if channel.kind == "im" else "message.channels"
        events: list[tuple[str, Json]] = [(kind, payloads.message_event(message, channel, client_msg_id))]
        if channel.kind != "im" and f"<@{BOT_USER}>" in message.text:
            events.insert(0, ("app_mention", payloads.app_mention(message, channel, client_msg_id)))
        return events + [("file_shared", payloads.file_shared(f, channel.id, message.ts)) for f in message.files]

    async def _offer(self, channel: Channel, user: str, ts: str, links: list[str], thread_ts: str | None) -> str:
        """Tell the app of links, as Slack writes them: with entities."""
        urls = [escape_mrkdwn(url) for url in links]
        composing = not ts
        place = "COMPOSER" if composing else channel.id
        unfurl_id = self.state.offer(place, ts, payloads.source(composing), urls)
        event = payloads.link_shared(
            channel, user, ts or self.state.new_ts(), urls, unfurl_id, composer=composing, thread_ts=thread_ts
        )
        await self._tell([("link_shared", event)])
        return unfurl_id
