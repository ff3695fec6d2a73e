"""Calls of the services' tools beside a second person: lost answers, stops, and a process after."""

from __future__ import annotations

import asyncio
import copy
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx

from bench.crash.clock import Clock
from bench.packs.acting import act_once, recover, reject
from bench.packs.campaign import Totals
from bench.packs.effects import (
    THEIRS,
    Fate,
    Seen,
    Step,
    Verdict,
    find_changes,
    list_actions,
    overlay,
    read_fates,
)
from bench.packs.service_stages import STAGES, Given, Stage
from mulligan import Mulligan
from mulligan_packs.services.service import Service
from mulligan_packs.services.table import load_table
from mulligan_testing.faults import Deed, Faults, Strike, cancel_when_hung
from mulligan_testing.simulations import SIMULATIONS, ServiceFault, Simulation
from mulligan_testing.simulations.core import ApiRequest, NoAnswer, read_body

FAULTS = (
    None, None, None, ServiceFault.LOST_AFTER, ServiceFault.LOST_BEFORE, ServiceFault.BROKEN_AFTER,
    ServiceFault.LIMITED, ServiceFault.LIMITED_403,
)  # fmt: skip
MOMENTS = ("never", "never", "first", "between", "after", "after")
"""When the second person is there: `between` the look before a call and the call."""
MOST = 10
"""Elements of a bulk at most."""


