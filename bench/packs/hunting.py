"""Mistakes in the packs that the crash campaign looks for too, each by histories of its pack.

No blow shows them: the tools of that campaign declare their own functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.packs import effect_mutants, sql_mutants
from bench.packs.histories import Place
from bench.suites.effects import open_place

MOST = 200
"""After so many histories a planted mistake counts as missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackMutant:
    """A mistake, under the name that its pack lists it by."""

    pack: str
    name: str

    def hunt(self, folder: Path, *, seed: int) -> str | None:
        """What shows it first; `None` where nothing did."""
        if self.pack == "sql":
            hunt = sql_mutants.list_hunts(Place(f"sqlite:///{folder}/rows.db"))[self.name]
            totals = hunt.run(most=MOST, seed=seed)
        else:
            with open_place(self.pack, folder) as draw:
                hunt = effect_mutants.list_hunts(self.pack, draw)[self.name]
                totals = hunt.run(most=MOST, seed=seed)
        return f"histories of {self.pack}: {totals.examples[0]}" if totals.broken else None


PACK_MUTANTS = {
    "an upsert is taken for an insert": PackMutant(
        pack="sql", name="an insert reads nothing before it"
    ),
    effect_mutants.GET_OR_CREATE: PackMutant(pack="http", name=effect_mutants.GET_OR_CREATE),
    effect_mutants.LATE_202: PackMutant(pack="http", name=effect_mutants.LATE_202),
}
