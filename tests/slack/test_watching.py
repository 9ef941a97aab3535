"""Watches as time goes by: what is told, once, by whichever replica, and what is not worth a word."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr
from slack_sdk.oauth.installation_store.models.bot import Bot
from slack_sdk.web.async_client import AsyncWebClient

from bot import metrics
from bot.errors import StoreUnavailable
from bot.slack.gateway import Gateway, Target
from bot.slack.runs import Run, entered
from bot.slack.watches.watching import check_name
from bot.state.state import State
from bot.state.watches import LEASE
from bot.workspace import ANSWER_LOST, FaultKind
from bot.workspace.model import BOT, BOT_USER, TEAM
from tests.slack.running import DM, GENERAL, NOW, PAGE, TOKEN, URL, running, until, workspace
from tests.slack.watched import GONE, HOUR, MOVED, Clock, watched, words

SILENT = StoreUnavailable("shard 6 did not answer within 5 s.")
ALL_SILENT: dict[str, Any] = {"page_info_local": SILENT, "robots": SILENT, "hosts": SILENT}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The bot's own, which outlives a process."""
    return tmp_path / "state.db"


async def test_a_change_is_told_once_in_the_thread_old_beside_new(database: Path) -> None:
    """And it says which watch and which check it was, for who looks for it."""
    async with watched(database) as bot:
        [began] = await bot.slash(f"watch {URL}")
        nothing = await bot.later()
        bot.bot.store.says(page_info_local=[GONE])
        [news] = await bot.later()
        nothing += [*await bot.later(), *await bot.later()]

    assert (news.thread_ts, news.ephemeral_to, nothing) == (began.ts, None, [])
    lines = ("Verdict: Indexable → Not indexable", "Cause: – → HTTP status", "HTTP status: 200 → 404")
    assert [line for line in lines if line not in news.words] == []
    assert "Canonical" not in news.words
    assert news.metadata is not None
    assert news.metadata["event_payload"]["check"] == "2"
    assert bot.refused() == []


HOSTILE = "https://docs.example/<!channel>*_&\u202e" + "&<" * 3_000


async def test_slack_takes_news_of_hostile_and_endless_values(database: Path) -> None:
    """Everything is cut and nothing is read as mark-up."""
    hostile = {**MOVED, "f_meta_canonical": HOSTILE, "details_canonical": f"Points to {HOSTILE}"}
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        bot.bot.store.says(page_info_local=[hostile])
        [news] = await bot.later()
        bot.bot.store.says(page_info_local=[PAGE])
        [back] = await bot.later(1.11)
        listed = await bot.slash("watches")

    assert "Canonical: – → https://docs.example/<!channel>*_&⟨U+202E⟩&<" in news.words
    assert "<!channel>" not in news.text + back.text + words(listed)
    assert bot.refused() == []


async def test_nothing_is_looked_at_before_it_is_due(database: Path) -> None:
    """An hour, give or take a tenth."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        before = len(bot.bot.store.asked)
        await bot.later(0.89)
        early = len(bot.bot.store.asked) - before
        await bot.later(0.22)
        [watch] = await bot.kept()

    assert (early, watch.checks) == (0, 1)
    assert 0.9 * HOUR <= watch.next_at - bot.clock.now <= 1.1 * HOUR


async def test_what_is_due_together_is_asked_together(database: Path) -> None:
    """As many queries for thirty pages of a server as for one."""
    async with watched(database, page_info_local=[], changed={"watches_per_user": 99}) as bot:
        await bot.slash(f"watch {URL}")
        [watch] = await bot.kept()
        asked = [len(bot.bot.store.asked)]
        await bot.later()
        asked.append(len(bot.bot.store.asked))
        for number in range(30):
            other = replace(watch, key=f"example,docs!,/guide/{number} s443")
            await bot.state.watches.add(other, bot.clock.now, per_user=99, per_channel=99)
        await bot.later()
        asked.append(len(bot.bot.store.asked))
        checks = [watch.checks for watch in await bot.kept()]

    assert asked[2] - asked[1] == asked[1] - asked[0]
    assert checks == [2, *[1] * 30]


async def test_a_page_that_flaps_does_not_flood(database: Path) -> None:
    """Ten changes in ten hours are four messages, and the last one counts what stood between."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        told = []
        for page in [GONE, PAGE] * 5:
            bot.bot.store.says(page_info_local=[page])
            told += await bot.later(1.11)

    assert len(told) == 4
    assert "Watch 1: changed 4 times since it last wrote here" in told[-1].words
    assert bot.refused() == []


