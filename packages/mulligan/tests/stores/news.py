"""Listening to a store, and what others do there that may be heard."""

from __future__ import annotations

import threading

from msgspec.structs import replace

from mulligan.types.action import Opening, State
from mulligan.types.effect import Effect
from mulligan.types.interfaces import Store
from mulligan_testing.store_contract.contract import make_first_entry, make_next_entry

IN_TIME, A_MOMENT = 20.0, 0.3


class Ear:
    """Counts what was heard."""

    def __init__(self) -> None:
        self.heard = threading.Semaphore(0)

    def __call__(self) -> None:
        self.heard.release()

    def hears(self, *, within: float = IN_TIME) -> bool:
        return self.heard.acquire(timeout=within)


def hold(store: Store, name: str) -> None:
    opening = Opening(tool="send", effect=Effect.IRREVERSIBLE)
    store.journal.submit([make_first_entry(name, state=State.HELD, opening=opening)]).result()


def approve(store: Store, name: str) -> None:
    entry = make_next_entry(name, State.APPROVED, version=2)
    store.journal.submit([replace(entry, detail={"by": "Ann"})]).result()
