"""The command line. Each command imports what it needs when it runs, so that the light ones start at once."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from bot.errors import BadInput, InspectorError
from bot.garbage import collect_seldom

DONE, FAILED, WRONG_USE = 0, 1, 2

app = typer.Typer(
    name="crawler-inspector",
    help="Says whether a page is in the crawl index, and which rule stopped it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


# Where several crawl indexes are configured.
Profile = Annotated[
    str | None, typer.Option(metavar="NAME", help="Which index, by its profile's name; the first by default")
]


@contextmanager
def _exit_codes() -> Iterator[None]:
    """Around every command. Known errors end it with their sentence: 2 for what was typed, 1 for everything else."""
    from bot.commands.standard_streams import NO_ROOM, flush_output, give_up_output
    from bot.commands.suffixes import use_configured_list

    try:
        use_configured_list()
        yield
        flush_output()
    except InspectorError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(WRONG_USE if isinstance(error, BadInput) else FAILED) from None
    except BrokenPipeError:
        # The reader went away (`| head`): nothing more to say, and nothing may be flushed at exit.
        sys.stderr.close()
        raise typer.Exit(FAILED) from None
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        give_up_output()
        typer.echo(f"The output cannot be written: {error.strerror}.", err=True)
        raise typer.Exit(FAILED) from None


@app.command(epilog="Example: crawler-inspector key https://example.com/a")
def key(
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="Absolute http or https URLs")],
    profile: Profile = None,
) -> None:
    """Print the key, root hash and shard of each URL, one JSON object a line."""
    from bot.address.key import url_key
    from bot.commands.one_profile import settings_for
    from bot.index.profile import load_profiles

    with _exit_codes():
        index = load_profiles(settings_for(profile).profiles)[0]
        for url in urls:
            found = url_key(url)
            line = {
                "url": url,
                "canonical": found.url,
                "unparsed": found.unparsed,
                "root": found.root,
                "root_hash": str(found.root_hash),
                "shard": index.shard_of(found.root_hash),
            }
            typer.echo(json.dumps(line, ensure_ascii=False))


@app.command(
    name="find-urls", epilog='Example: echo \'{"text": "see <https://example.com/a>"}\' | crawler-inspector find-urls'
)
def find_urls() -> None:
    """Read Slack messages, one JSON object a line, from standard input; print the URLs of each as a JSON list."""
    from bot.address.find import find_urls as urls_of
    from bot.commands.standard_streams import input_lines

    with _exit_codes():
        for number, line in enumerate(input_lines(), 1):
            typer.echo(json.dumps(urls_of(_message(line, number)), ensure_ascii=False))


def _message(line: str, number: int) -> dict[str, object]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise BadInput(
            f'Line {number} is no JSON object: {line.strip()[:60]!r}; example: {{"text": "https://example.com/"}}'
        )
    return message


@app.command(epilog="Example: crawler-inspector robots --agent ExampleBot --path /private/ < robots.txt")
def robots(
    agent: Annotated[str, typer.Option(help="Product token of the crawler")],
    path: Annotated[str, typer.Option(help="Path and query of the page, or its URL")],
) -> None:
    """Judge a robots.txt from standard input; print {allowed, line, rule, group} as JSON."""
    from bot.commands.standard_streams import input_bytes
    from bot.robots import run_cli

    with _exit_codes():
        typer.echo(json.dumps(run_cli(agent, path, input_bytes()), ensure_ascii=False))


@app.command(epilog="Example: crawler-inspector inspect --json https://cases.example/indexable | jq .verdict")
def inspect(
    lookups: Annotated[
        list[str],
        typer.Argument(metavar="URL...", help="URLs, unparsed keys, or hash:<root hash>; - reads them from stdin"),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="A CSV row each, for spreadsheets")] = False,
    blocks: Annotated[bool, typer.Option("--blocks", help="The Slack payload, for Block Kit Builder")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Add every query and response")] = False,
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="Judge as of this time: 2026-04-06T20:00Z")] = None,
    shard: Annotated[int | None, typer.Option(help="Ask this shard, whatever the key says")] = None,
    profile: Profile = None,
) -> None:
    """Inspect pages: in the index or not, and why."""
    from bot.commands.inspect import Form, run

    with _exit_codes():
        chosen = [form for form, on in zip(Form.chosen(), (as_json, as_csv, blocks, raw), strict=True) if on]
        if len(chosen) > 1:
            raise BadInput("Choose one of --json, --csv, --blocks and --raw.")
        form = chosen[0] if chosen else Form.SUMMARY
        if not run(lookups, form, as_of, shard, profile):
            raise typer.Exit(WRONG_USE)


@app.command(epilog="Example: crawler-inspector site cases.example --chart chart.svg")
def site(
    name: Annotated[str, typer.Argument(metavar="SITE", help="A registered domain, a host, or the beginning of a URL")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object")] = False,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the counts as a picture: .svg, .png")
    ] = None,
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="Judge as of this time: 2026-04-06T20:00Z")] = None,
    profile: Profile = None,
) -> None:
    """Count the pages of a site by what keeps them out of the index."""
    from bot.commands.site import run

    with _exit_codes():
        run(name, as_json, chart, as_of, profile)


@app.command(epilog="Example: crawler-inspector demo https://cases.example/indexable")
def demo(
    urls: Annotated[
        list[str] | None,
        typer.Argument(metavar="[URL]...", help="URLs to inspect; some of the sample's own by default"),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page, on loopback; 0: any free one")] = 0,
    stay: Annotated[
        bool | None,
        typer.Option("--stay/--once", help="Keep the workspace open in the browser, or end; by default: in a terminal"),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Stay, and open the page in the browser")] = False,
) -> None:
    """Show the bot at work: a real Bolt app, a stand-in Slack workspace, the sample crawl."""
    from bot.commands.demo import run

    with _exit_codes():
        run(urls or [], stay=stay, port=port, open_browser=open_browser)


@app.command(epilog="Example: SLACK_BOT_TOKEN=… SLACK_SIGNING_SECRET=… crawler-inspector serve")
def serve() -> None:
    """Run the bot: answer Slack until SIGTERM or ^C."""
    from bot.commands.serve import run

    with _exit_codes():
        run()


@app.command(epilog="Example: crawler-inspector schema > schema.sql")
def schema() -> None:
    """Print the SQL that makes the tables and functions of the built-in crawl."""
    from bot.index.ddl import statements
    from bot.index.profile import load_profile

    with _exit_codes():
        for statement in statements(load_profile()):
            typer.echo(f"{statement};")


@app.command(epilog="Example: crawler-inspector load pages.parquet --table crawler3.page_info_local")
def load(
    file: Annotated[Path, typer.Argument(help="JSONEachRow (.jsonl, .ndjson, .json) or Parquet (.parquet)")],
    table: Annotated[str | None, typer.Option(help="A table of the profile; its pages by default")] = None,
) -> None:
    """Load a file into a table of the embedded crawl, through ClickHouse."""
    from bot.commands.load import run

    with _exit_codes():
        run(file, table)


@app.command(epilog="Example: crawler-inspector doctor")
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object")] = False, profile: Profile = None
) -> None:
    """Say what is configured, what answers and what is missing; exit code 1 where something needed does not work."""
    from bot.commands.doctor import run

    with _exit_codes():
        if not run(profile, as_json=as_json):
            raise typer.Exit(FAILED)


@app.command(epilog="Example: crawler-inspector audit --since 2026-11-01 --user U0EXAMPLE")
def audit(
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="From this time on (UTC); by default of the last day")
    ] = None,
    user: Annotated[str | None, typer.Option(metavar="ID", help="Of this Slack user only")] = None,
) -> None:
    """Print who asked what in Slack, one JSON object a line."""
    from bot.commands.audit import run

    with _exit_codes():
        run(since, user)


def main() -> None:
    """The console script."""
    collect_seldom()
    app()


if __name__ == "__main__":
    main()
