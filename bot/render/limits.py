"""Slack's numbers, each once, each with the page of Slack's documentation that it obeys.

A `Limit` is an int: `text[:SECTION_TEXT]` and `len(rows) > TABLE_ROWS` read as they should. Renderers cut by these
numbers and `bot.workspace` refuses by them, so what one allows the other takes.
"""

from __future__ import annotations

import unicodedata

DOCS = "https://docs.slack.dev/"
EMPTY = "–"  # what stands for nothing: Slack refuses an empty text

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}  # https://docs.slack.dev/messaging/formatting-message-text


class Limit(int):
    """A largest number, and the URL of the page that gives it."""

    page: str

    def __new__(cls, maximum: int, page: str) -> Limit:
        """`page` is a path below `DOCS`, or a whole URL where Slack publishes no page."""
        limit = super().__new__(cls, maximum)
        limit.page = page if page.startswith("https://") else DOCS + page
        return limit


BLOCKS, ELEMENTS, OBJECTS = (
    f"reference/block-kit/{kind}/" for kind in ("blocks", "block-elements", "composition-objects")
)

# messages
MESSAGE_BLOCKS = Limit(50, "reference/block-kit/blocks")
MESSAGE_TEXT = Limit(40_000, "reference/methods/chat.postMessage")
MESSAGE_TEXT_ADVISED = Limit(4_000, "reference/methods/chat.postMessage")
MARKDOWN_TEXT = Limit(12_000, "reference/methods/chat.postMessage")
ATTACHMENTS = Limit(100, "reference/methods/chat.postMessage")
# Slack refuses longer ones with `msg_blocks_too_long` and publishes no number. Measured by others: escaped text, plus
# some 100 characters for a header and 45 for any other block, against 13,200.
BLOCKS_TOTAL = Limit(13_200, "https://github.com/slackapi/bolt-js/issues/2509")
BLOCK_COST = Limit(45, "https://github.com/slackapi/bolt-js/issues/2867")
HEADER_COST = Limit(100, "https://github.com/slackapi/bolt-js/issues/2867")

# what every block and element shares
BLOCK_ID = Limit(255, "reference/block-kit/blocks")
ACTION_ID = Limit(255, "reference/block-kit/block-elements")
TEXT_OBJECT = Limit(3_000, OBJECTS + "text-object")
URL = Limit(3_000, ELEMENTS + "button-element")

# blocks
SECTION_TEXT = Limit(3_000, BLOCKS + "section-block")
SECTION_FIELDS = Limit(10, BLOCKS + "section-block")
SECTION_FIELD = Limit(2_000, BLOCKS + "section-block")
HEADER_TEXT = Limit(150, BLOCKS + "header-block")
HEADER_LEVEL = Limit(4, BLOCKS + "header-block")
CONTEXT_ELEMENTS = Limit(10, BLOCKS + "context-block")
ACTIONS_ELEMENTS = Limit(25, BLOCKS + "actions-block")
CONTEXT_ACTIONS_ELEMENTS = Limit(5, BLOCKS + "context-actions-block")
INPUT_LABEL = Limit(2_000, BLOCKS + "input-block")
IMAGE_ALT_TEXT = Limit(2_000, BLOCKS + "image-block")
IMAGE_TITLE = Limit(2_000, BLOCKS + "image-block")
MARKDOWN_TOTAL = Limit(12_000, BLOCKS + "markdown-block")  # over all markdown blocks of a message
TABLES = Limit(1, BLOCKS + "table-block")
TABLE_ROWS = Limit(100, BLOCKS + "table-block")
TABLE_CELLS = Limit(20, BLOCKS + "table-block")
TABLE_TOTAL = Limit(10_000, BLOCKS + "table-block")  # over all cells of a message
DATA_TABLE_ROWS = Limit(201, BLOCKS + "data-table-block")  # the header counts
DATA_TABLE_PAGE = Limit(100, BLOCKS + "data-table-block")
DATA_TABLE_TOTAL = Limit(20_000, BLOCKS + "data-table-block")
VISUALIZATIONS = Limit(2, BLOCKS + "data-visualization-block")
VISUALIZATION_TITLE = Limit(50, BLOCKS + "data-visualization-block")
VISUALIZATION_SERIES = Limit(12, BLOCKS + "data-visualization-block")
VISUALIZATION_POINTS = Limit(20, BLOCKS + "data-visualization-block")
VISUALIZATION_LABEL = Limit(20, BLOCKS + "data-visualization-block")
ALERT_TEXT = Limit(200, BLOCKS + "alert-block")
CARD_TITLE = Limit(150, BLOCKS + "card-block")
CARD_BODY = Limit(200, BLOCKS + "card-block")
CARD_ACTIONS = Limit(3, BLOCKS + "card-block")
CAROUSEL_CARDS = Limit(10, BLOCKS + "carousel-block")
CONTAINER_TITLE = Limit(150, BLOCKS + "container-block")
CONTAINER_BLOCKS = Limit(10, BLOCKS + "container-block")
PLAN_TASKS = Limit(50, BLOCKS + "plan-block")
VIDEO_TITLE = Limit(200, BLOCKS + "video-block")
VIDEO_AUTHOR = Limit(50, BLOCKS + "video-block")

