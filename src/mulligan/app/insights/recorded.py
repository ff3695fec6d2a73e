"""Replies that were really written, as cases to try other thresholds on."""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.app.step_log import REPLY_SETTLED
from mulligan.core.call import OWN
from mulligan.core.interfaces import Store
from mulligan.core.log_query import LogQuery
from mulligan.evaluation.cases import Case
from mulligan.turns.turn.reply_record import NAME, unpack_reply

MOST = 1_000


def read_recorded_cases(store: Store, *, limit: int | None = None) -> tuple[Case, ...]:
    """The latest replies that are still kept, the newest first, each with all its tries."""
    return tuple(_list_cases(store, most=limit or MOST))


def _list_cases(store: Store, *, most: int) -> Iterator[Case]:
    seen: set[str] = set()
    for row in store.log.list_rows(LogQuery(server=OWN, tool=REPLY_SETTLED, limit=most)):
        owner = row.turn or row.id
        kept = None if owner in seen else store.vault.get(owner, NAME)
        if kept is None:
            continue
        seen.add(owner)
        told = unpack_reply(kept)
        yield Case(id=owner, question=told.query, context=told.context, recorded=told.tries)
