"""What goes to Slack as JSON arrives as it was meant."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.inspection.model import Verdict
from bot.slack.session import to_json


@pytest.mark.parametrize(
    ("payload", "arrives"),
    [
        pytest.param({"text": "é 😀 \u2028 </script>"}, {"text": "é 😀 \u2028 </script>"}, id="any script"),
        pytest.param({"text": "half \ud83d a pair"}, {"text": "half \ud83d a pair"}, id="half a surrogate pair"),
        pytest.param({"n": 2**64}, {"n": 2**64}, id="beyond 64 bits"),
        pytest.param({"verdict": Verdict.INDEXABLE}, {"verdict": "indexable"}, id="a word of ours"),
        pytest.param({"blocks": ({"type": "divider"},)}, {"blocks": [{"type": "divider"}]}, id="a tuple"),
    ],
)
def test_a_payload_arrives_as_it_was_meant(payload: Any, arrives: Any) -> None:
    """Read back by the standard library's decoder."""
    assert json.loads(to_json(payload)) == arrives
