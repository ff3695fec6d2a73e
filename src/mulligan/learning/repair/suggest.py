"""All sources asked, each answer held to the same rules, the best first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mulligan.core.effect import Effect
from mulligan.core.failures.suggestion import FailedCall, Kind, Origin, Suggestion
from mulligan.core.interfaces import Suggest
from mulligan.learning.repair.from_schema import from_schema
from mulligan.learning.repair.from_tools import from_tools
from mulligan.learning.repair.from_turn import from_turn
from mulligan.learning.shape.form import changes_only_form
from mulligan.learning.shape.moment_forms import drops_zone
from mulligan.learning.shape.schema import Schema, read_schema
from mulligan.learning.values.closeness import tokenize
from mulligan.learning.values.leaves import is_small, list_leaves
from mulligan.learning.values.locked import find_locked_changes
from mulligan.learning.values.numbers import keeps_said_numbers, read_number

SOURCES: tuple[Suggest, ...] = (from_schema, from_turn, from_tools)
"""What needs no memory and no model. A memory and a judge are more of the same type."""

MOST = 5
_GROUPED = re.compile(r"\d[.,]\d{3}(?!\d)")
SHAPE_ONLY = frozenset(
    {Kind.COERCE, Kind.RENAME, Kind.CLAMP, Kind.ENUM, Kind.DEFAULT, Kind.DROP, Kind.REFORMAT}
)
"""What a correction may do by itself; anything else is for the agent to decide."""
PAGES = frozenset(
    tuple(name.split())
    for name in """
    limit | max limit | page limit | result limit | results limit | row limit | top k | topk | k
    page size | pagesize | per page | results per page | batch size | max results | maxresults
    max items | max rows | max hits | num results | number of results | n results | result count
    """.replace("\n", "|").split("|")
    if name.split()
)
"""Words of names that say how much of an answer comes at once, and nothing of what is asked for."""


def suggest_corrections(
    failed: FailedCall, *, sources: Sequence[Suggest] = SOURCES
) -> tuple[Suggestion, ...]:
    """Corrections of a failed call, the likeliest first; the same one is given once.

    None repeats the call that failed, and none has another number than the person said. Only a
    lesson's may change a locked field, out of what the call, its error and its turn hold, and that
    one is for the agent to take up. Arguments too large or too deep are left alone.
    """
    if not is_small(failed.call.arguments):
        return ()
    best: dict[str, Suggestion] = {}
    for source in sources:
        for each in _filter_suggestions(failed, source):
            key = repr(
                (each.patch.tool, each.patch.first, sorted(_patch_arguments(failed, each).items()))
            )
            best[key] = _merge_suggestion(each, best.get(key))
    order = list(Origin)
    ranked = sorted(best.values(), key=lambda s: (-s.probability, order.index(s.source)))
    return tuple(ranked[:MOST])


def _merge_suggestion(one: Suggestion, known: Suggestion | None) -> Suggestion:
    """Of the same correction from two sources the likelier; what one may apply, both may."""
    if known is None:
        return one
    likelier = one if one.probability > known.probability else known
    return replace(likelier, automatic=one.automatic or known.automatic)


def _filter_suggestions(failed: FailedCall, source: Suggest) -> Iterator[Suggestion]:
    before = dict(failed.call.arguments)
    for each in source(failed):
        after = _patch_arguments(failed, each)
        if not is_small(after):
            continue
        same = repr(after) == repr(before) and not (each.patch.tool or each.patch.first)
        locked = find_locked_changes(before, after, said=failed.said)
        spoken = keeps_said_numbers(before, after, said=failed.said)
        if same or not spoken or (locked and each.lesson is None):
            continue
        yield replace(each, automatic=not locked and each.proven and _is_automatic(failed, each))


def _patch_arguments(failed: FailedCall, suggestion: Suggestion) -> dict[str, object]:
    return suggestion.patch.apply(failed.call.arguments)


def _is_automatic(failed: FailedCall, suggestion: Suggestion) -> bool:
    """Only the shape changes, by the source's own account and by a look at the values."""
    patch = suggestion.patch
    if patch.tool or patch.first or not set(suggestion.kinds) <= SHAPE_ONLY or not failed.schema:
        return False
    after = _patch_arguments(failed, suggestion)
    schema = read_schema(failed.schema, tool=failed.call.tool)
    if not schema.fits(after):
        return False
    if Kind.CLAMP in suggestion.kinds and not _clamps_pages(failed, after):
        return False
    if suggestion.source is Origin.SCHEMA and Kind.ENUM not in suggestion.kinds:
        return not _can_mean_another(failed, after)
    # A memory or a judge may say what it likes, and near in spelling is not the same: another name
    # on a list is another person. Each value must say what it said before, under its own name.
    return changes_only_form(failed.call.arguments, after, defaults=_read_defaults(schema))


def _clamps_pages(failed: FailedCall, after: Mapping[str, object]) -> bool:
    """Whether a number is fitted that says how much of an answer is shown, of a call that reads.

    Of all else, people, doses, seats, the number is what is asked for.
    """
    given = {read_number(value) for _, value in list_leaves(failed.call.arguments)}
    fitted = [
        path
        for path, value in list_leaves(after, most=2_000)
        if (number := read_number(value)) is not None and number not in given
    ]
    paged = all(tokenize(str(path[-1])) in PAGES for path in fitted if path)
    return failed.effect is Effect.READ and paged


def _read_defaults(schema: Schema) -> dict[str, object]:
    """What the tool takes for an argument that is left out, where its schema says so."""
    rules = schema.properties.items()
    return {name: rule["default"] for name, rule in rules if "default" in dict(rule or {})}


def _can_mean_another(failed: FailedCall, after: dict[str, object]) -> bool:
    """Whether half the world reads a number as another one, or a moment has lost its zone."""
    changed = {
        v: after.get(name)
        for name, v in failed.call.arguments.items()
        if isinstance(v, str) and after.get(name) != v
    }
    return any(_GROUPED.search(v) or drops_zone(v, str(now)) for v, now in changed.items())
