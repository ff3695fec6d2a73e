"""One account at a simulated service, and an agent whose every change is rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from msgspec.structs import replace

from mulligan import Mulligan
from mulligan.types.action import Action
from mulligan_packs.services.prove import ProvingTransport, ServiceProving, StepShown
from mulligan_packs.services.service import Service, build_client
from mulligan_packs.services.table import load_table
from mulligan_testing.simulations import SIMULATIONS, Simulation
from mulligan_testing.simulations.core import ServiceFault
from mulligan_testing.simulations.notion import SCRATCH
from tests.packs.proving import act, reject

PLACES = {
    "github": ("family/scratch", ""),
    "gmail": ("Label_2", ""),
    "google-calendar": ("s1", "s2"),
    "jira": ("SCR", ""),
    "notion": (SCRATCH, ""),
    "outlook-calendar": ("c2", ""),
    "outlook-mail": ("f-scratch", ""),
    "slack": ("C2", ""),
    "stripe": ("cus_scratch", ""),
}
SOON = 0.05


@dataclass(frozen=True, kw_only=True)
class Account:
    """A simulation, and what an application has of it."""

    service: Service
    simulation: Simulation
    url: str

    async def reject(self, name: str, *args: Any, **given: Any) -> list[Action]:
        """Have an agent make a call, and its change be rejected: what is open then."""
        return await self.reject_all(lambda tools: tools[name](*args, **given))

    async def reject_all(self, work: Callable[[dict[str, Any]], object]) -> list[Action]:
        """The same of several calls."""
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            tools = {each.__name__: each for each in self.service.tools(m)}
            await act(m, lambda: _swallow(work, tools))
            return [*m.insights.open_list.actions()]


def _swallow(work: Callable[[dict[str, Any]], object], tools: dict[str, Any]) -> None:
    try:
        work(tools)
    except Exception:
        return


@contextmanager
def open_account(name: str, *, differs: frozenset[str] = frozenset()) -> Iterator[Account]:
    simulation = SIMULATIONS[name](differs=differs)
    table = replace(load_table(name), lands_within=SOON)
    with (
        simulation.serve() as url,
        build_client(table, lambda: "agent", base_url=url) as client,
    ):
        yield Account(service=Service(table, client), simulation=simulation, url=url)


async def prove(
    name: str,
    *,
    differs: frozenset[str] = frozenset(),
    limited_after: int | None = None,
    only: str = "",
) -> tuple[list[StepShown], Simulation]:
    """The whole proof of a service on its simulation, or of one operation; `limited_after` that
    many writes."""
    simulation = SIMULATIONS[name](differs=differs)
    if limited_after is not None:
        simulation.faults += [None] * limited_after + [ServiceFault.LIMITED] * 1_000  # type: ignore[list-item]
    table = replace(load_table(name), lands_within=SOON)
    if only:
        cases = tuple(each for each in table.proof.cases if each.operation == only)
        table = replace(table, proof=replace(table.proof, cases=cases))
    transport = ProvingTransport(httpx.HTTPTransport())
    place, other = PLACES[name]
    with (
        simulation.serve() as url,
        build_client(table, lambda: "agent", base_url=url, transport=transport) as client,
    ):
        proving = ServiceProving(Service(table, client), transport, place=place, other=other)
        return await proving.prove(), simulation
