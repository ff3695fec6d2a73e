"""Turns as workflows of DBOS, in a database of their own, and after a kill in another process."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from dbos import DBOS, SetWorkflowID

from bench.crash.processes import in_child
from bench.engines import on_dbos, story
from bench.engines.killing import kill_and_count
from mulligan import Mulligan
from mulligan.types.errors import ConfigurationError

pytestmark = pytest.mark.full


@pytest.fixture
def engine(tmp_path) -> Iterator[None]:
    DBOS(
        config={
            "name": "story",
            "system_database_url": f"sqlite:///{tmp_path}/dbos.db",
            "log_level": "CRITICAL",
            "notification_listener_polling_interval_sec": 0.02,
        }
    )
    yield
    DBOS.destroy(destroy_registry=True)


def test_a_worker_that_is_killed_loses_nothing_and_doubles_nothing(tmp_path) -> None:
    told = in_child(
        lambda: kill_and_count(tmp_path / "story", on_dbos.live, name="story", hits=[9])
    ).said

    assert told["broken"] == []
    assert told["killed"] == 1


def test_a_hold_is_a_wait_of_the_engine_that_a_signal_ends(tmp_path, engine) -> None:
    story.begin(tmp_path)
    told = story.open_story(tmp_path)
    turns = told.m.for_dbos()

    async def invite(turn) -> str:
        return str((await turn.call("invite", whom="Ann"))["data"])

    workflow = turns.make_workflow(invite, tools=told.tools)
    DBOS.launch()
    with SetWorkflowID("w1"):
        handle = DBOS.start_workflow(workflow, "Invite Ann")
    deadline = time.monotonic() + 120
    while not (held := told.m.insights.open_list.actions()) and time.monotonic() < deadline:
        time.sleep(0.02)
    told.m.insights.open_list.approve(held[0].id, by="Cleo")
    DBOS.send("w1", "decided", topic=held[0].id)
    answer = handle.get_result()
    told.m.close()

    assert "Ann" in answer["reply"]
    names = [step["function_name"] for step in DBOS.list_workflow_steps("w1")]
    assert names[:3] == ["begin", "call invite", "DBOS.recv"]
    assert names[-1] == "review 1"


def test_what_it_has_no_power_for_is_refused() -> None:
    with Mulligan("memory:", recover=False) as m, pytest.raises(ConfigurationError, match="stream"):
        m.for_dbos(hold_back=True)
