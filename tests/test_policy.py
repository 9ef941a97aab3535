from __future__ import annotations

import pytest

from bot.errors import BadSetting
from bot.policy import CHANNELS, RAW, TEAMS, USERS, Asker, Policy, Refusal
from bot.settings import load_settings

OURS, THEIRS = frozenset({"T0OURS", "E0OURS"}), frozenset({"T0THEIRS"})
HERE, ELSEWHERE = frozenset({"C0HERE"}), frozenset({"C0ELSEWHERE"})
UNKNOWN: frozenset[str] = frozenset()
OF_TEAMS = Policy(teams=frozenset({"T0OURS"}))
OF_ORGANISATION = Policy(teams=frozenset({"E0OURS"}))
OF_CHANNELS = Policy(channels=HERE)
OF_USERS = Policy(users=frozenset({"U0ANN"}))
OF_ALL = Policy(OF_TEAMS.teams, HERE, OF_USERS.users)


@pytest.mark.parametrize(
    ("policy", "asker", "refusal"),
    [
        (Policy(), Asker("U0BEN", (THEIRS,), ELSEWHERE), None),
        (Policy(), Asker("U0BEN"), None),
        (OF_TEAMS, Asker("U0BEN", (OURS, OURS)), None),
        (OF_ORGANISATION, Asker("U0BEN", (OURS, OURS)), None),
        (OF_TEAMS, Asker("U0BEN", (THEIRS, THEIRS)), TEAMS),
        (OF_TEAMS, Asker("U0BEN", (OURS, THEIRS)), TEAMS),  # a guest in a channel that two organisations share
        (OF_TEAMS, Asker("U0BEN", (THEIRS, OURS)), TEAMS),
        (OF_TEAMS, Asker("U0BEN", (OURS, UNKNOWN)), TEAMS),  # Slack does not say whose guest
        (OF_TEAMS, Asker("U0BEN"), TEAMS),
        (OF_CHANNELS, Asker("U0BEN", channels=HERE), None),
        (OF_CHANNELS, Asker("U0BEN", channels=ELSEWHERE), CHANNELS),
        (OF_CHANNELS, Asker("U0BEN", channels=HERE | ELSEWHERE), CHANNELS),
        (OF_CHANNELS, Asker("U0BEN"), CHANNELS),  # Home, the global shortcut
        (OF_CHANNELS, Asker("U0BEN", in_window=True), None),
        (OF_CHANNELS, Asker("U0BEN", channels=ELSEWHERE, in_window=True), CHANNELS),  # a form that posts elsewhere
        (OF_USERS, Asker("U0ANN", (THEIRS,), ELSEWHERE), None),
        (OF_USERS, Asker("U0BEN", (OURS,), HERE), USERS),
        (OF_ALL, Asker("U0ANN", (OURS, OURS), HERE), None),
        (OF_ALL, Asker("U0BEN", (OURS, OURS), HERE), USERS),
        (OF_ALL, Asker("U0ANN", (OURS, OURS), ELSEWHERE), CHANNELS),
        (OF_ALL, Asker("U0ANN", (THEIRS, THEIRS), HERE), TEAMS),
    ],
)
def test_every_list_that_is_set_must_name_who_asks_and_where(
    policy: Policy, asker: Asker, refusal: Refusal | None
) -> None:
    """What is not known is not named."""
    assert policy.refusal(asker) == refusal


@pytest.mark.parametrize(
    ("raw_users", "user", "refusal"),
    [
        ((), "U0BEN", None),
        ((), None, None),
        (("U0ANN",), "U0ANN", None),
        (("U0ANN",), "U0BEN", RAW),
        (("U0ANN",), None, RAW),
    ],
)
def test_queries_and_heavy_text_are_for_the_group_where_there_is_one(
    raw_users: tuple[str, ...], user: str | None, refusal: Refusal | None
) -> None:
    """A reader who is not known is not in it."""
    assert Policy(raw_users=frozenset(raw_users)).refusal_of_raw(user) == refusal


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ALLOWED_TEAMS", "T0OURS,#general", "'#general' is no such id of Slack's, which begins with T or E"),
        ("ALLOWED_CHANNELS", "general", "begins with C or G or D"),
        ("ALLOWED_USERS", "@ann", "begins with U or W"),
        ("RAW_USERS", "S0GROUP", "begins with U or W"),  # a user group: its members could not be read
    ],
)
def test_a_name_in_the_place_of_an_id_is_told_at_the_start(
    variable: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list that names nobody would shut everybody out."""
    monkeypatch.setenv(f"CRAWLER_INSPECTOR_{variable}", value)

    with pytest.raises(BadSetting, match=said):
        load_settings()


def test_the_lists_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comma separated."""
    given = {"ALLOWED_TEAMS": "T1,E1", "ALLOWED_CHANNELS": "C1, D1", "ALLOWED_USERS": "U1", "RAW_USERS": "U2,W2"}
    for name, value in given.items():
        monkeypatch.setenv(f"CRAWLER_INSPECTOR_{name}", value)
    lists = ({"T1", "E1"}, {"C1", "D1"}, {"U1"}, {"U2", "W2"})

    assert Policy.from_settings(load_settings()) == Policy(*map(frozenset, lists))
