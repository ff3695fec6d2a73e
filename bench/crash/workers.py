"""The campaign spread over several processes, each with children of its own."""

from __future__ import annotations

import json
import os
import random
import selectors
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from bench.crash.campaign import Blow, Campaign, Tally, blows
from bench.crash.mutants import Mutant
from bench.crash.processes import A_LONG_TIME, ChildError, start_child
from bench.crash.scenarios import Case
from bench.crash.seams import Seams

Shown = Callable[[int], AbstractContextManager[Callable[[str], None]]]
"""Shows progress over so many steps."""

WORKERS = 2
HEAVY_BLOWS = 150
"""Those of the blows that are struck again with more on the recovery: three on a scenario."""

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


def run_campaign(cases: Sequence[Case], *, points: int, seed: int, shown: Shown) -> Tally:
    """At least so many points, every kind of blow among them, drawn with a seed."""
    with scratch() as folder:
        found = _drawn(cases, folder=folder, seed=seed, most=points)
        again = max(1, points // sum(blow.runs for blow in found))
        runs = accumulate(blow.runs * again for blow in found)
        chosen = [blow for blow, run in zip(found, runs, strict=True) if run - blow.runs < points]
        tally = Tally()
        spoken = _spread(chosen, folder=folder, again=again, seed=seed)
        with shown(len(chosen)) as step:
            for said in spoken:
                if "step" in said:
                    step(said["step"])
                else:
                    tally.join(said)
    return tally


def hunt_all(
    mutants: Mapping[str, Mutant], cases: Sequence[Case], *, most: int, seed: int, shown: Shown
) -> dict[str, str | None]:
    """What shows each planted mistake first; `None` where nothing did."""
    versioned = [case for case in cases if case.scenario.versioned]
    with scratch() as folder:
        chosen = _drawn(versioned, folder=folder, seed=seed, most=most)
        hunts = {
            name: partial(_hunt, plant, chosen, folder=folder / name, seed=seed)
            for name, plant in mutants.items()
        }
        shares = [dict(list(hunts.items())[number::WORKERS]) for number in range(WORKERS)]
        ends = [start_child(partial(_hunt_each, s), timeout=A_LONG_TIME) for s in shares]
        with shown(len(mutants)) as step:
            found: dict[str, str | None] = {}
            for end in ends:
                for name, shows in end().said.items():
                    found[name] = shows
                    step(name)
    return found


def _hunt_each(hunts: Mapping[str, Callable[[], str | None]]) -> dict[str, str | None]:
    """One after the other, each in a process of its own: a planted mistake stays planted."""
    return {name: start_child(hunt, timeout=A_LONG_TIME)().said for name, hunt in hunts.items()}


def _drawn(cases: Sequence[Case], *, folder: Path, seed: int, most: int) -> list[Blow]:
    """The first blows of all: scenarios take turns, each with its blow at the least struck seam.

    What that leaves open is drawn by chance.
    """
    planner = Campaign(folder / "plan", chance=random.Random(seed))
    planner.warm_up(cases[0])
    found = blows(cases, [planner.dry_run(case) for case in cases])
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
    chosen: Sequence[Blow], *, folder: Path, again: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Everything the workers say, as they say it."""
    with selectors.DefaultSelector() as selector:
        children = []
        for number in range(WORKERS):
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reading)
                work = Campaign(folder / f"worker{number}", chance=random.Random(seed + number))
                _work_and_exit(work, chosen[number::WORKERS], again=again, writing=writing)
            os.close(writing)
            children.append(child)
            selector.register(os.fdopen(reading, "r"), selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                text = key.fileobj.readline()  # type: ignore[union-attr]
                if text:
                    yield json.loads(text)
                else:
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
        ended = [os.waitpid(child, 0)[1] for child in children]
        if any(ended):
            raise ChildError("A worker of the campaign ended before its work was done.")


def _work_and_exit(campaign: Campaign, chosen: Sequence[Blow], *, again: int, writing: int) -> None:
    """Never comes back: what the parent would do next is not the worker's to do."""
    try:
        with os.fdopen(writing, "w") as pipe:
            for blow in chosen:
                try:
                    campaign.strike(blow, again=again)
                except ChildError as error:
                    campaign.tally.trouble(blow.name, str(error))
                print(json.dumps({"step": blow.case.name}), file=pipe, flush=True)
            print(json.dumps(campaign.tally.plain()), file=pipe, flush=True)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _hunt(plant: Mutant, chosen: Sequence[Blow], *, folder: Path, seed: int) -> str | None:
    """Plant a mistake in this process, and strike until something shows it. What did, if any."""
    plant()
    campaign = Campaign(folder, chance=random.Random(seed))
    # Most mistakes show at the first blow on a case; some only where the recovery is struck more.
    lightly = [(blow, 0) for blow in chosen]
    for blow, again in lightly + [(blow, 1) for blow in chosen[:HEAVY_BLOWS]]:
        try:
            campaign.strike(blow, again=again)
        except ChildError as error:
            why = str(error).strip().splitlines()[-1]
            if why.startswith(OUT_OF_DATE):
                raise
            return f"{blow.name}: {why}"
        if campaign.tally.examples:
            return campaign.tally.examples[0]
    return None
