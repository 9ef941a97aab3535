"""The HTTP side of a workspace, on loopback: Web API, response_urls, files, and the address of Socket Mode."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from dataclasses import replace
from email.utils import formatdate

from aiohttp import web

from bot.workspace import web_api
from bot.workspace.faults import ANSWER_LOST, Faults, Next
from bot.workspace.model import Call, Json, SlackError
from bot.workspace.response_url import METHOD, respond
from bot.workspace.socket_mode import Sockets
from bot.workspace.state import State

LARGEST_BODY = 64 * 1024 * 1024
ACK_FIRST_SECONDS = 0.2


class InFlight:
    """Commands whose answer is on its way: what an app sends to a response_url after its ack is shown after it."""

    def __init__(self) -> None:
        self._settled: dict[str, asyncio.Event] = {}

    def begin(self, token: str) -> None:
        """A command was sent."""
        self._settled[token] = asyncio.Event()

    def done(self, token: str) -> None:
        """Its answer is shown."""
        self._settled.pop(token).set()

    async def settled(self, token: str) -> None:
        """Wait for the answer; not for long, as an app may also respond before its ack."""
        if token in self._settled:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._settled[token].wait(), ACK_FIRST_SECONDS)


def build(state: State, faults: Faults, sockets: Sockets, in_flight: InFlight) -> web.Application:
    """The application; `state.origin` must be set before anything asks for an address."""
    server = Server(state, faults, in_flight)
    app = web.Application(client_max_size=LARGEST_BODY)
    app.add_routes(
        [
            web.route("*", "/api/{method}", server.api),
            web.post("/response/{token}", server.response_url),
            web.post("/upload/{file}", server.upload),
            web.get("/files-pri/{file}/{name}", server.download),
            web.get("/sign-in", server.sign_in),
            web.get("/link/", sockets.accept),
        ]
    )
    return app


class Server:
    """The routes. Each reads a request, asks the state, and writes what it says."""

    def __init__(self, state: State, faults: Faults, in_flight: InFlight) -> None:
        self.state = state
        self.faults = faults
        self.in_flight = in_flight

    async def api(self, request: web.Request) -> web.StreamResponse:
        """POST or GET /api/METHOD, arguments as JSON, form or query; the token in the header or among them."""
        method = request.match_info["method"]
        body = await request.text()

        async def happen() -> web.StreamResponse:
            given = _authorization(request)
            answer = web_api.answer(self.state, method, body, request.content_type, request.query, given)
            return web.json_response(answer, headers=_told_of(self.state, given.get("token")))

        return await self._answered(method, body, request, happen)

    async def response_url(self, request: web.Request) -> web.StreamResponse:
        """POST /response/TOKEN: "ok", 404 where it cannot be used any more, 400 where the payload is refused."""
        body = await request.text()
        await self.in_flight.settled(request.match_info["token"])

        async def happen() -> web.StreamResponse:
            try:
                payload = web_api.read_arguments(body, "application/json", {})
            except SlackError as refusal:
                return web.json_response(web_api.refused(refusal), status=400)
            problem = respond(self.state, request.match_info["token"], payload)
            if problem is None:
                return web.Response(text="ok", content_type="text/html")
            status = 404 if problem.error.endswith("_url") else 400
            return web.json_response(web_api.refused(problem), status=status)

        return await self._answered(METHOD, body, request, happen)

    async def _answered(self, method: str, body: str, request: web.Request, happen: Next) -> web.StreamResponse:
        """What happens, or the fault that waits for the method; a call that a fault swallows is remembered too."""
        fault = self.faults.take(method)
        if fault is None:
            return await happen()
        if fault != ANSWER_LOST:
            self.state.record(Call(method, _readable(body, request), False, fault.error_name))
        return await self.faults.answer(fault, request, happen)

    async def upload(self, request: web.Request) -> web.Response:
        """POST /upload/FILE: the bytes, bare or as the first part of a form."""
        file = self.state.files.get(request.match_info["file"])
        if file is None:
            return web.Response(status=404, text="file_not_found")
        if request.content_type == "multipart/form-data":
            part = await (await request.multipart()).next()
            content = await part.read() if part is not None and hasattr(part, "read") else b""
        else:
            content = await request.read()
        self.state.files[file.id] = replace(file, content=bytes(content))
        return web.Response(text=f"OK - {len(content)}", content_type="text/plain")

    async def download(self, request: web.Request) -> web.Response:
        """GET a private file. Without the token Slack leads to its sign-in page instead of refusing."""
        file = self.state.files.get(request.match_info["file"].rpartition("-")[2])
        if _authorization(request).get("token") != self.state.installation.bot_token:
            raise web.HTTPFound("/sign-in")
        if file is None or file.content is None:
            return web.Response(status=404)
        return web.Response(body=file.content, content_type="text/plain")

    async def sign_in(self, request: web.Request) -> web.Response:
        """The page that an app reads by mistake when it forgot the token."""
        return web.Response(text="<!DOCTYPE html><html><title>Sign in</title></html>", content_type="text/html")


def _told_of(state: State, token: str | None) -> dict[str, str]:
    """What every answer of Slack's says in its headers: its time, and the scopes of the bot's token."""
    told = {"Date": formatdate(state.clock(), usegmt=True)}
    if token == state.installation.bot_token:
        told["X-OAuth-Scopes"] = ",".join(sorted(state.installation.scopes))
    return told


def _readable(body: str, request: web.Request) -> Json:
    try:
        kind = "application/json" if request.path.startswith("/response/") else request.content_type
        return web_api.read_arguments(body, kind, request.query)
    except SlackError:
        return {}


def _authorization(request: web.Request) -> dict[str, str]:
    """What the header holds: a token, or, for oauth.v2.access, the app's id and secret."""
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    if scheme == "Basic":
        client_id, _, secret = base64.b64decode(value).decode().partition(":")
        return {"client_id": client_id, "client_secret": secret}
    return {"token": value} if scheme == "Bearer" and value else {}
