"""What an agent is told about a call that failed, and the one correction that needs no telling."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from mulligan.core.call import Execution, Outcome
from mulligan.core.effect import Effect, Mode
from mulligan.core.event import CallRepaired
from mulligan.core.lesson import Advice, Earlier, FailedCall, Suggestion
from mulligan.turns.turn import OpenTurn
from mulligan.turns.watch import Watch

MOST_FIXES = 2
"""Corrections of one call that are applied by themselves."""

Once = Callable[..., Awaitable[Any]]
"""Makes a call with all its tries: its arguments, and the call that it corrects."""

MOST_EARLIER = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Advised:
    """A failed call and what would help: the exception carries it as `error.mulligan`."""

    execution: Execution
    failed: FailedCall
    """The same, with all that the advice was made from."""
    advice: Advice
    suggestions: tuple[Suggestion, ...]

    def __str__(self) -> str:
        """What an agent or a person reads."""
        lines = [f"What to do: {self.advice.decision}. {self.advice.why}"]
        if self.advice.ask:
            lines.append(f"Ask the person: {self.advice.ask}")
        lines += [f"Try: {_shown(each)}" for each in self.suggestions]
        return "\n".join(lines)


def conclude(watch: Watch, execution: Execution, *, turn: OpenTurn | None) -> Any:
    """What a call returned, or its own error again, with advice on it."""
    failure = execution.failure
    if failure is None or failure.error is None:
        return execution.result
    if watch.declaration.mode is not Mode.OBSERVE and watch.advises(execution.call.agent):
        _attach(failure.error, advise(watch, execution, turn=turn))
    raise failure.error


def advise(watch: Watch, execution: Execution, *, turn: OpenTurn | None) -> Advised | None:
    """What would help; `None` if even that cannot be said. It never stands in the error's way."""
    # Only a failure pays for it: the validator and the tables take a while to load.
    from mulligan.learning.decide import decide
    from mulligan.learning.suggest import suggestions

    failure = execution.failure
    if failure is None:
        return None
    try:
        failed = FailedCall(
            call=execution.call,
            schema=watch.schema,
            effect=watch.declaration.effect_for(execution.call.arguments),
            said=(turn.message,) if turn is not None and turn.message else (),
            earlier=_earlier(execution, turn),
            failure=failure,
            error=str(failure.error),
        )
        found = suggestions(failed)
        return Advised(
            execution=execution, failed=failed, advice=decide(failed, found), suggestions=found
        )
    except Exception as error:  # noqa: BLE001 - the tool's own error is what matters
        watch.note("No advice on a failure of %s", error)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """A correction that may be applied without asking, and the call it corrects."""

    suggestion: Suggestion
    execution: Execution
    arguments: Mapping[str, object]


def correction_of(error: BaseException, watch: Watch) -> Corrected | None:
    """What may be tried by itself after a failure, if anything."""
    advised = getattr(error, "mulligan", None)
    if not isinstance(advised, Advised) or not advised.suggestions:
        return None
    from mulligan.learning.applying import may_apply

    execution, best = advised.execution, advised.suggestions[0]
    arguments = best.patch.apply(execution.call.arguments)
    # Classified again: other arguments may do other things to the world.
    effect = watch.declaration.effect_for(arguments)
    reads = effect is Effect.READ
    failure = execution.failure
    if not reads and (failure is None or not failure.answered):
        # Only the remote's own refusal proves that nothing was done yet.
        return None
    nobody_holds_it = effect is Effect.IRREVERSIBLE and execution.call.turn is None
    failed = replace(advised.failed, effect=effect)
    if nobody_holds_it or not may_apply(best, failed, mode=watch.declaration.mode):
        return None
    return Corrected(suggestion=best, execution=execution, arguments=arguments)


async def mend(watch: Watch, corrected: Corrected, *, once: Once) -> Any:
    """Make a call with corrected arguments, and correct those again if they fail too."""
    fixes = 0
    while True:
        fixes += 1
        args, kwargs = watch.signature.unbind(corrected.arguments)
        try:
            result = await once(args, kwargs, corrected.execution)
        except Exception as error:
            again = correction_of(error, watch) if fixes < MOST_FIXES else None
            if again is None:
                raise
            corrected = again
            continue
        call, tries = corrected.execution.call, corrected.execution.try_number + 1
        by = f"{corrected.suggestion.source}: {corrected.suggestion.evidence}"
        watch.instruments.events.publish(
            CallRepaired(call=call.id, tool=call.tool, tries=tries, by=by)
        )
        return result


def _earlier(execution: Execution, turn: OpenTurn | None) -> tuple[Earlier, ...]:
    if turn is None:
        return ()
    made = [e for attempt in turn.attempts for e in attempt.executions()[-MOST_EARLIER:]]
    return tuple(
        Earlier(
            tool=each.call.tool,
            arguments=each.call.arguments,
            result=each.result,
            failed=each.outcome is not Outcome.SUCCESS,
        )
        for each in made
        if each.call.id != execution.call.id
    )


def _attach(error: BaseException, advised: Advised | None) -> None:
    if advised is None:
        return
    with suppress(AttributeError, TypeError):  # an exception may have no room for more
        error.mulligan = advised  # type: ignore[attr-defined]
    error.add_note(str(advised))


def _shown(suggestion: Suggestion) -> str:
    sure = f"{suggestion.probability:.0%}, n={suggestion.n}"
    return f"{suggestion.patch} ({suggestion.source}, {sure}: {suggestion.evidence})"
