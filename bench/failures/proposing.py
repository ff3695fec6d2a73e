"""One failure and the product's proposals about it, carried out until one of them helps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from bench.failures.environments import Case, Environments
from mulligan.learning.suggest import suggest_corrections
from mulligan.types.interfaces import Suggest
from mulligan.types.lesson import Earlier, Suggestion

TRIES = 3
"""Of one call in all, the first that failed among them: as many as the product makes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of a failure."""

    succeeded: bool
    tries: int
    """Corrected calls that were made."""


def try_out(environments: Environments, case: Case, *, sources: Sequence[Suggest]) -> Trial:
    """Carry out the best proposal; if the call fails again, the best for that failure."""
    stage = Stage(environments, case, sources=sources)
    for number in range(1, TRIES):
        proposal = stage.proposal()
        if proposal is None:
            return Trial(succeeded=False, tries=number - 1)
        if stage.carry_out(proposal):
            return Trial(succeeded=True, tries=number)
    return Trial(succeeded=False, tries=TRIES - 1)


class Stage:
    """An environment at a failure, and everything that is done in it afterwards."""

    def __init__(
        self, environments: Environments, case: Case, *, sources: Sequence[Suggest]
    ) -> None:
        self._environments = environments
        self._test: str = case["test"]
        self._sources = sources
        self._failed = environments.failed_call(case)
        broken = Earlier(tool=case["tool"], arguments=case["failed_args"])
        self._made = [*map(_bare, self._failed.earlier), broken]
        self._tried: set[str] = set()

    def proposal(self) -> Suggestion | None:
        """The likeliest that can be carried out and was not yet."""
        fresh = (each for each in self._suggested() if self._key(each) not in self._tried)
        return next(fresh, None)

    def carry_out(self, proposal: Suggestion) -> bool:
        """Make the calls before, then the corrected call; whether that succeeded."""
        self._tried.add(self._key(proposal))
        if proposal.patch.first:
            proposal = self._informed(proposal)
        arguments = proposal.patch.apply(self._failed.call.arguments)
        again = Earlier(tool=proposal.patch.tool or self._failed.call.tool, arguments=arguments)
        self._made.append(again)
        played = self._environments.play(self._test, self._made)
        self._failed = replace(
            self._failed,
            call=replace(self._failed.call, arguments=arguments),
            error=str(played[-1].result),
            earlier=tuple(played[:-1]),
        )
        return not played[-1].failed

    def _informed(self, proposal: Suggestion) -> Suggestion:
        """After the calls before: the same lesson again, if their results let it say more."""
        before = [
            Earlier(tool=each.tool, arguments=each.arguments or {}) for each in proposal.patch.first
        ]
        self._made += before
        played = self._environments.play(self._test, self._made)
        self._failed = replace(self._failed, earlier=tuple(played))
        more = (
            each
            for each in self._suggested()
            if each.lesson == proposal.lesson and not each.patch.first
        )
        return proposal if proposal.patch.changes else next(more, proposal)

    def _suggested(self) -> list[Suggestion]:
        found = suggest_corrections(self._failed, sources=self._sources)
        return [each for each in found if _complete(each)]

    def _key(self, proposal: Suggestion) -> str:
        after = proposal.patch.apply(self._failed.call.arguments)
        return repr((proposal.patch.tool, proposal.patch.first, sorted(after.items())))


def _complete(proposal: Suggestion) -> bool:
    """Whether nothing is left for the agent to say."""
    return all(each.arguments is not None for each in proposal.patch.first)


def _bare(made: Earlier) -> Earlier:
    return Earlier(tool=made.tool, arguments=made.arguments)
