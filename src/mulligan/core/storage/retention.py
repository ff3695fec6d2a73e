"""How long things are kept."""

from __future__ import annotations

from datetime import timedelta

from mulligan.core.runtime.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long each kind of record is kept. Open actions are kept for ever."""

    log: timedelta = timedelta(days=30)
    """Of the log, after the call."""
    settled: timedelta = timedelta(days=90)
    """Of the journal, after the action was settled."""
    kept: timedelta = timedelta(days=7)
    """Of the vault, after the action was settled."""
    learned: timedelta = timedelta(days=90)
    """What was learned from: the casebook's episodes, the archive's runs and retired versions."""
    compress: timedelta | None = None
    """Successes older than this are kept in compressed batches; `None`: never."""
