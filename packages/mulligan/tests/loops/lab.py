"""A task, task versions in memory and everything else that a run needs, and what became of it."""

from __future__ import annotations

from msgspec.structs import replace

from mulligan.loops.learning import Learning
from mulligan.loops.tasks import run_task
from mulligan.stores.opening import open_store
from mulligan.types.finding import Standing
from mulligan.types.notes import Ground, Notes, NotesState, Refinement, TaskRun
from mulligan.types.task import Experience, Ran, Reflect, Task
from mulligan_testing.fakes import FixedClock

DESCRIPTION = "Research the trends and write a report."
EXPECTED = "A report with the sections Introduction, Trends, Conclusion."

REPORT = Ran(output="a report")
"""A run that says how it went: well."""


def numbered(experience: Experience) -> Refinement:
    """A strategy whose notes tell the run they came from."""
    return Refinement(description=f"Look at {experience.runs} sources.")


class Lab:
    """Runs one task as often as it is told to."""

    def __init__(self, **reflect: object) -> None:
        self.task_versions = open_store("memory:").task_versions
        self.events: list[object] = []
        self.prompts: list[str] = []
        self.task = Task(
            description=DESCRIPTION, expected_output=EXPECTED, reflect=Reflect(**reflect)
        )
        self.using = Learning(
            task_versions=self.task_versions,
            clock=FixedClock(),
            announce=self.events.append,
            scrub=lambda text: text.replace("s3cret", "<secret>"),
        )

    @property
    def ground(self) -> Ground:
        return Ground(task=self.task.identity, definition=self.task.definition)

    async def run(self, returned: object = REPORT, times: int = 1):
        async def work(prompt: str) -> object:
            self.prompts.append(prompt)
            if isinstance(returned, Exception):
                raise returned
            return returned

        for _ in range(times):
            done = await run_task(self.task, work, using=self.using)
        return done

    def told(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    def versions(self) -> list[int]:
        return [notes.version for notes in self.task_versions.list_versions(self.task.identity)]

    def states(self) -> dict[int, NotesState]:
        return {
            card.version: card.state for card in self.task_versions.list_scorecards(self.ground)
        }

    def seen(self, version: int, *scores: float) -> None:
        for score in scores:
            run = TaskRun(
                version=version,
                at=self.using.clock(),
                score=score,
                standing=Standing.ACCEPTED,
                excerpt=f"scored {score}",
            )
            self.task_versions.count(self.ground, run=run)


def notes(lab: Lab, version: int) -> Notes:
    """Another version of what the lab's task was told."""
    [static] = lab.task_versions.list_versions(lab.task.identity)[-1:]
    said = Refinement(description=f"Version {version}.")
    return replace(static, version=version, parent=0, refinement=said)