async def test_a_page_that_is_back_as_it_was_told_is_told_so(database: Path) -> None:
    """Somebody may have seen it gone meanwhile."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        for page in (GONE, PAGE):  # two messages, after which two hours are quiet
            bot.bot.store.says(page_info_local=[page])
            await bot.later(1.11)
        bot.bot.store.says(page_info_local=[GONE])
        quiet = await bot.later(1.11)
        bot.bot.store.says(page_info_local=[PAGE])
        [news] = await bot.later(1.11)

    assert quiet == []
    assert "Everything is back as it was." in news.words
    assert "changed 2 times" in news.words


async def test_a_shard_that_is_silent_changes_nothing(database: Path) -> None:
    """Neither when it goes nor when it comes back; what changed meanwhile is told then."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        bot.bot.store.says(**ALL_SILENT)
        silent = [*await bot.later(), *await bot.later()]
        bot.bot.store.says(page_info_local=[PAGE], robots=[], hosts=[])
        silent += await bot.later()
        bot.bot.store.says(**ALL_SILENT)
        silent += await bot.later()
        bot.bot.store.says(page_info_local=[MOVED], robots=[], hosts=[])
        [news] = await bot.later()

    assert silent == []
    assert "Canonical: – → https://docs.example/b" in news.words


async def test_until_indexed_ends_with_a_last_word(database: Path) -> None:
    """Even where the page moved on its way there."""
    async with watched(database, page_info_local=[]) as bot:
        [began] = await bot.slash(f"watch {URL} until indexed")
        bot.bot.store.says(page_info_local=[GONE])
        [news] = await bot.later()
        bot.bot.store.says(page_info_local=[PAGE])
        [last] = await bot.later(1.11)
        watches = await bot.kept()
        bot.bot.store.says(page_info_local=[GONE])
        after = await bot.later(48)

    assert "The watch ends once the page is in the index." in began.words
    assert "Verdict: Not crawled → Not indexable" in news.words
    assert (last.thread_ts, "watch 1 has ended after 2 checks" in last.words) == (began.ts, True)
    assert [block for block in last.blocks if block["type"] == "actions"] == []
    assert (watches, after) == ([], [])
    assert bot.refused() == []


async def test_a_watch_survives_a_restart(database: Path) -> None:
    """What is remembered is in the database."""
    clock = Clock()
    async with workspace() as ws:
        async with watched(database, clock, ws=ws) as bot:
            [began] = await bot.slash(f"watch {URL}")
        async with watched(database, clock, ws=ws, page_info_local=[GONE]) as bot:
            [news] = await bot.later()

    assert (news.thread_ts, "Verdict: Indexable → Not indexable" in news.words) == (began.ts, True)


async def test_two_replicas_check_and_tell_once(database: Path) -> None:
    """At the same moment, over one database."""
    clock = Clock()
    async with workspace() as ws, watched(database, clock, ws=ws) as one, watched(database, clock, ws=ws) as two:
        pages = [f"{URL}/{number}" for number in range(4)]
        for page in pages:  # the workspace is connected to the one that came last
            await two.slash(f"watch {page}")
        began = [message.ts for message in two.bot.replies()]
        for each in (one, two):
            each.bot.store.says(page_info_local=[])
        clock.now += 1.2 * HOUR
        await asyncio.gather(*(each.watching.turn() for each in (one, two, one, two)))
        news = two.bot.replies()[4:]
        checks = [(watch.checks, watch.tries) for watch in await one.kept()]

    assert sorted(str(message.thread_ts) for message in news) == began
    assert checks == [(1, 0)] * 4


