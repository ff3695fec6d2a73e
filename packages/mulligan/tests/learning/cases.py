"""Failing calls, episodes and lessons that the tests of lessons are about."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Ending, Episode, How, Lesson, Prerequisite, Remedy, Transformation

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def made(argument: str, how: How, **given: object) -> Transformation:
    return Transformation(argument=argument, how=how, given=given)


def changing(*changes: Transformation) -> Remedy:
    return Remedy(changes=changes)


def calling(tool: str, *arguments: Transformation) -> Remedy:
    return Remedy(first=(Prerequisite(tool=tool, arguments=arguments),))


HASHED = changing(made("order_id", How.PREFIX, text="#"))


def episode(number: int, *remedies: Remedy, **fields: Any) -> Episode:
    told: Mapping[str, Any] = {
        "id": f"call-{number}",
        "at": NOW + timedelta(minutes=number),
        "tool": "get_order",
        "schema_hash": "s1",
        "fingerprint": "1:f",
        "error_class": ErrorClass.MISSING,
        "template": "order <value> not found",
        "agent": "desk",
        "principal": f"ann-{number}",
        "turn": f"turn-{number}",
        "ending": Ending.REPAIRED,
        "verified": True,
        "remedies": remedies,
    }
    return Episode(**{**told, **fields})


def lesson(remedy: Remedy = HASHED, **fields: Any) -> Lesson:
    told: Mapping[str, Any] = {
        "id": "lesson-1",
        "version": 1,
        "tool": "get_order",
        "schema_hash": "s1",
        "fingerprint": "1:f",
        "error_class": ErrorClass.MISSING,
        "when": "order <value> not found",
        "statement": "When get_order fails, give order_id with '#' in front.",
        "remedy": remedy,
        "learned_at": NOW,
    }
    return Lesson(**{**told, **fields})
