"""How the parts are put together for one application."""

from __future__ import annotations

from dataclasses import dataclass

from mulligan.app.housekeeping import Housekeeping
from mulligan.app.settings import Settings
from mulligan.core.interfaces import Store
from mulligan.redaction import Redactor
from mulligan.stores.clock import utc_now
from mulligan.stores.opening import open_store
from mulligan.telemetry.events import Events
from mulligan.telemetry.writer import LogWriter
from mulligan.turns.book import Book
from mulligan.turns.instruments import Instruments


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything one application runs on."""

    store: Store
    instruments: Instruments
    housekeeping: Housekeeping

    def close(self) -> None:
        """Close everything, the store last."""
        self.housekeeping.close()
        self.instruments.log.close()
        self.instruments.events.close()
        self.store.close()


def assemble(settings: Settings, *, store: Store | None = None) -> Parts:
    """Put the parts together, on the given store or the one that the settings name."""
    store = store or open_store(
        settings.store,
        migrate=settings.migrate,
        vault_key=settings.vault_key,
        retention=settings.retention,
    )
    events = Events()
    redactor = Redactor(
        key=settings.redaction_key or store.secret(),
        allow=settings.allow,
        capture=settings.capture,
    )
    instruments = Instruments(
        redactor=redactor,
        log=LogWriter(store.log, clock=utc_now, on_drop=events.publish),
        book=Book(store.journal, clock=utc_now, scrub=redactor.text),
        events=events,
        tenant=redactor.label(settings.tenant) if settings.tenant else "",
        sample=settings.sample,
        spans=settings.spans,
        backoff=settings.backoff,
    )
    return Parts(
        store=store,
        instruments=instruments,
        housekeeping=Housekeeping(store, retention=settings.retention, clock=utc_now),
    )
