from __future__ import annotations

import random

from mulligan import Mulligan
from mulligan.types.log import LogQuery
from mulligan_demo.history import answer_question, build_task, run_report, write_draft


async def test_texts_leave_their_steps_in_the_log() -> None:
    chance = random.Random(4)
    async with Mulligan("memory:") as m:
        await answer_question(m, slips=1.0, chance=chance)
        await write_draft(m, chance=chance)
        m.flush()
        steps = {row.tool for row in m.insights.log(LogQuery(server="(mulligan)"))}

    assert {"reply.checked", "reply.settled", "draft.reflected", "draft.responded"} <= steps


async def test_the_report_gets_a_second_version() -> None:
    task = build_task(random.Random(5))
    async with Mulligan("memory:") as m:
        for _ in range(30):
            await run_report(m, task)
        (summary,) = m.insights.task_list.list_tasks()

    assert (summary.runs, summary.versions > 1) == (30, True)
