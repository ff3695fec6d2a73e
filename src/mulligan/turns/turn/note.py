"""What the person must know beside the reply: said from where each action really stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from json import JSONDecodeError, loads

from mulligan.core.action import SETTLED, State
from mulligan.core.finding import Standing, Verdict
from mulligan.loops.actions import NOTHING_DONE
from mulligan.turns.journal.book import LiveAction

_UNSURE = "It is not certain whether this was done:"
_UNDONE_NOT = "This was found wrong, and could not be taken back:"
_HEADS: Mapping[State, str] = {
    State.EXECUTED: "Not yet checked:",
    State.PENDING_REVIEW: "Not yet checked:",
    State.HELD: "Not done yet, this waits for a person's approval:",
    State.APPROVED: "Not done yet, this was approved:",
    State.INTENT: _UNSURE,
    State.UNKNOWN: _UNSURE,
    State.NEEDS_HUMAN: _UNSURE,
    State.UNDOING: "This was found wrong, and is being taken back:",
    State.CONFLICT: _UNDONE_NOT,
    State.UNDO_FAILED: _UNDONE_NOT,
    State.DISPUTED: "This was found wrong, and is in effect until a person has decided:",
}


def render_note(verdict: Verdict, actions: Iterable[LiveAction], *, reply: object) -> str:
    """Everything that a reply might leave out or deny; empty where there is nothing to add."""
    told = reply if isinstance(reply, str) else ""
    # Who quotes the id of a hold has been told what it is, and says so.
    left = [a for a in actions if a.state not in SETTLED and a.id not in told]
    lines: list[str] = []
    if any(finding.rule == NOTHING_DONE for finding in verdict.findings):
        lines.append("Nothing was changed by this: what was done first was found wrong.")
    if verdict.standing is Standing.UNREVIEWED and not left:
        lines.append("Not checked: a reviewer gave no answer.")
    for head in dict.fromkeys(_HEADS.values()):
        found = [a.said for a in left if a.state is not None and _HEADS.get(a.state) == head]
        if found:
            lines += [head, *(f"- {each}" for each in dict.fromkeys(found))]
    return "\n".join(lines)


def add_note(reply: object, note: str) -> object:
    """A reply with the note under it, where that is text for a person; data is left as it is."""
    if not note or type(reply) is not str or _is_data(reply):
        return reply
    return f"{reply}\n\n{note}"


def _is_data(text: str) -> bool:
    """Whether a text is meant for a program, which would not understand another line."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        loads(text)
    except (JSONDecodeError, RecursionError):
        return False
    return True
