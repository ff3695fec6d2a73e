"""One thing an error holds against an argument."""

from __future__ import annotations

from enum import StrEnum

from mulligan.core.runtime.dataclass import dataclass


class ComplaintKind(StrEnum):
    """What a complaint is about."""

    MISSING = "missing"
    UNEXPECTED = "unexpected"
    DOMAIN = "domain"
    MOST = "most"
    LEAST = "least"
    TYPE = "type"
    FORM = "form"
    UNIT = "unit"
    REST = "rest"
    """Something is left over of a value once its form was read."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """What an error says of one argument."""

    about: ComplaintKind
    subject: str
    """The argument, by its name, by a path with dots, or by the value that was refused."""
    wanted: tuple[str, ...] = ()
    """The domain, the bound, the type or the form that is asked for."""
