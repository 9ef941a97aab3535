"""What is remembered comes back, for as long as it should."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy.exc import StatementError

from bot.inspection.model import Verdict
from bot.state.records import ChannelSettings, PasteMode, Visibility
from bot.state.state import State
from tests.state.conftest import Clock

TEAM, CHANNEL, THREAD = "T0EXAMPLE", "C0EXAMPLE", "1700000000.000100"
SUBJECT = {"key": "com,example!,/é\u0000 s443", "hash": "18446744073709551615", "as_of": "1775433600"}
LONG_KEY = "com,example!,/" + "".join(f"{number:x}/" for number in range(4_000)) + " s443"
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


async def test_a_thread_gives_back_its_subject(state: State, clock: Clock) -> None:
    """A thread's subject comes back exactly, a hash beyond 2^53 and a NUL included."""
    began = clock.now
    await state.threads.remember(TEAM, CHANNEL, THREAD, SUBJECT)

    thread = await state.threads.find(TEAM, CHANNEL, THREAD)

    assert thread is not None
    assert (thread.subject, thread.created_at, thread.used_at) == (SUBJECT, began, began)


@pytest.mark.parametrize(
    ("team", "channel", "thread_ts"),
    [("T0OTHER", CHANNEL, THREAD), (TEAM, "C0OTHER", THREAD), (TEAM, CHANNEL, "1700000000.000200")],
)
async def test_threads_are_apart(state: State, team: str, channel: str, thread_ts: str) -> None:
    """A thread of another workspace, channel or time is not known."""
    await state.threads.remember(TEAM, CHANNEL, THREAD, SUBJECT)

    assert await state.threads.find(team, channel, thread_ts) is None


async def test_a_thread_takes_a_new_subject(state: State, clock: Clock) -> None:
    """A new URL in the thread replaces its subject and leaves its birth."""
    began = clock.now
    await state.threads.remember(TEAM, CHANNEL, THREAD, SUBJECT)
    clock.pass_by(HOUR)
    await state.threads.remember(TEAM, CHANNEL, THREAD, {"hash": "2"})

    thread = await state.threads.find(TEAM, CHANNEL, THREAD)

    assert thread is not None
    assert (thread.subject, thread.created_at, thread.used_at) == ({"hash": "2"}, began, began + HOUR)


async def test_a_forgotten_thread_is_gone(state: State) -> None:
    """A thread whose root was deleted is no longer known."""
    await state.threads.remember(TEAM, CHANNEL, THREAD, SUBJECT)
    await state.threads.forget(TEAM, CHANNEL, THREAD)

    assert await state.threads.find(TEAM, CHANNEL, THREAD) is None


async def test_a_used_thread_outlives_an_unused_one(state: State, clock: Clock) -> None:
    """Ninety days after its last use a thread is swept; reading it is a use."""
    await state.threads.remember(TEAM, CHANNEL, "used", SUBJECT)
    await state.threads.remember(TEAM, CHANNEL, "unused", SUBJECT)
    clock.pass_by(60 * DAY)
    await state.threads.find(TEAM, CHANNEL, "used")
    clock.pass_by(31 * DAY)

    swept = await state.sweep(clock.now)

    assert swept["threads"] == 1
    assert await state.threads.find(TEAM, CHANNEL, "used") is not None
    assert await state.threads.find(TEAM, CHANNEL, "unused") is None


async def test_a_channel_has_defaults(state: State) -> None:
    """A channel that nobody set up answers every paste, in the channel, with the installation's profile."""
    assert await state.channels.get(TEAM, CHANNEL) == ChannelSettings(PasteMode.ALWAYS, None, Visibility.CHANNEL)


