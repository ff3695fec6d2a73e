"""Mistakes in the packs that the crash campaign looks for too, each by histories of its pack.

No blow shows them: the tools of that campaign declare their own functions.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.packs import effect_mutants, sql_mutants
from bench.packs.effects import run_effects
from bench.packs.histories import Totals, run_histories
from bench.suites import effects, sql

MOST = 200
"""After so many histories a planted mistake counts as missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackMutant:
    """A mistake, under the name that its pack lists it by."""

    pack: str
    name: str

    def hunt(self, folder: Path, *, seed: int) -> str | None:
        """What shows it first; `None` where nothing did."""
        with ExitStack() as stack:
            if self.pack == "sql":
                place = sql.open_place("sqlite", folder, stack)
                stack.enter_context(sql_mutants.MUTANTS[self.name]())
                likely = sql_mutants.LIKELY.get(self.name, ())
                totals = run_histories(
                    place, count=MOST, seed=seed, until=_is_broken, likely=likely
                )
            else:
                draw = stack.enter_context(effects.open_place(self.pack, folder))
                stack.enter_context(effect_mutants.MUTANTS[self.pack][self.name]())
                first = effect_mutants.LIKELY.get(self.name, ())
                totals = run_effects(draw, count=MOST, seed=seed, until=_is_broken, first=first)
        return f"histories of {self.pack}: {totals.examples[0]}" if totals.broken else None


def _is_broken(seen: Totals) -> bool:
    return bool(seen.broken)


PACK_MUTANTS = {
    "an upsert is taken for an insert": PackMutant(
        pack="sql", name="an insert reads nothing before it"
    ),
    effect_mutants.GET_OR_CREATE: PackMutant(pack="http", name=effect_mutants.GET_OR_CREATE),
    effect_mutants.LATE_202: PackMutant(pack="http", name=effect_mutants.LATE_202),
}