async def test_a_killed_replicas_check_is_made_by_another_after_the_lease(database: Path) -> None:
    """It had claimed it, and is no more."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        bot.bot.store.says(page_info_local=[GONE])
        bot.clock.now += 1.2 * HOUR
        claimed = await bot.state.watches.claim(10)  # by a process that is killed now
        early = await bot.later(LEASE / HOUR - 0.01)
        [news] = await bot.later(0.02)
        [watch] = await bot.kept()

    assert (len(claimed), early, (watch.checks, watch.tries)) == (1, [], (1, 0))
    assert "Indexable → Not indexable" in news.words


async def test_a_replica_that_hung_past_its_lease_says_nothing(database: Path) -> None:
    """Another has told it meanwhile."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        bot.bot.store.says(page_info_local=0.3)
        bot.clock.now += 1.2 * HOUR
        asked = len(bot.bot.store.asked)
        hung = asyncio.create_task(bot.watching.turn())
        await until(lambda: len(bot.bot.store.asked) > asked)  # it has the watch, and waits for the page
        bot.bot.store.says(page_info_local=[GONE])
        [news] = await bot.later(LEASE / HOUR)
        await hung
        told = bot.bot.replies()[1:]

    assert ("HTTP status: 200 → 404" in news.words, [message.ts for message in told]) == (True, [news.ts])


@pytest.mark.parametrize("fault", [FaultKind.error("internal_error"), FaultKind.error("fatal_error")], ids=str)
async def test_a_message_that_slack_does_not_take_is_tried_again(fault: FaultKind, database: Path) -> None:
    """Some minutes later, under the same number."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        bot.bot.store.says(page_info_local=[GONE])
        bot.ws.fail_next("chat.postMessage", fault)
        before = await bot.later()
        [kept] = await bot.kept()
        [news] = await bot.later(0.1)

    assert (before, kept.checks, kept.tries) == ([], 0, 1)
    assert news.metadata is not None
    assert news.metadata["event_payload"]["check"] == "1"


async def test_what_slack_never_takes_is_tried_more_and_more_seldom(database: Path) -> None:
    """After 5 minutes, 10, 20 and so on; a day at last."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        bot.bot.store.says(page_info_local=[GONE])
        bot.ws.fail_next("chat.postMessage", FaultKind.error("fatal_error"), times=20)
        waits = []
        for _ in range(12):
            await bot.later(30)
            [watch] = await bot.kept()
            waits.append((watch.next_at - bot.clock.now) / timedelta(minutes=5))

    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256, 256]


async def test_a_watch_whose_first_message_was_never_sent_begins_its_thread_with_its_news(database: Path) -> None:
    """The process was killed in between; two changes are not two threads."""
    async with watched(database) as bot:
        [began] = await bot.slash(f"watch {URL}")
        await bot.state.watches.placed(1, "")
        bot.bot.store.says(page_info_local=[GONE])
        [news] = await bot.later()
        bot.bot.store.says(page_info_local=[MOVED])
        [more] = await bot.later(1.11)

    assert (news.thread_ts, more.thread_ts, began.ts != news.ts) == (None, news.ts, True)


async def test_who_asks_again_for_a_watch_that_was_never_told_of_is_told(database: Path) -> None:
    """A request that is taken up anew after a kill; to anybody else the watch exists."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        await bot.state.watches.placed(1, "")
        [other] = await bot.slash(f"watch {URL}", user="U0BEN")
        [told] = await bot.slash(f"watch {URL}")
        [watch] = await bot.kept()

    assert "already" in other.words
    assert ("I look every hour" in told.words, watch.thread_ts) == (True, told.ts)


CLOSING = ["not_in_channel", "channel_not_found", "is_archived"]


@pytest.mark.parametrize("error", CLOSING)
async def test_where_the_channel_is_closed_the_watch_ends_and_its_owner_hears_of_it(error: str, database: Path) -> None:
    """In a direct message, with the page as it is."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}", channel=GENERAL)
        bot.bot.store.says(page_info_local=[GONE])
        bot.ws.fail_next("chat.postMessage", FaultKind.error(error))
        told = await bot.later()
        watches = await bot.kept()
        letters = bot.bot.replies(DM)

    assert (told, watches) == ([], [])
    assert [("the watch has ended" in letter.words, "Not indexable" in letter.words) for letter in letters] == [
        (True, True)
    ]
    assert [error for method, error in bot.refused() if error not in CLOSING] == []