# elements and what they are composed of
BUTTON_TEXT = Limit(75, ELEMENTS + "button-element")
BUTTON_VALUE = Limit(2_000, ELEMENTS + "button-element")
BUTTON_LABEL = Limit(75, ELEMENTS + "button-element")  # accessibility_label
OVERFLOW_OPTIONS = Limit(5, ELEMENTS + "overflow-menu-element")
SELECT_OPTIONS = Limit(100, ELEMENTS + "select-menu-element")
CHOICES = Limit(10, ELEMENTS + "checkboxes-element")  # checkboxes and radio buttons
PLACEHOLDER = Limit(150, ELEMENTS + "select-menu-element")
INPUT_LENGTH = Limit(3_000, ELEMENTS + "plain-text-input-element")
INPUT_FILES = Limit(10, ELEMENTS + "file-input-element")
OPTION_TEXT = Limit(75, OBJECTS + "option-object")
OPTION_VALUE = Limit(150, OBJECTS + "option-object")
CONFIRM_TITLE = Limit(100, OBJECTS + "confirmation-dialog-object")
CONFIRM_TEXT = Limit(300, OBJECTS + "confirmation-dialog-object")
CONFIRM_BUTTON = Limit(30, OBJECTS + "confirmation-dialog-object")

# modals and Home
VIEW_BLOCKS = Limit(100, "reference/block-kit/blocks")
VIEW_TITLE = Limit(24, "reference/views/modal-views")  # title, submit and close
VIEW_ID = Limit(255, "reference/views/modal-views")  # callback_id and external_id
PRIVATE_METADATA = Limit(3_000, "reference/views/modal-views")
VIEW_STACK = Limit(3, "surfaces/modals")

# what may be sent when
RESPONSE_URL_USES = Limit(5, "interactivity/handling-user-interaction")
RESPONSE_URL_SECONDS = Limit(30 * 60, "interactivity/handling-user-interaction")
TRIGGER_SECONDS = Limit(3, "interactivity/handling-user-interaction")
ACK_SECONDS = Limit(3, "interactivity/implementing-slash-commands")


def escape_mrkdwn(text: str) -> str:
    """`text` so that Slack shows it as it is: exactly `&`, `<` and `>` become entities.

    >>> escape_mrkdwn("a<b> & c")
    'a&lt;b&gt; &amp; c'
    """
    return "".join(ENTITIES.get(character, character) for character in text)


def cut(text: str, limit: int) -> str:
    """`text` in at most `limit` characters, ending in "…" where something was cut, and never empty.

    What is drawn as one sign stays whole, and so does an entity: `cut(escape_mrkdwn(text), limit)` is always right.

    >>> cut("abcdef", 4), cut("ab", 4), cut("", 4), cut("ab&amp;c", 6)
    ('abc…', 'ab', '–', 'ab…')
    """
    if len(text) <= limit:
        return text or EMPTY
    end = limit - 1
    while end > 0 and _joined(text[end - 1], text[end]):
        end -= 1
    return text[: _before_entity(text, end or limit - 1)] + "…"


def _joined(left: str, right: str) -> bool:
    """Do two neighbours belong to one sign? Combining marks, joiners, variation selectors, skin tones, surrogates."""
    if "\ud800" <= left <= "\udbff" or left == "\u200d":
        return True
    return (
        right == "\u200d" or unicodedata.category(right) in ("Mn", "Me", "Mc") or "\U0001f3fb" <= right <= "\U0001f3ff"
    )


def _before_entity(text: str, end: int) -> int:
    """Where to end so that no `&amp;`, `&lt;` or `&gt;` is halved."""
    start = text.rfind("&", max(0, end - 4), end)
    halved = start >= 0 and any(
        text.startswith(entity, start) and start + len(entity) > end for entity in ENTITIES.values()
    )
    return start if halved else end
