"""What speaks against a call before it is made, how an agent is told about a call that failed,
which correction needs no telling, and what a judge says where nothing else helps.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any, cast

from msgspec.structs import replace

from mulligan.process.user_functions import call_function
from mulligan.redaction.redactor import hide_secrets
from mulligan.runtime.call import ActiveCall
from mulligan.runtime.context import OpenTurn, add_advice, find_current_turn, read_context
from mulligan.runtime.episodes import (
    OpenEpisode,
    SuggestedCall,
    build_earlier,
    open_episode,
)
from mulligan.runtime.lookup import Advised, Asking, Recalled, suggest_with_memory
from mulligan.runtime.outcome import build_proposal, fail_call, log_note, note_failure
from mulligan.runtime.tool import Tool
from mulligan.types.call import Call, Execution, Failure
from mulligan.types.display import is_long
from mulligan.types.effect import Effect, Mode, Precheck
from mulligan.types.errors import FlaggedCallError, NothingDone, SilentError
from mulligan.types.events import CallFlagged
from mulligan.types.failure import Decision, ErrorClass
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Judge
from mulligan.types.lesson import (
    Alike,
    Earlier,
    FailedCall,
    Pattern,
    Planned,
    Suggestion,
)

MOST_EARLIER = 50
"""Calls of an attempt that are looked back on, the latest."""


def plan_call(tool: Tool, call: Call, *, turn: OpenTurn | None) -> Planned:
    """A call with all that its turn knows."""
    return Planned(
        call=call,
        schema=tool.load_schema(),
        effect=tool.declaration.classify_effect(call.arguments),
        tools=tuple(tool.runtime.reads_only),
        reads=tuple(name for name, reads in tool.runtime.reads_only.items() if reads),
        said=tuple(filter(None, (*turn.turn.history.said, turn.message))) if turn else (),
        earlier=_list_earlier(call, turn) if turn is not None else (),
    )


def predict_failure(tool: Tool, planned: Planned) -> tuple[Finding, ...]:
    """Why a call will fail, by all that is known; it never stands in the call's way."""
    # Only a caller that asks for it pays: the validator and the tables take a while to load.
    from mulligan.learning.precheck import precheck

    try:
        # The weaker witness is heard where the others have nothing to say.
        return tuple(precheck(planned)) or tuple(_find_irrelevance(tool, planned))
    except Exception as error:  # noqa: BLE001 - values of others may refuse anything
        tool.warn("A call of %s could not be looked at", error)
        return ()


def _find_irrelevance(tool: Tool, planned: Planned) -> Iterator[Finding]:
    """A warning where nothing of a turn's first call comes from what the person said."""
    if not planned.schema or not planned.said or planned.earlier:
        return
    from mulligan.learning.precheck import check_relevance
    from mulligan.learning.schema import read_schema

    found = check_relevance(
        read_schema(planned.schema, tool=planned.call.tool),
        tool=planned.call.tool,
        description=" ".join(tool.declaration.failures.docs),
        arguments=planned.call.arguments,
        said=planned.said,
    )
    if found is not None:
        yield found


async def find_host_refusal(call: ActiveCall) -> NothingDone | None:
    """What its host says of arguments that the tool does not take; `None`: it takes them.

    A call that cannot run is not offered for approval, and nothing is read that it would have
    changed.
    """
    check = getattr(call.tool.function, "check_first", None) if call.tool.hosted else None
    try:
        if check is not None:
            await check(call.given[1])
    except NothingDone as error:
        return error
    return None


async def precheck_call(call: ActiveCall, turn: OpenTurn) -> Execution | None:
    """Look at a call before it is made. The result of one that is not made; `None`: go on."""
    tool, refusal = call.tool, await find_host_refusal(call)
    if refusal is not None:
        return await note_failure(call, refusal)
    if not tool.prechecks or call.traffic.rarely_fails:
        return None
    proposed = build_proposal(call)
    planned = plan_call(tool, proposed.call, turn=turn)
    look = partial(predict_failure, tool, planned)
    long = is_long(planned.said, [each.result for each in planned.earlier], call.arguments)
    found = await call.waiter.aside(look) if long else look()
    if not found:
        return None
    declared = tool.declaration
    against = [each for each in found if each.severity is Severity.ERROR]
    may_refuse = declared.failures.precheck is Precheck.REFUSE and not declared.mode.only_watches
    made = not (against and may_refuse)
    announce_flagged(tool, proposed.call, found=found, made=made, failed=None)
    if made:
        return None
    reasons = " ".join(f"{each.issue} {each.correction or ''}".strip() for each in against)
    said = hide_secrets(f"{declared.tool} was not called. {reasons}", call.arguments)
    error = FlaggedCallError(said)
    # Nothing was sent, so that a correction may be tried as after any refusal of arguments.
    failure = Failure(
        error_class=ErrorClass.VALIDATION, error=error, answered=True, nothing_done=True
    )
    return fail_call(call, error, failure=failure)


