"""Chart → a picture: SVG for pages, PNG for Slack, which shows no SVG. Both are drawn from the same shapes.

PNG needs Pillow, whose built-in typeface needs no fonts on the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO

from bot.render.limits import cut
from bot.report.site import Bar, Chart
from bot.report.words import number

WIDTH, ROW, TOP, EDGE = 720, 26, 44, 16
NARROW = 440  # where it stands beside others, or on a phone
LABELS, COUNTS = 190, 90  # the width of the two columns of words
FONT = 13
LABEL_SHOWN, TITLE_SHOWN = 26, 60
BARS_SHOWN = 25
CHARTS_SHOWN = 8
HEIGHT_MOST = CHARTS_SHOWN * (TOP + ROW * BARS_SHOWN) + EDGE
INK, FAINT, FILL, PAPER = "#1d1c1d", "#616061", "#1264a3", "#ffffff"
SCALE = 2  # pixels of the PNG for each unit


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: str


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text, its middle at `y`; `anchor` is where `x` is in it: start or end."""

    x: float
    y: float
    text: str
    colour: str
    anchor: str = "start"
    size: int = FONT


def height_of(charts: Sequence[Chart]) -> int:
    """How high the picture of these charts is."""
    return sum(TOP + ROW * len(chart.shortened(BARS_SHOWN).bars) for chart in charts[:CHARTS_SHOWN]) + EDGE


def shapes(charts: Sequence[Chart], width: int = WIDTH) -> Iterator[Box | Words]:
    """Every chart under the one before: a title, then a bar for each value."""
    y = 0.0
    yield Box(0, 0, width, height_of(charts), PAPER)
    room = width - LABELS - COUNTS - 2 * EDGE
    for chart in charts[:CHARTS_SHOWN]:
        yield Words(EDGE, y + TOP / 2 + 4, cut(chart.title, TITLE_SHOWN), INK, size=FONT + 3)
        bars = chart.shortened(BARS_SHOWN).bars
        most = max((bar.pages for bar in bars), default=0) or 1
        for place, bar in enumerate(bars):
            yield from _bar(bar, y + TOP + ROW * place, room * bar.pages / most)
        y += TOP + ROW * len(bars)


def _bar(bar: Bar, y: float, length: float) -> Iterator[Box | Words]:
    yield Words(EDGE + LABELS - 8, y + ROW / 2, cut(bar.label, LABEL_SHOWN), INK, "end")
    yield Box(EDGE + LABELS, y + 4, max(length, 1 if bar.pages else 0), ROW - 8, FILL)
    yield Words(EDGE + LABELS + length + 8, y + ROW / 2, number(bar.pages), FAINT)


def to_svg(charts: Sequence[Chart], width: int = WIDTH) -> str:
    """The charts as an SVG document that stands alone; it runs nothing and fetches nothing.

    Within a page its colours are the page's own: paper is the first rectangle, and what is not faint has no colour.
    """
    height = height_of(charts)
    titles = escape("; ".join(cut(chart.title, TITLE_SHOWN) for chart in charts[:CHARTS_SHOWN]))
    body = "\n".join(_element(shape) for shape in shapes(charts, width))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" font-family="sans-serif" font-size="{FONT}" fill="{INK}">'
        f"<title>{titles}</title>\n{body}\n</svg>\n"
    )


def _element(shape: Box | Words) -> str:
    if isinstance(shape, Box):
        size = f'width="{shape.width:.4g}" height="{shape.height}"'
        return f'<rect x="{shape.x}" y="{shape.y}" {size} fill="{shape.colour}"/>'
    said = (
        (' text-anchor="end"', shape.anchor == "end"),
        (f' font-size="{shape.size}"', shape.size != FONT),
        (f' fill="{shape.colour}"', shape.colour != INK),
    )
    style = "".join(attribute for attribute, needed in said if needed)
    return f'<text x="{shape.x:.4g}" y="{shape.y:g}" dy=".35em"{style}>{escape(shape.text)}</text>'


def to_png(charts: Sequence[Chart]) -> bytes:
    """The charts as a PNG, twice as many pixels as units."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (WIDTH * SCALE, height_of(charts) * SCALE), PAPER)
    draw = ImageDraw.Draw(image)
    for shape in shapes(charts):
        if isinstance(shape, Box):
            if shape.width:
                draw.rectangle([side * SCALE for side in _corners(shape)], fill=shape.colour)
        else:
            font = ImageFont.load_default(shape.size * SCALE)
            anchor = "lm" if shape.anchor == "start" else "rm"
            draw.text((shape.x * SCALE, shape.y * SCALE), shape.text, shape.colour, font=font, anchor=anchor)
    packed = BytesIO()
    image.save(packed, "PNG")
    return packed.getvalue()


def _corners(box: Box) -> Iterable[float]:
    return box.x, box.y, box.x + box.width, box.y + box.height
