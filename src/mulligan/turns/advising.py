"""What an agent is told about a call that failed, and the one correction that needs no telling."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from mulligan.core.call import ErrorClass, Execution, Failure
from mulligan.core.effect import Effect, Mode, Repeat
from mulligan.core.finding import Finding
from mulligan.core.lesson import Advice, Alike, FailedCall, Suggestion
from mulligan.turns.foresight import foresee, planned_call, tell_flagged
from mulligan.turns.offers import Corrected
from mulligan.turns.turn import OpenTurn
from mulligan.turns.watch import Watch

MOST_FIXES = 2
"""Corrections of one call that are applied by themselves."""

MOST_SHOWN = 500
"""Characters of what a conflict left, where advice is put into words."""

Once = Callable[..., Awaitable[Any]]
"""Makes a call with all its tries: its arguments, and the correction that it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advised:
    """A failed call and what would help: the exception carries it as `error.mulligan`."""

    execution: Execution
    failed: FailedCall
    """The same, with all that the advice was made from."""
    advice: Advice
    suggestions: tuple[Suggestion, ...]
    foreseen: tuple[Finding, ...] = ()
    """What spoke against the call before it was made."""
    like: Alike | None = None
    """Where nobody can say what kind of error it is: the known one it is most like."""

    def __str__(self) -> str:
        """What an agent or a person reads."""
        lines = [f"What to do: {self.advice.decision}. {self.advice.why}"]
        if self.advice.ask:
            lines.append(f"Ask the person: {self.advice.ask}")
        if self.failed.failure.now is not None:
            lines.append(f"What is there now: {repr(self.failed.failure.now)[:MOST_SHOWN]}")
        lines += [f"Try: {_shown(each)}" for each in self.suggestions]
        lines += [f"It could be foreseen: {each.issue} {each.correction}" for each in self.foreseen]
        lines += [f"Nobody knows this error; it is most like {self.like}."] if self.like else []
        return "\n".join(lines)


def conclude(watch: Watch, execution: Execution, *, turn: OpenTurn | None) -> Any:
    """What a call returned, or its own error again, with advice on it."""
    failure = execution.failure
    if failure is None or failure.error is None:
        return execution.result
    if watch.declaration.mode is Mode.OBSERVE or not watch.advises(execution.call.agent):
        _count(watch, execution, turn=turn)
        raise failure.error
    advised = advise(watch, execution, turn=turn)
    if advised is not None:
        attach(failure.error, advised)
        offer(advised, turn=turn)
    raise failure.error


def advise(watch: Watch, execution: Execution, *, turn: OpenTurn | None) -> Advised | None:
    """What would help; `None` if even that cannot be said. It never stands in the error's way."""
    # Only a failure pays for it: the validator and the tables take a while to load.
    from mulligan.learning.decide import decide
    from mulligan.learning.suggest import suggestions

    try:
        failed = _failed_call(watch, execution, turn=turn)
        found = suggestions(failed)
        return Advised(
            execution=execution,
            failed=failed,
            advice=decide(failed, found),
            suggestions=found,
            foreseen=_foreseen(watch, failed, turn=turn),
            like=_like(watch, failed),
        )
    except Exception as error:  # noqa: BLE001 - the tool's own error is what matters
        watch.note("No advice on a failure of %s", error)
        return None


def _failed_call(watch: Watch, execution: Execution, *, turn: OpenTurn | None) -> FailedCall:
    planned = planned_call(watch, execution.call, turn=turn)
    failure = execution.failure or Failure(error_class=ErrorClass.UNKNOWN)
    return FailedCall(
        call=planned.call,
        schema=planned.schema,
        effect=planned.effect,
        tools=planned.tools,
        said=planned.said,
        earlier=planned.earlier,
        failure=failure,
        error=str(failure.error),
    )