def announce_flagged(
    tool: Tool, call: Call, *, found: tuple[Finding, ...], made: bool, failed: bool | None
) -> None:
    """Publish that a call was flagged, and by which rules."""
    rules = tuple(dict.fromkeys(each.rule for each in found))
    tool.runtime.events.publish(
        CallFlagged(call=call.id, tool=call.tool, rules=rules, made=made, failed=failed)
    )


def _list_earlier(call: Call, turn: OpenTurn) -> tuple[Earlier, ...]:
    """What the application knows, then what was called before, oldest first."""
    made = [*turn.turn.history.executions[-MOST_EARLIER:]]
    made += [each for attempt in turn.attempts for each in attempt.list_latest(MOST_EARLIER)]
    known = [Earlier(tool="", result=dict(turn.turn.known))] if turn.turn.known else []
    called = [build_earlier(each) for each in made if each.call.id != call.id]
    return (*known, *called)


async def return_or_raise(call: ActiveCall, execution: Execution) -> Any:
    """What a call returned, or its own error again, with advice on it.

    A result that is a failure is returned as it is: what is said about it is in the turn.
    """
    failure, tool = execution.failure, call.tool
    # Where advice on a failure that was returned can reach its agent.
    heard = call.turn is not None or call.reach.mode is Mode.AUTO
    if failure is None or (failure.error is None and not heard):
        return execution.result
    if not call.advised:
        pass  # logged, and nothing more: it is one of too many in one request
    elif call.reach.mode.only_watches or not tool.advises(execution.call.agent):
        await _note_failure(call, execution)
    elif (advised := await advise(call, execution)) is not None:
        offer(advised, turn=call.turn)
        if failure.error is not None:
            attach(failure.error, advised)
        elif (call.follows is not None and call.follows.by_itself) or _build_correction(
            advised, tool
        ) is not None:
            # It is a correction of ours, whose caller made another call, or there is one.
            raise ReturnedError(advised)
    if failure.error is not None:
        raise failure.error
    return execution.result


SHADOW_ADVISED = "shadow.advised"
"""The rule under which shadow mode reports a failure whose agent would have been advised."""


class ReturnedError(SilentError):
    """A result that is a failure and has or is a correction: for `repair`, never for a caller."""

    def __init__(self, advised: Advised) -> None:
        super().__init__()
        self.mulligan = advised


async def advise(call: ActiveCall, execution: Execution) -> Advised | None:
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
    call: ActiveCall, episode: OpenEpisode, *, recalled: Recalled | None
) -> tuple[OpenEpisode, Advised]:
    """What every source says, weighed; and the episode with what memory had to say."""
    # Only a failure pays for it: the validator and the tables take a while to load.
    from mulligan.learning.decide import NO_PAST, decide
    from mulligan.learning.suggest import suggest_corrections

    found: tuple[Suggestion, ...] = ()
    try:
        if recalled is None:
            found = suggest_corrections(episode.failed)
        else:
            found, best, group = suggest_with_memory(episode.failed, recalled)
            episode = replace(episode, best=best, group=group)
    except Exception as error:  # noqa: BLE001 - arguments may be anything; advice is still owed
        call.tool.warn("Nothing could be suggested for a failure of %s", error)
    past = NO_PAST if recalled is None else recalled.past
    other = None if recalled is None or found else recalled.other(episode.failed)
    return episode, Advised(
        execution=episode.execution,
        failed=episode.failed,
        advice=decide(episode.failed, found, past=past, other=other),
        suggestions=found,
        foreseen=_predict_failure(call, episode.failed, repairable=bool(found)),
        like=_find_alike(call, episode.pattern),
        pattern=episode.pattern.fingerprint,
    )


async def _ask_memory(call: ActiveCall, episode: OpenEpisode) -> Recalled | None:
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
    """Lessons that were followed in this turn, and the call still failed."""
    call = episode.execution.call
    for before in turn.episodes if turn is not None else ():
        best = before.best
        if best is None or best.lesson is None or before.execution.call.tool != call.tool:
            continue
        if dict(call.arguments) == best.patch.apply(before.execution.call.arguments):
            yield best.lesson


def _open_episode(call: ActiveCall, execution: Execution) -> OpenEpisode:
    planned = plan_call(call.tool, execution.call, turn=call.turn)
    later = call.follows is not None
    return open_episode(execution, planned, rules=call.tool.error_rules, later=later)


def _find_alike(call: ActiveCall, pattern: Pattern) -> Alike | None:
    """The known error that an unknown one is most similar to."""
    runtime, turn = call.tool.runtime, call.turn
    person = turn.principal if turn is not None else ""
    said = replace(pattern, template=runtime.redactor.redact_text(pattern.template))
    try:
        return runtime.patterns.meet(said, whose=(call.labels.tenant, person))
    except Exception as error:  # noqa: BLE001 - the measure may be the user's own
        call.tool.warn("A failure of %s could not be compared", error)
        return None


def _predict_failure(
    call: ActiveCall, failed: FailedCall, *, repairable: bool
) -> tuple[Finding, ...]:
    """What spoke against a call of a turn.

    Where a correction is known the call was meant, and where the error passes with time it was
    right: a mere warning has nothing to add.
    """
    found = () if call.turn is None else predict_failure(call.tool, failed)
    certain = repairable or failed.failure.error_class.traits.passes
    return tuple(each for each in found if each.severity is Severity.ERROR or not certain)


