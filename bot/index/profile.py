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
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from importlib import resources
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.errors import BadInput, BadProfile, BadSetting
from bot.index.placement import SHARDS, shard_of

Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
FieldId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]  # part of a column's name in a result
UNKNOWN = "CAST(NULL AS Nullable(UInt8))"  # a condition that nothing passes and nothing fails
MONTHS = "months"  # the one way to write a value in a filter's details other than as it stands


def _not_empty(sql: str) -> str:
    if not sql.strip():
        raise ValueError("must not be empty")
    return sql


def _names_a_shard(template: str) -> str:
    """A template with no other placeholder than `{shard}`."""
    try:
        template.format(shard=0)
    except (KeyError, IndexError, ValueError, AttributeError, TypeError):
        raise ValueError(f"{template!r} may hold {{shard}} and no other braces; example: 'shard{{shard}}'") from None
    return template


Sql = Annotated[str, AfterValidator(_not_empty)]
ShardName = Annotated[str, AfterValidator(_not_empty), AfterValidator(_names_a_shard)]


_Model = TypeVar("_Model", bound=BaseModel)


class Strict(BaseModel):
    """Unknown keys are mistakes; values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other values, unchecked; what was computed of the original is not carried over."""
        copy = super().model_copy(update=update, deep=deep)
        for name in copy.__dict__.keys() - type(self).model_fields.keys():
            del copy.__dict__[name]
        return copy


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

    id: FieldId
    title: str
    group: str
    sql: Sql
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

    value: FieldId
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
    condition: Sql
    details: Details
    meaning: str  # why such a page is left out, as one clause for people

    @cached_property
    def alias(self) -> str:
        """The column that holds the condition's outcome: 1, 0 or NULL."""
        return "pass_" + self.id.replace("-", "_")


class Relation(Strict):
    """A table (or a join) that one step reads: which rows, and its logical fields as SQL."""

    source: Sql
    where: Sql
    key: Sql  # the SQL of what a row is about: the host name, or the unparsed key
    fields: dict[FieldId, Sql]
    site_where: Sql | None = None  # picks the rows of one registered domain; None: not part of a site's report
    lost: dict[str, str] = Field(default={}, exclude=True)  # fields that the tables cannot serve, and why


class BreakdownKind(StrEnum):
    """How the counts of a breakdown are ordered."""

    RANKED = "ranked"  # the most frequent first; the expression gives text
    HISTOGRAM = "histogram"  # by value; the expression gives whole numbers, the last of which is open to the right


class Breakdown(Strict):
    """What the pages of a site are counted by. NULL is counted too, as `absent`."""

    id: Identifier
    title: str
    sql: Sql
    kind: BreakdownKind = BreakdownKind.RANKED
    absent: str = "none"


class Site(Strict):
    """What a site's report adds to the counts of the filters."""

    breakdowns: tuple[Breakdown, ...] = ()
    lost: dict[str, str] = Field(default={}, exclude=True)  # titles of those that the tables cannot serve, and why


class Shards(Strict):
    """How rows are placed: shard = root hash mod count."""

    count: int = Field(default=SHARDS, ge=1, le=100_000)
    host: ShardName = "shard{shard}"  # the server's name as people say it
    address: ShardName | None = None  # its network name, a template; None where the settings give it
    port: int = 8123


class IndexProfile(Strict):
    """A crawl index: the pages, what is read of them, how they are judged, and three smaller relations beside them."""

    name: Identifier
    database: str
    source: Sql  # what follows FROM for pages, FINAL included
    prewhere: Sql  # picks the pages of {keys:…}; by sorting key columns only, as it runs before FINAL
    site_where: Sql  # picks the pages of one registered domain
    key: Sql  # the SQL of a row's unparsed key
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
        kinds = {spec.id: spec.kind for spec in self.light_fields}
        for rule in self.filters:
            for text in (*rule.details.texts, f"{{{rule.details.value}}}"):
                if mistake := _mistake_in(text, {**kinds, "value": kinds.get(rule.details.value, FieldKind.TEXT)}):
                    raise ValueError(f"the details of filter {rule.id!r} {mistake}")
        return self

    @model_validator(mode="after")
    def _ids_are_unique(self) -> IndexProfile:
        for kind, ids in (("field", [f.id for f in self.fields]), ("filter", [f.id for f in self.filters])):
            twice = sorted({name for name in ids if ids.count(name) > 1})
            if twice:
                raise ValueError(f"{kind} {twice[0]!r} is defined twice")
        aliases = [rule.alias for rule in self.filters]
        if clash := sorted(rule.id for rule in self.filters if aliases.count(rule.alias) > 1):
            raise ValueError(f"filters {clash[0]!r} and {clash[1]!r} differ by - and _ alone; rename one")
        return self

    @cached_property
    def light_fields(self) -> tuple[FieldSpec, ...]:
        """The fields that every inspection reads."""
        return tuple(spec for spec in self.fields if not spec.heavy)

    @cached_property
    def light_by_id(self) -> Mapping[str, FieldSpec]:
        """The same, by id."""
        return {spec.id: spec for spec in self.light_fields}

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


def _mistake_in(text: str, kinds: Mapping[str, FieldKind]) -> str | None:
    """What is wrong with a sentence of a filter's details, where fields are of `kinds`."""
    try:
        parts = [(name, spec, turned) for _, name, spec, turned in Formatter().parse(text) if name is not None]
    except ValueError as error:
        return f"cannot be read: {text!r}: {error}"
    for name, spec, conversion in parts:
        if name not in kinds:
            return f"name {name!r}, which is no light field"
        if conversion or spec not in ("", MONTHS):
            return f"may write {{{name}}} or, of a time, {{{name}:{MONTHS}}}; {text!r} does otherwise"
        if spec == MONTHS and kinds[name] is not FieldKind.TIME:
            return f"write {{{name}:{MONTHS}}}, which only a field of kind 'time' can be"
    return None


def changed(model: _Model, **update: Any) -> _Model:
    """A copy with other values of some of its fields, checked as the original was; nothing computed is carried over."""
    values = {name: getattr(model, name) for name in type(model).model_fields}
    return type(model).model_validate({**values, **update})


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


def load_profiles(files: Sequence[Path] = ()) -> tuple[IndexProfile, ...]:
    """The profiles in some TOML files, in their order; the built-in one without any. Raises BadProfile, BadSetting."""
    profiles = tuple(map(load_profile, files)) or (load_profile(),)
    names = [profile.name for profile in profiles]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BadSetting(
            f"CRAWLER_INSPECTOR_PROFILE names two profiles called {twice[0]!r}: give each its own name in its file."
        )
    return profiles


def files_of(files: Sequence[Path], name: str | None) -> Sequence[Path]:
    """The one of these files that holds the profile of that name; all of them where none is named.

    Raises BadProfile, BadSetting, and BadInput where no profile has that name.
    """
    names = [profile.name for profile in load_profiles(files)]
    if name is not None and name not in names:
        raise BadInput(f"There is no profile {name[:80]!r}; CRAWLER_INSPECTOR_PROFILE has {', '.join(names)}.")
    return files if name is None or not files else (files[names.index(name)],)
