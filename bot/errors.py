"""Every error that this package raises on purpose. `str(error)` is a sentence that a user may read.

InspectorError
├── BadInput            what was typed cannot be looked up; says what was read and gives an example
│   ├── BadUrl          not a URL that a crawl could hold
│   ├── BadKey          not an unparsed key, a root hash or a shard number
│   ├── IndexGone       what an answer or a channel names as its index is not served here any more
│   └── NotAllowed      who asks may not see that
├── BadSetting          the configuration cannot be used; says which variable
├── BadProfile          an index profile (TOML) cannot be used; says where
├── StoreError          a query gave no answer
│   ├── StoreUnavailable    the server did not answer, in time or at all
│   └── QueryRefused        the server answered with an exception
├── BadLink             a signed link is altered, or for something else
│   └── ExpiredLink     a link of ours that is too old
├── GaveUp              work that was begun too often, and never came to its end
└── DeliveryFailed      Slack did not take a message; carries Slack's error name
"""

from __future__ import annotations


class InspectorError(Exception):
    """The root; never raised itself."""


class BadInput(InspectorError):
    """What a user typed cannot be looked up."""


class BadUrl(BadInput):
    """Not an http(s) URL that a crawl could hold."""


class BadKey(BadInput):
    """Not an unparsed key, a root hash or a shard number."""


class NotAllowed(BadInput):
    """Who asks may not see what was asked for."""


class BadSetting(InspectorError):
    """A setting cannot be used."""


class BadProfile(InspectorError):
    """An index profile cannot be used."""


class IndexGone(BadInput):
    """An index that is not served here any more."""


class StoreError(InspectorError):
    """A query gave no answer."""


class StoreUnavailable(StoreError):
    """The server did not answer, in time or at all."""


class QueryRefused(StoreError):
    """The server answered with an exception."""


class BadLink(InspectorError):
    """A signed link cannot be honoured."""


class ExpiredLink(BadLink):
    """A signed link of ours that is too old."""


class GaveUp(InspectorError):
    """Work was begun too often."""


# Slack's troubles that pass. https://docs.slack.dev/reference/methods/chat.postMessage#errors
PASSING = frozenset(
    {
        "timeout",
        "connection_failed",
        "ratelimited",
        "rate_limited",
        "message_limit_exceeded",
        "internal_error",
        "fatal_error",
        "service_unavailable",
        "request_timeout",
        "http_429",
    }
)


class DeliveryFailed(InspectorError):
    """Slack did not take a message. `error` is Slack's own name for the reason."""

    def __init__(self, error: str, detail: str = "") -> None:
        super().__init__(f"Slack refused the message: {error}" + (f" ({detail})" if detail else ""))
        self.error = error

    @property
    def is_passing(self) -> bool:
        """May the same succeed in a moment?"""
        return self.error in PASSING or self.error.startswith("http_5")

    @property
    def may_have_arrived(self) -> bool:
        """Does nobody know whether Slack took it?"""
        return self.error in ("timeout", "connection_failed") or self.error.startswith("http_5")
