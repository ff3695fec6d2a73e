"""What an undo, a probe or an approved call will need of an action: written, and had back exactly.

A value comes back as its annotation says, or with the types it had. An object of a class that no
annotation names comes back as the plain data it consists of to an undo or a probe, which may know
it by that; a call that waits for a person is made with what it was given, or by no other process.
What cannot be kept at all is refused before the call; of a result, only its place is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from mulligan.codec.exact import (
    LostValue,
    LostValueError,
    Names,
    decode_named,
    encode_named,
    is_same,
    replace_lost,
)
from mulligan.codec.values import decode_value, encode_value, from_plain
from mulligan.core.action import Action, Kept, Opening
from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Vault
from mulligan.core.record import Image, Record
from mulligan.turns.tools.declaration import Declaration

EXACT = ".exact"
"""Of the name of a row: the same value with all its types, where its annotations do not tell."""
LOST = b"null"
"""In the place of such a row: it cannot be had back."""


class Keeping(Protocol):
    """An action, as far as its values are kept."""

    id: str
    opening: Opening
    declaration: Declaration
    record: Record
    originals: dict[str, object]


def keep_arguments(action: Keeping, *, to_run: bool = False) -> list[Kept]:
    """What its call was given. `to_run`: it is still to be made, with exactly that."""
    given, row = dict(action.record.arguments), Kept(owner=action.id, name="arguments", value=b"")
    hints = _find_argument_hints(action.declaration, action.opening)
    return _keep(action, row, value=given, hints=hints, to_run=to_run)


def keep_before(action: Keeping) -> list[Kept]:
    """Its pre-image, where one was taken."""
    image = action.record.image
    if image is None:
        return []
    row = Kept(owner=action.id, name="before", value=b"")
    return _keep(action, row, value=image.state, hints=_find_before_hints(action.declaration))


def keep_outcome(action: Keeping, row: Kept, *, whole: bool = True) -> list[Kept]:
    """What it returned and the version it left, in a row of its own or in one of all its bulk."""
    version = {"version": action.record.version}
    came = {"result": action.record.result, **version} if whole else version
    hints = _find_outcome_hints(action.declaration)
    try:
        return _keep(action, row, value=came, hints=hints)
    except ConfigurationError:
        # It has happened, and that is what must be written; some of it is known only here.
        action.originals[row.name] = came
        left = {name: replace_lost(value) for name, value in came.items()}
        return [_write(row, left), _build_row(row, encode_named(left, at=row.name))]


def is_exact(action: Keeping) -> bool:
    """Whether another process could make its call with what it was given."""
    keep_arguments(action, to_run=True)
    return "arguments" not in action.originals


def load_record(
    action: Action, declaration: Declaration, *, vault: Vault, originals: Mapping[str, object]
) -> Record:
    """A call as its own process knew it; a `LostValueError` where that cannot be had."""
    opening = action.opening

    def load(name: str, hints: Names) -> Any:
        return originals[name] if name in originals else _load(vault, action.id, name, hints)

    given = load("arguments", _find_argument_hints(declaration, opening)) or {}
    outcome = _find_outcome_hints(declaration)
    came = _load_outcome(vault, action.id, hints=outcome, originals=originals)
    if "result" not in came and opening.parent:
        came = _load_outcome(vault, opening.parent, hints=outcome, originals=originals) | came
    version = came.get("version")
    taken = "before" in originals or vault.get(action.id, "before") is not None
    return Record(
        # Earlier versions kept what is ours here too.
        arguments={name: value for name, value in given.items() if name not in declaration.ours},
        key=opening.key or action.id,
        result=came.get("result"),
        image=Image(load("before", _find_before_hints(declaration))) if taken else None,
        version=None if version is None else str(version),
    )


def _load_outcome(
    vault: Vault, owner: str, *, hints: Names, originals: Mapping[str, object]
) -> dict[str, object]:
    try:
        found = originals.get("result") or _load(vault, owner, "result", hints)
    except LostValueError:
        # Earlier versions kept nothing of a result that could not be kept whole.
        kept = vault.get(owner, "result")
        plain = decode_value(kept) if kept is not None else None
        return {**(plain if isinstance(plain, dict) else {}), "result": LostValue()}
    return dict(found) if isinstance(found, dict) else {}


def _load(vault: Vault, owner: str, name: str, hints: Names) -> object:
    exact = vault.get(owner, name + EXACT)
    if exact == LOST:
        raise LostValueError(
            f"The {name} of {owner} cannot be had back as they were, and only the process that "
            "made the call knows them: it waits for a person. Annotate the tool's parameters."
        )
    changed = {} if exact is None else _load_exact(exact, hints)
    if None in changed:
        return changed[None]
    kept = vault.get(owner, name)
    back: Any = None if kept is None else _restore(decode_value(kept), hints)
    return {**back, **changed} if changed else back


def _load_exact(exact: bytes, hints: Names) -> dict[str | None, Any]:
    return decode_named(exact, lambda name, plain: from_plain(plain, hints.get(name)))


def _keep(
    action: Keeping, row: Kept, *, value: object, hints: Names, to_run: bool = False
) -> list[Kept]:
    """A value as a person reads it, and exactly where that alone does not bring it back."""
    shown = _write(row, value)
    changed = _find_changed(value, _restore(decode_value(shown.value), hints))
    if not changed:
        return [shown]
    exact = encode_named(changed, at=row.name)
    if not is_same(_load_exact(exact, hints), changed):
        action.originals[row.name] = value
        exact = LOST if to_run else exact
    return [shown, _build_row(row, exact)]


def _find_changed(value: Any, back: Any) -> dict[str | None, object]:
    """What does not come back as it was, by name where there are names; `None`: all of it."""
    named = type(value) is dict and all(isinstance(name, str) for name in value)
    if not named or not isinstance(back, dict) or value.keys() != back.keys():
        return {} if is_same(back, value) else {None: value}
    return {name: held for name, held in value.items() if not is_same(back[name], held)}


def _write(row: Kept, value: object) -> Kept:
    return replace(row, value=encode_value(value))


def _build_row(row: Kept, value: bytes) -> Kept:
    return replace(row, name=row.name + EXACT, value=value)


def _restore(plain: object, hints: Names) -> object:
    if None in hints:
        return from_plain(plain, hints[None])
    if not isinstance(plain, dict):
        return plain
    return {name: from_plain(value, hints.get(name)) for name, value in plain.items()}


def _find_argument_hints(declaration: Declaration, opening: Opening) -> Names:
    """Of one element of a bulk, that of an element."""
    return declaration.hints.arguments if opening.parent else declaration.hints.call


def _find_before_hints(declaration: Declaration) -> Names:
    return {None: declaration.hints.before}


def _find_outcome_hints(declaration: Declaration) -> Names:
    return {"result": declaration.hints.result}
