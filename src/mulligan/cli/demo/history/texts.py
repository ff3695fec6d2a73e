"""The office's texts: replies that are checked, drafts that are criticised, a task that is run."""

from __future__ import annotations

import random

from mulligan.app.mulligan import Mulligan
from mulligan.core.notes import Refinement
from mulligan.core.task import Experience, Reflect, Task
from mulligan.core.text import Critique, Draft
from mulligan.loops.drafts import DraftRules

GOOD = (
    "We deliver within three working days, and the parcel can be followed on our page. Returns "
    "are free for thirty days. If anything is missing, answer this mail and we send it at once."
)
SHORT = "Three days."
RATED = 0.3
"""The share of replies that somebody has a thumb for."""
COMPLAINTS = ("Not what I asked.", "Too short to be of use.", "I had to ask twice.")
BAD = "Honestly, it is a no-brainer: we deliver within three working days, basically."


async def answer_question(m: Mulligan, *, slips: float, chance: random.Random) -> None:
    """A reply that is too short or too chatty at first, now and then to the end."""
    bad = chance.random() < slips
    stubborn = bad and chance.random() < 0.15
    written = iter([chance.choice([SHORT, BAD]) if bad else GOOD])

    async def write(*_: object) -> str:
        return next(written, SHORT if stubborn else GOOD)

    replied = await m.reply(write, query="How long does delivery take?", context=[GOOD])
    if chance.random() < RATED:
        down = chance.random() < (0.6 if bad else 0.1)
        m.rate(replied.id, up=not down, note=chance.choice(COMPLAINTS) if down else "")


async def write_draft(m: Mulligan, *, chance: random.Random) -> None:
    """A draft that gets better with each critique."""
    score = chance.choice([5, 6, 7, 8, 9])

    async def write(*_: object) -> str:
        return f"{GOOD} ({chance.randrange(1000)})"

    async def criticise(_: str, draft: Draft) -> Critique:
        reached = min(10, score + 2 * draft.number)
        return Critique(score=reached, issues=() if reached >= 8 else ("Say when.",))

    await m.draft(
        write, question="What do we tell about delivery?", rules=DraftRules(critics=[criticise])
    )


def build_task(chance: random.Random) -> Task:
    """The weekly report, whose instructions get better over runs."""

    def propose(experience: Experience) -> Refinement:
        return Refinement(
            suggestions=(
                "State the total first.",
                f"Name the three largest orders (seen after run {experience.runs}).",
            ),
            observations=("Runs without a total were sent back.",),
        )

    def score(output: object) -> float:
        base = 0.85 if "Total" in str(output) else 0.55
        return min(1.0, max(0.0, base + chance.gauss(0, 0.08)))

    return Task(
        id="weekly-report",
        description="Summarise this week's orders.",
        expected_output="One paragraph with the total.",
        reflect=Reflect(strategy=propose, score=score, every=8),
    )


async def run_report(m: Mulligan, task: Task) -> None:
    """One run of it: who is told to state the total does."""

    async def work(prompt: str) -> str:
        return "Total: 12 orders." if "State the total" in prompt else "There were 12 orders."

    await m.run_task(task, work)
