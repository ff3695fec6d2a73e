"""Reviewers with a mind of their own, which may be another one after a crash."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

from mulligan.checks.dates import date_facts
from mulligan.loops.actions import Attempted
from mulligan.loops.review import Area, Opinion, Remark
from mulligan.types.call import Call
from mulligan.types.display import Question
from mulligan.types.finding import Fact, Finding, Severity
from mulligan.types.interfaces import Gather
from mulligan.types.turn import Turn

JUDGE = "judge "
"""How an answer begins that is a judge's and not a check's."""

IN_PART = frozenset({"only moves", "fact of moves"})
"""Answers of who is content, and has looked at calls of `move` alone."""
CONTENT = IN_PART | {"right", "first wrong", "against facts", "first wrong, then down"}
"""Answers on which an attempt can end as verified. A remark that facts deny is no remark."""
REJECTING = frozenset({"wrong", "first wrong", "first wrong, then down"})
"""Answers on which an attempt is rejected."""


def reviewer(answer: str) -> Callable[[Attempted], Iterator[Finding]]:
    """A check that answers `right`, `wrong`, `first wrong` or `down`. A judge has his own."""

    def check(attempted: Attempted) -> Iterator[Finding]:
        looked_at = [e.call for e in attempted.executions if _looks_at(answer, e.call)]
        marks = [str(call.arguments.get("mark", "")) for call in looked_at]
        if answer == "down":
            raise ConnectionError("the reviewer does not answer")
        if answer == "wrong" or (answer == "first wrong" and any(m[:2] == "a1" for m in marks)):
            yield Finding(rule="crash.wrong", severity=Severity.ERROR, issue="It was wrong.")

    return check


def _looks_at(answer: str, call: Call) -> bool:
    return answer not in IN_PART or (answer == "only moves" and call.tool == "move")


def gather_facts(answer: str) -> Gather:
    """What is computed, whatever a judge says; and what speaks for moves, where that is asked."""

    async def gather(turn: Turn, calls: Sequence[Call]) -> tuple[Fact, ...]:
        moves = tuple(call.id for call in calls if call.tool == "move")
        about = "Every move is as it was asked for."
        confirmed = Fact(
            kind="moves", subject="moves", value="yes", about=about, confirms=True, calls=moves
        )
        return (*date_facts(turn, calls), *([confirmed] if answer == "fact of moves" else ()))

    return gather


class Judging:
    """A judge that answers as the case has it, and says more than it is asked for."""

    def __init__(
        self, answer: str, *, meanwhile: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._answer = answer.removeprefix(JUDGE)
        self._meanwhile = meanwhile
        """What else goes on while it thinks."""

    async def ask(self, question: Question[Any]) -> Any:
        """An opinion, or none."""
        if self._meanwhile is not None:
            await self._meanwhile()
        first = '"a1c' in question.values["calls"]
        match self._answer:
            case "right":
                return Opinion(findings=(), confirmed=True)
            case "wrong":
                return _against("It was wrong.", Area.VALUE)
            case "against facts":
                return _against("2026-11-20 is a Thursday, not a Friday.", Area.DATE)
            case "first wrong" | "first wrong, then down" if first:
                return _against("It was wrong.", Area.VALUE)
            case "first wrong":
                return Opinion(findings=(), confirmed=True)
            case _:
                return None


def _against(issue: str, area: Area) -> Opinion:
    remark = Remark(area=area, severity=Severity.ERROR, issue=issue)
    return Opinion(findings=(remark,), confirmed=False)
