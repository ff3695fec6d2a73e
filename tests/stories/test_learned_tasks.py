"""What a task learned is there for the next process, and for whoever looks at it."""

from __future__ import annotations

from contextlib import contextmanager

from mulligan.learning.task_versions import export, list_results, pin, roll_back
from mulligan.loops.learning import Learning
from mulligan.loops.tasks import run_task
from mulligan.stores.opening import open_store
from mulligan.types.interfaces import Store
from mulligan.types.notes import Ground, NotesState, Refinement
from mulligan.types.task import Reflect, Task
from mulligan_testing.fakes import FixedClock

TASK = Task(
    id="weekly-report",
    description="Summarise the orders of the week.",
    expected_output="One sentence with the total.",
    reflect=Reflect(
        strategy=lambda experience: Refinement(description=f"Read {experience.runs} orders."),
        score=lambda output: 1.0,
        every=15,
    ),
)
GROUND = Ground(task="weekly-report", definition=TASK.definition)


@contextmanager
def opened(url: str):
    store = open_store(url)
    try:
        yield store
    finally:
        store.close()


async def run(store: Store, *, times: int = 1):
    using = Learning(
        archive=store.archive, clock=FixedClock(), announce=lambda _event: None, scrub=str
    )

    async def work(prompt: str) -> str:
        return "12 orders."

    for _ in range(times):
        done = await run_task(TASK, work, using=using)
    return done


async def test_what_one_process_learned_the_next_one_knows(url):
    with opened(url) as store:
        await run(store, times=15)
        pin(store.archive, GROUND, version=1)

    with opened(url) as store:
        done = await run(store)
        told = export(store.archive, "weekly-report")
        left = roll_back(store.archive, GROUND)
        static = await run(store)

    assert done.version == 1
    assert "> Read 15 orders." in done.prompt
    assert done.prompt.endswith(TASK.text)
    assert [version["runs"] for version in told["versions"]] == [0, 15]
    assert left == 1
    assert (static.version, static.prompt) == (0, TASK.text)


async def test_history_shows_how_every_version_did(url):
    with opened(url) as store:
        await run(store, times=31)

        history = list_results(store.archive, GROUND)

    assert [result.card.version for result in history] == [0, 1, 2]
    assert sum(result.card.runs for result in history) == 31
    assert {result.mean for result in history if result.card.runs} == {1.0}
    assert {result.card.state for result in history} == {NotesState.TRIAL}
