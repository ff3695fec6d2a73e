"""Who writes the replies of an evaluation: a script with typical mistakes, or a recording."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable

from mulligan.checks.text import is_small_talk
from mulligan.evaluation.cases import Case
from mulligan.types.finding import Correction
from mulligan.types.reply import Reply, Written

CHARACTERS_A_TOKEN = 4
"""A rule of thumb, for writers that do not count."""


ReplyFunction = Callable[[Case, Correction | None], str | Written | Awaitable[str | Written]]
"""Writes a reply to a case, told what was wrong with the one before; sync or async."""


def build_replay_writer() -> ReplyFunction:
    """What was recorded, try by try; after the last one, that again."""
    tries: dict[str, int] = {}

    async def write(case: Case, correction: Correction | None) -> Written:
        number = 0 if correction is None else tries[case.id] + 1
        tries[case.id] = min(number, max(len(case.recorded) - 1, 0))
        text = case.recorded[tries[case.id]] if case.recorded else ""
        return Written(text=text, tokens=len(text) // CHARACTERS_A_TOKEN)

    return write


MISTAKES = {
    "unwanted word": ("text.unwanted_word",),
    "retired term": ("text.retired_term", "grounding.name"),
    "other number": ("grounding.",),
    "invented address": ("grounding.email",),
    "no questions": ("text.no_follow_ups",),
    "no next step": ("text.no_call_to_action",),
    "wall of text": ("text.no_list", "text.long_paragraph"),
    "too long": ("text.too_long", "text.no_list", "text.long_paragraph"),
    "too short": ("text.too_short", "text.no_follow_ups", "text.no_call_to_action"),
}
"""What a writer gets wrong, and the rules that notice: told one of them, it mends that mistake."""

ASKED_NEXT = ("When are you open?", "How do I reach you?", "Which boats do you build?",
              "Do you teach rowing?")  # fmt: skip
_FILLER = "We take care of every detail, and we like to talk about it at length. "


class ScriptedWriter:
    """Writes right answers, and in a share of the cases typical mistakes, the same every time.

    Told what is wrong it mends each mistake with the given chance: a model does not always either.
    """

    def __init__(self, *, seed: int = 1, slips: float = 0.5, mends: float = 0.75) -> None:
        self._seed = seed
        self._slips = slips
        self._mends = mends
        self._mistakes: dict[str, set[str]] = {}
        self._chances: dict[str, random.Random] = {}

    async def __call__(self, case: Case, correction: Correction | None) -> Written:
        """One reply; without a correction the case begins anew."""
        if correction is None:
            # The same mistakes every time are what is wanted.
            chance = self._chances[case.id] = random.Random(f"{self._seed} {case.id}")  # noqa: S311
            slips = chance.random() < self._slips
            made = chance.sample(sorted(MISTAKES), k=chance.choice((1, 1, 2))) if slips else ()
            self._mistakes[case.id] = set(made)
        else:
            told = {finding.rule for finding in correction.findings}
            self._mend(self._mistakes[case.id], told, chance=self._chances[case.id])
        text = compose(case, self._mistakes[case.id])
        return Written(text=text, tokens=len(text) // CHARACTERS_A_TOKEN)

    def _mend(self, mistakes: set[str], told: set[str], *, chance: random.Random) -> None:
        for mistake in sorted(mistakes):
            noticed = any(rule.startswith(MISTAKES[mistake]) for rule in told)
            if noticed and chance.random() < self._mends:
                mistakes.discard(mistake)


def compose(case: Case, mistakes: set[str]) -> str:
    """A reply to a case from what a right answer says, with the given mistakes."""
    said = list(case.answer)
    if is_small_talk(Reply(text="", query=case.question)):
        return " ".join(said)
    if "too short" in mistakes:
        return "Yes."
    if "other number" in mistakes:
        said = [re.sub(r"(?<![\d.,])\d+", lambda n: str(int(n[0]) * 7), each) for each in said]
    parts = ["Let's delve into it."] if "unwanted word" in mistakes else []
    if "retired term" in mistakes:
        parts.append("This is part of our digital transformation offer.")
    if "invented address" in mistakes:
        parts.append("Write to sales@brambleandoar-offers.example for details.")
    filler = {"wall of text": 13, "too long": 37}
    walls = [_FILLER * times for mistake, times in filler.items() if mistake in mistakes]
    body = " ".join([*said, *walls]) if walls else "\n".join(f"- {each}" for each in said)
    parts.append(body)
    if "no next step" not in mistakes:
        parts.append("Contact us if you would like to know more.")
    if "no questions" not in mistakes:
        asked = [each for each in ASKED_NEXT if each != case.question][:3]
        parts.append("\n".join(["You might also want to know:", "", *(f"- {q}" for q in asked)]))
    return "\n\n".join(parts)
