"""Every error that this package raises on purpose. `str(error)` is a sentence that a user may read.

InspectorError
├── BadInput            what was typed cannot be looked up; says what was read and gives an example
│   ├── BadUrl          not a URL that a crawl could hold
│   └── BadKey          not an unparsed key, a root hash or a shard number
├── BadSetting          the configuration cannot be used; says which variable
├── BadProfile          an index profile (TOML) cannot be used; says where
├── StoreError          a query gave no answer
│   ├── StoreUnavailable    the server did not answer, in time or at all
│   └── QueryRefused        the server answered with an exception
├── BadLink             a signed link is altered, or for something else
│   └── ExpiredLink     a link of ours that is too old
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


class BadSetting(InspectorError):
    """A setting cannot be used."""


class BadProfile(InspectorError):
    """An index profile cannot be used."""


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


class DeliveryFailed(InspectorError):
    """Slack did not take a message. `error` is Slack's own name for the reason."""

    def __init__(self, error: str, detail: str = "") -> None:
        super().__init__(f"Slack refused the message: {error}" + (f" ({detail})" if detail else ""))
        self.error = error
