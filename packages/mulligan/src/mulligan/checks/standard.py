"""The checks that fit an application's tools, chosen as calls are made: `checks='standard'`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from mulligan.checks.amounts import amounts_as_said, extreme_as_said
from mulligan.checks.contrast import contrasted
from mulligan.checks.copied import copied_as_said
from mulligan.checks.dates import dates_as_said, dates_as_written, times_as_said
from mulligan.checks.ids import OBJECT, exists, not_glued
from mulligan.checks.lengths import shifts_as_said, spans_as_said
from mulligan.checks.objects import (
    ends_as_said,
    made_anew,
    names_as_said,
    on_objects,
    owners_as_said,
    same_as_named,
    still_to_come,
)
from mulligan.checks.parameters import (
    Chosen,
    FindTool,
    ParameterKind,
    Standard,
    ToolKinds,
    ToolShape,
    ToolVerb,
    find_kind,
    find_kind_of_value,
    read_kinds,
    select_kinds,
)
from mulligan.checks.places import home_is_home, says_home
from mulligan.checks.provenance import addresses_seen, ids_seen, not_from_content, targets_seen
from mulligan.checks.relations import right_ones
from mulligan.checks.requests import (
    asked_and_done,
    condition_met,
    left_undone,
    made_once,
    not_forbidden,
    not_the_opposite,
    only_asked,
    quotes_kept,
)
from mulligan.checks.schedule import (
    SlotParameters,
    alternative_as_said,
    ends_after_start,
    free_as_asked,
    not_in_the_past,
    rank_as_said,
)
from mulligan.checks.sets import all_and_only, each_as_named
from mulligan.checks.subject import Parameters, ShownAttempt, Subject, has_concern, read_records
from mulligan.checks.tool_outputs import as_record, read_structure
from mulligan.types.call import Call, Execution
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check
from mulligan.types.turn import Turn
from mulligan_dates.lexicon import load_words, names_any
from mulligan_dates.text import split_name


def choose_checks(
    tools: Sequence[ToolKinds], *, whens: Iterable[str] = (), options: Standard
) -> list[Check[Subject]]:
    """The checks for these tools. `whens`: fields that tell when an object is."""
    writes = [each for each in tools if each.has_effect]
    if not writes:
        return [*_choose_origins(tools), *_choose_home(tools, writes)]
    ids = select_kinds(writes, ParameterKind.ID)
    return [
        *_choose_origins(tools),
        *_choose_values(writes, ids),
        *_choose_times(writes),
        *_choose_objects(writes, ids, whens=whens),
        *_choose_deeds(tools, writes, options),
    ]


def _choose_origins(tools: Sequence[ToolKinds]) -> Iterator[Check[Subject]]:
    """For calls that change something, and tools whose author restricts where values come from."""
    weights = {
        each.tool: each.untrusted or Severity.WARNING
        for each in tools
        if each.has_effect or each.untrusted
    }
    told = (ParameterKind.ADDRESS, ParameterKind.LINK, ParameterKind.PERSON, ParameterKind.ID)
    targets = select_kinds([each for each in tools if each.tool in weights], *told)
    if targets:
        yield not_from_content(targets, severity=weights)


def _choose_values(writes: Sequence[ToolKinds], ids: Parameters) -> Iterator[Check[Subject]]:
    """Values from nowhere, or changed on the way."""
    if ids:
        yield ids_seen(ids)
        yield not_glued(ids)
        yield exists(ids)
    yield addresses_seen(*(each.tool for each in writes))
    if targets := select_kinds(writes, ParameterKind.ADDRESS, ParameterKind.LINK):
        yield targets_seen(targets)
    yield amounts_as_said(writes, select_kinds(writes, ParameterKind.AMOUNT))
    if texts := select_kinds(writes, ParameterKind.TEXT):
        yield quotes_kept(texts)
    likely = (ParameterKind.ADDRESS, ParameterKind.PERSON, ParameterKind.PLACE, ParameterKind.TEXT)
    if values := select_kinds(writes, *likely):
        yield same_as_named(values)


def _choose_times(writes: Sequence[ToolKinds]) -> Iterator[Check[Subject]]:
    dates = _leave_windows(
        select_kinds(writes, ParameterKind.DATE, ParameterKind.START, ParameterKind.END)
    )
    if dates:
        yield dates_as_said(dates)
        yield times_as_said(dates)
    if pairs := sorted({pair for each in writes for pair in _pair_ends(each)}):
        yield ends_after_start(*pairs)
    makes = [each for each in writes if each.verb is ToolVerb.MAKE]
    if plans := _leave_windows(select_kinds(makes, ParameterKind.DATE, ParameterKind.START)):
        yield not_in_the_past(_leave_out(plans, "fields", "behind"))
        yield dates_as_written(plans)
    if spans := {each.tool: span for each in writes for span in _list_spans(each)}:
        yield free_as_asked(spans)
        yield spans_as_said(spans)
        starts = {tool: span.start for tool, span in spans.items()}
        yield alternative_as_said(starts)
        yield shifts_as_said(starts)


def _choose_objects(
    writes: Sequence[ToolKinds], ids: Parameters, *, whens: Iterable[str]
) -> Iterator[Check[Subject]]:
    """The object that a call acts on, against the words for it."""
    named = (ParameterKind.ID, ParameterKind.ADDRESS, ParameterKind.PERSON)
    if chosen := select_kinds(writes, *named):
        yield contrasted(chosen)
    if ids:
        yield right_ones(ids)
    acted = select_kinds([each for each in writes if _takes_object(each)], ParameterKind.ID)
    if not acted:
        return
    for when in sorted(set(whens)):
        yield on_objects(dates_as_said(), acted, when=when)
        yield still_to_come(acted, when=when)
    yield owners_as_said(ids)
    yield rank_as_said(acted)
    yield all_and_only(acted)
    yield each_as_named(acted)


def _takes_object(tool: ToolKinds) -> bool:
    """Whether a tool acts on a thing that is there already: what is booked or bought is, too."""
    return tool.verb is not ToolVerb.MAKE or names_any(tool.tool, "deeds", "takes")


def _choose_deeds(
    tools: Sequence[ToolKinds], writes: Sequence[ToolKinds], options: Standard
) -> Iterator[Check[Subject]]:
    """The action itself: twice, unasked, against a condition, at the wrong home."""
    if makes := [each.tool for each in writes if each.verb is ToolVerb.MAKE]:
        yield made_once(*makes)
    yield condition_met(*(each.tool for each in writes))
    yield left_undone(*(each.tool for each in writes))
    acting = {each.tool: each for each in writes}
    yield asked_and_done(acting)
    yield not_the_opposite(acting)
    yield not_forbidden(acting)
    yield copied_as_said(acting)
    yield extreme_as_said(acting)
    yield names_as_said(acting)
    yield ends_as_said(acting)
    yield made_anew(acting)
    yield only_asked(acting, severity=options.only_asked)
    yield from _choose_home(tools, writes)


def _choose_home(
    tools: Sequence[ToolKinds], writes: Sequence[ToolKinds]
) -> Iterator[Check[Subject]]:
    """A place that is looked up wrongly is put right before anything rests on it."""
    places, lookups = select_kinds(writes, ParameterKind.PLACE), _find_lookups(tools)
    if places or lookups:
        yield home_is_home(places, lookups=lookups)


def _leave_windows(dates: Parameters) -> Parameters:
    """Without the bounds of searches: they plan nothing, and may be in the past."""
    return _leave_out(dates, "kinds", "window")


def _leave_out(dates: Parameters, table: str, words: str) -> Parameters:
    """Without the parameters that have one of these words in their name."""
    kept = {t: [n for n in names if not names_any(n, table, words)] for t, names in dates.items()}
    return {tool: names for tool, names in kept.items() if names}


def _find_lookups(tools: Iterable[ToolKinds]) -> Parameters:
    """By tool that only reads, the parameters that a place may be looked up by."""
    found = {
        each.tool: [name for name in each.chosen if names_any(name, "fields", "looked_up")]
        for each in tools
        if not each.has_effect
    }
    return {tool: names for tool, names in found.items() if names}


def _pair_ends(tool: ToolKinds) -> Iterator[tuple[str, str]]:
    """A start and the end that is called alike."""
    ends = {_strip_end(name): name for name in tool.list_parameters(ParameterKind.END)}
    for name in tool.list_parameters(ParameterKind.START):
        if (end := ends.get(_strip_end(name))) is not None:
            yield name, end


def _strip_end(name: str) -> tuple[str, ...]:
    return tuple(word for word in split_name(name) if word not in load_words("fields", "edge"))


def _list_spans(tool: ToolKinds) -> Iterator[SlotParameters]:
    pairs = list(_pair_ends(tool))
    if pairs:
        yield SlotParameters(start=pairs[0][0], end=pairs[0][1])
        return
    minutes = [name for name in tool.chosen if names_any(name, "fields", "minutes")]
    for start in tool.list_parameters(ParameterKind.START)[:1]:
        if minutes:
            yield SlotParameters(start=start, minutes=minutes[0])


MOST_PLANS = 64
"""Sets of tools whose checks are kept: an application uses its tools in few combinations."""


PLAIN = Standard()
"""Of an application that says nothing more."""


class StandardChecks:
    """The checks that choose themselves, as one check of an attempt."""

    def __init__(self, find_tool: FindTool, *, options: Standard = PLAIN) -> None:
        self._find_tool = find_tool
        self._options = options
        self._kinds: dict[str, tuple[ToolShape, ToolKinds]] = {}
        self._keys: dict[str, tuple[ToolKinds, object]] = {}
        self._plans: dict[object, list[Check[Subject]]] = {}

    def __call__(self, subject: Subject) -> Iterator[Finding]:
        """What the checks that were chosen find."""
        if not self._is_asked(subject.turn):
            return
        read = ShownAttempt(
            turn=subject.turn,
            executions=tuple(self._read_executions(subject.executions)),
            earlier=tuple(self._read_executions(subject.earlier)),
            facts=subject.facts,
            acted=getattr(subject, "acted", None),
            memo=getattr(subject, "memo", {}),
        )
        # What was read is kept by the id of its execution, which must live as long.
        read.memo["read", id(self)] = read.executions, read.earlier
        tools = self._read_tools(each.call for each in (*read.earlier, *read.executions))
        looks = not any(each.has_effect or each.untrusted for each in tools)
        if looks and not says_home(subject.turn.message):
            return
        whens = (
            _find_whens(read)
            if any(each.list_parameters(ParameterKind.ID) for each in tools)
            else ()
        )
        unsure = {each.tool for each in tools if each.unsure}
        spared = {each.call.id for each in read.executions if each.call.tool in unsure}
        for check in self._plan(tools, whens):
            for finding in check(read):
                # A call that may only have looked is not rejected.
                warns = finding.call in spared
                yield replace(finding, severity=Severity.WARNING) if warns else finding

    def concerns(self, turn: Turn, call: Call) -> bool:
        """Whether one of the chosen checks looks at a call."""
        if not self._is_asked(turn):
            return False
        calls = self._split_bulk(call)
        chosen = self._plan(self._read_tools(calls), ())
        # The last look at the tool alone, and most are about every call of it.
        return any(
            has_concern(check, turn=turn, call=each) for check in reversed(chosen) for each in calls
        )

    def _is_asked(self, turn: Turn) -> bool:
        """Whether there is something to hold a call against."""
        return self._options.unasked or bool(turn.message.strip())

    def _read_executions(self, executions: Iterable[Execution]) -> Iterator[Execution]:
        """Each with what it returned as fields, and each element of a bulk as a call of its own."""
        for execution in executions:
            read = read_structure(execution.result)
            if read is not execution.result:
                execution = replace(execution, result=read)
            for call in self._split_bulk(execution.call):
                yield execution if call is execution.call else replace(execution, call=call)

    def _split_bulk(self, call: Call) -> list[Call]:
        """A bulk as the calls that it consists of; a late review has one element in its place."""
        shape = self._find_tool(call)
        if shape is None or shape.each is None:
            return [call]
        held = call.arguments.get(shape.each)
        parts = [as_record(part) for part in (held if isinstance(held, list | tuple) else [held])]
        if not parts or not all(parts):
            return [call]
        shared = {name: value for name, value in call.arguments.items() if name != shape.each}
        return [replace(call, arguments=shared | {**part}) for part in parts]

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
            for found in [_look_at(name, value, call.tool, known=name in kinds.chosen)]
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
        key = named, tuple(map(self._get_key, tools))
        if (plan := self._plans.get(key)) is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            plan = choose_checks(tools, whens=named, options=self._options)
            self._plans[key] = plan
        return plan

    def _get_key(self, tool: ToolKinds) -> object:
        """What the checks of a tool depend on."""
        kept = self._keys.get(tool.tool)
        if kept is None or kept[0] is not tool:
            told = ((name, chosen.kind) for name, chosen in tool.chosen.items())
            kept = self._keys[tool.tool] = tool, (tool.tool, tool.verb, tool.untrusted, *told)
        return kept[1]


def _look_at(name: str, value: object, tool: str, *, known: bool) -> Chosen | None:
    """The kind of a value that no schema describes; without any schema, by its name."""
    if isinstance(value, bool):
        return Chosen(ParameterKind.FLAG, "its value is yes or no")
    found = None if known else find_kind(name, tool=tool)
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
    dated = find_kind(name).kind in (ParameterKind.START, ParameterKind.DATE)
    return dated and not names_any(name, "words", "not_when")
