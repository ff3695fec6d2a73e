"""Words as the tables hold them."""

from __future__ import annotations

import json

import pytest

from mulligan.stores.database import UnreadableError
from mulligan.stores.encoding import decode_tool
from mulligan.types.lesson import ErrorRule


def test_a_rule_that_only_a_later_mulligan_understands_is_left_aside() -> None:
    rules = [{"says": "x", "error_class": "astral"}, {"says": "sold out", "pattern": "sold out"}]
    text = json.dumps(
        {"tool": "seats", "effect": "read", "repeat": "once", "mode": "auto", "error_rules": rules}
    )

    tool = decode_tool(text)

    assert tool.error_rules == (ErrorRule(says="sold out", pattern="sold out"),)


def test_damage_is_told_with_the_field_that_is_missing() -> None:
    with pytest.raises(
        UnreadableError, match=r"A declared tool .* missing required field `effect`"
    ):
        decode_tool(json.dumps({"tool": "seats"}))
