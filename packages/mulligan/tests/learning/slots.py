"""Counted episodes for the tests of probabilities."""

from __future__ import annotations

from datetime import date

from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import EpisodeSlot, Group, Origin

TODAY = date(2026, 11, 15)


def slot(**fields: object) -> EpisodeSlot:
    told = {
        "day": TODAY,
        "tenant": "",
        "principal": "",
        "tool": "t",
        "error_class": ErrorClass.VALIDATION,
        "source": Origin.SCHEMA,
        "kinds": "coerce",
        "group": Group.TREATED,
        "taken": True,
        "helped": True,
        "repaired": True,
    }
    return EpisodeSlot(**{**told, **fields})  # type: ignore[arg-type]
