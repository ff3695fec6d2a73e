"""Checks as an application names them: functions of its own, the standard ones, or both."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from mulligan.checks.parameters import FindTool, Standard
from mulligan.checks.subject import (
    Subject,
    limit_to_tools,
    list_effective_calls,
    peek_result,
    with_concern_of,
)
from mulligan.extensions import describe_known, find_extensions
from mulligan.process.user_functions import (
    close_unbegun,
    is_waited_for,
    read_answer,
    takes_arguments,
    wait_for_answer,
)
from mulligan.types.call import Call, Execution
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check
from mulligan.types.reply import TextCheck

F = TypeVar("F")


class BadAnswerError(TypeError):
    """A check returned something other than findings; the message quotes no value."""


AREA = "check"
"""Prefix of rules named after the check function."""

MOST_FINDINGS = 10_000
"""Of one check: one that finds without end has given no answer."""

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
    """Check each call of these tools, or of all, that did not fail."""
    wanted = _read_parameters(function)
    rule = f"{AREA}.{name_check(function)}"
    # A function that also takes the call may ignore the result.
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
        found = [await read_answer(partial(read, call), answer) for call, answer in waited]
        return [finding for each in found for finding in each]

    def read(call: str, answer: object) -> list[Finding]:
        return read_findings(answer, rule=rule, severity=severity, call=call)

    look.__name__ = name_check(function)
    look.__qualname__ = getattr(function, "__qualname__", look.__name__)
    # Decides on which thread it may run.
    look.__module__ = getattr(function, "__module__", "") or ""
    return limit_to_tools(tools)(look) if tools else look


def read_severity(given: object) -> Severity:
    """The severity of its findings, also as text."""
    try:
        return Severity(given)  # type: ignore[arg-type]
    except ValueError:
        known = " or ".join(repr(each.value) for each in Severity)
        raise ConfigurationError(f"There is no severity {given!r}. Use {known}.") from None


def list_functions(
    given: Iterable[F], *, what: str, takes: Sequence[str], but: tuple[type, ...] = ()
) -> list[F]:
    """What an application passes as its checks or its facts: functions, and nothing `but` these."""
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise ConfigurationError(f"{what}={given!r} is not a list of functions: {what}=[…].")
    found = list(given)
    for each in found:
        if isinstance(each, but):
            continue
        if isinstance(each, TextCheck):
            raise ConfigurationError(
                f"{what} holds {each.name}, a check of replies: pass it in m.reply(rules=…)."
            )
        name = name_check(each)
        if not callable(each):
            raise ConfigurationError(
                f"{what} holds {each!r}, which is not a function. Pass functions, such as "
                "mulligan.checks.dates.dates_as_said(), without calling those of your own."
            )
        if isinstance(each, type) or _makes_function(each):
            raise ConfigurationError(
                f"{what} holds {name} itself, and needs what it makes: write {name}(…)."
            )
        if not takes_arguments(each, len(takes)):
            raise ConfigurationError(
                f"{what} holds {name}, which cannot be called with {' and '.join(takes)}."
            )
    return found


def _makes_function(given: Callable[..., object]) -> bool:
    """Whether it is none of an attempt: it says that it returns one, or needs no argument."""
    try:
        signature = inspect.signature(given)
    except Exception:  # noqa: BLE001 - an object of others may raise anything when it is asked
        return False
    first = next(iter(signature.parameters.values()), None)
    optional = first is not None and first.default is not first.empty
    return optional or bool(_FUNCTION.search(str(signature.return_annotation)))


_FUNCTION = re.compile(r"\b(?:Callable|Check|Gather|TextCheck)\b")


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
    if isinstance(answer, bool):
        raise BadAnswerError(
            f"a check that answers {answer} does not say what is wrong: return a sentence that "
            "does, else None"
        )
    if callable(answer):
        raise BadAnswerError(
            "it answers with a function, so it makes a check and is none: call it where you pass "
            "it, as in dates_as_said()"
        )
    if not isinstance(answer, Iterable) or isinstance(answer, (bytes, dict)):
        raise BadAnswerError(
            "a check answers with nothing, a sentence, a finding or several of them, "
            f"not with {type(answer).__name__}"
        )
    found: list[Finding] = []
    for each in answer:
        found += read_findings(each, rule=rule, severity=severity, call=call)
        if len(found) > MOST_FINDINGS:
            raise BadAnswerError(f"a check answers with at most {MOST_FINDINGS:,} findings")
    return found


def name_check(check: object) -> str:
    """What a check is called in rules and in the log."""
    own = check.name if isinstance(check, TextCheck) else getattr(check, "__name__", "")
    return str(own or type(check).__name__).strip("<>_") or "own"


def _read_parameters(function: Callable[..., object]) -> tuple[str, ...]:
    if not callable(function) or isinstance(function, type):
        kind = f"the class {function.__name__}" if callable(function) else type(function).__name__
        raise ConfigurationError(
            f"A check is a function, not {kind}: "
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
                f"The check {name_check(function)} asks for {name}, which Mulligan cannot give it. "
                f"{meant}There are: {', '.join(TOLD)}."
            )
    return tuple(wanted)


_COLLECTING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


STANDARD = "standard"

GROUP = "mulligan.checks"
"""The entry points of packages that bring checks: each names a function of an attempt."""

Checks = str | Standard | Iterable[Check[Any] | Standard | str]
"""What an application passes as its checks: "standard", names of checks that packages bring,
functions of its own, or several of these."""


def load_checks(given: Checks, *, find_tool: FindTool) -> tuple[list[Check[Any]], bool]:
    """The checks of an application, and whether some of them choose themselves."""
    several: Iterable[Any] = [given] if isinstance(given, str | Standard) else given
    named = list_functions(several, what="checks", takes=["the attempt"], but=(str, Standard))
    loaded = [_load_check(each, find_tool=find_tool) for each in named]
    return loaded, any(each == STANDARD or isinstance(each, Standard) for each in named)


def _load_check(given: object, *, find_tool: FindTool) -> Check[Any]:
    if callable(given):
        return given
    if isinstance(given, str) and given != STANDARD:
        return _load_named(given)
    # An application that names its checks does not load all of them.
    from mulligan.checks.standard import StandardChecks

    options = given if isinstance(given, Standard) else Standard()
    return StandardChecks(find_tool, options=options)


def _load_named(name: str) -> Check[Any]:
    extension = find_extensions(GROUP).get(name)
    if extension is None:
        known = describe_known(GROUP, [STANDARD])
        raise ConfigurationError(f"There are no checks called {name!r}. {known}")
    return extension.load_function()


def only_warn(check: Check[Subject], *, refused: Callable[[Call], bool]) -> Check[Subject]:
    """Turn errors into warnings, for calls that the tool itself refuses.

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
