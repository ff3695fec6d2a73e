"""What a judge is asked, and how a model gets to read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import timedelta
from typing import Generic, TypeVar

from mulligan.core.display.quoted import Ours
from mulligan.core.runtime.dataclass import dataclass

A = TypeVar("A")
"""The answer: a frozen dataclass that a model's words are parsed into."""


PIECE = 1_800
"""Bytes of what others wrote in one piece, so that none is cut on its way to the model."""


def split_pieces(name: str, text: str) -> dict[str, str]:
    """A text under numbered names, in pieces that end between lines or words where they can."""
    pieces: list[str] = []
    while len(text.encode(errors="replace")) > PIECE:
        room = text.encode(errors="replace")[:PIECE].decode(errors="ignore")
        end = room.rfind("\n") + 1 or room.rfind(" ") + 1 or len(room)
        pieces.append(text[:end])
        text = text[end:]
    return {f"{name} {n}": piece for n, piece in enumerate([*pieces, text], start=1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Generic[A]):
    """One question to a judge, with the type of its answer."""

    prompt: str
    """Name of a prompt file."""
    own_prompt: str = field(default="", repr=False)
    """The wording that stands in its place; `adapt_template` of `prompts` says how."""
    values: Mapping[str, Ours] = field(default_factory=dict, repr=False)
    """What fills the placeholders of the prompt: one for each, and no more. It stands unfenced."""
    untrusted: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What others wrote, by a name for each: fenced, cut, last, and never an instruction."""
    answer: type[A]
    purpose: str
    """A few words for the log: what the answer is for."""
    timeout: timedelta | None = None
    """How long the answer may take, where nobody waits for it; `None`: as the judge has it."""
    tenant: str = ""
    """Whose question it is: what one of them makes fail, fails for nobody else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A question as a model gets it."""

    name: str
    version: int
    instructions: str = field(repr=False)
    """Ours alone: no value and nothing untrusted is ever in here."""
    message: str = field(repr=False)