def _announce_foreseen(call: ActiveCall, failed: FailedCall, found: tuple[Finding, ...]) -> None:
    """Told here unless it was told before the call."""
    if found and not call.tool.prechecks:
        announce_flagged(call.tool, failed.call, found=found, made=True, failed=True)


async def _note_failure(call: ActiveCall, execution: Execution) -> None:
    """No advice is given, but the failure is remembered, and what was foreseeable counted; in
    shadow mode also that there was advice, which makes it no offer."""
    tool = call.tool
    reports = call.reach.mode is Mode.SHADOW and tool.advises(execution.call.agent)
    if call.turn is None and not reports:
        return
    try:
        episode = await call.waiter.aside(partial(_open_episode, call, execution))
        if call.turn is not None:
            call.turn.episodes.append(episode)
        if tool.runtime.events.wanted:
            look = partial(_predict_failure, call, episode.failed, repairable=False)
            _announce_foreseen(call, episode.failed, await call.waiter.aside(look))
        if reports:
            recalled = await _ask_memory(call, episode)
            compose = partial(_compose, call, episode, recalled=recalled)
            _, advised = await call.waiter.aside(compose)
            if advised.suggestions:
                log_note(tool, SHADOW_ADVISED, labels=call.labels)
    except Exception as error:  # noqa: BLE001 - the tool's own error is what matters
        tool.warn("A failure of %s was not looked at", error)


def find_correction(error: BaseException, tool: Tool) -> SuggestedCall | None:
    """What may be tried automatically after a failure, if anything."""
    advised = read_advised(error)
    return None if advised is None else _build_correction(advised, tool)


def _build_correction(advised: Advised, tool: Tool) -> SuggestedCall | None:
    mode = tool.reach.mode
    if not advised.suggestions or mode is not Mode.AUTO or read_context().once:
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
    if nobody_holds_it or not may_apply(best, failed, mode=mode):
        return None
    return SuggestedCall(
        suggestion=best, execution=execution, arguments=arguments, advised=advised, by_itself=True
    )


def attach(error: BaseException, advised: Advised) -> None:
    """Put advice on an error, in the place of what it carries.

    An exception may have no room for more, and be an object that refuses in any way of its own.
    """
    before = read_advised(error)
    with suppress(Exception):  # frozen, or read-only
        error.mulligan = advised  # type: ignore[attr-defined]
    with suppress(Exception):  # without notes yet, or with notes that cannot be changed
        if before is not None and str(before) in error.__notes__:
            error.__notes__.remove(str(before))
    with suppress(Exception):  # the same
        error.add_note(str(advised))


def read_advised(error: BaseException) -> Advised | None:
    """The advice that an error carries, if any."""
    try:
        found = getattr(error, "mulligan", None)
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        return None
    return found if isinstance(found, Advised) else None


def offer(advised: Advised, *, turn: OpenTurn | None) -> None:
    """Remember what an agent was told, so that it can be seen whether it was right."""
    if turn is not None:
        if turn.advised and turn.advised[-1].execution is advised.execution:
            turn.advised.pop()  # said again, with more
        turn.advised.append(advised)
        add_advice(advised)
        turn.offers.make(advised.execution, advised.suggestions)


ANSWERS_WITHIN = timedelta(seconds=10)
"""How long a failed call waits for a judge, for any judge."""

FINAL = frozenset({Decision.RETRY, Decision.STOP})
"""Decisions that no other arguments would change."""


async def consult(error: BaseException, tool: Tool) -> None:
    """Put a judge's correction on an error that carries none. It never stands in its way."""
    advised, judge = read_advised(error), tool.runtime.judge
    if not tool.declaration.failures.ask_judge or judge is None or advised is None:
        return
    if advised.suggestions or advised.advice.decision in FINAL:
        return
    turn = find_current_turn()
    labels = tool.labels if turn is None else turn.labels
    if tool.traffic.find(labels.tenant).rarely_fails:
        return
    try:
        repaired = await _ask_judge(judge, advised, tool)
    except Exception as trouble:  # noqa: BLE001 - the tool's own error is what matters
        tool.warn("A judge could not be asked about a failure of %s", trouble)
        return
    if repaired.suggestions:
        attach(error, repaired)
        offer(repaired, turn=turn)


async def _ask_judge(judge: Judge, advised: Advised, tool: Tool) -> Advised:
    from mulligan.learning.decide import decide
    from mulligan.learning.from_judge import ask_to_repair, from_proposal
    from mulligan.learning.suggest import suggest_corrections

    failed, show = advised.failed, tool.runtime.redactor.show_value
    question = ask_to_repair(failed, documents=tool.declaration.failures.docs, show=show)
    answer = await call_function(judge.ask, question, within=ANSWERS_WITHIN)
    if answer is None:
        return advised
    found = suggest_corrections(
        failed, sources=(lambda call: from_proposal(answer, call, show=show),)
    )
    return replace(advised, suggestions=found, advice=decide(failed, found))
