"""Near matches: addresses that differ a little from the one asked, as exact keys that one query can look up.

Each rule below is one way in which the same page gets two addresses. They are tried alone, then in pairs of those that
go together. Nothing is merged: a variant says in words what is different about it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

from bot.address.key import is_ip_address, url_key
from bot.address.url import DEFAULT_PORTS, parse_url
from bot.errors import BadUrl

MAX_VARIANTS = 64
DEFAULT_DOCUMENTS = ("index.html", "index.php", "index.htm", "default.aspx")
MAX_PERMUTED = 3  # parameters: 6 orders; longer queries are tried sorted and reversed

TRACKING = re.compile(
    r"utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id|_ga|_gl", re.IGNORECASE
)
SESSION = re.compile(r"phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|sid|cfid|cftoken", re.IGNORECASE)
_PATH_SESSION = re.compile(r";jsessionid=[^/;?]*", re.IGNORECASE)
_UNRESERVED = re.compile(r"%(?:2[de]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])", re.IGNORECASE)  # RFC 3986 §2.3
_SUB_DELIMITERS = re.compile(r"%(?:2[14789ac]|3[ab]|40)", re.IGNORECASE)  # ! $ ' ( ) * , : ; @ need no escape
_DEVIATIONS = {"ß": "ss", "ς": "σ", "\u200c": "", "\u200d": ""}
_ESCAPE = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Variant:
    """Another address that the page may be known by. `difference` says how it differs from the one asked."""

    url: str
    unparsed: str
    root_hash: int
    difference: str


class _Address(NamedTuple):
    scheme: str
    hostname: str
    port: int
    path: str
    query: str  # without its "?"

    def __str__(self) -> str:
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.hostname}{port}{self.path}{'?' if self.query else ''}{self.query}"


_Change = tuple[_Address, str]
_Rule = Callable[[_Address], Iterator[_Change]]


def near_urls(url: str) -> list[Variant]:
    """Variants with distinct keys, likeliest first, at most 64; never the page itself. Raises BadUrl."""
    address = _address(url)
    own = url_key(url).unparsed
    variants: dict[str, Variant] = {}
    tried: set[_Address] = set()
    for changed, difference in _changes(address):
        if changed in tried:
            continue
        tried.add(changed)
        try:
            key = url_key(str(changed))
        except BadUrl:  # longer than a URL may be, by a "www." too many
            continue
        if key.unparsed != own:
            variants.setdefault(key.unparsed, Variant(key.url, key.unparsed, key.root_hash, difference))
        if len(variants) == MAX_VARIANTS:
            break
    return list(variants.values())


def _address(url: str) -> _Address:
    parsed = parse_url(url)
    path, _, query = parsed.path_query.partition("?")
    return _Address(parsed.scheme, parsed.hostname, parsed.port, path, query)


def _changes(address: _Address) -> Iterator[_Change]:
    # Most rules find nothing to change in most addresses.
    singles = [(rule, change) for rule in RULES for change in rule(address) if change[0] != address]
    yield from (change for _, change in singles)
    for first, (changed, difference) in singles:
        for second in RULES[RULES.index(first) + 1 :]:
            if first in PAIRED or second in PAIRED:
                for both, more in second(changed):
                    yield both, f"{difference}, {more}"


def _scheme(address: _Address) -> Iterator[_Change]:
    other = {"http": "https", "https": "http"}[address.scheme]
    default = address.port == DEFAULT_PORTS[address.scheme]
    port = DEFAULT_PORTS[other] if default else address.port
    yield address._replace(scheme=other, port=port), f"{other} instead of {address.scheme}"


def _www(address: _Address) -> Iterator[_Change]:
    host = address.hostname
    if host.startswith("www.") and host.count(".") > 1:
        yield address._replace(hostname=host[4:]), "without www"
    elif "." in host and not is_ip_address(host):
        yield address._replace(hostname=f"www.{host}"), "with www"


def _idn(address: _Address) -> Iterator[_Change]:
    """Letters that older software spelt otherwise (UTS 46, deviation characters): straße was strasse."""
    if "xn--" not in address.hostname:
        return
    from ada_url import idna

    spelt = re.sub("[ßς\u200c\u200d]", lambda m: _DEVIATIONS[m[0]], idna.decode(address.hostname))
    yield address._replace(hostname=spelt), "older spelling of the host name"


def _final_slash(address: _Address) -> Iterator[_Change]:
    if address.path == "/" or address.path.rpartition("/")[2].lower() in DEFAULT_DOCUMENTS:
        return
    if address.path.endswith("/"):
        yield address._replace(path=address.path[:-1]), "without the final slash"
    else:
        yield address._replace(path=f"{address.path}/"), "with a final slash"


def _tracking(address: _Address) -> Iterator[_Change]:
    yield from _without(address, TRACKING)


def _session(address: _Address) -> Iterator[_Change]:
    yield from _without(address, SESSION)
    path = _PATH_SESSION.sub("", address.path)
    if path != address.path:
        yield address._replace(path=path), "without jsessionid"


def _without(address: _Address, names: re.Pattern[str]) -> Iterator[_Change]:
    parameters = address.query.split("&")
    dropped = {name: None for name in map(_name, parameters) if names.fullmatch(name)}
    if dropped:
        kept = "&".join(parameter for parameter in parameters if _name(parameter) not in dropped)
        yield address._replace(query=kept), f"without {' and '.join(list(dropped)[:4])}"


def _name(parameter: str) -> str:
    return parameter.partition("=")[0]


def _letter_case(address: _Address) -> Iterator[_Change]:
    """Escapes keep their case here: they are another rule's."""
    yield address._replace(path=_lower(address.path)), "lower-case path"
    yield address._replace(path=_lower(address.path), query=_lower(address.query)), "lower-case path and query"


