"""The page's own small languages, in the browser that runs them: mrkdwn, Markdown, dates, mentions, completion."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.browser import CHROMIUM, Watched, chromium
from tests.workspace.page_app import opened

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium"),
]

A = 'target="_blank" rel="noopener noreferrer"'
MRKDWN = (
    ("plain", "plain"),
    ("*bold* and _soft_ and ~gone~", "<strong>bold</strong> and <em>soft</em> and <s>gone</s>"),
    ("*bold _and soft_*", "<strong>bold <em>and soft</em></strong>"),
    ("snake_case_name and 2*3*4", "snake_case_name and 2*3*4"),
    ("* not bold *", "* not bold *"),
    ("`a *b* &lt;c&gt;`", "<code>a *b* &lt;c&gt;</code>"),
    ("```\nx = *y*\n\n&gt; z\n```", '<pre class="preformatted">x = *y*\n\n&gt; z</pre>'),
    ("&lt;b&gt; &amp;amp; &copy;", "&lt;b&gt; &amp;amp; &amp;copy;"),
    ("<https://x.example/?a=1&amp;b=2>", f'<a href="https://x.example/?a=1&amp;b=2" {A}>https://x.example/?a=1&amp;b=2</a>'),
    ("<https://x.example|a | b>", f'<a href="https://x.example" {A}>a | b</a>'),
    ("<mailto:ann@x.example|Ann>", f'<a href="mailto:ann@x.example" {A}>Ann</a>'),
    ("<javascript:alert(1)|x>", '<span class="dead-link" title="Not a web address">x</span>'),
    ("<@U0BEN> <#C1|general>", '<span class="mention">@ben</span> <span class="mention">#general</span>'),
    ("<!channel>", '<span class="mention">@channel</span>'),
    ("<!date^1775505600^{date_num} {time}|then>", '<time title="then">2026-04-06 10:00 PM</time>'),
    ("<!date^soon^{date}|then>", '<time title="then">then</time>'),
    (":tada: :no_such: :constructor: 10:30:00", "🎉 :no_such: :constructor: 10:30:00"),
    ("&gt; one\n&gt; two\nthree", '<blockquote class="quote">one\ntwo\n</blockquote>three'),
    ("*" * 3000, "*" * 3000),
)  # fmt: skip
MARKDOWN = (
    ("a **b** `c`", "<p>a <strong>b</strong> <code>c</code></p>"),
    ("# One\n## Two", '<p class="markdown-heading">One</p><p class="markdown-heading">Two</p>'),
    ("1. a\n2. b", '<ol class="rich-list"><li>a</li><li>b</li></ol>'),
    ("> q", '<blockquote class="quote"><p>q</p></blockquote>'),
    ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
    ("[x](data:text/html,y)", '<p><span class="dead-link" title="Not a web address">x</span></p>'),
    ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
)
DATES = (
    ("{date_num} {time_secs}", "UTC", "2026-04-06 8:00:00 PM"),
    ("{date_num} {time}", "America/New_York", "2026-04-06 4:00 PM"),
    ("{date}", "UTC", "April 6th, 2026"),
    ("{date_short}", "UTC", "Apr 6, 2026"),
    ("{date_long}", "UTC", "Monday, April 6th, 2026"),
    ("{date_short_pretty} at {time}", "UTC", "Apr 6, 2026 at 8:00 PM"),
    ("{nonsense} {toString}", "UTC", "{nonsense} {toString}"),
)
DRAW = """async ([module, name, texts]) => {
  const draw = (await import(`/static/${module}.js`))[name];
  return texts.map(text => {
    const box = document.createElement("div");
    box.append(...draw(text, "Europe/Berlin"));
    return box.innerHTML;
  });
}"""


async def evaluated(script: str, *given: Any) -> Any:
    """What a script says inside the page."""
    async with opened() as app, chromium() as browser:
        watched = await Watched.opened(await browser.new_context(), app.url)
        await watched.visit("/")
        await watched.page.wait_for_selector(".channel")
        said = await watched.page.evaluate(script, list(given))
        assert watched.faults + await watched.page.evaluate("window.happened") == []
        return said


@pytest.mark.parametrize(
    ("module", "name", "cases"), [("mrkdwn", "mrkdwn", MRKDWN), ("markdown", "markdown", MARKDOWN)]
)
async def test_marked_up_text_becomes_nodes(module: str, name: str, cases: tuple[tuple[str, str], ...]) -> None:
    """Slack's marks and entities, and nothing else; an address that could run is words."""
    drawn = await evaluated(DRAW, module, name, [text for text, _ in cases])

    assert list(zip([text for text, _ in cases], drawn, strict=True)) == list(cases)


async def test_dates_are_shown_in_the_readers_zone() -> None:
    """Every token of Slack's date format; an unknown one stays."""
    script = """async ([cases]) => { const { formatDate } = await import("/static/dates.js");
      return cases.map(([format, zone]) => formatDate(1775505600, format, zone)); }"""
    shown = await evaluated(script, [[form, zone] for form, zone, _ in DATES])

    assert shown == [words for _, _, words in DATES]


async def test_a_days_nickname_is_said_of_today_alone() -> None:
    """Today, Yesterday, Tomorrow; then the date."""
    script = """async () => { const { formatDate } = await import("/static/dates.js");
      const now = Date.now() / 1000;
      return [0, -86400, 86400, -8640000].map(shift => formatDate(now + shift, "{date_pretty}", "UTC")); }"""
    today, yesterday, tomorrow, before = await evaluated(script)

    assert (today, yesterday, tomorrow) == ("Today", "Yesterday", "Tomorrow")
    assert before[-4:].isdigit()


@pytest.mark.parametrize(
    ("local", "zone", "seconds"),
    [
        ("2026-04-06T22:00", "Europe/Berlin", 1_775_505_600),
        ("2026-04-06T16:00", "America/New_York", 1_775_505_600),
        ("2026-12-01T12:00", "UTC", 1_796_126_400),
        ("", "UTC", None),
    ],
)
async def test_a_clock_in_a_zone_names_an_instant(local: str, zone: str, seconds: int | None) -> None:
    """What is picked in a modal is in the zone of the person who picks it."""
    script = 'async ([local, zone]) => (await import("/static/dates.js")).instant(local, zone)'

    assert await evaluated(script, local, zone) == seconds


async def test_mentions_are_found_in_what_is_typed() -> None:
    """By name or by the app's long name; not inside words."""
    typed = ("@Crawler Inspector why", "hi @ann and @ben", "mail@ann.example", "@annette", "(@Ben)")
    script = 'async ([texts]) => texts.map((await import("/static/people.js")).withMentions)'
    marked = await evaluated(script, list(typed))

    assert marked == ["<@U0BOT> why", "hi <@U0ANN> and <@U0BEN>", "mail@ann.example", "@annette", "(<@U0BEN>)"]
