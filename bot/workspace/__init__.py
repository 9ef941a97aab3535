"""A local stand-in for a Slack workspace, which an unmodified Slack app talks to. The demo and the tests run on it."""

from bot.workspace.faults import ANSWER_LOST, HTTP_500_HTML, NOT_JSON, RESET, TIMEOUT, FaultKind
from bot.workspace.model import Ack, Call, Change, Delivery, Message, Unfurl, View
from bot.workspace.workspace import Workspace

__all__ = [
    "ANSWER_LOST",
    "HTTP_500_HTML",
    "NOT_JSON",
    "RESET",
    "TIMEOUT",
    "Ack",
    "Call",
    "Change",
    "Delivery",
    "FaultKind",
    "Message",
    "Unfurl",
    "View",
    "Workspace",
]
