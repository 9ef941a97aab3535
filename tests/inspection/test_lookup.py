from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.errors import BadInput, BadKey, BadUrl
from bot.index.profile import IndexProfile
from bot.inspection.lookup import read_lookup, read_time

ALIYUN = "com,aliyun!developer,/article/1485698 s443"


@pytest.mark.parametrize(
    ("text", "unparsed", "root_hash", "shard", "host"),
    [
        ("https://developer.aliyun.com/article/1485698", ALIYUN, 892221456919234349, 149, "laksa149"),
        (ALIYUN, ALIYUN, 892221456919234349, 149, "laksa149"),
        ("hash:892221456919234349", None, 892221456919234349, 149, "laksa149"),
        ("  HASH: 2566890010099092343 ", None, 2566890010099092343, 143, "laksa143"),
        ("hash:18446744073709551615", None, 2**64 - 1, 15, "laksa15"),
    ],
)
def test_a_url_a_key_and_a_hash_are_lookups(
    profile: IndexProfile, text: str, unparsed: str | None, root_hash: int, shard: int, host: str
) -> None:
    """The three things that can be asked lead to a shard and its server."""
    lookup = read_lookup(text, profile)

    assert (lookup.text, lookup.unparsed, lookup.root_hash, lookup.shard, lookup.host) == (
        text,
        unparsed,
        root_hash,
        shard,
        host,
    )


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("hash:18446744073709551616", BadKey, "18446744073709551616"),
        ("hash:-1", BadKey, "'-1'"),
        ("hash:12e4", BadKey, "whole number"),
        ("hash:", BadKey, "example"),
        ("hash:" + "9" * 5000, BadKey, "whole number"),
        ("hash:١٢", BadKey, "whole number"),
        ("ftp://example.com/x", BadUrl, "ftp"),
        ("https://", BadUrl, "host"),
        ("", BadUrl, "example"),
        ("com,example!www,/x z99", BadInput, "com,example!www,/x z99"),
    ],
)
def test_what_cannot_be_looked_up_is_answered_with_one_sentence(
    profile: IndexProfile, text: str, error: type[BadInput], says: str
) -> None:
    """The sentence says what was read, and shows how it is done."""
    with pytest.raises(error) as caught:
        read_lookup(text, profile)

    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_shard_can_be_forced_within_the_cluster(profile: IndexProfile) -> None:
    """Holders of a key can ask another shard than the hash names; a shard that is not there is refused."""
    assert read_lookup(ALIYUN, profile, shard=7).host == "laksa7"
    with pytest.raises(BadKey, match="shards 0 to 199"):
        read_lookup(ALIYUN, profile, shard=200)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-04-06", datetime(2026, 4, 6, tzinfo=UTC)),
        ("2026-04-06T20:00Z", datetime(2026, 4, 6, 20, tzinfo=UTC)),
        ("2026-04-06t20:00z", datetime(2026, 4, 6, 20, tzinfo=UTC)),
        ("2026-04-06 22:00+02:00", datetime(2026, 4, 6, 20, tzinfo=UTC)),
        ("1970-01-02", datetime(1970, 1, 2, tzinfo=UTC)),
        ("2106-02-06T23:59:59", datetime(2106, 2, 6, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_utc(text: str, instant: datetime) -> None:
    """A time without an offset is UTC, as everything in the index is."""
    assert read_time(text) == instant


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("yesterday", "2026-04-06T20:00Z"),
        ("", "2026-04-06T20:00Z"),
        ("0001-01-01T00:00+23:59", "from 1970-01-02 to 2106-02-06"),
        ("9999-12-31T23:59-23:59", "from 1970-01-02 to 2106-02-06"),
        ("1960-01-01", "from 1970-01-02 to 2106-02-06"),
        ("1970-01-01", "from 1970-01-02 to 2106-02-06"),
        ("1970-01-02T00:00+00:01", "from 1970-01-02 to 2106-02-06"),
        ("2106-02-07", "from 1970-01-02 to 2106-02-06"),
    ],
)
def test_a_time_that_cannot_be_asked_for_is_refused(text: str, says: str) -> None:
    """What is no time, and what no DateTime of ClickHouse holds: the sentence shows what was read, and what can be."""
    with pytest.raises(BadInput) as refused:
        read_time(text)

    assert repr(text) in str(refused.value)
    assert says in str(refused.value)
