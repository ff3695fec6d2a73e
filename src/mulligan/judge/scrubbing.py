"""Questions less secrets: what no judge gets to read, whoever made it.

Ids that may be secrets are numbered, so that a judge can tell the right one from the wrong one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mulligan.core.display.question import A, Question
from mulligan.core.display.quoted import Ours
from mulligan.core.display.stand_ins import StandIns, deface
from mulligan.core.interfaces import Judge

NOT_SCRUBBED = "<redaction failed>"
WIDEST = 65_536
"""Characters of what others wrote that are looked at: far more than is ever shown."""

Scrub = Callable[[str, StandIns], str]
"""Text less secrets, its ids numbered."""


def scrub_question(question: Question[A], scrub: Scrub, ids: StandIns) -> Question[A]:
    """The same question less secrets: scrubbed before anything is cut, so none survives in part."""
    values = {name: Ours(_scrub(text, scrub, ids)) for name, text in question.values.items()}
    untrusted = {
        name: _scrub(text[:WIDEST], scrub, ids) for name, text in question.untrusted.items()
    }
    return replace(question, values=values, untrusted=untrusted)


def _scrub(text: str, scrub: Scrub, ids: StandIns) -> str:
    try:
        return scrub(deface(text), ids)
    except Exception:  # noqa: BLE001 - what may hold a secret is not sent
        return NOT_SCRUBBED


class ScrubbedJudge:
    """A judge of the application's own, asked without secrets."""

    def __init__(self, judge: Judge, *, scrub: Scrub) -> None:
        self._judge = judge
        self._scrub = scrub

    async def ask(self, question: Question[A]) -> A | None:
        """What the judge says to the scrubbed question."""
        ids = StandIns()
        asked = scrub_question(question, self._scrub, ids)
        answer = await self._judge.ask(asked)
        return ids.restore(answer)
