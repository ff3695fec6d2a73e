"""A remedy used again: the patch it makes out of the call that failed just now."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from mulligan.core.failures.lesson import How, Lesson, LessonState, Prerequisite, Remedy
from mulligan.core.failures.suggestion import (
    Earlier,
    FailedCall,
    FirstCall,
    Kind,
    Origin,
    Patch,
    Suggestion,
)
from mulligan.learning.lessons.ways.place import ArgumentPlace, is_same
from mulligan.learning.lessons.ways.table import make
from mulligan.learning.repair.priors import estimate_prior
from mulligan.learning.shape.coerce import NOTHING

KINDS: Mapping[How, Kind] = {
    How.CONSTANT: Kind.DEFAULT,
    How.PREFIX: Kind.REFORMAT,
    How.SUFFIX: Kind.REFORMAT,
    How.CASE: Kind.REFORMAT,
    How.PART: Kind.OTHER,
    How.SCALE: Kind.OTHER,
    How.LIST: Kind.COERCE,
    How.SCALAR: Kind.COERCE,
    How.COERCE: Kind.COERCE,
    How.FORMAT: Kind.REFORMAT,
    How.FROM_ARGUMENT: Kind.RENAME,
    How.FROM_ERROR: Kind.CLAMP,
    How.FROM_TURN: Kind.FOUND,
    How.OPEN: Kind.OTHER,
    How.DROP: Kind.DROP,
}
"""What a remedy does, in the words suggestions have for it."""

_UNSURE = (How.OPEN, How.FROM_TURN)
"""Arguments of a call before that the agent can find where we cannot."""


def build_suggestion(lesson: Lesson, failed: FailedCall) -> Suggestion | None:
    """What a lesson suggests for this very call; `None` when it cannot be made, or just was."""
    made = build_patch(lesson.remedy, failed)
    if made is None or not may_tell_first(lesson, failed.reads):
        return None
    kinds = _list_kinds(lesson.remedy, made)
    return Suggestion(
        patch=made,
        source=Origin.MEMORY,
        kinds=kinds,
        probability=estimate_prior(Origin.MEMORY, kinds),
        n=lesson.seen,
        evidence=lesson.statement,
        lesson=lesson.id,
        proven=lesson.state is LessonState.ACTIVE,
    )


def may_tell_first(lesson: Lesson, reads: Container[str]) -> bool:
    """Whether what a lesson has called first may be told: a call that may change something only if
    more than one failure was fixed by it. Whoever fails once teaches nobody to delete anything."""
    return lesson.seen > 1 or all(each.tool in reads for each in lesson.remedy.first)


def build_patch(remedy: Remedy, failed: FailedCall) -> Patch | None:
    """The remedy as a patch of this call; `None` when it has nothing to say about it.

    Where a change needs what a call before it would bring, the patch is that call alone: once it
    was made, its result is in the turn, and the next patch has the change.
    """
    feeding = _find_feeding(remedy)
    changes = _make_changes(remedy, failed)
    if changes is None and not feeding:
        return None
    asked = [each for each in remedy.first if changes is None or each.tool not in feeding]
    first = tuple(_make_first_call(each, failed) for each in asked)
    if None in first:
        return None
    patch = Patch(
        changes=changes or {},
        drops=() if changes is None else _list_drops(remedy, failed),
        first=tuple(each for each in first if each is not None),
    )
    return None if _is_idle(patch, failed) or _was_just_made(patch, failed) else patch


def _make_changes(remedy: Remedy, failed: FailedCall) -> dict[str, object] | None:
    """The new values; `None` if one of them cannot be made."""
    made: dict[str, object] = {}
    for each in remedy.changes:
        if each.how is How.DROP:
            continue
        place = ArgumentPlace(argument=each.argument, failed=failed, schema=failed.schema)
        value = make(each, place)
        if value is NOTHING:
            return None
        made[each.argument] = value
    return made


def _list_drops(remedy: Remedy, failed: FailedCall) -> tuple[str, ...]:
    dropped = (each.argument for each in remedy.changes if each.how is How.DROP)
    return tuple(name for name in dropped if name in failed.call.arguments)


def _find_feeding(remedy: Remedy) -> frozenset[str]:
    """The calls before whose results the changes are made of."""
    first = {each.tool for each in remedy.first}
    taken = {str(each.given.get("tool")) for each in remedy.changes if each.how is How.FROM_TURN}
    return frozenset(first & taken)


def _make_first_call(wanted: Prerequisite, failed: FailedCall) -> FirstCall | None:
    """The call with its arguments; without, where one is for the agent to say; `None`: no sense."""
    schema = failed.schemas.get(wanted.tool, {})
    made: dict[str, object] = {}
    for each in wanted.arguments:
        value = make(each, ArgumentPlace(argument=each.argument, failed=failed, schema=schema))
        if value is NOTHING:
            return FirstCall(tool=wanted.tool) if each.how in _UNSURE else None
        made[each.argument] = value
    return FirstCall(tool=wanted.tool, arguments=made)


def _is_idle(patch: Patch, failed: FailedCall) -> bool:
    after = patch.apply(failed.call.arguments)
    unchanged = after.keys() == failed.call.arguments.keys() and all(
        is_same(after[name], value) for name, value in failed.call.arguments.items()
    )
    return unchanged and not patch.first


def _was_just_made(patch: Patch, failed: FailedCall) -> bool:
    """Whether every call to make first was made since the call last failed like this, in vain."""
    if not patch.first or patch.changes or patch.drops:
        return False
    since = list(_list_since_last_try(failed))
    return all(any(_is_same_call(each, made) for made in since) for each in patch.first)


def _list_since_last_try(failed: FailedCall) -> Iterator[Earlier]:
    for made in reversed(failed.earlier):
        if made.failed and made.tool == failed.call.tool:
            return
        yield made


def _is_same_call(wanted: FirstCall, made: Earlier) -> bool:
    if made.failed or made.tool != wanted.tool:
        return False
    return wanted.arguments is None or dict(wanted.arguments) == dict(made.arguments)


def _list_kinds(remedy: Remedy, patch: Patch) -> tuple[Kind, ...]:
    first = (Kind.FIRST,) if patch.first else ()
    if not (patch.changes or patch.drops):
        return first
    renamed = {str(each.given["of"]) for each in remedy.changes if "of" in each.given}
    kinds = (
        KINDS[each.how]
        for each in remedy.changes
        if not (each.how is How.DROP and each.argument in renamed)
    )
    return tuple(dict.fromkeys((*first, *kinds)))
