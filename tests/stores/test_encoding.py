"""Words as the tables hold them."""

from __future__ import annotations

import json

from mulligan.core.suggestion import ErrorRule
from mulligan.stores.encoding import decode_tool


def test_a_rule_that_only_a_later_mulligan_understands_is_left_aside() -> None:
    rules = [{"says": "x", "error_class": "astral"}, {"says": "sold out", "pattern": "sold out"}]
    text = json.dumps(
        {"tool": "seats", "effect": "read", "repeat": "once", "mode": "auto", "error_rules": rules}
    )

    tool = decode_tool(text)

    assert tool.error_rules == (ErrorRule(says="sold out", pattern="sold out"),)
