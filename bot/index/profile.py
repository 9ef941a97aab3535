"""What a crawl index looks like: tables, keys, shards, fields and filters, read from a TOML file.

Another company's crawl needs another file and no code. Every SQL text in it is ClickHouse's own and runs as written;
these placeholders are bound, never pasted in:

    {now:DateTime}                          the instant of the inspection
    {keys:Array(Tuple(UInt64, String))}     the pages asked for: root hash and unparsed key of each
    {hosts:Array(Tuple(UInt64, String))}    the hosts asked for: root hash and host name of each
    {root_hash:UInt64}                      one registered domain, in every `site_where`

One form serves one page and ten thousand: the arrays hold one pair or many.
"""

from __future__ import annotations

import tomllib
from enum import StrEnum
from functools import cached_property
from importlib import resources
from pathlib import Path
from string import Formatter
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.errors import BadProfile
from bot.index.placement import SHARDS, shard_of

Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]


class Strict(BaseModel):
    """Unknown keys are mistakes; values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FieldKind(StrEnum):
    """How a field's value is decoded and written."""

    TEXT = "text"
    CODE = "code"  # an identifier: hash, key, reason
    URL = "url"
    KEY = "key"  # an unparsed key, shown as its URL; decoded here, for the SQL function costs more than the row
    INTEGER = "integer"
    BOOLEAN = "boolean"
    TIME = "time"  # the expression gives unix seconds, or NULL
    CLASSES = "classes"  # Map(String, number): class → score


class FieldSpec(Strict):
    """One logical field of a page."""

    id: Identifier
    title: str
    group: str
    sql: str
    kind: FieldKind = FieldKind.TEXT
    heavy: bool = False
    column: str | None = None  # the column it needs, where `sql` is more than its name

    @cached_property
    def alias(self) -> str:
        """The field's name in a result; prefixed, so that no alias hides a column from a condition."""
        return f"f_{self.id}"


class Details(Strict):
    """How the value that a filter judged reads, beside its outcome. Wording only: the outcome is ClickHouse's.

    `{value}` is the field named by `value`; any other field can stand in braces by its id. A time can be written as an
    age: `{value:months}` counts 30 days a month, one decimal, a final .0 dropped.
    """

    value: Identifier
    passes: str
    fails: str | None = None  # where the filter passes not; as `passes` by default
    absent: str = "NULL"  # where the value is NULL or empty

    @property
    def texts(self) -> tuple[str, ...]:
        """All its sentences."""
        return (self.passes, self.fails or self.passes, self.absent)


class FilterSpec(Strict):
    """One rule of indexability: a condition in SQL, which alone decides, and words for people."""

    id: Identifier
    title: str
    condition: str
    details: Details
    meaning: str  # why such a page is left out, as one clause for people

    @cached_property
    def alias(self) -> str:
        """The column that holds the condition's outcome: 1, 0 or NULL."""
        return "pass_" + self.id.replace("-", "_")


class Relation(Strict):
    """A table (or a join) that one step reads: which rows, and its logical fields as SQL."""

    source: str
    where: str
    key: str  # the SQL of what a row is about: the host name, or the unparsed key
    fields: dict[str, str]
    site_where: str | None = None  # picks the rows of one registered domain; None: not part of a site's report


class BreakdownKind(StrEnum):
    """How the counts of a breakdown are ordered."""

    RANKED = "ranked"  # the most frequent first; the expression gives text
    HISTOGRAM = "histogram"  # by value; the expression gives whole numbers, the last of which is open to the right


class Breakdown(Strict):
    """What the pages of a site are counted by. NULL is counted too, as `absent`."""

    id: Identifier
    title: str
    sql: str
    kind: BreakdownKind = BreakdownKind.RANKED
    absent: str = "none"


class Site(Strict):
    """What a site's report adds to the counts of the filters."""

    breakdowns: tuple[Breakdown, ...] = ()


class Shards(Strict):
    """How rows are placed: shard = root hash mod count."""

    count: int = Field(default=SHARDS, ge=1, le=100_000)
    host: str = "shard{shard}"  # the server's name as people say it
    address: str | None = None  # its network name, a template; None where the settings give it
    port: int = 8123


class IndexProfile(Strict):
    """A crawl index: the pages, what is read of them, how they are judged, and three smaller relations beside them."""

    name: Identifier
    database: str
    source: str  # what follows FROM for pages, FINAL included
    prewhere: str  # picks the pages of {keys:…}; by sorting key columns only, as it runs before FINAL
    site_where: str  # picks the pages of one registered domain
    key: str  # the SQL of a row's unparsed key
    hash_function: str = "farmFingerprint64"
    crawler_agent: str = "ExampleBot"  # the product token that robots.txt is judged for
    shards: Shards = Shards()
    fields: tuple[FieldSpec, ...]
    filters: tuple[FilterSpec, ...]
    robots: Relation
    bans: Relation
    seen: Relation
    site: Site = Site()

    @model_validator(mode="after")
    def _details_name_fields(self) -> IndexProfile:
        fields = {spec.id for spec in self.light_fields}
        for rule in self.filters:
            texts = (*rule.details.texts, f"{{{rule.details.value}}}")
            named = {name for text in texts for _, name, _, _ in Formatter().parse(text) if name} - {"value"}
            if unknown := sorted(named - fields):
                raise ValueError(f"the details of filter {rule.id!r} name {unknown[0]!r}, which is no light field")
        return self

    @model_validator(mode="after")
    def _ids_are_unique(self) -> IndexProfile:
        for kind, ids in (("field", [f.id for f in self.fields]), ("filter", [f.id for f in self.filters])):
            twice = sorted({name for name in ids if ids.count(name) > 1})
            if twice:
                raise ValueError(f"{kind} {twice[0]!r} is defined twice")
        return self

    @cached_property
    def light_fields(self) -> tuple[FieldSpec, ...]:
        """The fields that every inspection reads."""
        return tuple(spec for spec in self.fields if not spec.heavy)

    @property
    def heavy_fields(self) -> tuple[FieldSpec, ...]:
        """The fields that are read only when somebody asks for them."""
        return tuple(spec for spec in self.fields if spec.heavy)

    @property
    def groups(self) -> tuple[str, ...]:
        """Titles of the property groups, in order of appearance."""
        return tuple(dict.fromkeys(spec.group for spec in self.fields))

    def field(self, field_id: str) -> FieldSpec | None:
        """The field of that id, or None."""
        return next((spec for spec in self.fields if spec.id == field_id), None)

    def filter(self, filter_id: str) -> FilterSpec | None:
        """The filter of that id, or None."""
        return next((spec for spec in self.filters if spec.id == filter_id), None)

    def shard_of(self, root_hash: int) -> int:
        """Where the pages of a registered domain live."""
        return shard_of(root_hash, self.shards.count)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that the profile reads, pages first."""
        sources = (self.source, self.robots.source, self.bans.source, self.seen.source)
        return tuple(dict.fromkeys(source.split()[0] for source in sources))

    def host_of(self, shard: int) -> str:
        """The name of a shard's server, as people say it."""
        return self.shards.host.format(shard=shard)


def load_profile(path: Path | None = None) -> IndexProfile:
    """The profile in a TOML file; the built-in one without a path. Raises BadProfile with the place of the mistake."""
    source = path or resources.files("bot.index") / "crawler3.toml"
    try:
        return IndexProfile.model_validate(tomllib.loads(source.read_text(encoding="utf-8")))
    except OSError as error:
        raise BadProfile(f"The index profile {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadProfile(f"The index profile {path} is not valid TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BadProfile(f"The index profile {path}: {place}: {first['msg']}.") from error