async def test_channel_settings_replace_older_ones(state: State, clock: Clock) -> None:
    """What was set last holds, with who set it and when; other channels keep theirs."""
    put = state.channels.put
    first = {"paste": PasteMode.NEVER, "profile": "crawler3", "visibility": Visibility.EPHEMERAL, "updated_by": "U0ADA"}
    await put(TEAM, CHANNEL, **first)  # type: ignore[arg-type]
    clock.pass_by(MINUTE)
    last = await put(
        TEAM, CHANNEL, paste=PasteMode.MENTION, profile=None, visibility=Visibility.CHANNEL, updated_by="U0BOB"
    )

    assert await state.channels.get(TEAM, CHANNEL) == last
    assert last == ChannelSettings(PasteMode.MENTION, None, Visibility.CHANNEL, "U0BOB", clock.now)
    assert await state.channels.get("T0OTHER", CHANNEL) == ChannelSettings()


async def look_up_twelve(state: State, clock: Clock) -> None:
    """A user's, a minute apart."""
    for number in range(12):
        await state.recent.add(TEAM, "U0ADA", f"https://example.com/{number}", Verdict.NOT_CRAWLED)
        clock.pass_by(MINUTE)


async def test_the_last_ten_lookups_newest_first(state: State, clock: Clock) -> None:
    """Of twelve lookups the last ten stand; one that is repeated moves up with its new verdict."""
    await look_up_twelve(state, clock)
    await state.recent.add(TEAM, "U0ADA", "https://example.com/5", Verdict.INDEXABLE)

    lookups = await state.recent.last(TEAM, "U0ADA")

    order = [lookup.text.removeprefix("https://example.com/") for lookup in lookups]
    assert order == ["5", "11", "10", "9", "8", "7", "6", "4", "3", "2"]
    assert (lookups[0].verdict, lookups[0].at) == (Verdict.INDEXABLE, clock.now)
    assert await state.recent.last(TEAM, "U0BOB") == ()


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        pytest.param("https://пример.example/ключ", "https://пример.example/ключ", id="another script"),
        pytest.param("https://example.com/😀", "https://example.com/😀", id="beyond the basic plane"),
        pytest.param("https://example.com/\0", "https://example.com/\ufffd", id="NUL, which Postgres refuses"),
        pytest.param("https://example.com/\ud800", "https://example.com/\ufffd", id="half a surrogate pair"),
        pytest.param("'; DROP TABLE bot_threads; --", "'; DROP TABLE bot_threads; --", id="SQL"),
        pytest.param(LONG_KEY, LONG_KEY, id="longer than an index entry of Postgres"),
    ],
)
async def test_any_text_can_be_a_lookup(state: State, typed: str, kept: str) -> None:
    """What people type is kept; what a database cannot hold becomes the replacement character."""
    await state.recent.add(TEAM, "U0ADA", typed, Verdict.UNKNOWN)

    assert [lookup.text for lookup in await state.recent.last(TEAM, "U0ADA")] == [kept]


@pytest.mark.parametrize(
    ("channel", "unparsed", "later", "found"),
    [
        pytest.param(CHANNEL, LONG_KEY, 59 * MINUTE, True, id="a short while ago"),
        pytest.param(CHANNEL, LONG_KEY, 60 * MINUTE, False, id="too long ago"),
        pytest.param("C0OTHER", LONG_KEY, MINUTE, False, id="another channel"),
        pytest.param(CHANNEL, LONG_KEY + "0", MINUTE, False, id="another key"),
    ],
)
async def test_an_answer_is_found_for_a_while(
    state: State, clock: Clock, channel: str, unparsed: str, later: timedelta, found: bool
) -> None:
    """The same key in the same channel within the hour finds the message that answered it last."""
    began = clock.now
    await state.answers.add(TEAM, CHANNEL, LONG_KEY, "1.0", "https://example.slack.com/old")
    await state.answers.add(TEAM, CHANNEL, LONG_KEY, "2.0", "https://example.slack.com/new")
    clock.pass_by(later)

    answer = await state.answers.find(TEAM, channel, unparsed, within=HOUR)

    expected = ("2.0", "https://example.slack.com/new", began) if found else None
    assert (answer and (answer.message_ts, answer.permalink, answer.at)) == expected