async def test_where_the_whole_app_was_removed_the_watch_just_ends(database: Path) -> None:
    """account_inactive is said of the letter too."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        bot.bot.store.says(page_info_local=[GONE])
        bot.ws.fail_next("chat.postMessage", FaultKind.error("account_inactive"), times=2)
        told = [*await bot.later(), *await bot.later(24)]
        watches = await bot.kept()

    assert (told, watches, bot.bot.replies(DM)) == ([], [], [])


async def test_a_watch_that_is_stopped_while_it_is_checked_says_nothing_more(database: Path) -> None:
    """The check was claimed, and the watch is gone."""
    async with watched(database) as bot:
        [began] = await bot.slash(f"watch {URL}")
        bot.bot.store.says(page_info_local=0.3)
        bot.clock.now += 1.2 * HOUR
        checking = asyncio.create_task(bot.watching.turn())
        await asyncio.sleep(0.05)
        stopped = await bot.say("stop", began.ts)
        await checking
        after = bot.bot.replies()[2:]

    assert (len(stopped), after) == (1, [])


async def test_a_key_that_cannot_be_read_any_more_ends_its_watch_with_a_word(database: Path) -> None:
    """Another profile came with a new version; the others are checked all the same."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        [watch] = await bot.kept()
        unreadable = replace(watch, key="no key at all", channel="C0RANDOM", thread_ts="")
        await bot.state.watches.add(unreadable, bot.clock.now, per_user=9, per_channel=9)
        await bot.later()
        left = await bot.kept()
        told = bot.bot.replies("C0RANDOM")

    assert [(watch.number, watch.checks) for watch in left] == [(1, 1)]
    assert "cannot be looked up any more" in words(told)


