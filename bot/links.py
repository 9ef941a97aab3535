"""Links: every URL that we emit, signed and expiring. A link opens one lookup for one action, and nothing beside it.

    <public URL>/r/<token>   the report          <public URL>/h/<token>   one heavy column
    <public URL>/c/<token>   two inspections side by side
    <public URL>/list/<token>   a list of many URLs, which the bot keeps
    <public URL>/site/<token>   a whole site, counted when the page is opened

The token holds the subject and is readable by its holder; what it grants is what the signature covers. Keys rotate with
overlap: the first key signs, all verify; taking a key out ends every link that it signed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar
from urllib.parse import urlsplit

from itsdangerous import BadSignature, SignatureExpired, TimestampSigner, URLSafeTimedSerializer
from itsdangerous.encoding import base64_decode, base64_encode
from itsdangerous.exc import BadData

from bot.errors import BadKey, BadLink, BadSetting, ExpiredLink
from bot.inspection.model import Inspection
from bot.inspection.site import SiteReport
from bot.policy import Policy
from bot.report.model import LAST_CRAWLED
from bot.report.subject import Subject, by_hash, decode, payload
from bot.settings import Settings

SHORTEST_KEY = 32  # characters
LONGEST_TOKEN = 16_384  # more is no link of ours, and is not looked into
LONGEST_URL = 3_000  # what Slack takes as the url of a button; beyond it a link keeps the root hash alone
TOO_LONG = "The address is too long for a link; only its root hash is kept."

ALTERED = "This link does not open anything: it was altered, or its key is no longer in use."
EXPIRED = "This link has expired: a link works for {days:g} days."

Opened = TypeVar("Opened")


class Action(StrEnum):
    """What a link opens; the value is the first part of its path."""

    REPORT = "r"
    HEAVY = "h"
    COMPARE = "c"
    LIST = "list"
    SITE = "site"


@dataclass(frozen=True, slots=True)
class Grant:
    """What a valid link opens. `version` is the crawl that a heavy column was linked from, in unix seconds."""

    subject: Subject
    field_id: str | None = None
    version: int | None = None
    other: Subject | None = None
    issued: datetime | None = None


@dataclass(frozen=True, slots=True)
class SiteGrant:
    """The site that a link opens, as it was typed; `as_of` where the asker fixed it, `index` as in a subject."""

    text: str
    as_of: datetime | None
    index: str
    issued: datetime


class Links:
    """Implements the report's Links port; without a public address there are no links."""

    def __init__(
        self,
        public_url: str | None,
        keys: Sequence[str] = (),
        *,
        days: float = 7,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        heavy: bool = True,
    ) -> None:
        self._base = public_url.rstrip("/") if public_url else None
        self._days = days
        self._keys = tuple(keys)
        self._clock = clock
        self._gives_heavy = heavy
        self._serializers = {action: serializer(f"link {action.value}", keys, clock) for action in Action if keys}

    @classmethod
    def from_settings(cls, settings: Settings) -> Links:
        """The links of an installation. Raises BadSetting where a public address has no keys to sign with."""
        keys = [key.get_secret_value() for key in settings.link_keys]
        if settings.public_url:
            _check(settings.public_url, keys)
        everyone = Policy.from_settings(settings).refusal_of_raw(None) is None
        # Where some may see heavy text and others not, a page can only tell who reads it by the sign-in.
        return cls(settings.public_url, keys, days=settings.link_days, heavy=everyone or bool(settings.sign_in_teams))

    def report(self, inspection: Inspection) -> str | None:
        """The full report of an inspection; of its instant, where the asker fixed that."""
        return self.of_subject(subject_of(inspection))

    def heavy(self, inspection: Inspection, field_id: str) -> str | None:
        """One heavy column of the inspected page, as of the crawl that the inspection saw."""
        if inspection.lookup.unparsed is None or not self._gives_heavy:
            return None
        crawled = (inspection.page or {}).get(LAST_CRAWLED)
        version = int(crawled.timestamp()) if isinstance(crawled, datetime) else None
        return self.url(Action.HEAVY, Grant(subject_of(inspection), field_id, version))

    def of_subject(self, subject: Subject) -> str | None:
        """The full report of a subject."""
        return self.url(Action.REPORT, Grant(subject))

    def compare(self, subject: Subject, other: Subject | None = None) -> str | None:
        """A subject beside another, or beside one that the reader names."""
        return self.url(Action.COMPARE, Grant(subject, other=other))

    def kept_list(self, list_id: str) -> str | None:
        """The page of a list that the bot keeps under this id."""
        if self._base is None or not self._serializers:
            return None
        return self._signed(Action.LIST, {"l": list_id})

    def site(self, report: SiteReport) -> str | None:
        """The page of a site; None where what was typed is too long for a link."""
        if self._base is None or not self._serializers:
            return None
        lookup = report.target.lookup
        as_of = {"a": str(int(report.as_of.timestamp()))} if report.replayed else {}
        url = self._signed(Action.SITE, {"t": lookup.text, "i": lookup.index, **as_of})
        return url if len(url) <= LONGEST_URL else None

    @property
    def works_for(self) -> timedelta:
        """How long a link works."""
        return timedelta(days=self._days)

    def issued(self, at: datetime | None) -> Links:
        """The same links as of an earlier instant: what a page links to ends when the link to the page does."""
        if at is None:
            return self
        return Links(self._base, self._keys, days=self._days, clock=lambda: at, heavy=self._gives_heavy)

    def without_heavy(self) -> Links:
        """The same links, none of them to heavy text."""
        return Links(self._base, self._keys, days=self._days, clock=self._clock, heavy=False)

    def open(self, action: Action, token: str) -> Grant:
        """What a token grants for this action. Raises BadLink, ExpiredLink; neither says anything of what is inside."""
        return self._read(action, token, _grant)

    def open_list(self, token: str) -> tuple[str, datetime]:
        """The id of the list that a token opens, and when the link was made. Raises BadLink, ExpiredLink."""
        return self._read(Action.LIST, token, lambda content, issued: (str(content["l"]), issued))

    def open_site(self, token: str) -> SiteGrant:
        """The site that a token opens. Raises BadLink, ExpiredLink."""
        return self._read(Action.SITE, token, _site_grant)

    def _read(self, action: Action, token: str, read: Callable[[Any, datetime], Opened]) -> Opened:
        if not self._serializers or len(token) > LONGEST_TOKEN or not _is_plain(token):
            raise BadLink(ALTERED)
        try:
            content, issued = self._serializers[action].loads(
                token, max_age=int(self._days * 86_400), return_timestamp=True
            )
            return read(content, issued)
        except SignatureExpired as error:
            raise ExpiredLink(EXPIRED.format(days=self._days)) from error
        except (BadSignature, BadData, BadKey, AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadLink(ALTERED) from error

    def url(self, action: Action, grant: Grant) -> str | None:
        """The link that opens a grant; None without a public address."""
        if self._base is None or not self._serializers:
            return None
        url = self._signed(action, _content(grant))
        if len(url) > LONGEST_URL:
            return self._signed(Action.REPORT, _content(Grant(by_hash(grant.subject, TOO_LONG))))
        return url

    def _signed(self, action: Action, content: dict[str, Any]) -> str:
        token = self._serializers[action].dumps(content)
        return f"{self._base}/{action.value}/{token if isinstance(token, str) else token.decode('ascii')}"


def subject_of(inspection: Inspection) -> Subject:
    """What a link to an inspection repeats: the shard is named always, so that a forced one stays."""
    lookup = inspection.lookup
    as_of = inspection.as_of if inspection.replayed else None
    return Subject(lookup.unparsed, lookup.root_hash, lookup.shard, as_of, index=lookup.index)


def _check(public_url: str, keys: Sequence[str]) -> None:
    if not _is_clean_address(public_url):
        raise BadSetting(
            f"CRAWLER_INSPECTOR_PUBLIC_URL reads {public_url[:80]!r}, which is no address; example: https://bot.example"
        )
    if not keys or any(len(key) < SHORTEST_KEY for key in keys):
        raise BadSetting(
            f"CRAWLER_INSPECTOR_LINK_KEYS needs a key of {SHORTEST_KEY} characters or more, as "
            "CRAWLER_INSPECTOR_PUBLIC_URL is set; make one with: openssl rand -hex 32"
        )


def _is_clean_address(url: str) -> bool:
    """Whether paths can be put behind it: http or https, a host, and neither user, query nor fragment."""
    if not (url.isascii() and url.isprintable()) or any(c in url for c in " \"'<>\\@?#|`"):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none, a bracket that is open
        return False


def serializer(salt: str, keys: Sequence[str], clock: Callable[[], datetime]) -> URLSafeTimedSerializer:
    """Signs values for one purpose, which the salt names: nothing that is signed for one serves another."""
    return URLSafeTimedSerializer(
        list(reversed(keys)),  # itsdangerous signs with the last one
        salt=f"crawler-inspector {salt}",
        signer=_Signer,
        signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256, "clock": clock},
    )


