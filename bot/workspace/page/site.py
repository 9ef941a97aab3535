"""The page's routes: the files, the stream of changes, what people do, and what they shared."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files

from aiohttp import web
from pydantic import ValidationError

from bot.workspace import Workspace
from bot.workspace.model import SlackError
from bot.workspace.page import wire
from bot.workspace.page.actions import ACTIONS, Action
from bot.workspace.page.guard import Handler, only_own, set_headers
from bot.workspace.page.journal import Journal
from bot.workspace.page.menu import Menu

STATIC = files("bot.workspace.page") / "static"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
LARGEST_BODY = 16 * 1024 * 1024
BEAT_SECONDS = 15.0  # between signs of life on a quiet stream; a browser that left is noticed by the next one


@asynccontextmanager
async def serving(workspace: Workspace, menu: Menu, port: int = 0) -> AsyncIterator[str]:
    """The page on 127.0.0.1, for as long as the block runs; gives its address. Port 0: any free one. Raises OSError."""
    page = Page(workspace, menu)
    runner = web.AppRunner(page.application(), access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        page.close()
        await runner.cleanup()


class Page:
    """The routes over one workspace."""

    def __init__(self, workspace: Workspace, menu: Menu) -> None:
        self._workspace = workspace
        self._menu = menu
        self._journal = Journal(workspace)
        self._streams: set[asyncio.Task[None]] = set()
        for user in [user.id for user in workspace.state.users.values() if not user.is_bot]:
            workspace.state.open_im(user)  # so that everyone has a conversation with the app in their list

    def application(self) -> web.Application:
        """An aiohttp application of its own: nothing of it is in the bot's."""
        application = web.Application(middlewares=[only_own], client_max_size=LARGEST_BODY)
        application.on_response_prepare.append(set_headers)
        application.add_routes(
            [
                web.get("/", self.index),
                web.get("/static/{name}", self.static),
                web.get("/ui/changes", self.changes),
                web.get("/ui/files/{file}", self.file),
                *(web.post(f"/ui/{action.name}", self._doing(action)) for action in ACTIONS),
            ]
        )
        return application

    def close(self) -> None:
        """End the streams, which would go on for ever."""
        self._journal.close()
        for stream in tuple(self._streams):
            stream.cancel()

    async def index(self, request: web.Request) -> web.Response:
        """GET /"""
        return _file("index.html")

    async def static(self, request: web.Request) -> web.Response:
        """GET /static/NAME"""
        return _file(request.match_info["name"])

    async def file(self, request: web.Request) -> web.Response:
        """GET /ui/files/FILE: a shared file, as text whatever it says it is."""
        file = self._workspace.state.files.get(request.match_info["file"])
        if file is None or file.content is None:
            raise web.HTTPNotFound(text="There is no such file.")
        return web.Response(body=file.content, content_type="text/plain", charset="utf-8")

    async def changes(self, request: web.Request) -> web.StreamResponse:
        """GET /ui/changes: Server-Sent Events: first everything, then every change."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        stream = asyncio.create_task(self._stream(response))
        self._streams.add(stream)
        try:
            with suppress(ConnectionError, asyncio.CancelledError):
                await stream
        finally:
            stream.cancel()
            self._streams.discard(stream)
        return response

    async def _stream(self, response: web.StreamResponse) -> None:
        with self._workspace.subscribe() as changes:
            await _write(response, {"everything": wire.everything(self._workspace, self._journal, self._menu)})
            while True:
                try:
                    change = await asyncio.wait_for(anext(changes), BEAT_SECONDS)
                except TimeoutError:
                    await response.write(b": still here\n\n")
                    continue
                await _write(response, wire.one(change, self._workspace, self._journal))

    def _doing(self, action: Action) -> Handler:
        """POST /ui/NAME: 200 with what came of it, 400 for a body of another shape, 409 where Slack would not do it."""

        async def do(request: web.Request) -> web.Response:
            try:
                asked = action.shape.model_validate_json(await request.read())
            except ValidationError as error:
                first = error.errors()[0]
                sentence = f"{'.'.join(map(str, first['loc'])) or 'The body'}: {first['msg']}."
                return web.json_response({"error": sentence}, status=400)
            try:
                return web.json_response(await action.run(self._workspace, asked))
            except (LookupError, SlackError) as error:
                return web.json_response({"error": " ".join(map(str, error.args))}, status=409)

        return do


def _file(name: str) -> web.Response:
    """One of our own files: a name that is listed, never a path."""
    present = {entry.name: entry for entry in STATIC.iterdir()}
    media_type = TYPES.get("." + name.rpartition(".")[2])
    if name not in present or media_type is None:
        raise web.HTTPNotFound(text="There is no such file.")
    return web.Response(body=present[name].read_bytes(), content_type=media_type, charset="utf-8")


async def _write(response: web.StreamResponse, value: wire.Wire) -> None:
    if value:
        await response.write(b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n")
