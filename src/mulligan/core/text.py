"""Text on its way to a person: replies, drafts and what critics say of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Text about to be sent, with the context it must rest on."""

    text: str
    query: str = ""
    context: tuple[str, ...] = ()
    """Retrieved passages and tool results: what the text may claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An answer in progress."""

    text: str
    number: int
    """1 for the first, then one more for each revision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Critique:
    """What a critic says of a draft."""

    score: float
    """0 to 10."""
    issues: tuple[str, ...] = ()
    suggestion: str = ""
    needs_revision: bool = False
