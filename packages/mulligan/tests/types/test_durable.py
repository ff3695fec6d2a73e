from __future__ import annotations

import pytest

from mulligan.types.adapter import (
    WAITS,
    CallRefusedError,
    DurableTurn,
    Plain,
    describe_turn,
    run_turn,
)


class Script:
    """An engine that answers by a script, and remembers what it was asked."""

    def __init__(self, *answers: Plain) -> None:
        self._answers = list(answers)
        self.steps: list[tuple[str, Plain]] = []
        self.waits: list[tuple[str, float]] = []

    async def make_step(self, name: str, step: Plain) -> Plain:
        self.steps.append((name, step))
        return self._answers.pop(0)

    async def wait_for_word(self, action: str, seconds: float) -> None:
        self.waits.append((action, seconds))


def open_turn(engine: Script) -> DurableTurn:
    about = describe_turn(
        "w1", "Move dinner", now="2026-11-16T09:00:00+00:00", about={"agent": "a"}
    )
    return DurableTurn(engine=engine, about=about)


FINE = {"feedback": "", "reply": "Done.", "standing": "accepted"}


async def test_each_step_is_told_what_was_done_before_it() -> None:
    engine = Script({"id": "c1", "result": 1}, {"id": "c2", "result": 2}, FINE)

    async def agent(turn: DurableTurn) -> str:
        assert turn.message == "Move dinner"
        assert await turn.call("look") == 1
        assert await turn.call(agent, day="20") == 2
        return "Done."

    answer = await run_turn(agent, open_turn(engine))

    assert answer == FINE
    assert [name for name, _ in engine.steps] == ["call look", "call agent", "review 1"]
    assert [step.get("number") for _, step in engine.steps] == [1, 2, None]
    assert [[each["id"] for each in step["steps"]] for _, step in engine.steps] == [
        [], ["c1"], ["c1", "c2"],
    ]  # fmt: skip


async def test_a_rejected_attempt_is_made_again_with_the_correction() -> None:
    engine = Script(
        {"id": "c1", "result": 1}, {"feedback": "It was the 20th."}, {"id": "c2", "result": 2}, FINE
    )
    told = []

    async def agent(turn: DurableTurn) -> str:
        told.append(turn.correction)
        await turn.call("move")
        return "Done."

    await run_turn(agent, open_turn(engine))

    assert told == ["", "It was the 20th."]
    assert [step["attempt"] for _, step in engine.steps] == [1, 1, 2, 2]
    # No two calls of a turn have one number, whatever the attempt.
    assert [s["number"] for _, s in engine.steps if s["kind"] == "call"] == [1, 2]


async def test_a_call_that_waits_is_looked_at_after_each_wait() -> None:
    waits = {"waits": "h1"}
    engine = Script(waits, waits, waits, waits, waits, waits, {"id": "c1", "result": "sent"})

    assert await open_turn(engine).call("send") == "sent"

    assert engine.waits == [("h1", each) for each in (*WAITS, WAITS[-1], WAITS[-1])]
    assert [step["kind"] for _, step in engine.steps] == ["call"] + ["look"] * 6


async def test_a_call_that_is_not_made_is_told_to_the_agent_and_kept_as_failed() -> None:
    engine = Script({"id": "c1", "refused": "A person has denied it."}, FINE)
    turn = open_turn(engine)

    with pytest.raises(CallRefusedError, match="denied"):
        await turn.call("send")
    await turn.review("I could not.")

    [taken] = engine.steps[-1][1]["steps"]
    assert (taken["id"], taken["failed"], "result" in taken) == ("c1", True, False)
