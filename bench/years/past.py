"""What years leave beside the log: actions that are settled, and failures that have ended."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from bench import history
from mulligan.learning.fingerprint import recognize
from mulligan.types.action import Entry, Kept, Opening, State
from mulligan.types.effect import Effect
from mulligan.types.interfaces import Store
from mulligan.types.limits import Retention
from mulligan.types.values import RANDOM_BITS, from_us, make_uuid7, to_us

EACH = 10
"""Executions for each action, and for each failure that is remembered …"""
MOST = 100_000
"""… and so many at most, as they are kept for a time only."""
AT_A_TIME = 500
KEEP = Retention()
STATES = (State.INTENT, State.EXECUTED, State.VERIFIED)
"""What nearly every action goes through."""
ARGUMENTS = b'{"place":"Elm St 12","day":"2026-11-20","limit":10}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """How much has happened, for whom, and up to when: all of it as long ago as it is kept."""

    rows: int
    tenant: str
    until: datetime

    @property
    def beside(self) -> int:
        """How many settled actions there are, and how many episodes."""
        return min(MOST, self.rows // EACH)

    def count_steps(self, at_a_time: int) -> int:
        """How often `fill` says that it has come further."""
        return history.batches_of(self.rows, at_a_time=at_a_time) + 2 * -(-self.beside // AT_A_TIME)

    def fill(self, store: Store, *, at_a_time: int, step: Callable[[], None]) -> None:
        """Put it into a store, through the store's own doors."""
        history.fill(
            store,
            rows=self.rows,
            until=self.until,
            step=step,
            span=KEEP.log,
            at_a_time=at_a_time,
            most_episodes=0,
            tenant=self.tenant,
        )
        for some in self._spread(KEEP.settled):
            self._settle(store, some)
            step()
        for some in self._spread(KEEP.learned):
            self._remember(store, some)
            step()

    def _spread(self, span: timedelta) -> Iterator[list[int]]:
        """Moments, evenly over a span that ends now, some at a time."""
        span_us = span // timedelta(microseconds=1)
        first_us = to_us(self.until, name="until") - span_us
        for start in range(0, self.beside, AT_A_TIME):
            numbers = range(start, min(start + AT_A_TIME, self.beside))
            yield [first_us + number * span_us // self.beside for number in numbers]

    def _settle(self, store: Store, moments: list[int]) -> None:
        chance = random.Random(moments[0])
        entries, kept = list[Entry](), list[Kept]()
        for at_us in moments:
            action = make_uuid7(at_us, chance.getrandbits(RANDOM_BITS))
            entries += self._build_entries(action, at=from_us(at_us))
            if from_us(at_us) > self.until - KEEP.kept:
                kept.append(Kept(owner=action, name="arguments", value=ARGUMENTS))
        store.journal.submit(entries, keep=kept).result()

    def _build_entries(self, action: str, *, at: datetime) -> Iterator[Entry]:
        opening = Opening(
            tool="desk_tool_1",
            server="desk",
            effect=Effect.REVERSIBLE,
            agent="agent 1",
            tenant=self.tenant,
            turn=action,
            call=action,
        )
        for version, state in enumerate(STATES, start=1):
            first = opening if version == 1 else None
            yield Entry(action=action, state=state, at=at, version=version, opening=first)

    def _remember(self, store: Store, moments: list[int]) -> None:
        chance = random.Random(moments[0])
        failed = [
            history.build_row(chance, at_us, failed=True, tenant=self.tenant) for at_us in moments
        ]
        store.failures.record([history.build_episode(row, recognize(row)) for row in failed])
