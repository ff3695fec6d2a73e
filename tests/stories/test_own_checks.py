"""Checks of one's own: a plain function beside the tools it is for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mulligan import Effect, Mulligan, Severity, Standing
from mulligan.runtime.context import OpenTurn
from mulligan.types.errors import ConfigurationError


class Tasks:
    """Tasks with an owner, and an agent that gives one away: wrongly at first."""

    def __init__(self) -> None:
        self.m = Mulligan("memory:", recover=False)
        self.owners: dict[str, str] = {}

        @self.m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda record: self.owners.get(record.arguments["task"]),
            undo=lambda record: self.owners.pop(record.arguments["task"]),
        )
        def update_task(task: str, owner: str) -> str:
            self.owners[task] = owner
            return task

        self.update_task = update_task

    async def agent(self, turn: OpenTurn) -> str:
        self.update_task("milk", owner="Bob" if turn.correction is None else "Ann")
        return "Done."


@pytest.fixture
def tasks() -> Iterator[Tasks]:
    made = Tasks()
    yield made
    made.m.close()


async def test_a_plain_function_is_a_check_of_the_tools_it_names(tasks: Tasks) -> None:
    @tasks.m.check("update_task")
    def keeps_the_owner(call, turn):
        if call.arguments["owner"] not in turn.message:
            return f"Nobody said {call.arguments['owner']}."
        return None

    done = await tasks.m.act("Give it to Ann", tasks.agent)

    first = done.attempts[0].verdict
    assert keeps_the_owner.__name__ == "keeps_the_owner"
    assert (len(done.attempts), tasks.owners) == (2, {"milk": "Ann"})
    assert first is not None
    assert [finding.rule for finding in first.findings] == ["check.keeps_the_owner"]


async def test_a_check_that_breaks_says_whose_fault_it_is(
    tasks: Tasks, caplog: pytest.LogCaptureFixture
) -> None:
    @tasks.m.check
    def reads_what_is_not_there(call):
        return call.arguments["day"]

    done = await tasks.m.act("Give it to Ann", tasks.agent)

    assert done.standing is Standing.UNREVIEWED
    assert "reads_what_is_not_there failed (KeyError)" in done.findings[0].issue
    assert "fault is in the check" in done.findings[0].issue
    assert "test_own_checks.py" in caplog.text


async def test_a_check_may_only_warn(tasks: Tasks) -> None:
    tasks.m.check("update_task", severity=Severity.WARNING)(lambda call: "Hm.")

    done = await tasks.m.act("Give it to Ann", tasks.agent)

    assert (done.standing, done.findings[0].severity) == (Standing.ACCEPTED, Severity.WARNING)


def test_a_check_for_a_tool_that_there_is_not_is_named_with_the_nearest(
    tasks: Tasks, caplog: pytest.LogCaptureFixture
) -> None:
    tasks.m.check("updat_task")(lambda call: None)

    with tasks.m.turn("Go"):
        pass

    assert "is for 'updat_task'" in caplog.text
    assert "Did you mean 'update_task'?" in caplog.text


def test_a_check_is_for_tools_by_name(tasks: Tasks) -> None:
    with pytest.raises(ConfigurationError, match="by their names"):
        tasks.m.check(len, len)(lambda call: None)


def test_how_often_an_agent_may_try_is_a_setting() -> None:
    tried: list[str] = []
    with Mulligan("memory:", attempts=3, recover=False) as m:
        look = m.tool(effect=Effect.READ)(len)
        m.check("len")(lambda call: "Not yet." if len(tried) < 3 else None)

        def agent(turn: OpenTurn) -> str:
            tried.append("again")
            look([1])
            return "Done."

        done = m.act_sync("Try", agent)

    assert (len(done.attempts), done.standing) == (3, Standing.ACCEPTED)