async def test_what_goes_wrong_with_one_watch_leaves_the_others_alone(
    database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged, and due again once its lease has run out."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        [watch] = await bot.kept()
        broken = replace(watch, key="example,docs!,/broken s443", standing={"of": "another version"})
        await bot.state.watches.add(broken, bot.clock.now, per_user=9, per_channel=9)
        await bot.later()
        checks = [(watch.checks, watch.tries) for watch in await bot.kept()]

    assert checks == [(1, 0), (0, 1)]
    assert "KeyError" in caplog.text


# several workspaces

OAUTH: dict[str, Any] = {
    "slack_client_id": "1.2",
    "slack_client_secret": SecretStr("client-secret"),
    "slack_bot_token": SecretStr(""),
}


def installed(team: str, token: str) -> Bot:
    """The bot of a workspace."""
    return Bot(
        team_id=team, bot_token=token, bot_id=BOT, bot_user_id=BOT_USER, bot_scopes="", installed_at=NOW.timestamp()
    )


@pytest.mark.parametrize(("team", "ends"), [(TEAM, False), ("T0GONE", True)], ids=["installed", "removed"])
async def test_each_workspace_is_told_with_its_own_token(team: str, ends: bool, tmp_path: Path) -> None:
    """Where the app was removed there is nobody to tell, and the watch ends."""
    clock = Clock()
    state = await State.open(f"sqlite:///{tmp_path / 'state.db'}", [Fernet.generate_key().decode()], clock=clock)
    await state.installations.async_save_bot(installed(TEAM, TOKEN))
    async with running(state=state, changed=OAUTH, page_info_local=[PAGE]) as bot:
        await bot.ws.slash("/inspect", f"watch {URL}")
        [began] = await bot.settled()
        [watch] = await state.watches.near(TEAM, GENERAL, "U0ANN")
        other = replace(watch, team=team, key="example,docs!,/other s443")
        await state.watches.add(other, clock.now, per_user=9, per_channel=9)
        bot.store.says(page_info_local=[])
        clock.now += timedelta(hours=2)
        assert bot.bot.watching is not None
        await bot.bot.watching.turn()
        news = bot.replies()[1:]
        left = await state.watches.near(team, GENERAL, "U0ANN")
    await state.close()

    assert [message.thread_ts for message in news] == [began.ts] * (1 if ends else 2)
    assert (left == []) is ends
    assert {call.ok for call in bot.made("chat.postMessage")} == {True}


# the loop itself


async def test_the_loop_runs_by_itself_and_ends_with_the_bot(database: Path) -> None:
    """What was due while the bot was away is checked when it starts."""
    clock = Clock()
    async with workspace() as ws:
        async with watched(database, clock, ws=ws) as bot:
            await bot.slash(f"watch {URL}")
        clock.now += 2 * HOUR
        async with watched(database, clock, by_itself=True, ws=ws, page_info_local=[GONE]) as bot:
            async with asyncio.timeout(10):
                while len(bot.bot.replies()) < 2:  # noqa: ASYNC110 - what is waited for tells nobody
                    await asyncio.sleep(0.01)
        running_tasks = [task for task in asyncio.all_tasks() if "Watching" in str(task.get_coro())]

    assert "Indexable → Not indexable" in words(bot.bot.replies())
    assert running_tasks == []


def sample(name: str, **labels: str) -> float:
    """What this process has counted or measured."""
    return metrics.REGISTRY.get_sample_value(f"{metrics.NAME}_{name}", labels) or 0.0


async def test_checks_are_counted_and_their_lateness_is_measured(database: Path) -> None:
    """For alerts: a lag that grows means that nobody checks."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        before = [sample("watch_checks_total", result=result) for result in ("quiet", "told")]
        bot.clock.now += 3 * HOUR
        await bot.watching.turn()
        lag = sample("watch_lag_seconds")
        bot.bot.store.says(page_info_local=[GONE])
        await bot.later()
        after = [sample("watch_checks_total", result=result) for result in ("quiet", "told")]

    assert [count - began for count, began in zip(after, before, strict=True)] == [1, 1]
    assert 1.9 * 3_600 <= lag <= 2.1 * 3_600
    assert sample("watch_lag_seconds") == 0


async def test_news_whose_answer_is_lost_is_posted_once(database: Path) -> None:
    """Slack has the message, and the bot looks for it before it posts again."""
    async with watched(database) as bot:
        [first] = await bot.slash(f"watch {URL}")
        bot.bot.store.says(page_info_local=[GONE])
        bot.ws.fail_next("chat.postMessage", ANSWER_LOST)
        await bot.later()
        [watch] = await bot.kept()
        told = [reply for reply in bot.bot.replies() if reply.thread_ts == first.ts]

    assert (watch.checks, watch.tries, len(told)) == (1, 0, 1)


async def test_a_check_that_was_told_and_not_written_down_is_told_once(database: Path) -> None:
    """Its replica died between the two: whoever makes the check again finds the message."""
    async with watched(database) as bot:
        [first] = await bot.slash(f"watch {URL}")
        bot.bot.store.says(page_info_local=[GONE])
        bot.clock.now += HOUR * 1.2
        [claimed] = await bot.state.watches.claim(1)
        session = bot.bot.session
        dead = Gateway(AsyncWebClient(token=TOKEN, base_url=bot.ws.api_url, session=session), session)
        with entered(Run(check_name(claimed))):
            await dead.answer(Target(GENERAL, "U0ANN", first.ts), {"text": "news"})
        bot.clock.now += timedelta(hours=1)
        await bot.watching.turn()
        [watch] = await bot.kept()
        told = [reply for reply in bot.bot.replies() if reply.thread_ts == first.ts]

    assert (watch.checks, len(told)) == (1, 1)
