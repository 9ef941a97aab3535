"""Settings: the only place that reads the environment. A test holds the README's table of variables to this class."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bot.errors import BadSetting

PREFIX = "CRAWLER_INSPECTOR_"
HOUR = 3_600.0  # no wait for an answer is longer
# Settings that hold ids of Slack's, and the letters that these begin with.
IDS = {"allowed_teams": "TE", "allowed_channels": "CGD", "allowed_users": "UW", "raw_users": "UW"}


class KeySettings(BaseSettings):
    """What a command needs that makes keys and asks no index."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", hide_input_in_errors=True)

    suffix_list: Path | None = Field(
        None, description="Public suffix list that your index was built with, a file; unset: the installed package's"
    )

    @field_validator("suffix_list", "clickhouse_ca_file", check_fields=False)
    @classmethod
    def _is_there(cls, file: Path | None) -> Path | None:
        if file is not None and not file.is_file():
            raise ValueError(f"there is no file {str(file)!r}")
        return file


class Settings(KeySettings):
    """Everything that an installation can choose. Secrets print as stars."""

    profiles: Annotated[tuple[Path, ...], NoDecode] = Field(
        (),
        validation_alias="CRAWLER_INSPECTOR_PROFILE",
        description="TOML files that describe your crawl indexes, comma separated; the first is the default",
    )
    data_dir: Path = Field(
        default_factory=lambda: user_data_path("crawler-inspector"),
        description="Folder of the embedded crawl and of the bot's own state",
    )

    clickhouse_host: str | None = Field(
        None,
        description="Cluster: a template with `{shard}`, or a list; `,` between replicas, `;` between shards; "
        "`{index}` stands for a profile's name; unset: the embedded crawl",
    )
    clickhouse_port: int | None = Field(None, ge=1, le=65535, description="HTTP port; unset: the profile's")
    clickhouse_user: str = Field("default", description="A read-only user is enough")
    clickhouse_password: SecretStr = Field(
        SecretStr(""), validation_alias="CLICKHOUSE_PASSWORD", description="That user's password"
    )
    clickhouse_token: SecretStr = Field(
        SecretStr(""), validation_alias="CLICKHOUSE_TOKEN", description="Access token, instead of user and password"
    )
    clickhouse_secure: bool = Field(False, description="Speak TLS to ClickHouse")
    clickhouse_verify: bool = Field(True, description="Check the server's TLS certificate")
    clickhouse_ca_file: Path | None = Field(None, description="PEM file of the authority that signed it")
    clickhouse_connect_timeout: float = Field(
        1.0, gt=0, le=HOUR, description="Seconds that a connection may take to open"
    )
    clickhouse_hedge_delay: float = Field(
        0.5, gt=0, le=HOUR, description="Seconds after which a replica is asked too, where a shard has one"
    )
    clickhouse_breaker_failures: int = Field(
        5, ge=1, description="Failures in a row after which a server is left alone"
    )
    clickhouse_breaker_seconds: float = Field(15.0, gt=0, le=HOUR, description="Seconds that it is left alone")
    clickhouse_connections: int = Field(64, ge=1, description="Servers that are kept connected at once")
    clickhouse_queries_per_server: int = Field(20, ge=1, description="Queries that run at once on one server")
    clickhouse_keepalive: float = Field(
        8.0, gt=0, le=HOUR, description="Seconds that an idle connection is kept; below the server's"
    )
    clickhouse_compression: bool = Field(False, description="Ask for compressed responses, worth it on slow networks")
    step_timeout: float = Field(5.0, gt=0, le=HOUR, description="Seconds that one query may take")
    deadline: float = Field(
        10.0, gt=0, le=HOUR, description="Seconds that a whole inspection may take; of a list, each thousand URLs"
    )

    slack_bot_token: SecretStr = Field(
        SecretStr(""), validation_alias="SLACK_BOT_TOKEN", description="Bot token, `xoxb-…`"
    )
    slack_signing_secret: SecretStr = Field(
        SecretStr(""), validation_alias="SLACK_SIGNING_SECRET", description="Signing secret: HTTP mode"
    )
    slack_app_token: SecretStr = Field(
        SecretStr(""), validation_alias="SLACK_APP_TOKEN", description="App token, `xapp-…`: Socket Mode"
    )
    slack_client_id: str = Field(
        "",
        validation_alias="SLACK_CLIENT_ID",
        description="Client id: for the sign-in; and, without a bot token, for several workspaces by OAuth",
    )
    slack_client_secret: SecretStr = Field(
        SecretStr(""), validation_alias="SLACK_CLIENT_SECRET", description="Client secret, beside the client id"
    )
    slack_api_url: str = Field("https://slack.com/api/", description="Another Slack API address, for tests")

    unfurl_domains: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="The manifest's `unfurl_domains`, comma separated: links to them get a card, not a thread",
    )

    host: str = Field("127.0.0.1", description="Address that `serve` listens on")
    port: int = Field(3000, ge=0, le=65535, description="Port that `serve` listens on")
    public_url: str | None = Field(None, description="Where readers reach this server; turns report links on")
    link_keys: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        (), description="Keys that sign links, 32 characters or more, comma separated; the first signs, all verify"
    )
    link_days: float = Field(7, gt=0, le=36_500, description="Days that a report link works")
    sign_in_teams: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Slack team ids, comma separated, whose members may read reports; unset: no sign-in"
    )
    allowed_teams: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Slack team (or organisation) ids, comma separated, whose people are answered; unset: all"
    )
    allowed_channels: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Slack channel ids, comma separated, where the bot answers, and nowhere else: direct messages and "
        "Home too only where named; unset: everywhere",
    )
    allowed_users: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Slack user ids, comma separated, who are answered; unset: all"
    )
    raw_users: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Slack user ids, comma separated, who may see raw queries and heavy text; unset: all"
    )
    database_url: str | None = Field(
        None, repr=False, description="The bot's own state: `postgresql://…`; unset: SQLite in the data folder"
    )
    state_keys: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        (), description="Fernet keys that seal Slack tokens in that state, comma separated, newest first"
    )
    concurrency: int = Field(16, ge=1, description="Inspections that run at once")
    waiting: int = Field(200, ge=1, description="Requests that may wait for their turn; past it the bot says “busy”")
    durable: bool = Field(
        True, description="Record requests before they are acknowledged, so that a killed bot answers them later"
    )
    lease: float = Field(
        15.0, gt=0, le=HOUR, description="Seconds that a replica may be silent before another finishes its work"
    )
    trail_days: float = Field(90, gt=0, le=36_500, description="Days that is kept who asked what")
    log_format: Literal["text", "json"] = Field(
        "text", description="Log of `serve`: `text`, or `json`, an object a line"
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Least level that is logged")
    watch_interval: float = Field(
        3_600, ge=60, le=24 * HOUR, description="Seconds between two checks of a watched page, give or take a tenth"
    )
    watches_per_user: int = Field(20, ge=0, description="Pages that one person may watch")
    watches_per_channel: int = Field(50, ge=0, description="Pages that are watched in one channel at most")

    @field_validator("profiles", "unfurl_domains", "link_keys", "state_keys", "sign_in_teams", *IDS, mode="before")
    @classmethod
    def _split_list(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("link_keys", "state_keys")
    @classmethod
    def _is_text(cls, keys: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        try:
            "".join(key.get_secret_value() for key in keys).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("it holds bytes that are not UTF-8") from None
        return keys

    @field_validator(*IDS)
    @classmethod
    def _are_ids(cls, ids: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        first = IDS[info.field_name or ""]
        if wrong := next((one for one in ids if not re.fullmatch(f"[{first}][A-Z0-9]+", one)), None):
            raise ValueError(f"{wrong[:40]!r} is no such id of Slack's, which begins with {' or '.join(first)}")
        return ids


Loaded = TypeVar("Loaded", bound=KeySettings)


def load_settings() -> Settings:
    """The settings from the environment. Raises BadSetting with the variable's name and what is wrong with it."""
    return _loaded(Settings)


def load_key_settings() -> KeySettings:
    """Those alone that keys depend on, whatever else is set. Raises BadSetting likewise."""
    return _loaded(KeySettings)


def _loaded(kind: type[Loaded]) -> Loaded:
    try:
        return kind()
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        variable = name if name.isupper() else PREFIX + name.upper()
        raise BadSetting(f"{variable} cannot be used: {first['msg'].removeprefix('Value error, ')}.") from error
