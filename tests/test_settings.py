from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import BadSetting
from bot.settings import load_settings

KEY = "k" * 32


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("CRAWLER_INSPECTOR_STEP_TIMEOUT", "inf", "3600"),
        ("CRAWLER_INSPECTOR_STEP_TIMEOUT", "1e300", "3600"),
        ("CRAWLER_INSPECTOR_STEP_TIMEOUT", "nan", "3600"),
        ("CRAWLER_INSPECTOR_STEP_TIMEOUT", "0", "greater than 0"),
        ("CRAWLER_INSPECTOR_CLICKHOUSE_CONNECT_TIMEOUT", "inf", "3600"),
        ("CRAWLER_INSPECTOR_LINK_DAYS", "inf", "36500"),
        ("CRAWLER_INSPECTOR_LINK_KEYS", f"{KEY}\udcff", "UTF-8"),
        ("CRAWLER_INSPECTOR_STATE_KEYS", f"{KEY},\udcfe", "UTF-8"),
        ("CRAWLER_INSPECTOR_CLICKHOUSE_CA_FILE", "/nowhere/ca.pem", "/nowhere/ca.pem"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, says: str
) -> None:
    """One sentence: the variable, and what is wrong with it."""
    monkeypatch.setenv(variable, value)

    with pytest.raises(BadSetting) as refused:
        load_settings()

    assert str(refused.value).startswith(f"{variable} cannot be used: ")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_authority_that_is_there_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is in the file is for the connection to judge."""
    file = tmp_path / "ca.pem"
    file.touch()
    monkeypatch.setenv("CRAWLER_INSPECTOR_CLICKHOUSE_CA_FILE", str(file))

    assert load_settings().clickhouse_ca_file == file
