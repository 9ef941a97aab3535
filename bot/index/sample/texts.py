"""The heavy columns of a page: plain text, Markdown of the whole page, Markdown of its readable part."""

from __future__ import annotations

from random import Random

from bot.index.sample.spec import PageSpec, Row
from bot.index.sample.stock import Stock

CODE = "```python\nfor size in sizes:\n    print(f'{size} < {limit} & more')\n```"
TABLE = "| size | price |\n|---|---:|\n| small | 12.50 |\n| large \\| wide | 19 |"

# What pages try on those who show them; each must stay text.
ATTACKS = (
    "<script>alert(document.domain)</script>",
    "[click](javascript:alert(1))",
    "<img src=x onerror=\"alert('x')\">",
    "<svg/onload=alert(1)>",
    "![x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    '<a href="jav\tascript:alert(1)">tab</a>',
    "</textarea></title><iframe src=//example.net></iframe>",
    "<!channel> <@U1> <https://example.net|https://example.com>",
)


def texts(spec: PageSpec, stock: Stock, rng: Random) -> Row:
    """The three heavy columns and the word counts that follow from them."""
    paragraphs = [_paragraph(stock, rng) for _ in range(rng.randint(2, 5))]
    readable = _readable(paragraphs, stock, rng)
    markdown = _grown(_whole_page(readable, rng), spec.markdown_size, stock, rng)
    plain = "\n".join(paragraphs)
    words = len(plain.split()) if stock.glue else len(plain) // 2
    return {
        "attrs_boilerpipe_text": plain,
        "attrs_markdown": markdown,
        "attrs_readable_markdown": readable,
        "attrs_word_count_content": words,
        "attrs_word_count_total": words + rng.randint(20, 400),
    }


def _paragraph(stock: Stock, rng: Random) -> str:
    return stock.glue.join(rng.choices(stock.sentences, k=rng.randint(3, 6)))


def _readable(paragraphs: list[str], stock: Stock, rng: Random) -> str:
    blocks = [f"# {rng.choice(stock.headings)}"]
    for paragraph in paragraphs:
        blocks += [f"## {rng.choice(stock.headings)}", paragraph] if rng.random() < 0.4 else [paragraph]
    blocks.append("\n".join(f"- {line}" for line in rng.sample(stock.sentences, 3)))
    blocks += [extra for extra, share in ((CODE, 0.2), (TABLE, 0.2)) if rng.random() < share]
    if rng.random() < 0.05:
        blocks.append(rng.choice(ATTACKS))
    return "\n\n".join(blocks) + "\n"


def _whole_page(readable: str, rng: Random) -> str:
    links = " · ".join(f"[{name}](/{name}?from={rng.randint(1, 99)})" for name in ("home", "map", "about"))
    return f"{links}\n\n{readable}\n---\n\n1. [imprint](/imprint)\n2. [privacy](/privacy)\n"


def _grown(markdown: str, size: int, stock: Stock, rng: Random) -> str:
    if len(markdown) >= size:
        return markdown
    block = "\n\n".join(_paragraph(stock, rng) for _ in range(50)) + "\n\n"
    return markdown + block * ((size - len(markdown)) // len(block) + 1)
