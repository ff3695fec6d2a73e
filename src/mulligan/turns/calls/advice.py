"""How an agent is told about a call that failed, and which correction needs no telling."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, cast

from mulligan.core.call import Execution, Failure
from mulligan.core.display.escape import format_value
from mulligan.core.effect import Effect, Mode
from mulligan.core.errors import SilentError
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.lesson import hash_schema
from mulligan.core.failures.suggestion import Alike, FailedCall, Pattern
from mulligan.core.finding import Finding, Severity
from mulligan.turns.calls.live import LiveCall
from mulligan.turns.calls.precheck import announce_flagged, foresee, plan_call
from mulligan.turns.calls.tool import Tool
from mulligan.turns.memory.advice_text import Advised
from mulligan.turns.memory.episodes import OpenEpisode
from mulligan.turns.memory.lookup import Asking, Recalled, with_memory
from mulligan.turns.memory.offers import Corrected
from mulligan.turns.memory.told import tell
from mulligan.turns.tools.tries import is_made_once
from mulligan.turns.turn.context import OpenTurn


async def conclude(call: LiveCall, execution: Execution) -> Any:
    """What a call returned, or its own error again, with advice on it.

    A result that is a failure is returned as it is: what is said about it stands in the turn.
    """
    failure, tool = execution.failure, call.tool
    if failure is None or (failure.error is None and not _is_heard(call)):
        return execution.result
    if not call.advised:
        pass  # logged, and nothing more: it is one of too many in one request
    elif tool.declaration.mode is Mode.OBSERVE or not tool.advises(execution.call.agent):
        await _note_failure(call, execution)
    elif (advised := await advise(call, execution)) is not None:
        offer(advised, turn=call.turn)
        if failure.error is not None:
            attach(failure.error, advised)
        elif _is_being_mended(call) or _build_correction(advised, tool) is not None:
            raise ReturnedError(advised)
    if failure.error is not None:
        raise failure.error
    return execution.result


def _is_heard(call: LiveCall) -> bool:
    """Whether advice on a failure that was returned can reach anybody."""
    return call.turn is not None or call.tool.declaration.mode is Mode.AUTO


def _is_being_mended(call: LiveCall) -> bool:
    """Whether it is a correction of ours, whose caller made another call."""
    return call.follows is not None and call.follows.by_itself


class ReturnedError(SilentError):
    """A result that is a failure and has or is a correction: for `mend`, never for a caller."""

    def __init__(self, advised: Advised) -> None:
        super().__init__()
        self.mulligan = advised


async def advise(call: LiveCall, execution: Execution) -> Advised | None:
    """What would help; `None` if even that cannot be said. It never stands in the error's way."""
    tool, turn = call.tool, call.turn
    # Reading takes a while where an error or a request is long: no event loop waits for it.
    aside = call.waiter.aside
    try:
        episode = await aside(partial(_open_episode, call, execution))
        recalled = await _ask_memory(call, episode)
        advised: Advised
        episode, advised = await aside(partial(_compose, call, episode, recalled=recalled))
        if turn is not None:
            turn.episodes.append(episode)
        _announce_foreseen(call, episode.failed, advised.foreseen)
    except Exception as error:  # noqa: BLE001 - the tool's own error is what matters
        tool.warn("No advice on a failure of %s", error)
        return None
    return advised


def _compose(
    call: LiveCall, episode: OpenEpisode, *, recalled: Recalled | None
) -> tuple[OpenEpisode, Advised]:
    """What every source says, weighed; and the episode with what memory had to say."""
    # Only a failure pays for it: the validator and the tables take a while to load.
    from mulligan.learning.decide import NO_PAST, decide
    from mulligan.learning.suggest import SOURCES, suggest_corrections

    sources = SOURCES if recalled is None else (*SOURCES, recalled.suggest)
    try:
        found = suggest_corrections(episode.failed, sources=sources)
    except Exception as error:  # noqa: BLE001 - arguments may be anything; advice is owed all the same
        call.tool.warn("Nothing could be suggested for a failure of %s", error)
        found = ()
    if recalled is not None:
        found, best, group = with_memory(found, recalled)
        episode = replace(episode, best=best, group=group)
    past = NO_PAST if recalled is None else recalled.past
    other = None if recalled is None or found else recalled.other(episode.failed)
    return episode, Advised(
        execution=episode.execution,
        failed=episode.failed,
        advice=decide(episode.failed, found, past=past, other=other),
        suggestions=found,
        foreseen=_foresee(call, episode.failed, mendable=bool(found)),
        like=_find_alike(call, episode.pattern),
        pattern=episode.pattern.fingerprint,
    )


async def _ask_memory(call: LiveCall, episode: OpenEpisode) -> Recalled | None:
    """What memory says; nothing where it is off, down or slow."""
    runtime, turn = call.tool.runtime, call.turn
    recall = runtime.recall
    if recall is None:
        return None
    asking = Asking(
        failed=episode.failed,
        pattern=episode.pattern,
        tenant=turn.labels.tenant if turn is not None else runtime.tenant,
        principal=turn.principal if turn is not None else "",
        schema_hash=episode.schema_hash,
        doubted=frozenset(_find_doubted(episode, turn)),
    )
    try:
        return cast("Recalled", await call.waiter.ask(partial(recall.look_up, asking)))
    except Exception as error:  # noqa: BLE001 - memory may be down; the other sources are not
        call.tool.warn("Nothing could be recalled about a failure of %s", error)
        return None