async def test_a_deleted_message_answers_nothing(state: State) -> None:
    """When an answer is deleted, no link leads to it any more, for any key in it."""
    for unparsed in ("com,example!,/a s443", "com,example!,/b s443"):
        await state.answers.add(TEAM, CHANNEL, unparsed, "1.0", "https://example.slack.com/1")
    await state.answers.forget(TEAM, CHANNEL, "1.0")

    assert await state.answers.find(TEAM, CHANNEL, "com,example!,/b s443", within=HOUR) is None


async def test_sweeping_deletes_what_is_old_and_no_more(state: State, clock: Clock) -> None:
    """Sweeping tells how many records it deleted, and a second time finds none."""
    await state.recent.add(TEAM, "U0ADA", "https://example.com/", Verdict.UNKNOWN)
    await state.answers.add(TEAM, CHANNEL, "com,example!,/ s443", "1.0", "https://example.slack.com/1")
    await state.oauth_states.async_issue()

    early = await state.sweep(clock.now)
    late = await state.sweep(clock.now + 91 * DAY)
    again = await state.sweep(clock.now + 91 * DAY)

    nothing = {"threads": 0, "recent": 0, "answers": 0, "oauth_states": 0, "jobs": 0, "lists": 0, "claims": 0}
    assert early == nothing
    assert late == {**nothing, "recent": 1, "answers": 1, "oauth_states": 1}
    assert again == nothing


async def test_sweeping_leaves_each_user_the_last_ten_lookups(state: State, clock: Clock) -> None:
    """What App Home does not show is not kept for ever."""
    await look_up_twelve(state, clock)
    await state.recent.add(TEAM, "U0BOB", "https://example.com/", Verdict.NOT_CRAWLED)
    before = await state.recent.last(TEAM, "U0ADA")

    swept = await state.sweep(clock.now)

    assert swept["recent"] == 2
    assert await state.recent.last(TEAM, "U0ADA") == before
    assert len(await state.recent.last(TEAM, "U0BOB")) == 1


async def test_what_is_put_at_one_moment_stands(state: State) -> None:
    """Rows of several tables, and one of them twice: the later holds."""
    await asyncio.gather(
        *(state.threads.remember(TEAM, CHANNEL, f"{number}.0", {"n": number}) for number in range(300)),
        *(state.answers.add(TEAM, CHANNEL, "com,example!,/ s443", f"{number}.0", "") for number in range(20)),
    )

    for number in (0, 299):
        thread = await state.threads.find(TEAM, CHANNEL, f"{number}.0")
        assert thread is not None
        assert thread.subject == {"n": number}
    answer = await state.answers.find(TEAM, CHANNEL, "com,example!,/ s443", HOUR)
    assert answer is not None
    assert answer.message_ts == "19.0"


async def test_what_no_database_takes_costs_itself_only(state: State) -> None:
    """A subject that is no JSON fails alone; what is put beside it stands."""
    subjects: list[dict[str, object]] = [{"n": 1}, {"n": {1, 2}}, {"n": 3}]
    ends = await asyncio.gather(
        *(state.threads.remember(TEAM, CHANNEL, f"{n}.0", subject) for n, subject in enumerate(subjects)),
        return_exceptions=True,
    )

    assert [isinstance(end, StatementError) for end in ends] == [False, True, False]
    assert await state.threads.find(TEAM, CHANNEL, "0.0") is not None
    assert await state.threads.find(TEAM, CHANNEL, "1.0") is None
    assert await state.threads.find(TEAM, CHANNEL, "2.0") is not None


async def test_times_come_back_in_utc(state: State, clock: Clock) -> None:
    """A clock of another zone is kept as the same instant."""
    instant = clock.now
    clock.now = instant.astimezone(timezone(timedelta(hours=9)))
    await state.threads.remember(TEAM, CHANNEL, THREAD, SUBJECT)

    thread = await state.threads.find(TEAM, CHANNEL, THREAD)

    assert thread is not None
    assert (thread.created_at.isoformat()) == instant.isoformat()


async def test_a_time_without_a_zone_is_refused(state: State) -> None:
    """Nobody's local time gets into the database."""
    with pytest.raises(StatementError, match="without a zone"):
        await state.sweep(datetime(2026, 12, 1))
