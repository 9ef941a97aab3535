"""The ids of everything that can be clicked: builders and listeners both take them from here."""

from __future__ import annotations

ACTION_REPORT = "report"  # a link; Slack still sends the click, and it must be acknowledged
ACTION_TEXT = "page_text"
ACTION_RAW = "raw_queries"
ACTION_RECHECK = "recheck"
ACTION_FILTERS = "filters"
ACTION_EXAMPLE = "example"  # inspects a page that stands for others
ACTION_SHARE = "share"
ACTION_PREVIOUS = "page_previous"  # value: the number of the page to show, from 1
ACTION_NEXT = "page_next"
ACTION_FILE = "text_file"  # the whole text that a modal shows, as a file into the thread
ACTION_LOOKUP = "lookup"  # opens the form for one page
ACTION_HOME = "home_refresh"
ACTION_CANCEL = "list_cancel"  # value: which list
ACTION_UNWATCH = "unwatch"  # value: the number of a watch

# What shows queries or heavy text: an installation may limit it to some people.
RAW_ACTIONS = frozenset({ACTION_TEXT, ACTION_RAW, ACTION_PREVIOUS, ACTION_NEXT, ACTION_FILE})

VIEW_LOOKUP = "lookup_view"
VIEW_SETTINGS = "settings_view"
VIEW_TEXT = "page_text_view"

LABELS = {
    ACTION_REPORT: "Full report",
    ACTION_TEXT: "Page text",
    ACTION_RAW: "Raw queries",
    ACTION_RECHECK: "Recheck",
    ACTION_FILTERS: "Filter table",
    ACTION_EXAMPLE: "Inspect",
    ACTION_SHARE: "Share to channel",
    ACTION_PREVIOUS: "Previous",
    ACTION_NEXT: "Next",
    ACTION_FILE: "Send as a file",
    ACTION_LOOKUP: "Look up a page",
    ACTION_HOME: "Refresh",
    ACTION_CANCEL: "Cancel",
    ACTION_UNWATCH: "Stop watching",
}
