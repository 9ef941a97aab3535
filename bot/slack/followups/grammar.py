"""What can be said in the thread of an inspection: one table, from which help, reading and answering are made.

A row is found by its words. One of `words` must be said; `beside` may stand next to it. Everything else that is said
must be filler, or nothing is run: "robots are great" asks nothing of robots.txt that we could be sure of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Needs(StrEnum):
    """What an answer is made of."""

    NOTHING = "nothing"
    REPORT = "report"  # the page of the thread, inspected again
    HEAVY = "heavy"  # one of its heavy columns
    OTHER = "other"  # another page, inspected too
    WATCH = "watch"  # the watches, and the page of the thread or one that is named


class Argument(StrEnum):
    """What follows a command."""

    NONE = ""
    STEP = "step"  # the number of a step, or its name; may be left out
    URL = "url"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Command:
    """One row. `help` completes "typed – …"; `words` and `beside` are lower case, one word each."""

    name: str
    help: str
    words: frozenset[str]
    beside: frozenset[str] = frozenset()
    needs: Needs = Needs.REPORT
    argument: Argument = Argument.NONE
    example: str = ""
    raw: bool = False  # shows queries or heavy text, which an installation may limit to some people

    @property
    def typed(self) -> str:
        """How to type it."""
        return self.example or self.name


def _words(spaced: str) -> frozenset[str]:
    """Words that are written with spaces between them."""
    return frozenset(spaced.split())


def _row(
    name: str,
    help_text: str,
    words: str,
    beside: str = "",
    *,
    needs: Needs = Needs.REPORT,
    argument: Argument = Argument.NONE,
    example: str = "",
    raw: bool = False,
) -> Command:
    """A row of the table."""
    return Command(name, help_text, _words(words), _words(beside), needs, argument, example, raw)


INSPECT, AS_OF, HELP = "inspect", "as of", "help"
WATCH, WATCH_UNTIL, WATCHES, UNWATCH = "watch", "watch until indexed", "watches", "unwatch"
STEP_NAMES = ("shard", "crawled", "robots", "spam", "seen")  # ids of the steps, in their order
_INDEX = "index indexed indexable indexing noindex"

# In the order of likelihood: where nothing else decides, the first rows are suggested.
COMMANDS: tuple[Command, ...] = (
    _row(
        "why",
        "the verdict, the rule that decided it and the value that it judged",
        f"why reason cause blocked excluded stopped stops rejected verdict because missing {_INDEX}",
        "blocking blocks rule wrong dropped failed fails decided result",
    ),
    _row(
        "filters",
        "every filter's verdict in one table",
        "filters filter rules rule checks",
        "which all list table every failing failed fails fail passed passes pass",
    ),
    _row(
        "details",
        "everything that is stored of the page",
        "details detail properties property fields metadata info information everything",
        "all more meta stored known list about",
    ),
    _row(
        "crawled",
        "when it was crawled and first indexed, and what it answered",
        "crawled crawl crawling fetched downloaded when visited",
        f"last date time first http ago recently long old ever updated status latest {_INDEX}",
    ),
    _row(
        "robots",
        "what robots.txt says to our crawler, and which line decides",
        "robots robots.txt robotstxt robot allowed disallowed allow disallow",
        "why txt file says line rule crawl crawling crawled blocked blocking block blocks when fetched which access",
    ),
    _row(
        "spam",
        "the host's ban and the spam score",
        "spam spammy ban banned",
        "score host site domain reason why status",
    ),
    _row(
        "seen",
        "what the frontier knows of the URL",
        "seen frontier discovered queued queue",
        "when first last ever know knows known status",
    ),
    _row(
        "text",
        "the page's text",
        "text content body boilerpipe",
        "full whole plain stored",
        needs=Needs.HEAVY,
        raw=True,
    ),
    _row(
        "markdown",
        "the page as Markdown",
        "markdown md",
        "full whole version stored source",
        needs=Needs.HEAVY,
        raw=True,
    ),
    _row(
        "readable",
        "the article alone, as Markdown",
        "readable article reader",
        "markdown md text version content",
        needs=Needs.HEAVY,
        raw=True,
    ),
    _row(
        "raw",
        "every query and response, or those of one step",
        "raw queries query responses response steps",
        f"all step number {' '.join(STEP_NAMES)}",
        argument=Argument.STEP,
        example="raw 2",
        raw=True,
    ),
    _row(
        "sql", "the query of the crawled status, to paste", "sql clickhouse", "query queries literal run ran", raw=True
    ),
    _row("curl", "the same query as a shell command", "curl shell", "command query", raw=True),
    _row("json", "the whole inspection as JSON", "json", "whole full all file", raw=True),
    _row("links", "internal and external links", "links link outlinks", "internal external count many number"),
    _row(
        "class",
        "categories, page types and intent",
        "class classes classification classified category categories intent type types",
        "ml score scores kind",
    ),
    _row(
        "perf",
        "download time, time to first byte, size",
        "perf performance speed timing ttfb slow fast size",
        "download time load bytes big",
    ),
    _row(
        "canonical",
        "inspects the page that this one names as canonical",
        "canonical canonicals",
        "target where point points url which",
        needs=Needs.OTHER,
    ),
    _row(
        "redirect",
        "inspects the page that this one redirects to",
        "redirect redirects redirected redirection",
        "target where goes go leads lead url which",
        needs=Needs.OTHER,
    ),
    _row(
        "compare",
        "two pages side by side, differences marked",
        "compare compared comparison diff differ difference differences versus vs",
        "other another",
        needs=Needs.OTHER,
        argument=Argument.URL,
        example="compare https://example.com/other",
    ),
    _row(
        "recheck",
        "looks again, and says what changed",
        "recheck again refresh retry reinspect rerun",
        "check look inspect try run changed once",
    ),
    _row(
        AS_OF,
        "the verdict at a time in the past (UTC)",
        "asof",
        argument=Argument.TIME,
        example="as of 2026-04-06",
    ),
    _row(
        WATCH,
        "looks again and again, and writes here what changed",
        "watch watching monitor follow subscribe",
        f"changes change hourly {_INDEX}",
        needs=Needs.WATCH,
    ),
    _row(
        WATCH_UNTIL,
        "the same, and ends once the page is in the index",
        "until",
        f"watch watching monitor follow wait {_INDEX}",
        needs=Needs.WATCH,
    ),
    _row(
        UNWATCH,
        "ends the watches of this thread",
        "unwatch stop unsubscribe unfollow",
        "watch watching watches",
        needs=Needs.WATCH,
    ),
    _row(WATCHES, "what is watched in this channel", "watches", "list all watched", needs=Needs.WATCH),
    _row(
        "host", "what is known of the host", "host hostname site domain shard server", "whole know known which who root"
    ),
    _row(
        INSPECT,
        "inspects that page",
        "",
        needs=Needs.OTHER,
        argument=Argument.URL,
        example="https://example.com/page",
    ),
    _row(HELP, "this", "help commands usage", "all list", needs=Needs.NOTHING),
)
BY_NAME = {command.name: command for command in COMMANDS}

# What may stand around a question without changing it.
FILLER = _words(
    """a an the is are was were be been am it its itself this that these those there here of in on at for to by from
    with and or me us you your we our i my he they them can could would will should may might shall do does did done
    has have had got get gets give show tell see want wants need let lets display print send check please what whats
    which how say says said just now then so not isnt wasnt doesnt didnt arent hasnt no page pages url address one
    crawler bot inspector correct right good bad wrong issue problem any some actually really still yet currently
    about"""
)
# What is said to be kind; a message of nothing else asks for nothing.
POLITE = _words(
    """please pls plz thanks thank thx ty cheers you hi hello hey ok okay fine great cool nice perfect awesome good
    morning bot yes yep no nope sure sorry kindly dear so very much a lot got it done lol haha welcome"""
)
# English words that are a letter or two away from one of ours, and are meant as they stand.
NOT_TYPOS = _words(
    """able atop band bank bans batch blow bottle boy build cable cash cast catch child clash clause clauses contend
    contest context cool cost crash crowd cure curb direct directed draw east fact faster flow gain ghost glass glow
    held hello helm hollow hose keen latch law like likes lines lint linked live loose lost man match most next past
    patch per perk post posts queen quiet quite rest reset retails road robert role roles rows sea season seasons
    seek seem send serve served severe share she shelf shop shops side sized slop slot small snow son spa span spas
    spell spend store tape tapes tent test tests typo war way whom whys witch"""
)


def help_rows() -> Iterator[tuple[str, str]]:
    """(typed, meaning) of every command."""
    return ((command.typed, command.help) for command in COMMANDS)
