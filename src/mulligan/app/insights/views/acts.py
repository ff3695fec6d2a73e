"""What a person does on a page, each act with a row of who did it, to what, and what came of it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from mulligan.codec.json_text import encode_json
from mulligan.core.call import OWN, LogRow, Outcome
from mulligan.core.errors import MulliganError
from mulligan.core.interfaces import Clock, Store
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.ids import RANDOM_BITS, make_uuid7
from mulligan.core.storage.instants import from_us, to_us
from mulligan.core.storage.log_query import Batch, LogQuery

ACTED = "person.acted"
"""What such a row is of, beside the steps of our own loops."""
EXPORTED = "lessons.exported"
MOST_EXPORTS = 1_000

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonActed:
    """An act of a person as it is on record."""

    at: datetime
    by: str
    act: str
    """What was asked for, with its subject: `approve 0192…`."""
    refused: str
    """Why nothing came of it; empty where it was done."""


class ActLog:
    """Carries acts out, and puts each on record, also one that was refused."""

    def __init__(self, store: Store, *, clock: Clock, tenant: str = "") -> None:
        self._store = store
        self._clock = clock
        self._tenant = tenant

    def record(self, act: Callable[[], R], *, by: str, what: str) -> R:
        """Do it; what it raises comes through, and is on record too."""
        try:
            done = act()
        except MulliganError as error:
            self._write(by=by, what=what, refused=str(error))
            raise
        self._write(by=by, what=what, refused="")
        return done

    def list_acts(self, *, limit: int = 50) -> list[PersonActed]:
        """The latest acts, the newest first."""
        rows = self._store.log.list_rows(LogQuery(server=OWN, tool=ACTED, limit=limit))
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
            parameters=encode_json({}).decode(),
            context=what,
            outcome=outcome.value,
            duration_us=0,
            error_class=None,
            error_type="Refused" if refused else None,
            error_message=refused[:1000] or None,
            error_code=None,
            error_at=None,
            result=None,
            try_number=1,
            parent=None,
            turn=None,
            weight=1.0,
        )
        self._store.log.write(Batch(rows=[row]))
