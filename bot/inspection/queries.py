"""The queries of an inspection, built from the profile alone. Everything that a user typed is a bound parameter.

The same page query judges one page, ten thousand (`keys` holds them all), and, by `site_where`, a whole site.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.index.profile import FieldSpec, IndexProfile, Relation
from bot.inspection.store import Query

KEY = "key"  # the alias of a row's unparsed key or host
SITE_SAMPLE = 21  # pages listed for a bare root hash: twenty, and one more to tell that there are more

Pair = tuple[int, str]  # root hash, and an unparsed key or a host name


def page_query(
    profile: IndexProfile, keys: Sequence[Pair], now: datetime, fields: Iterable[FieldSpec] | None = None
) -> Query:
    """The rows of `keys`, each with its fields (the light ones by default) and every filter's outcome."""
    columns = _page_columns(profile, profile.light_fields if fields is None else fields)
    sql = _select(columns, f"FROM {profile.source}\nPREWHERE {profile.prewhere}")
    return Query(sql, {"keys": list(keys), **_now(now)}, "crawled" if fields is None else "near")


def site_sample_query(profile: IndexProfile, root_hash: int, now: datetime) -> Query:
    """The first pages of a registered domain, judged."""
    tail = f"FROM {profile.source}\nWHERE {profile.site_where}\nORDER BY {profile.key}\nLIMIT {SITE_SAMPLE}"
    sql = _select(_page_columns(profile, profile.light_fields), tail)
    return Query(sql, {"root_hash": root_hash, **_now(now)}, "crawled")


def heavy_query(profile: IndexProfile, spec: FieldSpec, key: Pair) -> Query:
    """One heavy column of one page."""
    sql = _select([(spec.sql, spec.alias)], f"FROM {profile.source}\nPREWHERE {profile.prewhere}")
    return Query(sql, {"keys": [key]}, "text")


def heavy_head_query(profile: IndexProfile, spec: FieldSpec, key: Pair) -> Query:
    """The size of a heavy column in bytes, a digest of its text, and when the page was crawled: nothing of the text."""
    crawled = profile.field("download_stamp")
    columns = [
        (f"length({spec.sql})", "size"),
        (f"lower(hex(sipHash128({spec.sql})))", "digest"),
        (crawled.sql if crawled else "NULL", "crawled"),
    ]
    return Query(_select(columns, f"FROM {profile.source}\nPREWHERE {profile.prewhere}"), {"keys": [key]}, "text")


def heavy_piece_query(profile: IndexProfile, spec: FieldSpec, key: Pair, start: int, size: int) -> Query:
    """`size` bytes of a heavy column from byte `start` on, in base64: a piece may begin and end inside a character."""
    piece = f"base64Encode(substring({spec.sql}, {{start:UInt64}}, {{size:UInt64}}))"
    sql = _select([(piece, "piece")], f"FROM {profile.source}\nPREWHERE {profile.prewhere}")
    return Query(sql, {"keys": [key], "start": start + 1, "size": size}, "text")


def robots_query(profile: IndexProfile, hosts: Sequence[Pair]) -> Query:
    """The stored robots.txt of each host."""
    return Query(_relation_sql(profile.robots), {"hosts": list(hosts)}, "robots")


def bans_query(profile: IndexProfile, hosts: Sequence[Pair]) -> Query:
    """The standing of each host."""
    return Query(_relation_sql(profile.bans), {"hosts": list(hosts)}, "spam")


def seen_query(profile: IndexProfile, keys: Sequence[Pair]) -> Query:
    """What the frontier knows of each page."""
    return Query(_relation_sql(profile.seen), {"keys": list(keys)}, "seen")


def root_hash_query(profile: IndexProfile, roots: Sequence[Pair]) -> Query:
    """The hash of each root, by the server: asked where the profile names another hash than farmFingerprint64."""
    columns = [("pair.2", KEY), (f"toString({profile.hash_function}(pair.2))", "root_hash")]
    tail = "FROM (SELECT arrayJoin({roots:Array(Tuple(UInt64, String))}) AS pair)"
    return Query(_select(columns, tail), {"roots": list(roots)}, "shard")


def _page_columns(profile: IndexProfile, fields: Iterable[FieldSpec]) -> list[tuple[str, str]]:
    columns = [(profile.key, KEY), *((spec.sql, spec.alias) for spec in fields)]
    return columns + [(f"({rule.condition})", rule.alias) for rule in profile.filters]


def _relation_sql(relation: Relation) -> str:
    columns = [(relation.key, KEY), *((sql, f"f_{name}") for name, sql in relation.fields.items())]
    return _select(columns, f"FROM {relation.source}\nWHERE {relation.where}")


def _select(columns: Iterable[tuple[str, str]], tail: str) -> str:
    listed = ",\n  ".join(f"{sql} AS {alias}" for sql, alias in columns)
    return "\n".join(part for part in (f"SELECT\n  {listed}", tail, "FORMAT JSONEachRow") if part)


def _now(now: datetime) -> dict[str, int]:
    # Unix seconds: ClickHouse reads them as a DateTime in every time zone of server and session alike.
    return {"now": int(now.timestamp())}