def _like(watch: Watch, failed: FailedCall) -> Alike | None:
    """The known error that one is most like which nobody understands."""
    from mulligan.learning.fingerprint import pattern_of
    from mulligan.learning.wording import likely_class

    pattern = pattern_of(
        failed.call,
        error=failed.error,
        error_class=likely_class(failed.failure, failed.error),
        error_type=type(failed.failure.error).__name__,
        rules=watch.error_rules,
    )
    try:
        return watch.instruments.patterns.meet(pattern)
    except Exception as error:  # noqa: BLE001 - the measure may be the user's own
        watch.note("A failure of %s could not be compared", error)
        return None


def _foreseen(watch: Watch, failed: FailedCall, *, turn: OpenTurn | None) -> tuple[Finding, ...]:
    """What spoke against a call of a turn; told here unless it was told before the call."""
    if turn is None:
        return ()
    found = foresee(watch, failed)
    if found and not watch.prechecks:
        tell_flagged(watch, failed.call, found=found, made=True, failed=True)
    return found


def _count(watch: Watch, execution: Execution, *, turn: OpenTurn | None) -> None:
    """Who is only observed is told nothing; whoever counts events hears what was foreseeable."""
    if turn is not None and watch.instruments.events.wanted:
        try:
            _foreseen(watch, _failed_call(watch, execution, turn=turn), turn=turn)
        except Exception as error:  # noqa: BLE001 - the tool's own error is what matters
            watch.note("A failure of %s was not looked at", error)


def correction_of(error: BaseException, watch: Watch) -> Corrected | None:
    """What may be tried by itself after a failure, if anything."""
    advised = getattr(error, "mulligan", None)
    if not isinstance(advised, Advised) or not advised.suggestions:
        return None
    from mulligan.learning.applying import may_apply

    execution, best = advised.execution, advised.suggestions[0]
    patched = best.patch.apply(execution.call.arguments)
    arguments = _under_a_new_key(patched, execution=execution, watch=watch)
    if arguments is None:
        return None
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


def _under_a_new_key(
    arguments: dict[str, object], *, execution: Execution, watch: Watch
) -> dict[str, object] | None:
    """Other arguments are another call: the remote must not take it for the one it refused.

    Our own key is left out, so that the next call draws one; the agent's own is the agent's to
    change, so that with a remote that goes by keys nothing is applied.
    """
    key = watch.declaration.key
    given = arguments.get(key) if key is not None else None
    if key is None or given is None:
        return arguments
    if given == execution.call.id:
        return {name: value for name, value in arguments.items() if name != key}
    return None if watch.declaration.repeat is Repeat.KEYED else arguments


async def mend(watch: Watch, corrected: Corrected, *, once: Once) -> Any:
    """Make a call with corrected arguments, and correct those again if they fail too."""
    fixes = 0
    while True:
        fixes += 1
        args, kwargs = watch.signature.unbind(corrected.arguments)
        try:
            return await once(args, kwargs, corrected)
        except Exception as error:
            again = correction_of(error, watch) if fixes < MOST_FIXES else None
            if again is None:
                raise
            corrected = again


def attach(error: BaseException, advised: Advised) -> None:
    """Put advice on an error, in the place of what it carries."""
    before = getattr(error, "mulligan", None)
    with suppress(AttributeError, TypeError):  # an exception may have no room for more
        error.mulligan = advised  # type: ignore[attr-defined]
    if isinstance(before, Advised) and str(before) in getattr(error, "__notes__", ()):
        error.__notes__.remove(str(before))
    error.add_note(str(advised))


def offer(advised: Advised, *, turn: OpenTurn | None) -> None:
    """Remember what an agent was told, so that it can be seen whether it was right."""
    if turn is not None:
        turn.offers.make(advised.execution, advised.suggestions)


def _shown(suggestion: Suggestion) -> str:
    sure = f"{suggestion.probability:.0%}, n={suggestion.n}"
    return f"{suggestion.patch} ({suggestion.source}, {sure}: {suggestion.evidence})"
