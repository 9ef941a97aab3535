"""The one place where the policy is applied to what Slack brings: after it is known to be Slack's, before any listener.

Who is refused hears it once: in the acknowledgement of a command or a form, else in a line for them alone. A message
that is to nobody, or to somebody else, stays without a word. The log has ids, and nothing of what was asked.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse

from bot import metrics
from bot.errors import NotAllowed
from bot.policy import Asker, Policy, Refusal
from bot.render.actions import RAW_ACTIONS
from bot.slack import wording

log = logging.getLogger(__name__)

Json = Mapping[str, Any]
Tell = Callable[[Json, str | None, str], None]  # a request's body, the bot's user id, and the sentence for its asker


class Admission:
    """Lets requests through to the listeners, or tells their askers why not."""

    def __init__(self, policy: Policy, tell: Tell) -> None:
        self._policy = policy
        self._tell = tell

    async def let_in(
        self, body: Json, context: AsyncBoltContext, ack: AsyncAck, next: Callable[[], Awaitable[None]]
    ) -> BoltResponse | None:
        """Bolt's middleware, after the one that enters the workspace."""
        asker = asker_of(body, context)
        refusal = self._refusal(asker, body) if asker else None
        if asker is None or refusal is None:
            await next()
            return None
        note(refusal, asker)
        acknowledgement = _acknowledgement(body, refusal.sentence)
        if acknowledgement is None:
            self._tell(body, context.bot_user_id, refusal.sentence)
        return await ack(**(acknowledgement or {}))

    def _refusal(self, asker: Asker, body: Json) -> Refusal | None:
        refused = self._policy.refusal(asker)
        raw = any(action.get("action_id") in RAW_ACTIONS for action in body.get("actions") or ())
        return refused or (self._policy.refusal_of_raw(asker.user) if raw else None)


def check_raw(policy: Policy, user: str, channel: str) -> None:
    """Raises NotAllowed where somebody may not see queries and heavy text."""
    if refusal := policy.refusal_of_raw(user):
        note(refusal, Asker(user, channels=frozenset({channel})))
        raise NotAllowed(refusal.sentence)


def note(refusal: Refusal, asker: Asker) -> None:
    """Count a refusal, and log whose it was."""
    metrics.refused(refusal.by)
    teams = sorted({name for names in asker.workspaces for name in names})
    log.info(
        "refused by %s: user %r, workspaces %r, channels %r", refusal.by, asker.user, teams, sorted(asker.channels)
    )


def asker_of(body: Json, context: AsyncBoltContext) -> Asker | None:
    """Who asks, and where; None where nobody does, as where a workspace removes the app."""
    event, user = body.get("event") or {}, context.user_id
    if not user:
        return None
    container, view = body.get("container") or {}, body.get("view") or {}
    places = [context.channel_id, container.get("channel_id"), event.get("channel") or event.get("channel_id")]
    places += [place["channel_id"] for place in body.get("response_urls") or ()]
    return Asker(
        user,
        workspaces=_workspaces(body, context),
        channels=frozenset(place for place in places if place and isinstance(place, str)),
        in_window=view.get("type") == "modal",
    )


def _workspaces(body: Json, context: AsyncBoltContext) -> tuple[frozenset[str], ...]:
    """The workspace that was asked, that of the asker as Bolt finds it, and as a click says it."""
    asked = _names(context.team_id, context.enterprise_id)
    actor = _names(context.actor_team_id, context.actor_enterprise_id)
    user = body.get("user")
    own = user.get("team_id") if isinstance(user, Mapping) else None
    return (asked, actor) if own in (None, context.team_id) else (asked, actor, _names(own))


def _names(*ids: object) -> frozenset[str]:
    return frozenset(name for name in ids if isinstance(name, str) and name)


def _acknowledgement(body: Json, sentence: str) -> dict[str, Any] | None:
    """What Slack shows of it, or need not show; None where a line of its own must tell it."""
    if body.get("command"):
        return {"text": sentence, "response_type": "ephemeral", "unfurl_links": False, "unfurl_media": False}
    by_type: Mapping[str, dict[str, Any]] = {
        "view_submission": {
            "response_action": "update",
            "view": wording.sentence_view(wording.REFUSED_TITLE, sentence),
        },
        "view_closed": {},
        "block_suggestion": {"options": []},
    }
    return by_type.get(str(body.get("type")))
