from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.workspace.page_app import Opened, opened

HOME = {"user": "U0ANN"}


@pytest.fixture
async def page() -> AsyncIterator[Opened]:
    async with opened() as running:
        yield running


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def post_message(text: str = "hello", **more: Any) -> dict[str, Any]:
    return {"user": "U0ANN", "channel": "C0GENERAL", "text": text, **more}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "SELF", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        # A name that somebody else's DNS points to 127.0.0.1.
        ({"Host": "rebound.example"}, 403),
        ({"Host": "127.0.0.1.rebound.example"}, 403),
        ({"Host": "rebound.example", "Origin": "http://rebound.example", "Sec-Fetch-Site": "same-origin"}, 403),
        ({"Origin": "https://attacker.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        # What a form of another site can send without being asked.
        ({"Content-Type": "text/plain"}, 403),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 403),
    ],
)
async def test_only_the_page_itself_may_act(
    page: Opened, http: aiohttp.ClientSession, headers: dict[str, str], status: int
) -> None:
    """Another Host, Origin or content type is refused, and nothing is done."""
    sent = {"Content-Type": "application/json", **{name: page.url if v == "SELF" else v for name, v in headers.items()}}
    async with http.post(f"{page.url}/ui/post", data=json.dumps(post_message()), headers=sent) as response:
        written = len(page.ws.messages("C0GENERAL"))

        assert (response.status, written) == (status, int(status == 200))


@pytest.mark.parametrize("path", ["/", "/static/main.js", "/ui/changes", "/ui/files/F1"])
@pytest.mark.parametrize("headers", [{"Host": "rebound.example"}, {"Sec-Fetch-Site": "cross-site"}])
async def test_nothing_is_read_from_elsewhere(
    page: Opened, http: aiohttp.ClientSession, path: str, headers: dict[str, str]
) -> None:
    """Reading is refused to other sites, as acting is."""
    async with http.get(page.url + path, headers=headers) as response:
        assert response.status == 403


@pytest.mark.parametrize(
    ("path", "status", "content_type"),
    [
        ("/", 200, "text/html"),
        ("/static/page.css", 200, "text/css"),
        ("/static/main.js", 200, "text/javascript"),
        ("/static/icon.svg", 200, "image/svg+xml"),
        ("/static/..%2Fsite.py", 404, "text/plain"),
        ("/static/%2Fetc%2Fpasswd", 404, "text/plain"),
        ("/nothing", 404, "text/plain"),
    ],
)
async def test_every_answer_has_the_strict_headers(
    page: Opened, http: aiohttp.ClientSession, path: str, status: int, content_type: str
) -> None:
    """Own files by their names only; scripts, styles and connections from here only, refusals included."""
    async with http.get(page.url + path) as response:
        policy = response.headers["Content-Security-Policy"]

        assert (response.status, response.content_type) == (status, content_type)
        assert "default-src 'none'; script-src 'self'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert "unsafe" not in policy


@pytest.mark.parametrize(
    ("action", "body", "status", "sentence"),
    [
        ("post", post_message(channel="C0NOWHERE"), 409, "channel_not_found"),
        ("post", post_message(files=[{"name": "a.txt", "content": "%%"}]), 409, "A file's content is not base64."),
        ("post", {"user": "U0ANN"}, 400, "channel: Field required."),
        ("post", "nonsense", 400, "The body: "),
        ("slash", {"user": "U0NOBODY", "channel": "C0GENERAL", "command": "/show"}, 409, "U0NOBODY"),
        ("click", {"user": "U0ANN", "channel": "C0GENERAL", "ts": "1", "block_id": "b", "action_id": "a"}, 409, "1"),
        (
            "click",
            {"user": "U0ANN", "url": "https://x.example", "block_id": "b", "action_id": "a"},
            409,
            "no such card",
        ),
        ("submit", {"user": "U0ANN", "view": "V1"}, 409, "not_found"),
        ("close", {"user": "U0ANN", "view": "V1"}, 409, "not_found"),
        ("home", {}, 400, "user: Field required."),
    ],
)
async def test_what_cannot_be_done_is_said_in_a_sentence(
    page: Opened, http: aiohttp.ClientSession, action: str, body: Any, status: int, sentence: str
) -> None:
    """400 for another shape, 409 where Slack would not do it; never a stack trace."""
    async with http.post(f"{page.url}/ui/{action}", json=body) as response:
        answer = await response.json()

    assert response.status == status
    assert sentence in answer["error"]


async def test_only_its_author_edits_a_message(page: Opened, http: aiohttp.ClientSession) -> None:
    """As in Slack."""
    ts = await page.ws.post("C0GENERAL", "mine")
    edit = {"channel": "C0GENERAL", "ts": ts, "text": "changed"}
    async with http.post(f"{page.url}/ui/edit", json={"user": "U0BEN", **edit}) as by_ben:
        pass
    async with http.post(f"{page.url}/ui/edit", json={"user": "U0ANN", **edit}) as by_ann:
        pass

    assert (by_ben.status, by_ann.status) == (409, 200)
    assert [message.text for message in page.ws.messages("C0GENERAL")] == ["changed"]


async def test_a_shared_file_is_shown_as_text(page: Opened, http: aiohttp.ClientSession) -> None:
    """Whatever it is called: no file of a workspace runs in the page's origin."""
    await page.ws.post("C0GENERAL", "see", files={"x.html": b"<script>alert(1)</script>"})
    [file] = page.ws.files
    async with http.get(f"{page.url}/ui/files/{file.id}") as response:
        assert (response.content_type, response.headers["X-Content-Type-Options"]) == ("text/plain", "nosniff")
        assert await response.text() == "<script>alert(1)</script>"


async def next_change(stream: aiohttp.StreamReader) -> Any:
    while not (line := await stream.readline()).startswith(b"data: "):
        pass
    return json.loads(line[6:])


async def test_the_stream_begins_with_everything_and_goes_on_with_changes(
    page: Opened, http: aiohttp.ClientSession
) -> None:
    """Whoever comes late, or again, misses nothing."""
    before = await page.ws.post("C0GENERAL", "before")
    async with http.get(f"{page.url}/ui/changes") as response:
        first = (await next_change(response.content))["everything"]
        after = await page.ws.post("C0GENERAL", "after")
        second = await next_change(response.content)

    assert [message["ts"] for message in first["messages"]] == [before]
    assert second["message"]["ts"] == after


async def calls_of(page: Opened, http: aiohttp.ClientSession, words: str) -> list[str]:
    """The methods that made the message with these words."""
    async with http.get(f"{page.url}/ui/changes") as response:
        state = (await next_change(response.content))["everything"]
    [message] = [message for message in state["messages"] if words in message["words"]]
    return [state["calls"][index]["method"] for index in message["calls"]]


async def test_every_message_knows_the_requests_that_made_it(page: Opened, http: aiohttp.ClientSession) -> None:
    """Posted, answered at once, by a response_url, and edited: the inspector shows each of these requests."""
    ws = page.ws
    await ws.post("C0GENERAL", "hello", mention=True)
    await ws.slash("/secret", channel="C0GENERAL")
    await ws.slash("/show", channel="C0GENERAL")
    shown = await ws.wait_for(lambda message: "Every" in message.words)
    made = [await calls_of(page, http, words) for words in ("Hello,", "Psst", "Every")]
    await ws.click(shown, "count")
    await ws.wait_for(lambda message: message.text == "Counted")

    assert made == [["chat.postMessage"], ["ack"], ["response_url"]]
    assert await calls_of(page, http, "Count") == ["response_url", "chat.update"]
