"""What a reader of the pages may see of queries and heavy text. Who they are is known by the sign-in alone."""

from __future__ import annotations

from dataclasses import replace

from aiohttp import web

from bot import metrics
from bot.errors import NotAllowed
from bot.inspection.model import Inspection
from bot.links import Links
from bot.policy import Policy, Refusal
from bot.web.answers import Handler
from bot.web.sign_in import SignIn


class Readers:
    """Applies the policy to pages, as `bot.slack.admission` does to requests of Slack's."""

    def __init__(self, policy: Policy, sign_in: SignIn | None) -> None:
        self._policy = policy
        self._sign_in = sign_in

    def sees_raw(self, request: web.Request) -> bool:
        """Are queries and heavy text shown to this reader?"""
        return self._refusal(request) is None

    def for_raw(self, handler: Handler) -> Handler:
        """A page of nothing else. Raises NotAllowed before anything is asked of the index."""

        async def answer(request: web.Request) -> web.StreamResponse:
            if refusal := self._refusal(request):
                metrics.refused(refusal.by)
                raise NotAllowed(refusal.sentence)
            return await handler(request)

        return answer

    def links(self, request: web.Request, links: Links) -> Links:
        """The links that a page of this reader's may hold."""
        return links if self.sees_raw(request) else links.without_heavy()

    def inspection(self, request: web.Request, inspection: Inspection) -> Inspection:
        """What a page shows of an inspection: the steps say what was asked where that is theirs."""
        if self.sees_raw(request):
            return inspection
        steps = [replace(step, query=None, parameters=None, curl=None, response=None) for step in inspection.steps]
        return replace(inspection, steps=tuple(steps))

    def _refusal(self, request: web.Request) -> Refusal | None:
        return self._policy.refusal_of_raw(self._sign_in.reader(request) if self._sign_in else None)
