"""The campaign spread over several processes, each with children of its own."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, count
from pathlib import Path
from typing import Any

from bench.crash.campaign import Blow, Campaign, blows, draw_blows
from bench.crash.mutants.planting import Mutant, Plant
from bench.crash.processes import A_LONG_TIME, ChildError, in_child, start_child
from bench.crash.scenario import Case
from bench.crash.seams import Seams
from bench.crash.tally import Tally
from bench.crash.worlds import Worlds

Shown = Callable[[int], AbstractContextManager[Callable[[str], None]]]
"""Shows progress over so many steps."""

WORKERS = 2
LIKELY_BLOWS = 60
"""So many of those that are likely to show a mistake are struck before any others."""

OUT_OF_DATE = ("TypeError", "AttributeError", "NameError", "ImportError")
"""What a planted mistake raises that does not fit the code any more: it shows nothing."""


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder in memory where there is one: a kill loses nothing there, and it is quick."""
    shared = Path("/dev/shm")
    where = shared if os.access(shared, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="mulligan-crash-", dir=where))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_campaign(
    cases: Sequence[Case],
    *,
    points: int,
    seed: int,
    shown: Shown,
    worlds: Worlds,
    alike: bool = False,
) -> Tally:
    """At least so many points, every kind of blow among them, drawn with a seed.

    `alike`: by the seed alone, so that another version is struck by the same blows.
    """
    with scratch() as folder:
        if alike:
            _warm_up(cases, folder=folder, seed=seed)
            chosen, again = draw_blows(cases, seed=seed, points=points), 1
        else:
            chosen, again = _choose(cases, folder=folder, points=points, seed=seed)
        tally = Tally()
        with shown(len(chosen)) as step:
            for said in _spread(
                chosen, folder=folder, again=again, seed=seed, worlds=worlds, step=step
            ):
                tally.join(said)
    return tally


