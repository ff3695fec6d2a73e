"""The versions of a task for people: what changed, how each did, and a person's own word."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Archive
from mulligan.core.notes import Ground, Notes, NotesState, Refinement, Scorecard

_ON_TOP = (NotesState.CHAMPION, NotesState.PINNED)
_SURE = 1.96
"""Standard deviations either side that hold 95 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How one version did on one ground: a line of a history, a bar of a plot."""

    card: Scorecard
    mean: float | None
    """Of its scores; `None` when it has none."""
    low: float
    """Its true mean lies between `low` and `high` with a probability of about 95 %."""
    high: float


def results(archive: Archive, ground: Ground) -> list[Result]:
    """Every version that was tried on a ground, in order."""
    return [_result(card) for card in archive.cards(ground)]


def changes_between(before: Refinement, after: Refinement) -> tuple[str, ...]:
    """What differs between two refinements, in a few words each."""
    return tuple(_changes(before, after))


def compare(one: Notes, other: Notes) -> list[str]:
    """The lines of a unified diff from one version to another."""
    return list(
        difflib.unified_diff(
            _readable(one.refinement),
            _readable(other.refinement),
            fromfile=f"version {one.version}",
            tofile=f"version {other.version}",
            lineterm="",
        )
    )


def pin(archive: Archive, ground: Ground, *, version: int) -> None:
    """Give a version every run on a ground from now on, by a person's word."""
    known = {notes.version for notes in archive.versions(ground.task, tenant=ground.tenant)}
    if version not in known:
        raise ConfigurationError(
            f"Task {ground.task} has no version {version}: it has {_span(known)}."
        )
    _move(archive, ground, version=version, state=NotesState.PINNED)


def unpin(archive: Archive, ground: Ground) -> int | None:
    """Let evidence decide again. Returns the version that was pinned, if one was."""
    for card in archive.cards(ground):
        if card.state is NotesState.PINNED:
            _move(archive, ground, version=card.version, state=NotesState.TRIAL)
            return card.version
    return None


def roll_back(archive: Archive, ground: Ground) -> int | None:
    """Retire the version that is champion or pinned: version 0 takes its place.

    Returns the version that left, or `None` when version 0 was champion already.
    """
    for card in archive.cards(ground):
        if card.state in _ON_TOP and card.version:
            _move(archive, ground, version=card.version, state=NotesState.RETIRED)
            return card.version
    return None


def export(archive: Archive, task: str, *, tenant: str = "") -> dict[str, Any]:
    """Everything an archive holds about a task but its runs, in JSON's own types."""
    return {
        "task": task,
        "tenant": tenant,
        "versions": [_as_json(notes) for notes in reversed(archive.versions(task, tenant=tenant))],
        "grounds": [
            {
                "model": ground.model,
                "definition": ground.definition,
                "scorecards": [asdict(card) for card in archive.cards(ground)],
            }
            for ground in archive.grounds(task)
            if ground.tenant == tenant
        ],
    }


def _result(card: Scorecard) -> Result:
    if not card.scored:
        return Result(card=card, mean=None, low=0.0, high=1.0)
    # Two runs of each kind on top (Agresti and Coull): honest for few runs and at both ends.
    n = card.scored + 4
    centre = (card.score + 2) / n
    reach = _SURE * math.sqrt(centre * (1 - centre) / n)
    return Result(
        card=card,
        mean=card.score / card.scored,
        low=max(0.0, centre - reach),
        high=min(1.0, centre + reach),
    )


def _changes(before: Refinement, after: Refinement) -> Iterator[str]:
    texts = {
        "description": (before.description, after.description),
        "expected output": (before.expected_output, after.expected_output),
    }
    for name, (old, new) in texts.items():
        if old != new:
            yield f"{name}: {len(old)} → {len(new)} characters"
    lists = {
        "observations": (before.observations, after.observations),
        "suggestions": (before.suggestions, after.suggestions),
    }
    for name, (had, has) in lists.items():
        added, dropped = len(set(has) - set(had)), len(set(had) - set(has))
        if added or dropped:
            yield f"{name}: {added} new, {dropped} gone"


def _readable(said: Refinement) -> list[str]:
    return [
        "Description:",
        *said.description.splitlines(),
        "Expected output:",
        *said.expected_output.splitlines(),
        "Observations:",
        *(f"- {item}" for item in said.observations),
        "Suggestions:",
        *(f"- {item}" for item in said.suggestions),
    ]


def _as_json(notes: Notes) -> dict[str, Any]:
    return {**asdict(notes), "at": notes.at.isoformat()}


def _move(archive: Archive, ground: Ground, *, version: int, state: NotesState) -> None:
    """Move a version from wherever it stands; another process may move it meanwhile, so again."""
    while True:
        cards = {card.version: card.state for card in archive.cards(ground)}
        was = cards.get(version)
        if was is state or archive.move(ground, version=version, state=state, was=was):
            return


def _span(known: set[int]) -> str:
    return f"0 to {max(known)}" if known else "none yet"
