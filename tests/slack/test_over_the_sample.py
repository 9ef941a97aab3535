from __future__ import annotations

import pytest

from bot.index.sample import EXAMPLES
from bot.inspection.pipeline import Inspector
from bot.render import actions
from bot.workspace import Message
from tests.slack.running import GENERAL, Running, running
from tests.store.both import on_both_stores


def buttons(message: Message) -> list[str]:
    elements = [element for block in message.blocks if block["type"] == "actions" for element in block["elements"]]
    return [element["action_id"] for element in elements]


async def click_all(bot: Running, message: Message) -> None:
    for action_id in buttons(message):
        await bot.ws.click(message, action_id)
        await bot.settled()


@on_both_stores
@pytest.mark.parametrize("name", EXAMPLES)
async def test_slack_takes_every_payload_of_every_flow(name: str, inspector: Inspector) -> None:
    """The sample's examples by command, paste and mention, and through every button that these answers have."""
    url = EXAMPLES[name]
    async with running(inspector=inspector) as bot:
        await bot.ws.slash("/inspect", url)
        [whole] = await bot.settled()
        await bot.ws.post(GENERAL, url)
        [_, short] = await bot.settled()
        await bot.ws.post(GENERAL, url, mention=True)
        await bot.settled()
        await click_all(bot, whole)
        await click_all(bot, short)
        refused = [(call.method, call.error, call.problems) for call in bot.ws.calls if not call.ok]
        answers = bot.replies()

    assert refused == []
    assert {actions.ACTION_RAW, actions.ACTION_RECHECK} <= set(buttons(whole))
    assert len(answers) == 3 + buttons(short).count(actions.ACTION_FILTERS)