def _lower(text: str) -> str:
    escapes = _ESCAPE.findall(text)
    plain = (part.lower() for part in _ESCAPE.split(text))
    return "".join(part + escape for part, escape in zip(plain, [*escapes, ""], strict=True))


def _default_document(address: _Address) -> Iterator[_Change]:
    folder, _, document = address.path.rpartition("/")
    if document.lower() in DEFAULT_DOCUMENTS:
        yield address._replace(path=f"{folder}/"), f"without {document}"
    elif not document:
        for name in DEFAULT_DOCUMENTS:
            yield address._replace(path=f"{folder}/{name}"), f"with {name}"


def _percent_encoding(address: _Address) -> Iterator[_Change]:
    """The spellings that RFC 3986 §6.2.2 calls equivalent, and what servers write for marks that need no escape."""
    for spell in _SPELLINGS if _SPELT.search(f"{address.path}?{address.query}") else ():
        yield address._replace(path=spell(address.path), query=spell(address.query)), "percent-encoding"


def _normal(text: str) -> str:
    return _ESCAPE.sub(lambda m: _decoded(m) if _UNRESERVED.fullmatch(m[0]) else m[0].upper(), text)


def _decoded(match: re.Match[str]) -> str:
    return chr(int(match[0][1:], 16))


def _escaped(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


_SPELT = re.compile(r"[%!'()*,;~]")  # without one of them there is one spelling only
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    _normal,
    lambda text: _ESCAPE.sub(lambda m: m[0].upper(), text),
    lambda text: _ESCAPE.sub(lambda m: m[0].lower(), text),
    lambda text: _SUB_DELIMITERS.sub(_decoded, _normal(text)),
    lambda text: re.sub(r"[!'()*,;~]", _escaped, text),
    lambda text: re.sub(r"[~]", _escaped, text),
)


def _space(address: _Address) -> Iterator[_Change]:
    yield address._replace(query=address.query.replace("%20", "+")), "+ for a space"
    yield address._replace(query=address.query.replace("+", "%20")), "%20 for a space"


def _parameter_order(address: _Address) -> Iterator[_Change]:
    parameters = address.query.split("&")
    orders = (
        list(permutations(parameters))
        if len(parameters) <= MAX_PERMUTED
        else [tuple(sorted(parameters)), tuple(reversed(parameters))]
    )
    for order in orders:
        yield address._replace(query="&".join(order)), "parameters in another order"


def _no_query(address: _Address) -> Iterator[_Change]:
    if address.query:
        yield address._replace(query=""), "without the query"


RULES: tuple[_Rule, ...] = (
    _scheme,
    _www,
    _idn,
    _final_slash,
    _tracking,
    _session,
    _letter_case,
    _default_document,
    _percent_encoding,
    _space,
    _parameter_order,
    _no_query,
)
# What a whole site does alike: worth trying together with any other difference.
PAIRED = frozenset({_scheme, _www, _final_slash, _tracking})
