"""A store as every question reads it: one tenant's part of it or all, and what may be kept of it.

Whoever reads is given a `StoreReader`, which was told whose rows its store may show: a page that
shows another tenant's cannot be written by leaving something out.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from msgspec import Struct

from mulligan.insights.cache import LONG, AnswerCache, CountReader, PatternReader, ThoroughLook
from mulligan.insights.figures import UNNAMED, name_tool
from mulligan.insights.filters import NameLookup, ViewFilter, Window
from mulligan.process.event_loop import read_utc_now
from mulligan.redaction import Redactor
from mulligan.settings import Settings
from mulligan.stores.tenant_view import keep_to_tenant
from mulligan.telemetry.writer import RowCounts
from mulligan.types.action import Action, Foreseen
from mulligan.types.call import OWN, LogRow, Outcome
from mulligan.types.errors import MulliganError
from mulligan.types.interfaces import Clock, KnownTool, Store
from mulligan.types.log import Batch, LogQuery
from mulligan.types.values import RANDOM_BITS, from_us, make_uuid7, to_us

ACTED = "person.acted"
"""What such a row is of, beside the steps of our own loops."""
EXPORTED = "lessons.exported"
MOST_ACTS = 50
MOST_EXPORTS = 1_000

R = TypeVar("R")

Foresee = Callable[[Sequence[Action]], Mapping[str, Foreseen]]
"""What an undo of some actions would come to, by their ids, as far as their code is here."""


CheckEdited = Callable[[Action, Mapping[str, object]], Sequence[str] | None]
"""What annotations and checks refuse in a held call with changed arguments; `None`: its tool is not
here."""


class PersonActed(Struct, frozen=True, kw_only=True):
    """An act of a person as it is on record."""

    at: datetime
    by: str
    act: str
    """What was asked for, with its subject: `approve 0192…`."""
    refused: str
    """Why it was refused; empty where it was done."""


class ActLog:
    """Carries acts out, and puts each on record, also one that was refused."""

    def __init__(self, store: Store, *, clock: Clock, tenant: str = "") -> None:
        self._store = store
        self._clock = clock
        self._tenant = tenant

    def record(self, act: Callable[[], R], *, by: str, what: str) -> R:
        """Do it and record it; errors are recorded and raised."""
        try:
            done = act()
        except MulliganError as error:
            self._write(by=by, what=what, refused=str(error))
            raise
        self._write(by=by, what=what, refused="")
        return done

    def list_acts(self) -> list[PersonActed]:
        """The latest acts, the newest first."""
        rows = self._store.log.list_rows(LogQuery(server=OWN, tool=ACTED, limit=MOST_ACTS))
        return [
            PersonActed(
                at=from_us(row.at_us),
                by=row.agent,
                act=row.context,
                refused=row.error_message or "",
            )
            for row in rows
        ]

    def record_export(self, tools: Sequence[str], *, by: str) -> None:
        """What was learned about some tools has been taken elsewhere; no tools: about all."""
        for tool in tools or ("",):
            self._write(by=by, what=tool, refused="", kind=EXPORTED)

    def list_exports(self) -> dict[str, datetime]:
        """When what was learned about each tool was last taken elsewhere; empty: about all."""
        query = LogQuery(server=OWN, tool=EXPORTED, limit=MOST_EXPORTS)
        rows = reversed(self._store.log.list_rows(query))
        return {row.context: from_us(row.at_us) for row in rows}

    def _write(self, *, by: str, what: str, refused: str, kind: str = ACTED) -> None:
        at_us = to_us(self._clock(), name="now")
        outcome = Outcome.FAILURE if refused else Outcome.SUCCESS
        row = LogRow(
            id=make_uuid7(at_us, secrets.randbits(RANDOM_BITS)),
            at_us=at_us,
            tenant=self._tenant,
            agent=by,
            server=OWN,
            tool=kind,
            parameters="{}",
            context=what,
            outcome=outcome.value,
            duration_us=0,
            error_type="Refused" if refused else None,
            error_message=refused[:1000] or None,
        )
        self._store.log.write(Batch(rows=[row]))


class ChangeToken(Struct, frozen=True, kw_only=True):
    """The newest row of the log, and a mark of the open list."""

    last_row: str
    open_mark: str

    @property
    def mark(self) -> str:
        """What a page keeps of it, to tell whether it was made before or after."""
        return hashlib.sha256(f"{self.last_row} {self.open_mark}".encode()).hexdigest()[:16]


MOST_IN_TOKEN = 1_000
MOST_NEW_ROWS = 500
MOST_OPEN = 10_000
"""The most open actions a page reads."""


def _count_nothing() -> RowCounts:
    return RowCounts(emitted=0, stored=0, dropped=0, waiting=0)


class StoreReader:
    """What a question is answered from. Safe to use from any thread."""

    def __init__(
        self,
        store: Store,
        *,
        tenant: str | None,
        settings: Settings,
        clock: Clock = read_utc_now,
        tally: Callable[[], RowCounts] = _count_nothing,
        declared: Callable[[], Sequence[KnownTool]] = tuple,
        foresee: Foresee | None = None,
        read_now: Callable[[Action], object] | None = None,
        check_edited: CheckEdited | None = None,
    ) -> None:
        self.tenant = tenant
        """The identity of the tenant these answers are limited to; `None`: all."""
        self.store = store if tenant is None else keep_to_tenant(store, tenant)
        self._whole = store
        self.settings = settings
        self.clock = clock
        self.tally = tally
        """Counts of the rows this process has logged: stored, dropped or waiting."""
        self.declared = declared
        """The tools of this process, where it is an application's."""
        self.foresee = foresee
        """Looks at what is there with the tools' own functions; `None`: their code is elsewhere."""
        self.read_now = read_now
        """Reads what is there of what an action is about, less secrets, by the tool's function."""
        self.check_edited = check_edited
        """Finds what is wrong with a held call as a person has changed it, by the checks."""
        self.cache = AnswerCache(clock)
        self.counts = CountReader(self.store.log, clock=clock)
        self.patterns_seen = PatternReader(log=self.store.log, clock=clock, cache=self.cache)
        self.thorough = ThoroughLook(self.store.check_health, clock=clock)
        self.acts = ActLog(self.store, clock=clock, tenant=tenant or "")

    @cached_property
    def redactor(self) -> Redactor:
        """Hides what a surface must not show."""
        return self.settings.build_redactor(self.store)

    @property
    def names(self) -> NameLookup:
        """Tenants and agents by what people call them."""
        return NameLookup(self.redactor)

    def list_callable(self) -> Sequence[KnownTool]:
        """The tools whose schemas may be quoted."""
        return self.declared() if self.tenant is not None else self.store.catalog.list_tools()

    def list_open(self, asked: ViewFilter) -> list[Action]:
        """Actions that need attention, oldest first."""
        return [each for each in self._list_open() if asked.fits(each.opening)]

    def has_all_open(self) -> bool:
        """Whether there are no more of them than are ever listed."""
        return len(self._list_open()) < MOST_OPEN

    def _list_open(self) -> list[Action]:
        journal = self.store.journal
        return self.cache.keep("open", lambda: journal.list_open_actions(limit=MOST_OPEN))

    def list_names(self) -> dict[str, list[str]]:
        """What can be filtered by: the tools, agents and tenants of the last thirty days."""

        def read() -> dict[str, list[str]]:
            slots = self.counts.join_slots(Window.MONTH.length, ViewFilter())
            return {
                "tool": sorted({name_tool(slot) for slot in slots}),
                "agent": sorted({slot.agent or UNNAMED for slot in slots}),
                "tenant": sorted({slot.tenant for slot in slots}),
            }

        return self.cache.keep("names", read, life=LONG / 3)

    def read_change_token(self) -> ChangeToken:
        """What would have to change for a page to be out of date."""
        newest = self.store.log.list_rows(LogQuery(limit=1))
        found = self.store.journal.list_open_actions(limit=MOST_IN_TOKEN)
        marks = "".join(f"{action.id}{action.version}" for action in found)
        return ChangeToken(
            last_row=newest[0].id if newest else "",
            open_mark=hashlib.sha256(marks.encode()).hexdigest()[:16],
        )

    def list_new_rows(self, *, after: str) -> list[LogRow]:
        """Rows that were logged since, the oldest first."""
        query = LogQuery(after=after, oldest_first=True, limit=MOST_NEW_ROWS)
        return self.store.log.list_rows(query)
