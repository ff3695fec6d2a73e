"""`checks="standard"`: the checks that fit an application's tools, chosen as calls are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from functools import lru_cache
from typing import Any

from mulligan.checks.ids import OBJECT
from mulligan.checks.language.lexicon import load_words, split_words
from mulligan.checks.returned.structure import read_structure
from mulligan.checks.standard.kind import Chosen, ParameterKind, find_kind, find_kind_of_value
from mulligan.checks.standard.plan import choose_checks
from mulligan.checks.standard.tools import FindTool, Standard, ToolKinds, ToolShape, read_kinds
from mulligan.checks.subject.concern import has_concern
from mulligan.checks.subject.subject import Subject, read_records
from mulligan.core.call import Call, Execution
from mulligan.core.finding import Fact, Finding
from mulligan.core.interfaces import Check
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.turn import Turn

MOST_PLANS = 64
"""Sets of tools whose checks are kept: an application uses its tools in few combinations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadAttempt:
    """An attempt with what its calls returned as fields."""

    turn: Turn
    executions: tuple[Execution, ...]
    earlier: tuple[Execution, ...]
    facts: tuple[Fact, ...]
    memo: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)
    """What checks have read of a result, for the next one."""


PLAIN = Standard()
"""Of an application that says nothing more."""


class StandardChecks:
    """The checks that choose themselves, as one check of an attempt."""

    def __init__(self, find_tool: FindTool, *, options: Standard = PLAIN) -> None:
        self._find_tool = find_tool
        self._options = options
        self._kinds: dict[str, tuple[ToolShape, ToolKinds]] = {}
        self._plans: dict[object, list[Check[Subject]]] = {}

    def __call__(self, subject: Subject) -> Iterator[Finding]:
        """What the checks that were chosen find."""
        if not self._is_asked(subject.turn):
            return
        read = _ReadAttempt(
            turn=subject.turn,
            executions=tuple(map(_read_result, subject.executions)),
            earlier=tuple(map(_read_result, subject.earlier)),
            facts=subject.facts,
        )
        tools = self._read_tools(each.call for each in (*read.earlier, *read.executions))
        if not any(each.acts or each.untrusted for each in tools):
            return
        whens = (
            _find_whens(read)
            if any(each.list_parameters(ParameterKind.ID) for each in tools)
            else ()
        )
        for check in self._plan(tools, whens):
            yield from check(read)

    def concerns(self, turn: Turn, call: Call) -> bool:
        """Whether one of the chosen checks looks at a call."""
        if not self._is_asked(turn):
            return False
        tools = self._read_tools([call])
        chosen = self._plan(tools, ())
        return any(has_concern(check, turn=turn, call=call) for check in chosen)

    def _is_asked(self, turn: Turn) -> bool:
        """Whether there is something to hold a call against."""
        return self._options.unasked or bool(turn.message.strip())

    def read_tool(self, call: Call) -> ToolKinds:
        """What each parameter of a call's tool holds, and why it is thought so."""
        shape = self._find_tool(call) or ToolShape(tool=call.tool)
        kept = self._kinds.get(call.tool)
        if kept is None or kept[0] is not shape:
            kept = self._kinds[call.tool] = shape, read_kinds(shape)
        kinds = kept[1]
        unclear = {
            name: found
            for name, value in call.arguments.items()
            if name not in kinds.chosen or kinds.chosen[name].kind is ParameterKind.OTHER
            for found in [_look_at(name, value, known=name in kinds.chosen)]
            if found is not None
        }
        return replace(kinds, chosen={**kinds.chosen, **unclear}) if unclear else kinds

    def _read_tools(self, calls: Iterable[Call]) -> list[ToolKinds]:
        """The tools of some calls, each once, with all that any call told of its parameters."""
        found: dict[str, ToolKinds] = {}
        for call in calls:
            kinds = self.read_tool(call)
            known = found.get(call.tool)
            if known is not None and known is not kinds:
                kinds = replace(kinds, chosen={**known.chosen, **kinds.chosen})
            found[call.tool] = kinds
        return list(found.values())

    def _plan(self, tools: list[ToolKinds], whens: Iterable[str]) -> list[Check[Subject]]:
        named = tuple(sorted(set(whens)))
        key = (
            named,
            tuple(
                (
                    each.tool,
                    each.verb,
                    each.untrusted,
                    *((n, c.kind) for n, c in each.chosen.items()),
                )
                for each in tools
            ),
        )
        if (plan := self._plans.get(key)) is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            plan = choose_checks(tools, whens=named, options=self._options)
            self._plans[key] = plan
        return plan


def _read_result(execution: Execution) -> Execution:
    read = read_structure(execution.result)
    return execution if read is execution.result else replace(execution, result=read)


def _look_at(name: str, value: object, *, known: bool) -> Chosen | None:
    """What a value is that no schema tells of; of one that has no schema at all, by its name."""
    found = None if known else find_kind(name)
    if found is not None and found.kind is not ParameterKind.OTHER:
        return found
    return find_kind_of_value(value) or found


def _find_whens(subject: Subject) -> set[str]:
    """The fields of what was returned or read that tell when an object takes place."""
    names: set[str] = set()
    for execution in (*subject.earlier, *subject.executions):
        for record in read_records(subject, execution):
            names.update(map(str, record))
    names.update(
        fact.kind.removeprefix(OBJECT) for fact in subject.facts if fact.kind.startswith(OBJECT)
    )
    return {name for name in names if _tells_when(name)}


@lru_cache(maxsize=1_024)
def _tells_when(name: str) -> bool:
    other = load_words("words", "not_when") & set(split_words(name))
    return not other and find_kind(name).kind in (ParameterKind.START, ParameterKind.DATE)
