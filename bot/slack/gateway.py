"""The only place that calls Slack: pace, retries, deadlines, plain words where blocks are refused, typed results.

Everything that is sent says `unfurl_links` and `unfurl_media` false. Everything that fails raises DeliveryFailed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot import logs, metrics
from bot.errors import DeliveryFailed
from bot.slack.once import Once
from bot.slack.pacing import Pace
from bot.slack.refusals import check_webhook, failure_of
from bot.slack.retries import handlers, rate_limited
from bot.slack.runs import Run, current_run
from bot.slack.workspaces import current_workspace

log = logging.getLogger(__name__)
sdk_log = logging.getLogger(f"{__name__}.sdk")
sdk_log.setLevel(logging.INFO)  # at DEBUG, slack_sdk writes whole payloads and response URLs

Message = Mapping[str, Any]  # text, blocks, metadata
View = Mapping[str, Any]

SECONDS = 30.0  # that one call may take, its retries included
NO_UNFURL = {"unfurl_links": False, "unfurl_media": False}
# Slack refuses good blocks now and then, so they are sent twice before the plain words: bolt-python #1016
BLOCKS_REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "invalid_attachments", "msg_blocks_too_long"})


# What chat.postMessage says of a channel that the bot is not in; a response_url works there all the same.
NOT_THERE = frozenset({"not_in_channel", "channel_not_found", "missing_scope", "no_permission", "restricted_action"})
NOT_THERE_SECONDS, NOT_THERE_KEPT = 600.0, 10_000
ANSWER = "crawler_inspector_answer"  # event_type of a message's metadata that says nothing else
STAMP = "answers"  # in a message's event_payload: which message of which request it is
MOMENT = 1.0  # seconds after which it is seen whether a message arrived
LOOK_BACK = 100  # messages that are looked through


@dataclass(frozen=True, slots=True)
class Target:
    """Where an answer goes. For everyone it is posted, by which it can be found again; where the bot is no member, and
    for the asker alone, a response_url is used first.

    `message_ts` is the message that was clicked, where a click asked.
    """

    channel: str
    user: str
    thread_ts: str | None = None
    response_url: str | None = None
    message_ts: str | None = None


@dataclass(frozen=True, slots=True)
class OpenView:
    """A modal that is open; `hash` is that of its content."""

    id: str
    hash: str


class Gateway:
    """Sends messages and views. One for the process; safe to use concurrently."""

    def __init__(
        self,
        client: AsyncWebClient,
        session: aiohttp.ClientSession,
        *,
        pace: Pace | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self._client = client
        self._session = session
        self._pace = pace or Pace()
        self._seconds = seconds
        self._not_there = Once(NOT_THERE_SECONDS, NOT_THERE_KEPT)

    async def answer(self, target: Target, message: Message, *, everyone: bool = True) -> str | None:
        """Send a new message: to everyone in the conversation, or to the user alone. Raises DeliveryFailed.

        Returns its ts, by which it can be found again; None where Slack does not say it, or nobody can find it.
        """
        if everyone or target.channel == target.user:  # a direct message, which nobody else sees
            posted = await self._posted(target, message)
            return str(posted["ts"]) if posted else None
        place = {**_place(target, channel=False), "response_type": "ephemeral", "replace_original": False}
        if not (target.response_url and await self._responded(target, place, message)):
            await self._by_method("chat.postEphemeral", {**_place(target), "user": target.user}, message)
        return None

    async def replace(self, target: Target, message: Message) -> None:
        """Put a message in the place of the one that was clicked. Raises DeliveryFailed."""
        if target.response_url and await self._responded(target, {"replace_original": True}, message):
            return
        if target.message_ts is None:
            raise DeliveryFailed("message_not_found", "there is no message to replace")
        place = {"channel": target.channel, "ts": target.message_ts}
        await self._by_method("chat.update", place, message)

    async def post(self, target: Target, message: Message) -> Target:
        """Post for everyone, by the Web API alone: where it stands, and its thread. Raises DeliveryFailed.

        A user's id as the channel means the direct messages with them.
        """
        answer = await self._posted(replace(target, response_url=None), message) or {}
        ts = str(answer["ts"])
        return Target(str(answer["channel"]), target.user, thread_ts=target.thread_ts or ts, message_ts=ts)

    async def open_view(self, trigger_id: str, view: View) -> OpenView:
        """Open a modal. A trigger lives 3 seconds and opens one. Raises DeliveryFailed."""
        return _open_view(await self._call("views.open", {"trigger_id": trigger_id, "view": view}))

    async def update_view(self, shown: OpenView, view: View) -> OpenView:
        """Give a modal another content, unless somebody else just did. Raises DeliveryFailed."""
        guard = {"hash": shown.hash} if shown.hash else {}
        return _open_view(await self._call("views.update", {"view_id": shown.id, **guard, "view": view}))

    async def publish_home(self, user: str, view: View) -> None:
        """Show a user's Home. Raises DeliveryFailed."""
        await self._call("views.publish", {"user_id": user, "view": view})

    async def unfurl(self, place: Mapping[str, Any], cards: Mapping[str, Any]) -> None:
        """Put cards under links: URL exactly as Slack wrote it → {"blocks": […]}. Raises DeliveryFailed."""
        await self._call("chat.unfurl", {**place, "unfurls": cards})

    async def permalink(self, channel: str, ts: str) -> str:
        """The address of a message. Raises DeliveryFailed, as where the message is gone."""
        # The arguments travel in a form: Slack reads no JSON in a method that only reads.
        arguments = {"channel": channel, "message_ts": ts}
        return str((await self._called("chat.getPermalink", data=arguments))["permalink"])

    async def download(self, url: str, most: int) -> bytes:
        """The first `most` bytes of a file of Slack's. Raises DeliveryFailed, as where the app may not read files."""

        if not _is_slacks(url, self._client.base_url):
            raise DeliveryFailed("not_slacks", "the file is kept by another service")

        async def fetch() -> bytes:
            headers = current_workspace().authorization or {"Authorization": f"Bearer {self._client.token}"}
            async with self._session.get(url, headers=headers, allow_redirects=False) as response:
                if response.status != 200:  # Slack leads who lacks the scope to its sign-in page
                    raise DeliveryFailed(f"http_{response.status}", "the file was not given")
                return await read_at_most(response.content, most)

        content: bytes = await self._tried("file", fetch)
        return content

    async def upload(self, name: str, content: bytes, thread: Target | None = None) -> str:
        """Upload a file, into a thread where one is given; its id. Raises DeliveryFailed, as without files:write.

        https://docs.slack.dev/messaging/working-with-files#uploading_files
        """
        asked = {"filename": name, "length": str(len(content))}  # in a form: the method reads no JSON
        given = await self._called("files.getUploadURLExternal", data=asked)
        await self._tried("file upload", partial(self._put, str(given["upload_url"]), content))
        place = {"channel_id": thread.channel, "thread_ts": thread.thread_ts} if thread else {}
        await self._call("files.completeUploadExternal", {"files": [{"id": given["file_id"], "title": name}], **place})
        return str(given["file_id"])

    async def is_processed(self, file: str) -> bool:
        """Can an uploaded file stand in a message? Slack knows its kind a moment later. Raises DeliveryFailed."""
        return bool((await self._called("files.info", data={"file": file}))["file"].get("mimetype"))

    async def _put(self, url: str, content: bytes) -> None:
        """The address is a secret of its own, and takes no token."""
        async with self._session.post(url, data=BytesIO(content), allow_redirects=False) as response:
            if response.status != 200:
                raise DeliveryFailed(f"http_{response.status}", "the file was not taken")

    async def _posted(self, target: Target, message: Message) -> Mapping[str, Any] | None:
        """Send to everyone, and never twice: Slack has no key for that, so before a second try the bot looks whether
        the first has arrived. Where it may not read the channel, a second answer is better than none.

        Like chat.postMessage's answer; None where it went by a response_url: where the bot is no member, and where so
        much is being posted that it would have to wait for its turn.
        """
        run = current_run() or Run()
        stamp = run.next_stamp()
        find, stamped = partial(self._found, target, stamp, run), _stamped(message, stamp)
        post = partial(self._by_method, "chat.postMessage", _place(target), stamped)
        if run.repeated and (found := await find()):
            return found
        in_channel = {**_place(target, channel=False), "response_type": "in_channel", "replace_original": False}
        respond = partial(self._respond, target, in_channel, stamped, again=False)
        if target.response_url and not self._can_post_at_once(target):
            try:
                return await self._tried_twice(respond, find, run)
            except DeliveryFailed as failure:
                if failure.is_passing and run.tries_left:
                    raise
                return await find() or await post()
        try:
            return await self._tried_twice(post, find, run)
        except DeliveryFailed as failure:
            if not target.response_url or failure.error not in NOT_THERE:
                raise
        self._not_there.first((current_workspace().team, target.channel))
        return await self._tried_twice(respond, find, run)

    def _can_post_at_once(self, target: Target) -> bool:
        here = (current_workspace().team, target.channel)
        return not self._not_there.knows(here) and self._pace.is_free(target.channel)

    async def _tried_twice(
        self,
        send: Callable[[], Awaitable[Mapping[str, Any] | None]],
        find: Callable[[], Awaitable[Mapping[str, Any] | None]],
        run: Run,
    ) -> Mapping[str, Any] | None:
        """Send; where nobody knows whether Slack took it, look, and send again if not. Raises DeliveryFailed.

        What timed out may still be on its way: where the request is on record, it is looked for later.
        """
        try:
            return await send()
        except DeliveryFailed as failure:
            if not failure.may_have_arrived or (failure.error == "timeout" and run.tries_left):
                raise
            metrics.slack_retry("server_error" if failure.error.startswith("http_") else "connection")
        await asyncio.sleep(MOMENT)
        return await find() or await send()

    async def _found(self, target: Target, stamp: str, run: Run) -> Mapping[str, Any] | None:
        """Our message with that stamp, like chat.postMessage's answer; None where there is none, or nobody can say.

        Raises DeliveryFailed where Slack may say so later, and the request is on record until then.
        """
        method = "conversations.replies" if target.thread_ts else "conversations.history"
        thread = {"ts": target.thread_ts} if target.thread_ts else {}
        since = {"oldest": f"{run.since:.6f}", "limit": LOOK_BACK, "include_all_metadata": True}
        try:  # in a form: Slack reads no JSON in a method that only reads
            answer = await self._called(method, data={"channel": target.channel, **thread, **since})
        except DeliveryFailed as failure:
            if failure.is_passing and run.tries_left:
                raise
            return None
        for posted in answer.get("messages") or ():
            payload = (posted.get("metadata") or {}).get("event_payload") or {}
            if payload.get(STAMP) == stamp:
                run.spoke = True
                return {"ts": posted["ts"], "channel": target.channel}
        return None

    async def _responded(self, target: Target, place: dict[str, Any], message: Message) -> bool:
        """Use the response_url; False where it takes nothing any more, so that another way is needed."""
        try:
            await self._respond(target, place, message)
        except DeliveryFailed as failure:
            log.warning("response_url failed, taking the Web API: %s", failure)
            return False
        return True

    async def _respond(self, target: Target, place: dict[str, Any], message: Message, *, again: bool = True) -> None:
        """Use the response_url. `again`: a call that broke is made again, though the first may have arrived."""
        url = target.response_url or ""
        retries = handlers() if again else [rate_limited()]
        client = AsyncWebhookClient(url, session=self._session, logger=sdk_log, retry_handlers=retries)

        async def send(arguments: dict[str, Any]) -> Any:
            return check_webhook(await client.send_dict(arguments))

        await self._sent("response_url", send, place, message, paced_by=url)

    async def _by_method(self, method: str, place: dict[str, Any], message: Message) -> Any:
        """Send a message by the Web API; Slack's answer."""

        async def send(arguments: dict[str, Any]) -> Any:
            return await self._client.api_call(method, json=arguments, headers=current_workspace().authorization)

        # Edits have a limit of their own, and leave the turns of a channel to what is new in it.
        paced_by = f"edits in {place['channel']}" if method == "chat.update" else place["channel"]
        return await self._sent(method, send, place, message, paced_by=paced_by)

    async def _sent(
        self,
        method: str,
        send: Callable[[dict[str, Any]], Awaitable[Any]],
        place: dict[str, Any],
        message: Message,
        *,
        paced_by: str,
    ) -> Any:
        """Send a message; where its blocks are refused, once more without uploaded pictures, then its plain words."""
        if run := current_run():
            run.spoke = True
        whole = {**message, **NO_UNFURL, **place}
        words = {**whole, "blocks": []}  # an edit keeps the blocks that it does not mention
        for attempt in (whole, _without_pictures(whole)):
            await self._pace.turn(paced_by)
            try:
                return await self._tried(method, partial(send, attempt))
            except DeliveryFailed as failure:
                if failure.error not in BLOCKS_REFUSED:
                    raise
        await self._pace.turn(paced_by)
        return await self._tried(method, partial(send, words))

    async def _call(self, method: str, arguments: dict[str, Any]) -> Any:
        if run := current_run():
            run.spoke = True
        return await self._called(method, json=arguments)

    async def _called(self, method: str, **arguments: Any) -> Any:
        headers = current_workspace().authorization
        return await self._tried(method, partial(self._client.api_call, method, headers=headers, **arguments))

    async def _tried(self, method: str, call: Callable[[], Awaitable[Any]]) -> Any:
        """Make one call; whatever goes wrong is a DeliveryFailed, logged with Slack's own words."""
        start = time.perf_counter()
        try:
            async with asyncio.timeout(self._seconds):
                answer = await call()
            _told(method, "ok", time.perf_counter() - start)
            return answer
        except DeliveryFailed as refused:
            failure = refused
        except SlackApiError as error:
            failure = failure_of(error.response)
        except TimeoutError:
            failure = DeliveryFailed("timeout", f"no answer within {self._seconds:g} s")
        except (aiohttp.ClientError, OSError) as error:
            failure = DeliveryFailed("connection_failed", type(error).__name__)
        _told(method, failure.error, time.perf_counter() - start)
        log.warning("%s: %s", method, failure)
        raise failure


