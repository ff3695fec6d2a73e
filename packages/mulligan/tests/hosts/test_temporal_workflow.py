from __future__ import annotations

import pytest
from temporalio import workflow

from mulligan.hosts.temporal_workflow import SIGNAL, TemporalTurn

pytestmark = pytest.mark.full


@workflow.defn
class Mine(TemporalTurn):
    @workflow.run
    async def run(self) -> None:
        raise AssertionError


async def test_a_workflow_of_users_has_the_signal_and_keeps_what_was_decided() -> None:
    mine = Mine()

    await mine.on_decided("a1")

    assert mine._decided == {"a1"}
    assert SIGNAL in workflow._Definition.must_from_class(Mine).signals
