"""Cutting and sharing of room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.elements import escaped_size, fair_share, fit
from bot.render.limits import escape_mrkdwn
from bot.render.text import spoken


@pytest.mark.parametrize(
    ("sizes", "total", "expected"),
    [
        ([10, 10], 20, 20),  # all fit: nobody is cut
        ([10, 100], 60, 50),
        ([100, 100, 100], 60, 20),
        ([1, 1, 1000], 100, 98),
        ([], 100, 100),
    ],
)
def test_short_texts_stay_whole(sizes: list[int], total: int, expected: int) -> None:
    """What the short ones do not need goes to the long ones."""
    share = fair_share(sizes, total)

    assert share == expected


@given(st.lists(st.integers(0, 5_000), max_size=60), st.integers(60, 13_000))
def test_shares_keep_to_the_total(sizes: list[int], total: int) -> None:
    """Never more than there is."""
    share = fair_share(sizes, total)

    assert sum(min(size, share) for size in sizes) <= total


@given(st.text(alphabet="ab&<> \u0301👩", max_size=400), st.integers(10, 200))
def test_a_fitted_text_fits_escaped(text: str, limit: int) -> None:
    """As Slack counts it; and it is never empty."""
    shown = fit(text, limit)

    assert escaped_size(shown) == len(escape_mrkdwn(shown))
    assert 0 < len(escape_mrkdwn(shown)) <= limit


@pytest.mark.parametrize("text", ["", "<!channel>", "&" * 5_000, "<" * 100_000])
def test_fallback_text_is_escaped_and_short(text: str) -> None:
    """No mark-up, no half of an entity, at most 4,000 characters."""
    said = spoken(text)

    assert 0 < len(said) <= 4_000
    assert not set("<>") & set(said)
    assert "&" not in said.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "")