def _place(target: Target, *, channel: bool = True) -> dict[str, Any]:
    """A response_url knows its channel."""
    thread = {"thread_ts": target.thread_ts} if target.thread_ts else {}
    return {**({"channel": target.channel} if channel else {}), **thread}


def _stamped(message: Message, stamp: str) -> Message:
    """https://docs.slack.dev/messaging/message-metadata: not shown to anyone, and given back with the message."""
    metadata = message.get("metadata") or {"event_type": ANSWER, "event_payload": {}}
    return {**message, "metadata": {**metadata, "event_payload": {**metadata["event_payload"], STAMP: stamp}}}


def _told(method: str, result: str, seconds: float) -> None:
    metrics.slack_call(method, result, seconds)
    logs.slack_called(method, result, seconds)


def _without_pictures(message: dict[str, Any]) -> dict[str, Any]:
    """The same without what was uploaded, which Slack may refuse where it does not know the file yet."""
    blocks = [block for block in message.get("blocks") or () if "slack_file" not in block]
    return {**message, "blocks": blocks} if blocks else message


def _is_slacks(url: str, api: str) -> bool:
    """May the bot's token be shown there? Slack's own hosts, and the one that its API is at."""
    there, slack = urlsplit(url), urlsplit(api)
    same = (there.scheme, there.netloc) == (slack.scheme, slack.netloc)
    return same or (there.scheme == "https" and f".{there.hostname}".endswith(".slack.com"))


async def read_at_most(content: aiohttp.StreamReader, most: int) -> bytes:
    """What comes first of a body; the rest is not waited for."""
    read = bytearray()
    async for chunk in content.iter_any():
        read += chunk
        if len(read) >= most:
            break
    return bytes(read[:most])


def _open_view(answer: Any) -> OpenView:
    view = answer["view"]
    return OpenView(view["id"], view["hash"])
