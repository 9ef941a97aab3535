"""Text objects, options, confirmation dialogs and interactive elements, as rows of shapes.

https://docs.slack.dev/reference/block-kit/block-elements and …/composition-objects
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.render import limits
from bot.workspace.checks import (
    Check,
    Problem,
    Shape,
    anything,
    boolean,
    either,
    many,
    number,
    one_of,
    string,
    typed,
    whole,
    wrong,
)


def plain(longest: int) -> Check:
    """A plain_text object."""
    return typed({"plain_text": _text_shape("plain_text", "emoji", longest)})


def text(longest: int) -> Check:
    """A plain_text or mrkdwn object."""
    return typed(
        {
            "plain_text": _text_shape("plain_text", "emoji", longest),
            "mrkdwn": _text_shape("mrkdwn", "verbatim", longest),
        }
    )


def _text_shape(kind: str, flag: str, longest: int) -> Shape:
    return Shape({"type": one_of(kind), "text": string(longest), flag: boolean}, ("type", "text"))


CONFIRM = Shape(
    {
        "title": plain(limits.CONFIRM_TITLE),
        "text": text(limits.CONFIRM_TEXT),
        "confirm": plain(limits.CONFIRM_BUTTON),
        "deny": plain(limits.CONFIRM_BUTTON),
        "style": one_of("primary", "danger"),
    },
    ("title", "text", "confirm", "deny"),
)


def option(words: Check, **more: Check) -> Shape:
    """An option; overflow menus add a url, checkboxes and radio buttons take mrkdwn."""
    return Shape({"text": words, "value": string(limits.OPTION_VALUE), "description": words, **more}, ("text", "value"))


OPTION = option(plain(limits.OPTION_TEXT))
CHOICE = option(text(limits.OPTION_TEXT))
OVERFLOW_OPTION = option(plain(limits.OPTION_TEXT), url=string(limits.URL))
OPTIONS = many(OPTION, limits.SELECT_OPTIONS)
OPTION_GROUPS = many(
    Shape({"label": plain(limits.OPTION_TEXT), "options": OPTIONS}, ("label", "options")), limits.SELECT_OPTIONS
)
DISPATCH = Shape(
    {"trigger_actions_on": many(one_of("on_enter_pressed", "on_character_entered"), 2)}, ("trigger_actions_on",)
)
SLACK_FILE = Shape({"id": string(), "url": string()}, rules=(either("id", "url", both=False),))
IMAGE_FIELDS: Mapping[str, Check] = {
    "type": one_of("image"),
    "alt_text": string(limits.IMAGE_ALT_TEXT),
    "image_url": string(limits.URL),
    "slack_file": SLACK_FILE,
}
IMAGE_SOURCE = either("image_url", "slack_file", both=False)
IMAGE = Shape(IMAGE_FIELDS, ("alt_text",), (IMAGE_SOURCE,))


def element(required: tuple[str, ...] = (), rules: tuple[Check, ...] = (), **fields: Check) -> Shape:
    """An interactive element: what all of them share, and its own fields."""
    shared: dict[str, Check] = {
        "type": anything,
        "action_id": string(limits.ACTION_ID),
        "confirm": CONFIRM,
        "focus_on_load": boolean,
    }
    return Shape({**shared, **fields}, required, rules)


def typed_into(required: tuple[str, ...] = (), **fields: Check) -> Shape:
    """An element that people type into."""
    return element(
        required,
        (),
        placeholder=plain(limits.PLACEHOLDER),
        initial_value=string(shortest=0),
        dispatch_action_config=DISPATCH,
        **fields,
    )


def select(rules: tuple[Check, ...] = (), **fields: Check) -> tuple[Shape, Shape]:
    """A select menu for one, and for several (which adds `max_selected_items`)."""
    shared: dict[str, Check] = {"placeholder": plain(limits.PLACEHOLDER), **fields}
    several = {**shared, "max_selected_items": whole(1, limits.SELECT_OPTIONS)}
    return element((), rules, **shared), element((), rules, **several)


def _chosen_stands(value: Any, at: str) -> Iterator[Problem]:
    """What is chosen at first must be one of the options."""
    options = value.get("options")
    several = value.get("initial_options")
    chosen = [*(several if isinstance(several, list) else ()), *filter(None, (value.get("initial_option"),))]
    if isinstance(options, list) and any(choice not in options for choice in chosen):
        yield wrong("initial option must be one of the options", at)


_STATIC, _MULTI_STATIC = select(
    rules=(either("options", "option_groups", both=False), _chosen_stands),
    options=OPTIONS,
    option_groups=OPTION_GROUPS,
    initial_option=OPTION,
    initial_options=many(OPTION),
)
_EXTERNAL, _MULTI_EXTERNAL = select(min_query_length=whole(0, 255), initial_option=OPTION, initial_options=many(OPTION))
_USERS, _MULTI_USERS = select(initial_user=string(), initial_users=many(string()))
_CONVERSATIONS, _MULTI_CONVERSATIONS = select(
    initial_conversation=string(),
    initial_conversations=many(string()),
    default_to_current_conversation=boolean,
    response_url_enabled=boolean,
    filter=anything,
)
_CHANNELS, _MULTI_CHANNELS = select(
    initial_channel=string(), initial_channels=many(string()), response_url_enabled=boolean
)
_CHOICES = many(CHOICE, limits.CHOICES)
_BUTTON_WORDS = plain(limits.BUTTON_TEXT)
_BUTTON_VALUE = string(limits.BUTTON_VALUE)
_FEEDBACK = Shape(
    {"text": _BUTTON_WORDS, "value": _BUTTON_VALUE, "accessibility_label": string(limits.BUTTON_LABEL)},
    ("text", "value"),
)

ELEMENTS: Mapping[str, Shape] = {
    "button": element(
        ("text",),
        text=_BUTTON_WORDS,
        value=_BUTTON_VALUE,
        url=string(limits.URL),
        style=one_of("primary", "danger"),
        accessibility_label=string(limits.BUTTON_LABEL),
    ),
    "overflow": element(("options",), options=many(OVERFLOW_OPTION, limits.OVERFLOW_OPTIONS)),
    "checkboxes": element(("options",), (_chosen_stands,), options=_CHOICES, initial_options=_CHOICES),
    "radio_buttons": element(("options",), (_chosen_stands,), options=_CHOICES, initial_option=CHOICE),
    "static_select": _STATIC,
    "multi_static_select": _MULTI_STATIC,
    "external_select": _EXTERNAL,
    "multi_external_select": _MULTI_EXTERNAL,
    "users_select": _USERS,
    "multi_users_select": _MULTI_USERS,
    "conversations_select": _CONVERSATIONS,
    "multi_conversations_select": _MULTI_CONVERSATIONS,
    "channels_select": _CHANNELS,
    "multi_channels_select": _MULTI_CHANNELS,
    "datepicker": element(placeholder=plain(limits.PLACEHOLDER), initial_date=string()),
    "timepicker": element(placeholder=plain(limits.PLACEHOLDER), initial_time=string(), timezone=string()),
    "datetimepicker": element(initial_date_time=number),
    "plain_text_input": typed_into(
        multiline=boolean,
        min_length=whole(0, limits.INPUT_LENGTH),
        max_length=whole(1, limits.INPUT_LENGTH),
    ),
    "email_text_input": typed_into(),
    "url_text_input": typed_into(),
    "number_input": typed_into(
        ("is_decimal_allowed",), is_decimal_allowed=boolean, min_value=string(), max_value=string()
    ),
    "rich_text_input": element(
        placeholder=plain(limits.PLACEHOLDER), initial_value=anything, dispatch_action_config=DISPATCH
    ),
    "file_input": element(filetypes=many(string()), max_files=whole(1, limits.INPUT_FILES)),
    "feedback_buttons": element(
        ("positive_button", "negative_button"), positive_button=_FEEDBACK, negative_button=_FEEDBACK
    ),
    "icon_button": element(
        ("icon", "text"),
        icon=one_of("trash"),
        text=_BUTTON_WORDS,
        value=_BUTTON_VALUE,
        accessibility_label=string(limits.BUTTON_LABEL),
        visible_to_user_ids=many(string()),
    ),
    "workflow_button": element(("text", "workflow"), text=_BUTTON_WORDS, workflow=anything, style=anything),
}

# Where an element may stand. https://docs.slack.dev/reference/block-kit/block-elements
SELECTS = tuple(name for name in ELEMENTS if name.endswith("_select"))
PICKERS = ("datepicker", "timepicker", "datetimepicker")
IN_ACTIONS = (
    "button",
    "overflow",
    "checkboxes",
    "radio_buttons",
    "workflow_button",
    *PICKERS,
    *SELECTS,
    "rich_text_input",
)
IN_INPUT = (
    "plain_text_input",
    "email_text_input",
    "url_text_input",
    "number_input",
    "rich_text_input",
    "file_input",
    "checkboxes",
    "radio_buttons",
    *PICKERS,
    *SELECTS,
)
IN_CONTEXT_ACTIONS = ("feedback_buttons", "icon_button")

# Elements that do not stand on every surface.
SURFACES_OF: Mapping[str, tuple[str, ...]] = {
    "datetimepicker": ("message", "modal"),
    "email_text_input": ("modal",),
    "number_input": ("modal",),
    "url_text_input": ("modal",),
    "file_input": ("modal",),
    "rich_text_input": ("modal", "home"),
    "feedback_buttons": ("message",),
    "icon_button": ("message",),
    "workflow_button": ("message",),
}
