"""What the person must know beside the reply: said from where each action really stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from json import JSONDecodeError, loads

from mulligan.core.action import SETTLED, State
from mulligan.core.errors import UnfinishedRunError
from mulligan.core.finding import Confidence, Finding, Standing, Verdict
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.text import read_plain
from mulligan.loops.actions import NOTHING_DONE
from mulligan.turns.journal.hold import Held
from mulligan.turns.journal.live_action import LiveAction

_UNSURE = "It is not certain whether this was done:"
_UNDONE_NOT = "Could not be taken back, though something was found wrong:"
# An attempt is rejected as a whole: what is wrong may be another call of it.
_HEADS: Mapping[State, str] = {
    State.EXECUTED: "Not yet checked:",
    State.PENDING_REVIEW: "Not yet checked:",
    State.HELD: "Not done yet, this waits for a person's approval:",
    State.APPROVED: "Not done yet, this was approved:",
    State.INTENT: _UNSURE,
    State.UNKNOWN: _UNSURE,
    State.NEEDS_HUMAN: _UNSURE,
    State.UNDOING: "Being taken back, as something was found wrong:",
    State.CONFLICT: _UNDONE_NOT,
    State.UNDO_FAILED: _UNDONE_NOT,
    State.DISPUTED: "In effect until a person has decided, though something was found wrong:",
}


def render_note(verdict: Verdict, actions: Iterable[LiveAction]) -> str:
    """Everything that a reply might leave out or deny; empty where there is nothing to add."""
    # Whatever the reply says: who quotes the id of an action may still say that it was done.
    left = [a for a in actions if a.state not in SETTLED]
    lines: list[str] = []
    if any(finding.rule == NOTHING_DONE for finding in verdict.findings):
        lines.append("What was done first was found wrong, and nothing was changed after that.")
    if verdict.standing is Standing.UNREVIEWED and not left:
        lines.append("Not checked: a reviewer gave no answer.")
    for head in dict.fromkeys(_HEADS.values()):
        found = [a.said for a in left if a.state is not None and _HEADS.get(a.state) == head]
        if found:
            lines += [head, *(f"- {each}" for each in dict.fromkeys(found))]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """What came of a turn, as far as its reply must tell of it."""

    standing: Standing
    """Of what was done and of the text, where both were reviewed: the worse of the two."""
    confidence: Confidence | None
    """`None`: nobody has reviewed it, or not yet."""
    findings: tuple[Finding, ...]
    """Of the last attempt."""
    note: str = ""
    """What the person must know beside the reply: what is not yet checked, waits, or still stands
    though it was found wrong. Show it where the reply is not text."""
    question: str = ""
    """What the person reads in the place of the reply, where the last attempt was rejected too."""
    stands: bool = True
    """What was done was neither rejected nor undone."""
    waits: bool = False
    """A call of the turn was not made yet: it waits for a person, or was only just approved."""

    @property
    def finished(self) -> bool:
        """Whether what the reply says may be believed: nothing was rejected, and nothing waits."""
        return self.is_done() and self.standing is not Standing.REJECTED

    def is_done(self) -> bool:
        """The same of what was done alone, whatever its text was found to be."""
        return self.stands and not self.waits

    def choose_reply(self, reply: object) -> object:
        """What goes out: the reply with the note under it, or what a person reads in its place.

        Data is left as it is, unless it would tell a program that something was done which was not.
        """
        data = is_typed(reply) or (isinstance(reply, str) and _is_data(reply))
        if self.question or (data and not self.is_done()):
            return self.describe()
        return add_note(reply, self.note)

    def build_error(self, output: object) -> UnfinishedRunError:
        """What is raised in the place of an output that is no text."""
        return UnfinishedRunError(
            self.describe(),
            output=output,
            standing=self.standing,
            confidence=self.confidence,
            findings=self.findings,
        )

    def describe(self) -> str:
        """What a person reads of a turn that is not finished."""
        issues = " ".join(finding.issue for finding in self.findings)
        return self.question or self.note or issues or "Not all of it was done."


def is_typed(reply: object) -> bool:
    """Whether a reply is an object for a program, which nothing can be written under."""
    return reply is not None and (isinstance(reply, Enum) or not isinstance(reply, str))


def add_note(reply: object, note: str) -> object:
    """A reply with the note under it, where that is text for a person; data is left as it is."""
    # Frameworks have classes of text of their own. One of ours says by itself that it waits.
    if not note or not isinstance(reply, str) or isinstance(reply, Held | Enum) or _is_data(reply):
        return reply
    return f"{read_plain(reply)}\n\n{note}"


def _is_data(text: str) -> bool:
    """Whether a text is meant for a program, which would not understand another line."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        loads(text)
    except (JSONDecodeError, RecursionError):
        return False
    return True
