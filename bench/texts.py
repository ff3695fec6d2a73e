"""Replies as an assistant writes them, with the context they rest on. Drawn anew for each block."""

from __future__ import annotations

import random
from dataclasses import dataclass

_TEXT = (
    "our team plans builds tests and ships websites shops apps for small firms with clear steps "
    "short talks honest reports weekly reviews simple terms careful handover training support "
    "design copy photos search speed access privacy hosting backups updates monitoring advice"
)
_WORDS = _TEXT.split()
_ASKED = ("How long does it take?", "What does support include?", "Can we start small?",
          "Who will work with us?", "Where is the data kept?")  # fmt: skip
SLIPS = ("none", "unwanted word", "retired term", "other number", "no follow-ups")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One reply to check."""

    text: str
    context: str


def sample_replies(n: int, *, size: int, seed: int) -> list[Sample]:
    """Replies of about `size` characters: Markdown, figures, a section of questions, some slips."""
    chance = random.Random(f"replies {size} {seed}")
    return [_sample(chance, size) for _ in range(n)]


def _sample(chance: random.Random, size: int) -> Sample:
    figures = [chance.randrange(20, 900) for _ in range(6)]
    context = " ".join(f"{_sentence(chance)} It is {each} in all." for each in figures)
    slip = chance.choice(SLIPS)
    parts = [f"## {_sentence(chance)}", ""]
    written = 0
    while written < size - 400:
        part = _list(chance) if chance.random() < 0.3 else _paragraph(chance, figures)
        parts += [part, ""]
        written += len(part) + 2
    parts.append(_slipped(slip))
    parts.append(f"It costs ${figures[0]} a month, so contact us for a consultation.")
    if slip != "no follow-ups":
        parts += ["", "**You might also want to know:**", ""]
        parts += [f"- {question}" for question in chance.sample(_ASKED, k=3)]
    return Sample(text="\n".join(parts), context=f"{context} The price is ${figures[0]}.")


def _slipped(slip: str) -> str:
    return {
        "unwanted word": "Let us delve into it.",
        "retired term": "This was our digital transformation offer.",
        "other number": "We have 9876 happy clients.",
    }.get(slip, "All is well.")


def _paragraph(chance: random.Random, figures: list[int]) -> str:
    said = [_sentence(chance) for _ in range(chance.randrange(2, 5))]
    said.append(f"We have {chance.choice(figures)} of them, see [here](#part) for **more**.")
    return " ".join(said)


def _list(chance: random.Random) -> str:
    return "\n".join(f"- {_sentence(chance)}" for _ in range(chance.randrange(3, 6)))


def _sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(_WORDS, k=chance.randrange(6, 14))).capitalize() + "."
