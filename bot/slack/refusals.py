"""What Slack says when it takes something not, as a DeliveryFailed by Slack's own name for the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from bot.errors import DeliveryFailed

_ERROR_NAME = re.compile(r"[a-z_]{3,60}")


def check_webhook(response: Any) -> None:
    """slack_sdk returns normally whatever a response_url says. Raises DeliveryFailed."""
    if response.status_code != 200:
        raise failure_of(response)


def failure_of(response: Any) -> DeliveryFailed:
    """What Slack said, from whatever slack_sdk made of it: a parsed answer, a webhook's text, an HTTP response."""
    status = getattr(response, "status_code", None) or getattr(response, "status", None)
    said = getattr(response, "data", None)
    if said is None:
        said = getattr(response, "body", None)
    answer = _parsed(said)
    messages = (answer.get("response_metadata") or {}).get("messages") or answer.get("errors") or []
    return DeliveryFailed(str(answer.get("error") or f"http_{status}"), "; ".join(map(str, messages)))


def _parsed(said: Any) -> Mapping[str, Any]:
    if isinstance(said, Mapping):
        return said
    text = said if isinstance(said, str) else ""
    if _ERROR_NAME.fullmatch(text.strip()):
        return {"error": text.strip()}
    try:
        parsed = json.loads(text)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, Mapping) else {}
