"""Which checks look at which parameters, once it is known what each of them holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mulligan.checks.conditions import condition_met
from mulligan.checks.dates import dates_as_said, times_as_said
from mulligan.checks.duplicates import made_once
from mulligan.checks.ids import exists, not_glued
from mulligan.checks.language.lexicon import load_words, split_words
from mulligan.checks.objects import on_objects, owners_as_said, still_to_come
from mulligan.checks.order import ends_after_start, not_in_the_past
from mulligan.checks.places import home_is_home
from mulligan.checks.quotes import quotes_kept
from mulligan.checks.ranks import rank_as_said
from mulligan.checks.seen import addresses_seen, ids_seen
from mulligan.checks.slots import SlotParameters, free_as_asked
from mulligan.checks.standard.alternatives import alternative_as_said
from mulligan.checks.standard.amounts import amounts_as_said
from mulligan.checks.standard.extremes import extreme_as_said
from mulligan.checks.standard.kind import ParameterKind
from mulligan.checks.standard.likeness import same_as_named
from mulligan.checks.standard.named import made_anew, names_as_said
from mulligan.checks.standard.provenance import not_from_content, targets_seen
from mulligan.checks.standard.questions import only_asked
from mulligan.checks.standard.titles import titles_as_said
from mulligan.checks.standard.tools import Standard, ToolKinds, ToolVerb, select_kinds
from mulligan.checks.standard.written import dates_as_written
from mulligan.checks.subject.subject import Parameters, Subject
from mulligan.core.finding import Severity
from mulligan.core.interfaces import Check


def choose_checks(
    tools: Sequence[ToolKinds], *, whens: Iterable[str] = (), options: Standard
) -> list[Check[Subject]]:
    """The checks for these tools. `whens`: fields that tell when an object is."""
    writes = [each for each in tools if each.acts]
    if not writes:
        return list(_choose_origins(tools))
    ids = select_kinds(writes, ParameterKind.ID)
    return [
        *_choose_origins(tools),
        *_choose_values(writes, ids),
        *_choose_times(writes),
        *_choose_objects(writes, ids, whens=whens),
        *_choose_deeds(tools, writes, options),
    ]


def _choose_origins(tools: Sequence[ToolKinds]) -> Iterator[Check[Subject]]:
    """Of calls that change something, and of those whose author minds where a value comes from."""
    weights = {
        each.tool: each.untrusted or Severity.WARNING
        for each in tools
        if each.acts or each.untrusted
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
    if amounts := select_kinds(writes, ParameterKind.AMOUNT):
        yield amounts_as_said(writes, amounts)
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
        yield not_in_the_past(plans)
        yield dates_as_written(plans)
    if spans := {each.tool: span for each in writes for span in _list_spans(each)}:
        yield free_as_asked(spans)
        yield alternative_as_said({tool: span.start for tool, span in spans.items()})


def _choose_objects(
    writes: Sequence[ToolKinds], ids: Parameters, *, whens: Iterable[str]
) -> Iterator[Check[Subject]]:
    """The object that a call acts on, against the words for it."""
    acted = select_kinds(
        [each for each in writes if each.verb is not ToolVerb.MAKE], ParameterKind.ID
    )
    if not acted:
        return
    for when in sorted(set(whens)):
        yield on_objects(dates_as_said(), acted, when=when)
        yield still_to_come(acted, when=when)
    yield owners_as_said(ids)
    yield rank_as_said(acted)
    yield titles_as_said(acted)


def _choose_deeds(
    tools: Sequence[ToolKinds], writes: Sequence[ToolKinds], options: Standard
) -> Iterator[Check[Subject]]:
    """What is done at all: twice, unasked, against a condition, at the wrong home."""
    if makes := [each.tool for each in writes if each.verb is ToolVerb.MAKE]:
        yield made_once(*makes)
    yield condition_met(*(each.tool for each in writes))
    acting = {each.tool: each for each in writes}
    yield extreme_as_said(acting)
    yield names_as_said(acting)
    yield made_anew(acting)
    yield only_asked(acting, severity=options.only_asked)
    places, lookups = select_kinds(writes, ParameterKind.PLACE), _find_lookups(tools)
    if places or lookups:
        yield home_is_home(places, lookups=lookups)


def _leave_windows(dates: Parameters) -> Parameters:
    """Without the bounds of what is looked through: they plan nothing, and may well be over."""
    window = load_words("kinds", "window")
    kept = {t: [n for n in names if not window & set(split_words(n))] for t, names in dates.items()}
    return {tool: names for tool, names in kept.items() if names}


def _find_lookups(tools: Iterable[ToolKinds]) -> Parameters:
    """By tool that only reads, the parameters that a place may be looked up by."""
    found = {
        each.tool: [
            name for name in each.chosen if load_words("fields", "looked_up") & {*split_words(name)}
        ]
        for each in tools
        if not each.acts
    }
    return {tool: names for tool, names in found.items() if names}


def _pair_ends(tool: ToolKinds) -> Iterator[tuple[str, str]]:
    """A start and the end that is called alike."""
    ends = {_strip_end(name): name for name in tool.list_parameters(ParameterKind.END)}
    for name in tool.list_parameters(ParameterKind.START):
        if (end := ends.get(_strip_end(name))) is not None:
            yield name, end


def _strip_end(name: str) -> tuple[str, ...]:
    return tuple(word for word in split_words(name) if word not in load_words("fields", "edge"))


def _list_spans(tool: ToolKinds) -> Iterator[SlotParameters]:
    pairs = list(_pair_ends(tool))
    if pairs:
        yield SlotParameters(start=pairs[0][0], end=pairs[0][1])
        return
    minutes = [
        name for name in tool.chosen if load_words("fields", "minutes") & {*split_words(name)}
    ]
    for start in tool.list_parameters(ParameterKind.START)[:1]:
        if minutes:
            yield SlotParameters(start=start, minutes=minutes[0])