def _find_doubted(episode: OpenEpisode, turn: OpenTurn | None) -> Iterator[str]:
    """Lessons that were followed in this turn, and the call failed all the same."""
    call = episode.execution.call
    for before in turn.episodes if turn is not None else ():
        best = before.best
        if best is None or best.lesson is None or before.execution.call.tool != call.tool:
            continue
        if dict(call.arguments) == best.patch.apply(before.execution.call.arguments):
            yield best.lesson


def _open_episode(call: LiveCall, execution: Execution) -> OpenEpisode:
    from mulligan.learning.classify import find_likely_class
    from mulligan.learning.fingerprint import build_pattern

    tool = call.tool
    planned = plan_call(tool, execution.call, turn=call.turn)
    failure = execution.failure or Failure(error_class=ErrorClass.UNKNOWN)
    failed = FailedCall(
        call=planned.call,
        schema=planned.schema,
        effect=Effect.UNDECLARED if failure.acted_within else planned.effect,
        tools=planned.tools,
        reads=planned.reads,
        said=planned.said,
        earlier=planned.earlier,
        failure=failure,
        error=failure.said if failure.error is None else format_value(failure.error),
    )
    pattern = build_pattern(
        failed.call,
        error=failed.error,
        error_class=find_likely_class(failed.failure, failed.error),
        error_type=type(failed.failure.error or SilentError()).__name__,
        rules=tool.error_rules,
    )
    return OpenEpisode(
        execution=execution,
        failed=failed,
        pattern=pattern,
        schema_hash=hash_schema(planned.schema),
        later=call.follows is not None,
    )


def _find_alike(call: LiveCall, pattern: Pattern) -> Alike | None:
    """The known error that one is most like which nobody understands."""
    runtime, turn = call.tool.runtime, call.turn
    person = turn.principal if turn is not None else ""
    said = replace(pattern, template=runtime.redactor.redact_text(pattern.template))
    try:
        return runtime.patterns.meet(said, whose=(call.labels.tenant, person))
    except Exception as error:  # noqa: BLE001 - the measure may be the user's own
        call.tool.warn("A failure of %s could not be compared", error)
        return None


def _foresee(call: LiveCall, failed: FailedCall, *, mendable: bool) -> tuple[Finding, ...]:
    """What spoke against a call of a turn.

    Where a correction is known the call was meant, and a mere warning has nothing to add.
    """
    found = () if call.turn is None else foresee(call.tool, failed)
    return tuple(each for each in found if each.severity is Severity.ERROR or not mendable)


def _announce_foreseen(call: LiveCall, failed: FailedCall, found: tuple[Finding, ...]) -> None:
    """Told here unless it was told before the call."""
    if found and not call.tool.prechecks:
        announce_flagged(call.tool, failed.call, found=found, made=True, failed=True)


async def _note_failure(call: LiveCall, execution: Execution) -> None:
    """Nobody is told anything, but the failure is remembered, and what was foreseeable counted."""
    if call.turn is None:
        return
    try:
        episode = await call.waiter.aside(partial(_open_episode, call, execution))
        call.turn.episodes.append(episode)
        if call.tool.runtime.events.wanted:
            look = partial(_foresee, call, episode.failed, mendable=False)
            _announce_foreseen(call, episode.failed, await call.waiter.aside(look))
    except Exception as error:  # noqa: BLE001 - the tool's own error is what matters
        call.tool.warn("A failure of %s was not looked at", error)


def find_correction(error: BaseException, tool: Tool) -> Corrected | None:
    """What may be tried by itself after a failure, if anything."""
    advised = read_advised(error)
    return None if advised is None else _build_correction(advised, tool)


def _build_correction(advised: Advised, tool: Tool) -> Corrected | None:
    if not advised.suggestions or tool.declaration.mode is not Mode.AUTO or is_made_once():
        return None
    from mulligan.learning.decide import may_apply

    execution, best = advised.execution, advised.suggestions[0]
    arguments = best.patch.apply(execution.call.arguments)
    # Classified again: other arguments may do other things to the world.
    effect = tool.declaration.classify_effect(arguments)
    reads = effect is Effect.READ
    failure = execution.failure
    if failure is None or failure.acted_within or not (reads or failure.nothing_done):
        # Made with other arguments, it could be done beside what was done already.
        return None
    nobody_holds_it = effect is Effect.IRREVERSIBLE and execution.call.turn is None
    failed = replace(advised.failed, effect=effect)
    if nobody_holds_it or not may_apply(best, failed, mode=tool.declaration.mode):
        return None
    return Corrected(
        suggestion=best, execution=execution, arguments=arguments, advised=advised, by_itself=True
    )


def attach(error: BaseException, advised: Advised) -> None:
    """Put advice on an error, in the place of what it carries.

    An exception may have no room for more, and be an object that refuses in any way of its own.
    """
    before = read_advised(error)
    with suppress(Exception):  # frozen, or read-only
        error.mulligan = advised  # type: ignore[attr-defined]
    with suppress(Exception):  # without notes yet, or with such as nobody can change
        if before is not None and str(before) in error.__notes__:
            error.__notes__.remove(str(before))
    with suppress(Exception):  # the same
        error.add_note(str(advised))


def read_advised(error: BaseException) -> Advised | None:
    """The advice that an error carries, if any."""
    try:
        found = getattr(error, "mulligan", None)
    except Exception:  # noqa: BLE001 - an error of somebody's own may refuse anything
        return None
    return found if isinstance(found, Advised) else None


def offer(advised: Advised, *, turn: OpenTurn | None) -> None:
    """Remember what an agent was told, so that it can be seen whether it was right."""
    if turn is not None:
        if turn.advised and turn.advised[-1].execution is advised.execution:
            turn.advised.pop()  # said again, with more
        turn.advised.append(advised)
        tell(advised)
        turn.offers.make(advised.execution, advised.suggestions)
