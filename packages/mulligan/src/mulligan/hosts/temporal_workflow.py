"""The side of Temporal's workflows, which its sandbox loads: nothing here but what may be
replayed.

`with workflow.unsafe.imports_passed_through():` saves the sandbox the time to load it.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import cast

from temporalio import workflow
from temporalio.common import RetryPolicy

from mulligan.types.adapter import DurableAgent, DurableTurn, Plain, describe_turn, run_turn

STEP = "mulligan_step"
SIGNAL = "decided"
FOREVER = ["ConfigurationError", "TypeError"]
"""What no other try of a step would change."""

LONGEST_STEP = timedelta(minutes=10)
SILENT = timedelta(seconds=10)
"""After so long without a sign of life, another worker goes on with a step."""


class TemporalTurn:
    """What a workflow is made of: `class Plan(TemporalTurn)`, with a `run` that calls `act`."""

    def __init__(self) -> None:
        self._decided: set[str] = set()
        self._silent = SILENT

    async def act(
        self,
        agent: DurableAgent,
        message: str,
        *,
        silent: timedelta = SILENT,
        **about: object,
    ) -> Plain:
        """Let an agent act on a request: `reply`, `standing`, `confidence` and `note`.

        It calls tools by `turn.call(…)`; what else is not the same every time is an activity.
        """
        self._silent = silent
        info = workflow.info()
        told = describe_turn(
            f"{info.workflow_id} {info.run_id}",
            message,
            now=workflow.now().isoformat(),
            about=about,
        )
        return await run_turn(agent, DurableTurn(engine=self, about=told))

    async def make_step(self, name: str, step: Plain) -> Plain:
        """A step is an activity, tried again until it has come to something."""
        made = await workflow.execute_activity(
            STEP,
            step,
            result_type=dict,
            summary=name,
            start_to_close_timeout=LONGEST_STEP,
            heartbeat_timeout=self._silent,
            retry_policy=RetryPolicy(non_retryable_error_types=FOREVER),
        )
        return cast("Plain", made)

    async def wait_for_word(self, action: str, seconds: float) -> None:
        """Until the signal, or so long."""
        with suppress(TimeoutError):  # the time is up: whoever asked looks for itself
            await workflow.wait_condition(
                lambda: action in self._decided, timeout=timedelta(seconds=seconds)
            )
        self._decided.discard(action)

    @workflow.signal(name=SIGNAL)
    async def on_decided(self, action: str) -> None:
        """A person has decided on an action."""
        self._decided.add(action)
