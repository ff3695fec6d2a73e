"""Suggestions from the tool's schema and the error's own words: the shape, never the sense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mulligan.core.effect import Effect
from mulligan.core.failures.error_traits import ArgumentFault
from mulligan.core.failures.suggestion import FailedCall, Kind, Origin, Patch, Suggestion
from mulligan.learning.complaints.dialects import parse_complaints
from mulligan.learning.errors.wording import find_likely_class
from mulligan.learning.repair.patches import diff_arguments
from mulligan.learning.repair.priors import estimate_prior
from mulligan.learning.repair.tighten import tighten_schema
from mulligan.learning.shape.conform import Conformed, conform
from mulligan.learning.shape.debris import clean_name, strip_debris
from mulligan.learning.shape.lenient import suggest_tool
from mulligan.learning.shape.schema import Schema, read_schema


def from_schema(failed: FailedCall) -> Iterator[Suggestion]:
    """At most one suggestion: the call in its right shape, or the tool that was meant.

    A schema that is none is a `NoSchemaError`.
    """
    arguments = dict(failed.call.arguments)
    tool = _find_tool(failed)
    if tool is not None:
        yield _build_suggestion(Patch(tool=tool), (Kind.TOOL,), f"{failed.call.tool!r} is {tool!r}")
        return
    cleaned = strip_debris(arguments)
    schema = _build_strict(failed, dirty=cleaned != arguments)
    fixed = conform(cleaned, schema) if schema else None
    kinds = (Kind.REFORMAT,) if cleaned != arguments else ()
    if fixed is not None and (fixed.unasked and failed.effect is not Effect.READ):
        return  # Less was asked of the tool than it would do: that is for the person to say.
    if fixed is not None and not _is_beside_point(failed, fixed):
        patch = diff_arguments(arguments, fixed.arguments)
        kinds = tuple(dict.fromkeys((*kinds, *fixed.kinds)))
        yield _build_suggestion(patch, kinds, "; ".join(fixed.notes))
    elif kinds and schema and schema.fits(cleaned):
        changed = ", ".join(_list_changed(arguments, cleaned))
        evidence = f"syntax was left inside {changed}"
        yield _build_suggestion(diff_arguments(arguments, cleaned), kinds, evidence)


def _build_strict(failed: FailedCall, *, dirty: bool) -> Schema | None:
    """The schema with what the error adds to it; `None` if it complains of something unknown.

    Where syntax was left in a value, that is what any complaint is about.
    """
    declared = read_schema(failed.schema, tool=failed.call.tool) if failed.schema else None
    tree = declared.tree if declared else {}
    strict = tighten_schema(tree, parse_complaints(failed.error), arguments=failed.call.arguments)
    if strict is not None:
        return read_schema(strict, tool=failed.call.tool)
    return declared if dirty else None


def _is_beside_point(failed: FailedCall, fixed: Conformed) -> bool:
    """An argument too many is dropped only if arguments are what the error is about."""
    advice = find_likely_class(failed.failure, failed.error).traits.advice
    given = failed.call.arguments
    drops = all(name in given and given[name] == held for name, held in fixed.arguments.items())
    return drops and advice is not ArgumentFault.SHAPE


def _find_tool(failed: FailedCall) -> str | None:
    """The tool that was meant, if the name is none of those that could be called."""
    name = clean_name(failed.call.tool)
    if failed.tools:
        return None if failed.call.tool in failed.tools else suggest_tool(name, failed.tools)
    return name if name and name != failed.call.tool else None


def _list_changed(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    return [name for name in before if before[name] != after.get(name)]


def _build_suggestion(patch: Patch, kinds: tuple[Kind, ...], evidence: str) -> Suggestion:
    return Suggestion(
        patch=patch,
        source=Origin.SCHEMA,
        kinds=kinds,
        probability=estimate_prior(Origin.SCHEMA, kinds),
        n=0,
        evidence=evidence[:500],
    )
