"""Checks as an application names them: functions of its own, the standard ones, or both."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from difflib import get_close_matches
from typing import Any, Literal, TypeVar

from msgspec.structs import replace

from mulligan.checks.parameters import FindTool, Standard
from mulligan.checks.subject import (
    Subject,
    limit_to_tools,
    list_effective_calls,
    peek_result,
    with_concern_of,
)
from mulligan.process.event_loop import await_value, run_with_timeout
from mulligan.types.call import Call, Execution
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check

F = TypeVar("F")


class BadAnswerError(TypeError):
    """A check answered with something that is no finding; its words quote no value."""


ANSWERS_WITHIN = timedelta(seconds=30)
"""How long an async check may take over one attempt; then it has given no answer."""

AREA = "check"
"""Of the rules that are named after the function which found them."""

TOLD: dict[str, Callable[[Subject, Execution], object]] = {
    "call": lambda _, execution: execution.call,
    "turn": lambda subject, _: subject.turn,
    "result": lambda _, execution: execution.result,
    "facts": lambda subject, _: subject.facts,
    "executions": lambda subject, _: subject.executions,
}
"""What a function may ask for, by the names of its parameters."""


def make_call_check(
    function: Callable[..., object], *, tools: Sequence[str] = (), severity: Severity
) -> Check[Subject]:
    """Look at each call of these tools, or of all, that was made and did not fail."""
    wanted = _read_parameters(function)
    rule = f"{AREA}.{name_check(function)}"
    # With the call at hand it may go by the tool, and leave alone the result that it is handed.
    chooses = not {"call", "executions"}.isdisjoint(wanted)
    told = {**TOLD, "result": lambda _, each: peek_result(each)} if chooses else TOLD

    def look(subject: Subject) -> Any:
        answers = [
            (execution.call.id, function(**{n: told[n](subject, execution) for n in wanted}))
            for execution in list_effective_calls(subject)
            if not tools or execution.call.tool in tools
        ]
        if any(is_waited_for(answer) for _, answer in answers):
            return wait_for_all(answers)
        return [f for call, answer in answers for f in read(call, answer)]

    async def wait_for_all(answers: list[tuple[str, object]]) -> list[Finding]:
        try:
            waited = [(call, await wait_for_answer(answer)) for call, answer in answers]
        finally:
            for _, answer in answers:
                close_unbegun(answer)
        return [finding for call, answer in waited for finding in read(call, answer)]

    def read(call: str, answer: object) -> list[Finding]:
        return read_findings(answer, rule=rule, severity=severity, call=call)

    look.__name__ = name_check(function)
    look.__qualname__ = getattr(function, "__qualname__", look.__name__)
    # Whose it is, and so on which thread it may run.
    look.__module__ = getattr(function, "__module__", "") or ""
    return limit_to_tools(tools)(look) if tools else look


def read_severity(given: object) -> Severity:
    """How much its findings weigh, also as text."""
    try:
        return Severity(given)  # type: ignore[arg-type]
    except ValueError:
        known = " or ".join(repr(each.value) for each in Severity)
        raise ConfigurationError(f"There is no severity {given!r}. Use {known}.") from None


def list_functions(given: Iterable[F], *, what: str, but: tuple[type, ...] = ()) -> list[F]:
    """What an application passes as its checks or its facts: functions, and nothing `but` these."""
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise ConfigurationError(f"{what}={given!r} is no list of functions: {what}=[…].")
    found = list(given)
    for each in found:
        if not callable(each) and not isinstance(each, but):
            raise ConfigurationError(
                f"{what} holds {each!r}, which is no function. Pass functions, such as "
                "mulligan.checks.dates.dates_as_said(), without calling those of your own."
            )
    return found


def read_findings(
    answer: object, *, rule: str, severity: Severity = Severity.ERROR, call: str | None = None
) -> list[Finding]:
    """What a check answered: nothing, a sentence, a finding, or several of them."""
    if answer is None:
        return []
    if isinstance(answer, Finding):
        return [answer]
    if isinstance(answer, str):
        said = answer.strip()
        return [Finding(rule=rule, severity=severity, issue=said, call=call)] if said else []
    if not isinstance(answer, Iterable) or isinstance(answer, (bytes, dict)):
        raise BadAnswerError(
            "a check answers with nothing, a sentence, a finding or several of them, "
            f"not with {type(answer).__name__}"
        )
    parts = [read_findings(each, rule=rule, severity=severity, call=call) for each in answer]
    return [finding for part in parts for finding in part]


def is_waited_for(answer: object) -> bool:
    """Whether what a check answered has to be awaited."""
    return isinstance(answer, Awaitable) or hasattr(answer, "__aiter__")


async def wait_for_answer(answer: Any) -> object:
    """What a check says in the end, which may be async in every way that Python has.

    One that does not end is a `TimeoutError`: nobody's turn waits for it for ever.
    """
    if not is_waited_for(answer):
        return answer
    return await run_with_timeout(_take_answer(answer), within=ANSWERS_WITHIN)


def close_unbegun(answer: object) -> None:
    """End what nobody will wait for, as after a check that broke."""
    if inspect.iscoroutine(answer) and inspect.getcoroutinestate(answer) == inspect.CORO_CREATED:
        answer.close()


async def _take_answer(answer: Any) -> object:
    if hasattr(answer, "__aiter__"):
        return [each async for each in answer]
    return await await_value(answer)


def name_check(check: object) -> str:
    """What a check is called in rules and in the log."""
    return str(getattr(check, "__name__", type(check).__name__)).strip("<>_") or "own"


def _read_parameters(function: Callable[..., object]) -> tuple[str, ...]:
    if not callable(function):
        raise ConfigurationError(
            f"A check is a function, not {type(function).__name__}: "
            '@m.check("update_task") above `def stays_this_week(call, turn): …`.'
        )
    wanted = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in TOLD:
            wanted.append(name)
        elif parameter.default is parameter.empty and parameter.kind not in _COLLECTING:
            near = get_close_matches(name, TOLD, n=1)
            meant = f"Did you mean {near[0]}? " if near else ""
            raise ConfigurationError(
                f"The check {name_check(function)} asks for {name}, which nobody can tell it. "
                f"{meant}There are: {', '.join(TOLD)}."
            )
    return tuple(wanted)


_COLLECTING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


STANDARD = "standard"

Checks = Literal["standard"] | Standard | Iterable[Check[Any] | Standard | Literal["standard"]]
"""What an application passes as its checks: "standard", functions of its own, or both."""


def load_checks(given: Checks, *, find_tool: FindTool) -> tuple[list[Check[Any]], bool]:
    """The checks of an application, and whether some of them choose themselves."""
    several: Iterable[Any] = [given] if isinstance(given, str | Standard) else given
    named = list_functions(several, what="checks", but=(str, Standard))
    loaded = [_load_check(each, find_tool=find_tool) for each in named]
    return loaded, any(isinstance(each, str | Standard) for each in named)


def _load_check(given: object, *, find_tool: FindTool) -> Check[Any]:
    if callable(given):
        return given
    if isinstance(given, str) and given != STANDARD:
        raise ConfigurationError(
            f"There are no checks called {given!r}. Say checks={STANDARD!r}, or pass functions."
        )
    # Whoever names checks one by one does not load all of them.
    from mulligan.checks.standard import StandardChecks

    options = given if isinstance(given, Standard) else Standard()
    return StandardChecks(find_tool, options=options)


def only_warn(check: Check[Subject], *, refused: Callable[[Call], bool]) -> Check[Subject]:
    """Turn errors about calls that the tool refuses by itself into warnings.

    For calls that are checked before they run: the tool will tell the agent, and nothing happens.
    """

    def downgrade_errors(subject: Subject) -> Iterator[Finding]:
        harmless = {e.call.id for e in subject.executions if refused(e.call)}
        for finding in check(subject):
            if finding.call in harmless:
                yield replace(finding, severity=Severity.WARNING)
            else:
                yield finding

    return with_concern_of(downgrade_errors, check)