class _Signer(TimestampSigner):
    """Tells time by the clock that it is given."""

    def __init__(self, *arguments: Any, clock: Callable[[], datetime], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._clock = clock

    def get_timestamp(self) -> int:
        return int(self._clock().timestamp())


def _is_plain(token: str) -> bool:
    """Is the signature written as we write it? base64 has other spellings of the same bytes, and decoders skip dirt."""
    signature = token.rpartition(".")[2]
    try:
        return token.isascii() and base64_encode(base64_decode(signature)).decode("ascii") == signature
    except BadData:
        return False


def _content(grant: Grant) -> dict[str, Any]:
    parts = {
        "s": payload(grant.subject),
        "f": grant.field_id,
        "v": grant.version,
        "o": None if grant.other is None else payload(grant.other),
    }
    return {name: part for name, part in parts.items() if part is not None}


def _grant(content: Any, issued: datetime) -> Grant:
    other = content.get("o")
    return Grant(
        subject=decode(content["s"]),
        field_id=content.get("f"),
        version=content.get("v"),
        other=None if other is None else decode(other),
        issued=issued,
    )


def _site_grant(content: Any, issued: datetime) -> SiteGrant:
    as_of = datetime.fromtimestamp(int(content["a"]), UTC) if "a" in content else None
    return SiteGrant(str(content["t"]), as_of, str(content["i"]), issued)
