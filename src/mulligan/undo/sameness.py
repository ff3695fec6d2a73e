"""Whether two states of an object are the same, for all that matters to an undo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from mulligan.core.record import Abilities, Record


def is_restored(
    record: Record,
    now: object,
    *,
    abilities: Abilities,
    versions: tuple[str | None, str | None] = (None, None),
) -> bool:
    """Whether what is there now is what was there before the call.

    `versions` are those of the two states, as the tool tells them: a field that holds them is none
    of the content.
    """
    before = record.before
    if before is None or now is None:
        return before is None and now is None
    if abilities.same is not None:
        return bool(abilities.same(before, now))
    if before == now:
        return True
    before, now = _as_fields(before), _as_fields(now)
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return before == now
    ignored = _VERSION_FIELDS | _find_version_field(before, now, versions)
    ignored -= _find_set_fields(record.arguments, before)
    return _drop_fields(ignored, before) == _drop_fields(ignored, now)


def _as_fields(state: object) -> object:
    if is_dataclass(state) and not isinstance(state, type):
        return {f.name: getattr(state, f.name) for f in fields(state)}
    return state


def _drop_fields(ignored: frozenset[str], state: Mapping[object, object]) -> dict[object, object]:
    return {k: v for k, v in state.items() if str(k).lower() not in ignored}


def _find_version_field(
    before: Mapping[object, object],
    now: Mapping[object, object],
    versions: tuple[str | None, str | None],
) -> frozenset[str]:
    """The one field that holds the version, whatever it is called; of two that do, neither."""
    was, is_now = versions
    if was is None or is_now is None:
        return frozenset()
    found = [k for k, v in before.items() if str(v) == was and str(now.get(k)) == is_now]
    return frozenset({str(found[0]).lower()}) if len(found) == 1 else frozenset()


def _find_set_fields(arguments: Mapping[str, object], before: Mapping[object, object]) -> set[str]:
    """Fields that the call itself was to change, whatever they are called: they are content.

    A version that it was given as a condition is the one that was there before, and is none.
    """
    was = {str(k).lower(): str(v) for k, v in before.items()}
    given = [arguments, *(v for v in arguments.values() if isinstance(v, Mapping))]
    asked = [(str(k).lower(), v) for each in given for k, v in each.items() if v is not None]
    return {name for name, value in asked if str(value) != was.get(name)}


_VERSION_FIELDS = frozenset(
    {"etag", "version", "updated", "updated_at", "modified", "modified_at", "last_modified",
     "sequence", "revision", "rev", "lastmodified", "updatedat", "modifiedat"}
)  # fmt: skip
"""Names of fields that a write changes by itself."""
