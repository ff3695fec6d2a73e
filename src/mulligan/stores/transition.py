"""Whether the journal takes an entry: one rule for every store."""

from __future__ import annotations

from mulligan.core.action import Entry, State, leads_to
from mulligan.core.errors import IllegalTransitionError, JournalError, StaleEntryError


def check_entry(entry: Entry, *, state: State | None, version: int) -> None:
    """Raise unless `entry` may follow on an action that stands at `state` and `version`."""
    if entry.version != version + 1:
        raise StaleEntryError(
            f"Action {entry.action} is at version {version}, but the entry {entry.state} is "
            f"version {entry.version} and not {version + 1}: read the action again before acting."
        )
    if not leads_to(state, entry.state):
        where = f"is {state}" if state else "has no entry yet"
        raise IllegalTransitionError(
            f"Action {entry.action} {where} and cannot become {entry.state}: "
            "read it again, or close it with a note."
        )
    if (entry.opening is None) is (state is None):
        raise JournalError(
            f"Entry {entry.version} of action {entry.action} must "
            f"{'carry' if state is None else 'not carry'} an opening: "
            "the first entry has one, and no other."
        )
