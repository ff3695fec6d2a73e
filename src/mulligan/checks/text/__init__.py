"""Checks of text: length, words, sections, structure. Markdown-aware, and linear in length."""

from __future__ import annotations

from mulligan.checks.text.call_to_action import call_to_action
from mulligan.checks.text.ending import ends_with
from mulligan.checks.text.follow_ups import follow_ups
from mulligan.checks.text.length import LengthUnit, length
from mulligan.checks.text.small_talk import is_small_talk
from mulligan.checks.text.structure import list_items, structure
from mulligan.checks.text.vocabulary import avoids, mentions, retired

__all__ = [
    "LengthUnit",
    "avoids",
    "call_to_action",
    "ends_with",
    "follow_ups",
    "is_small_talk",
    "length",
    "list_items",
    "mentions",
    "retired",
    "structure",
]