@dataclass(kw_only=True)
class ServiceHistory:
    """One or two calls, and what comes after them."""

    name: str
    chance: random.Random
    simulation: Simulation
    store: str
    calls: Sequence[tuple[str, Given]]
    fault: ServiceFault | None
    undo_fault: ServiceFault | None
    moment: str
    stop: int
    """At which point of the protocol it is stopped; 0: at none."""
    wrong: bool
    steps: list[Step] = field(default_factory=list)
    known: list[list[str]] = field(default_factory=list)
    edited: bool = False
    phase: int | None = None
    """The call that is made; `None`: an undo."""

    @property
    def stage(self) -> Stage:
        """What the history is made of."""
        return STAGES[self.name]

    def run(self) -> Verdict:
        """Live through it, and say what was seen."""
        for method, path, body in self.stage.list_base():
            self.simulation.act(method, path, body, by=self.stage.first)
        base, clock = self.stage.look(self.simulation), Clock()
        self.simulation.disturb = lambda when: (
            self._disturb("between") if when == "before" else None
        )
        with self._open(clock) as (m, tools):
            strike = [Strike(deed=Deed.CANCEL, hit=self.stop)] if self.stop else []
            asyncio.run(self._act(m, tools, Faults(*strike)))
            if not self.stop:
                asyncio.run(recover(m, clock))
            self._note(m)
            fates = self._read_fates(m)
        if self.store != "memory:":
            with self._open(clock) as (m, _):
                asyncio.run(recover(m, clock))
                fates = self._read_fates(m)
        trouble = " ".join(
            str(each) for each in (self.fault, self.undo_fault, self.stop and "stopped") if each
        )
        return Verdict(
            base=base,
            orders=[self.steps],
            end=self.stage.look(self.simulation),
            fates=fates,
            kind=f"{self.calls} {self.moment=} {self.wrong=} {trouble}",
            trouble=trouble,
            must_settle=self.moment == "never" and not trouble and len(self.calls) == 1,
        )

    @contextmanager
    def _open(self, clock: Clock) -> Iterator[tuple[Mulligan, dict[str, Any]]]:
        transport = httpx.MockTransport(self._answer)
        table = load_table(self.name)
        headers = {"Authorization": "Bearer agent", **table.headers}
        base_url = f"http://service{self.simulation.base}"
        checks = [reject] if self.wrong else []
        with (
            httpx.Client(base_url=base_url, transport=transport, headers=headers) as client,
            Mulligan(self.store, checks=checks, clock=clock, recover=False) as m,
        ):
            service = Service(table, client)
            yield m, {each.__name__: each for each in service.tools(m)}

    def _answer(self, request: httpx.Request) -> httpx.Response:
        sent = ApiRequest(
            method=request.method,
            path=request.url.path,
            query=dict(parse_qsl(request.url.query.decode(), keep_blank_values=True)),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=read_body(request.content, request.headers.get("content-type", "")),
        )
        before, count = self.stage.look(self.simulation), len(self.steps)
        try:
            answer = self.simulation.answer(sent)
        except NoAnswer:
            raise httpx.ReadTimeout("no answer", request=request) from None
        finally:
            self._write_down(before, since=count)
        text = b"" if answer.body is None else json.dumps(answer.body).encode()
        return httpx.Response(answer.status, content=text, headers=dict(answer.headers))

    def _write_down(self, before: Seen, *, since: int) -> None:
        """What a request has changed, less what the second person did meanwhile."""
        for step in self.steps[since:]:
            before = step.apply(before) or before
        if self.phase is None:
            return
        for name, value in find_changes(before, self.stage.look(self.simulation)).items():
            change = overlay({name: copy.deepcopy(value)})
            self.steps.append(Step(call=self._name_call(name), apply=change))

    async def _act(self, m: Mulligan, tools: dict[str, Any], faults: Faults) -> None:
        def work() -> None:
            self._disturb("first")
            for at, (operation, given) in enumerate(self.calls):
                self.phase = len(self.known)
                self.simulation.faults = [self.fault] if self.fault and at == 0 else []
                try:
                    tools[operation](**given)
                except Exception:
                    pass
                finally:
                    self._note(m)
            self.phase = None
            self.simulation.faults = [self.undo_fault] if self.undo_fault else []
            self._disturb("after")

        with faults:
            await cancel_when_hung(act_once(m, work), faults)
        self.phase = None
        self.simulation.faults = []

    def _read_fates(self, m: Mulligan) -> list[Fate]:
        """What is said of each action, in order: each element of a bulk is a call of its own."""
        fates, counted = list[Fate](), Counter[int]()
        for fate in reversed(read_fates(m, self.known)):
            fates.append(replace(fate, call=fate.call * MOST + counted[fate.call]))
            counted[fate.call] += 1
        return fates

    def _name_call(self, name: str) -> int:
        """Which call a change is of: each element of a bulk is a call of its own."""
        phase = self.phase or 0
        _, given = self.calls[min(phase, len(self.calls) - 1)]
        named = [*given.get("ids", ()), *(each["event_id"] for each in given.get("updates", ()))]
        at = next((at for at, each in enumerate(named) if name.endswith(f"/{each}")), 0)
        return phase * MOST + at

    def _note(self, m: Mulligan) -> None:
        self.known.append([each.id for each in list_actions(m)])

    def _disturb(self, moment: str) -> None:
        """The second person, once."""
        if moment != self.moment or self.edited:
            return
        self.edited = True
        before = self.stage.look(self.simulation)
        said, between = f"{THEIRS} {self.chance.randint(1, 99)}", moment == "between"
        method, path, body = self.stage.draw_edit(self.chance, said, between=between)
        self.simulation.act(method, path, body, by=THEIRS)
        changes = find_changes(before, self.stage.look(self.simulation))
        self.steps.append(Step(call=None, apply=overlay(copy.deepcopy(changes))))


class ServicePlace:
    """One kind of service, made anew for each history."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder

    def draw(self, chance: random.Random, totals: Totals) -> None:
        """Draw a history, live through it, and judge it."""
        calls = [STAGES[self._name].draw_call(chance) for _ in range(chance.choice((1, 1, 2)))]
        stop = chance.choice((0, 0, chance.randint(1, 12)))
        store = "memory:"
        if stop or chance.random() < 0.2:
            store = f"sqlite:///{self._folder}/{chance.randrange(10**9)}.db"
        for operation, _ in calls:
            totals.deeds[operation] += 1
        ServiceHistory(
            name=self._name,
            chance=chance,
            simulation=SIMULATIONS[self._name](),
            store=store,
            calls=calls,
            fault=chance.choice(FAULTS),
            undo_fault=chance.choice((None, None, *FAULTS)),
            moment=chance.choice(MOMENTS),
            stop=stop,
            wrong=chance.random() < 0.85,
        ).run().judge(totals)