def _choose(
    cases: Sequence[Case], *, folder: Path, points: int, seed: int
) -> tuple[list[Blow], int]:
    """Blows at the seams that this code has, and how often each recovery is struck."""
    found = _draw(_find_blows(cases, folder=folder, seed=seed), seed=seed, most=points)
    again = max(1, points // sum(blow.runs for blow in found))
    runs = accumulate(blow.runs * again for blow in found)
    return [blow for blow, run in zip(found, runs, strict=True) if run - blow.runs < points], again


def hunt_all(
    mutants: Mapping[str, Mutant], cases: Sequence[Case], *, most: int, seed: int, shown: Shown
) -> dict[str, str | None]:
    """What shows each planted mistake first; `None` where nothing did."""
    hunted = [case for case in cases if case.scenario.hunted]
    for planted in mutants.values():
        # Now, and not after an hour: one that does not fit the code any more ends the hunt.
        in_child(planted.plant)
    with scratch() as folder:
        blows = _find_blows(hunted, folder=folder, seed=seed)
        names = list(mutants)
        ends = [
            start_child(
                partial(
                    Hunter(
                        blows=blows, most=most, folder=folder / f"hunter{number}", seed=seed
                    ).hunt_each,
                    {name: mutants[name] for name in names[number::WORKERS]},
                ),
                timeout=A_LONG_TIME,
            )
            for number in range(WORKERS)
        ]
        with shown(len(mutants)) as step:
            found: dict[str, str | None] = {}
            for end in ends:
                for name, shows in end().said.items():
                    found[name] = shows
                    step(name)
    return found


Stroke = tuple[Blow, int]
"""A blow, and how many more on the recovery after it."""


@dataclass(slots=True, kw_only=True)
class Hunter:
    """Plants mistakes, each in a process of its own, and strikes until something shows them."""

    blows: Sequence[Blow]
    most: int
    folder: Path
    seed: int
    _dirty: dict[tuple[str, int], bool] = field(default_factory=dict)
    """Whether a stroke shows something while no mistake is planted."""
    _numbers: Iterator[int] = field(default_factory=count)

    def hunt_each(self, mutants: Mapping[str, Mutant]) -> dict[str, str | None]:
        """What shows each of some mistakes, one after the other."""
        self.folder.mkdir(exist_ok=True)
        return {name: self.hunt(planted) for name, planted in mutants.items()}

    def hunt(self, planted: Mutant) -> str | None:
        """What shows a mistake, and shows nothing without it."""
        left = self._list_strokes(planted)
        while left:
            found = self._strike(planted.plant, left)
            if found is None:
                return None
            number, shows = found
            blow, again = left[number]
            if (blow.name, again) not in self._dirty:
                alone = self._strike(_plant_nothing, [left[number]])
                self._dirty[blow.name, again] = alone is not None
            if not self._dirty[blow.name, again]:
                return shows
            left = left[number + 1 :]
        return None

    def _list_strokes(self, planted: Mutant) -> list[Stroke]:
        """The likely ones first, also with more on their recoveries; then others."""
        near = [blow for blow in self.blows if planted.is_likely_shown_by(blow.name)]
        first = _draw(near, seed=self.seed, most=LIKELY_BLOWS)
        # Most mistakes show at the first blow on a case; some only where the recovery is struck
        # more.
        strokes = [(blow, again) for again in (0, 1) for blow in first]
        strokes += [(blow, 0) for blow in _draw(self.blows, seed=self.seed, most=self.most)]
        return [each for each in strokes if not self._dirty.get((each[0].name, each[1]))]

    def _strike(self, plant: Plant, strokes: Sequence[Stroke]) -> tuple[int, str] | None:
        """The first of some strokes that shows something, by number, and what it shows."""
        folder = self.folder / str(next(self._numbers))
        work = partial(_strike_all, plant, strokes, folder, self.seed)
        said = start_child(work, timeout=A_LONG_TIME)().said
        shutil.rmtree(folder, ignore_errors=True)
        return None if said is None else (int(said[0]), str(said[1]))


def _strike_all(
    plant: Plant, strokes: Sequence[Stroke], folder: Path, seed: int
) -> tuple[int, str] | None:
    """In a process of its own: a planted mistake stays planted."""
    plant()
    campaign = Campaign(folder, chance=random.Random(seed), worlds=Worlds(), strict=True)
    for number, (blow, again) in enumerate(strokes):
        try:
            campaign.strike(blow, again=again)
        except ChildError as error:
            why = str(error).strip().splitlines()[-1]
            if why.startswith(OUT_OF_DATE) and plant is not _plant_nothing:
                raise
            return number, f"{blow.name}: {why}"
        if campaign.tally.examples:
            return number, campaign.tally.examples[0]
    return None


def _plant_nothing() -> None:
    """Leave the code as it is."""


def _find_blows(cases: Sequence[Case], *, folder: Path, seed: int) -> list[Blow]:
    """Every blow there is, given the points that each case comes by."""
    planner = _warm_up(cases, folder=folder, seed=seed)
    return blows(cases, [planner.dry_run(case) for case in cases])


def _warm_up(cases: Sequence[Case], *, folder: Path, seed: int) -> Campaign:
    """Import what the children of every form of case need."""
    planner = Campaign(folder / "plan", chance=random.Random(seed), worlds=Worlds())
    forms = {case.scenario.form: case for case in reversed(cases)}
    for case in forms.values():
        planner.warm_up(case)
    return planner


def _draw(found: Sequence[Blow], *, seed: int, most: int) -> list[Blow]:
    """The first blows of all: scenarios take turns, each with its blow at the least struck seam.

    What that leaves open is drawn by chance.
    """
    found = list(found)
    chance = random.Random(seed)
    chance.shuffle(found)
    seams = Seams(chance=chance)
    left: dict[str, list[Blow]] = {}
    for blow in found:
        left.setdefault(blow.case.scenario.name, []).append(blow)
    order: list[Blow] = []
    while any(left.values()) and len(order) < most:
        for waiting in left.values():
            if waiting:
                chosen = min(waiting, key=lambda blow: seams.struck(blow.seam, blow.kind))
                seams.strike(chosen.seam, chosen.kind)
                waiting.remove(chosen)
                order.append(chosen)
    return order[:most]


def _spread(
    chosen: Sequence[Blow],
    *,
    folder: Path,
    again: int,
    seed: int,
    worlds: Worlds,
    step: Callable[[str], None],
) -> list[dict[str, Any]]:
    """What each worker has seen; its steps are told as it takes them."""
    reading, writing = os.pipe()
    children = [
        start_child(
            partial(
                _strike_and_tell,
                Campaign(
                    folder / f"worker{number}", chance=random.Random(seed + number), worlds=worlds
                ),
                chosen[number::WORKERS],
                again,
                writing,
            ),
            timeout=A_LONG_TIME,
        )
        for number in range(WORKERS)
    ]
    os.close(writing)
    with os.fdopen(reading) as steps:
        for name in steps:
            step(name.strip())
    return [dict(child().said) for child in children]


def _strike_and_tell(
    campaign: Campaign, chosen: Sequence[Blow], again: int, writing: int
) -> dict[str, Any]:
    for blow in chosen:
        try:
            campaign.strike(blow, again=again)
        except ChildError as error:
            campaign.tally.trouble(blow.name, str(error))
        os.write(writing, f"{blow.case.name}\n".encode())
    return campaign.tally.plain()
