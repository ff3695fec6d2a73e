from __future__ import annotations

import pytest

from mulligan.checks.text import is_small_talk
from mulligan.types.reply import Reply


@pytest.mark.parametrize(
    ("query", "small"),
    [
        ("hi", True),
        ("Hello there!", True),
        ("HEY", True),
        ("Good morning", True),
        ("thanks a lot", True),
        ("Thank you so much!!", True),
        ("ok, great", True),
        ("bye", True),
        ("Hi, how are you?", True),
        ("What’s up", True),
        ("hi hi hi hi hi hi hi hi", True),
        ("hi hi hi hi hi hi hi hi hi", False),
        ("", False),
        ("?", False),
        ("Hi, what does it cost?", False),
        ("thanks, and the price?", False),
        ("how are you doing the migration", False),
        ("you", False),
        ("is it good", False),
        ("Hallo", False),
    ],
)
def test_only_a_message_that_asks_for_nothing_is_small_talk(query: str, small: bool) -> None:
    assert is_small_talk(Reply(text="", query=query)) is small
