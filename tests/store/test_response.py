"""What a response of status 200 may hold."""

from __future__ import annotations

import pytest

from bot.errors import QueryRefused, StoreError, StoreUnavailable
from bot.store.response import checked_rows

TOLD = "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED) (version 26.9.2.1)"


@pytest.mark.parametrize(
    ("body", "error", "said"),
    [
        (f'{{"a":1}}\n{TOLD}\n', QueryRefused, "Memory limit"),
        (f'{{"a":1}}\n{{"a":2,"b":"ha\n{TOLD}\n', QueryRefused, "Memory limit"),
        (f'{{"a":1}}\r\n__exception__\r\nkwrzkgjo\r\n{TOLD}\n96 kwrzkgjo\r\n__exception__\r\n', QueryRefused, "Memory"),
        (f'{{"a":1}}\n{{"exception": "{TOLD}"}}\n', QueryRefused, "Memory limit"),
        (TOLD, QueryRefused, "Memory limit"),
        ('{"a":1}\n{"a":2,"b":"ha', StoreUnavailable, "not JSON lines"),
        ('{"a":1}\n{"a":2}', StoreUnavailable, "breaks off"),
        ("<html>Welcome to nginx</html>\n", StoreUnavailable, "not JSON lines"),
        ("\x00\x01\x02\n", StoreUnavailable, "not JSON lines"),
        ("1\n2\n", StoreUnavailable, "not JSON lines"),
        ('{"a":1\n"b":2}\n', StoreUnavailable, "not JSON lines"),
        ('{"a":1},{"a":2}\n', StoreUnavailable, "not JSON lines"),
    ],
)
def test_what_is_no_answer(body: str, error: type[StoreError], said: str) -> None:
    """A late exception is a refusal in the server's words; half an answer or another protocol is no answer at all."""
    with pytest.raises(error, match=said) as raised:
        checked_rows(body.encode(), 1.0, "laksa7")

    assert str(raised.value).startswith("laksa7 ")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "body",
    [
        "",
        '{"a":"Code: 241. DB::Exception: only text"}\n',
        '{"exception":"Code: 7 is a title","a":1}\n',
        '{"exception":"none"}\n',
        '{"a":"__exception__"}\n',
    ],
)
def test_text_that_only_looks_like_an_exception(body: str) -> None:
    """Crawled pages may hold any words."""
    assert checked_rows(body.encode(), 1.0, "laksa7").response == body
