"""What the person must know beside the reply: said from where each action really stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from json import JSONDecodeError, loads

from mulligan.core.action import SETTLED, State
from mulligan.core.finding import Standing, Verdict
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


def add_note(reply: object, note: str) -> object:
    """A reply with the note under it, where that is text for a person; data is left as it is."""
    # Frameworks have classes of text of their own. One of ours says by itself that it waits.
    if not note or not isinstance(reply, str) or isinstance(reply, Held) or _is_data(reply):
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
