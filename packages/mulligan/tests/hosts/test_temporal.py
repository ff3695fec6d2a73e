"""Turns as workflows of Temporal, on its own development server."""

from __future__ import annotations

import asyncio

import pytest
from temporalio.client import Client
from temporalio.worker import Worker

from bench.engines import story
from bench.engines.on_temporal import Plan, run_server
from mulligan import Mulligan
from mulligan.types.errors import ConfigurationError

pytestmark = pytest.mark.full


async def test_a_turn_is_corrected_held_and_ended_by_its_signal(tmp_path) -> None:
    story.begin(tmp_path)
    told = story.open_story(tmp_path)
    turns = told.m.for_temporal()
    with run_server() as target:
        client = await Client.connect(target)
        # In its own sandbox, as users run it.
        async with Worker(
            client,
            task_queue="story",
            workflows=[Plan],
            activities=turns.list_activities(told.tools),
        ):
            handle = await client.start_workflow(
                Plan.run, story.MESSAGE, id="w1", task_queue="story"
            )
            listed = told.m.insights.open_list
            held = []
            async with asyncio.timeout(120):
                while not held:
                    await asyncio.sleep(0.05)
                    held = [a for a in await asyncio.to_thread(listed.actions) if a.state == "held"]
            await asyncio.to_thread(listed.approve, held[0].id, by="Cleo")
            await turns.send_signal(held[0].id, workflow="w1", client=client)
            answer = await handle.result()
    broken = await asyncio.to_thread(story.count, tmp_path, answer)
    await asyncio.to_thread(told.m.close)

    assert broken == []


def test_what_it_has_no_power_for_is_refused() -> None:
    with Mulligan("memory:", recover=False) as m, pytest.raises(ConfigurationError, match="stream"):
        m.for_temporal(hold_back=True)
