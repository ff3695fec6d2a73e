"""The versions of a task for people: what changed, how each did, and a person's own word."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Archive
from mulligan.core.notes import Ground, Notes, NotesState, Refinement, Scorecard
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.tasks.select import Standings, build_standings

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


def list_results(archive: Archive, ground: Ground) -> list[Result]:
    """Every version that was tried on a ground, in order."""
    return [_build_result(card) for card in archive.list_scorecards(ground)]


def describe_changes(before: Refinement, after: Refinement) -> tuple[str, ...]:
    """What differs between two refinements, in a few words each."""
    return tuple(_list_changes(before, after))


def compare(one: Notes, other: Notes) -> list[str]:
    """The lines of a unified diff from one version's notes to another's; version 0 has none."""
    return list(
        difflib.unified_diff(
            _render_lines(one.advice),
            _render_lines(other.advice),
            fromfile=f"version {one.version}",
            tofile=f"version {other.version}",
            lineterm="",
        )
    )


def find(archive: Archive, ground: Ground, *, version: int) -> Notes:
    """One version of a task, or a `ConfigurationError` that says which there are."""
    known = archive.list_versions(ground.task, tenant=ground.tenant)
    for notes in known:
        if notes.version == version:
            return notes
    numbers = ", ".join(str(notes.version) for notes in known[::-1]) or "none yet"
    raise ConfigurationError(f"Task {ground.task} has no version {version}: it has {numbers}.")


def pin(archive: Archive, ground: Ground, *, version: int) -> None:
    """Give a version every run on a ground from now on, by a person's word."""
    find(archive, ground, version=version)
    _move(archive, ground, version=version, state=NotesState.PINNED)


def unpin(archive: Archive, ground: Ground) -> int | None:
    """Let go of the pinned version: it stays on top until runs decide otherwise.

    Returns the version that was pinned, if one was.
    """
    pinned = _read_standings(archive, ground).pinned
    if pinned is not None:
        state = NotesState.CHAMPION if pinned else NotesState.TRIAL
        _move(archive, ground, version=pinned, state=state)
    return pinned


def roll_back(archive: Archive, ground: Ground) -> int | None:
    """Retire the version on top, pinned or not: version 0 takes its place.

    Returns the version that left, or `None` when version 0 was on top already.
    """
    top = _read_standings(archive, ground).on_top
    if not top:
        return None
    _move(archive, ground, version=top, state=NotesState.RETIRED)
    return top


def export(archive: Archive, task: str, *, tenant: str = "") -> dict[str, Any]:
    """Everything an archive holds about a task but its runs, in JSON's own types."""
    return {
        "task": task,
        "tenant": tenant,
        "versions": [
            _as_json(notes) for notes in reversed(archive.list_versions(task, tenant=tenant))
        ],
        "grounds": [
            {
                "model": ground.model,
                "definition": ground.definition,
                "scorecards": [asdict(card) for card in archive.list_scorecards(ground)],
            }
            for ground in archive.list_grounds(task)
            if ground.tenant == tenant
        ],
    }


def _build_result(card: Scorecard) -> Result:
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


def _list_changes(before: Refinement, after: Refinement) -> Iterator[str]:
    texts = {
        "description": (before.description, after.description),
        "expected output": (before.expected_output, after.expected_output),
    }
    for name, (old, new) in texts.items():
        if old == new:
            continue
        if old and new:
            yield f"{name}: reworded, {len(old)} → {len(new)} characters"
        else:
            yield f"{name}: {'new' if new else 'gone'}"
    lists = {
        "observations": (before.observations, after.observations),
        "suggestions": (before.suggestions, after.suggestions),
    }
    for name, (had, has) in lists.items():
        counts = {"new": len(set(has) - set(had)), "gone": len(set(had) - set(has))}
        if any(counts.values()):
            yield f"{name}: " + ", ".join(f"{n} {word}" for word, n in counts.items() if n)


def _render_lines(said: Refinement) -> list[str]:
    """The notes line by line, each part under its name; parts that are empty are left out."""
    parts = {
        "Description:": said.description.splitlines(),
        "Expected output:": said.expected_output.splitlines(),
        "Observations:": [f"- {item}" for item in said.observations],
        "Suggestions:": [f"- {item}" for item in said.suggestions],
    }
    return [line for name, lines in parts.items() if lines for line in (name, *lines)]


def _as_json(notes: Notes) -> dict[str, Any]:
    return {**asdict(notes), "at": notes.at.isoformat()}


def _read_standings(archive: Archive, ground: Ground) -> Standings:
    return build_standings(archive.list_scorecards(ground), ())


def _move(archive: Archive, ground: Ground, *, version: int, state: NotesState) -> None:
    """Move a version from wherever it stands; another process may move it meanwhile, so again."""
    while True:
        cards = {card.version: card.state for card in archive.list_scorecards(ground)}
        was = cards.get(version)
        if was is state or archive.move(ground, version=version, state=state, was=was):
            return
