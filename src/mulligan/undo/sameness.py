"""Whether two states of an object are the same, for all that matters to an undo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from mulligan.codec import exact
from mulligan.core.display.escape import format_value
from mulligan.core.record import Abilities, Image, Record


def find_image(record: Record, *, abilities: Abilities) -> Image | None:
    """What was there before; `None` where nobody knows, which is not the same as nothing.

    A tool that reads no pre-image makes something: nothing was there, as its author has it.
    """
    return Image(None) if abilities.before is None and record.image is None else record.image


def is_unchanged(record: Record, now: object, *, abilities: Abilities) -> bool:
    """Whether nothing at all was written since the pre-image, not even a version."""
    image = find_image(record, abilities=abilities)
    if image is None:
        return False
    if abilities.same is not None and image.state is not None and now is not None:
        return bool(abilities.same(image.state, now))
    return is_same(image.state, now)


def is_same(one: object, other: object) -> bool:
    """Whether two states are equal in everything, in whichever of our forms they come."""
    # A number that is none equals nothing, not even itself.
    return one == other or _as_fields(one) == _as_fields(other) or exact.is_same(one, other)


def is_restored(
    record: Record,
    now: object,
    *,
    abilities: Abilities,
    versions: tuple[str | None, str | None] = (None, None),
    restless: frozenset[str] = frozenset(),
) -> bool:
    """Whether what is there now is what was there before the call, but for what any write changes.

    `versions` are those of the two states, as the tool tells them: a field that holds them is none
    of the content. Neither are those that were seen to be `restless`.
    """
    image = find_image(record, abilities=abilities)
    if image is None:
        return False
    before = image.state
    if before is None or now is None:
        return before is None and now is None
    if abilities.same is not None:
        return bool(abilities.same(before, now))
    if is_same(before, now):
        return True
    before, now = _as_fields(before), _as_fields(now)
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return False
    ignored = SELF_CHANGING | restless
    ignored |= {normalize_name(find_version_field(before, now, versions=versions))}
    ignored -= _find_set_fields(record.arguments, before)
    return is_same(_drop_fields(ignored, before), _drop_fields(ignored, now))


def find_restless(one: object, other: object) -> frozenset[str]:
    """The fields that differ between two reads that nobody wrote between."""
    one, other = _as_fields(one), _as_fields(other)
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return frozenset()
    return frozenset(
        normalize_name(name)
        for name in {*one, *other}
        if not is_same(one.get(name), other.get(name))
    )


def normalize_name(name: object) -> str:
    """The name of a field, however it is written."""
    return format_value(name).lower().replace("_", "").replace("-", "")


def _as_fields(state: object) -> object:
    if is_dataclass(state) and not isinstance(state, type):
        return {f.name: getattr(state, f.name) for f in fields(state)}
    return state


def _drop_fields(ignored: frozenset[str], state: Mapping[object, object]) -> dict[object, object]:
    return {name: value for name, value in state.items() if normalize_name(name) not in ignored}


def find_version_field(
    before: object, now: object, *, versions: tuple[str | None, str | None]
) -> str:
    """The one field that holds the version, whatever it is called; of two that do, neither."""
    was, is_now = versions
    if was is None or is_now is None:
        return ""
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return ""
    found = [
        k
        for k, v in before.items()
        if format_value(v) == was and format_value(now.get(k)) == is_now
    ]
    return format_value(found[0]) if len(found) == 1 else ""


def _find_set_fields(arguments: Mapping[str, object], before: Mapping[object, object]) -> set[str]:
    """Fields that the call itself was to change, whatever they are called: they are content.

    A version that it was given as a condition is the one that was there before, and is none.
    """
    was = {normalize_name(k): format_value(v) for k, v in before.items()}
    given = [arguments, *(v for v in arguments.values() if isinstance(v, Mapping))]
    asked = [(normalize_name(k), v) for each in given for k, v in each.items() if v is not None]
    return {name for name, value in asked if format_value(value) != was.get(name)}


SELF_CHANGING = frozenset({
    "checksum", "datemodified", "etag", "lasteditedby", "lasteditedtime", "lasteditor",
    "lastmodified", "lastmodifiedby", "lastmodifieddate", "lastupdated", "lastviewedat",
    "lockversion", "metageneration", "modified", "modifiedat", "modifiedby", "mtime", "requestid",
    "resourceversion", "rev", "revision", "revisionid", "sequence", "servertime", "sha",
    "sysmodcount", "updated", "updatedat", "updatedby", "updatedtime", "version", "versionid",
})  # fmt: skip
"""Names of fields that a remote changes with every write, without `_` and `-`. What only may be
one, such as a history, is content."""
