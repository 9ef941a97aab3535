from __future__ import annotations

from clickhouse_connect.driver.binding import bind_query, format_bind_value

from bot.store.binding import bound, prepared

TEXTS = ["", "plain", 'it\'s `a` "b" \\ \\n', "tab\tline\nreturn\rnul\0", "日本語 🦊", "{keys:String} %s"]
KEYS = [(2**64 - 1, text) for text in TEXTS]


def test_pairs_are_written_as_the_driver_writes_them() -> None:
    """To the letter, for the store and for the shell; what is no array of pairs is the driver's as ever."""
    given = {"keys": KEYS, "none": [], "names": TEXTS, "text": TEXTS[2], "now": 5}
    expected = {f"param_{name}": format_bind_value(value) for name, value in given.items()}
    sql = " ".join(f"{{{name}:String}}" for name in given)

    assert bound(given) == expected
    assert bind_query(sql, prepared(given))[1] == expected
