"""What an undo, a probe or an approved call will need of an action: written, and had back exactly.

A value comes back as its annotation says, or with the types it had. An object of somebody's own
class comes back as the mapping it stands for to an undo or a probe, which may know it by that; a
call that waits for a person is made with what it was given, or by no other process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, Protocol

from mulligan.codec.exact import decode_exact, encode_exact, is_same
from mulligan.codec.values import decode_value, encode_value, from_plain, to_plain
from mulligan.core.action import Action, Kept, Opening
from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Vault
from mulligan.core.record import Image, Record
from mulligan.turns.tools.declaration import Declaration

EXACT = ".exact"
"""Of the name of a row: the same value with all its types, where its annotations do not tell."""
LOST = b"null"
"""In the place of such a row: it cannot be had back."""

Restore = Callable[[object], object]


class Keeping(Protocol):
    """An action, as far as its values are kept."""

    id: str
    opening: Opening
    declaration: Declaration
    record: Record
    originals: dict[str, object]


class LostValueError(ConfigurationError):
    """Only the process that made a call knows what it was made with."""


class LostValue:
    """In the place of a result that could not be written down: whatever asks it is told so."""

    def _refuse(self, *_: object) -> NoReturn:
        raise LostValueError(
            "What the call returned could not be kept over a restart. Return JSON-able values, or "
            "annotate what the tool returns."
        )

    __getattr__ = __getitem__ = __iter__ = __len__ = __bool__ = __str__ = __call__ = _refuse
    __eq__ = __hash__ = __contains__ = _refuse


def keep_arguments(action: Keeping, *, to_run: bool = False) -> list[Kept]:
    """What its call was given. `to_run`: it is still to be made, with exactly that."""
    given, row = dict(action.record.arguments), Kept(owner=action.id, name="arguments", value=b"")
    restore = _restore_given(action.declaration, action.opening)
    return _keep(action, row, value=given, restore=restore, loosely=not to_run)


def keep_before(action: Keeping) -> list[Kept]:
    """Its pre-image, where one was taken."""
    image = action.record.image
    if image is None:
        return []
    hint, row = action.declaration.hints.before, Kept(owner=action.id, name="before", value=b"")
    return _keep(action, row, value=image.state, restore=lambda plain: from_plain(plain, hint))


def keep_outcome(action: Keeping, row: Kept, *, whole: bool = True) -> list[Kept]:
    """What it returned and the version it left, in a row of its own or in one of all its bulk."""
    version = {"version": action.record.version}
    came = {"result": action.record.result, **version} if whole else version
    try:
        return _keep(action, row, value=came, restore=_restore_outcome(action.declaration))
    except ConfigurationError:
        # It has happened, and that is what must be written; what it returned is known only here.
        action.originals[row.name] = came
        return [*_write(row, {"result": None, **version}), _build_row(row, LOST)]


def is_exact(action: Keeping) -> bool:
    """Whether another process could make its call with what it was given."""
    keep_arguments(action, to_run=True)
    return "arguments" not in action.originals


def load_record(
    action: Action, declaration: Declaration, *, vault: Vault, originals: Mapping[str, object]
) -> Record:
    """A call as its own process knew it; a `LostValueError` where that cannot be had."""
    opening, hints = action.opening, declaration.hints

    def load(name: str, restore: Restore, *, owner: str = action.id) -> Any:
        return (
            originals[name]
            if name in originals
            else _load(vault, owner, name=name, restore=restore)
        )

    given = load("arguments", _restore_given(declaration, opening)) or {}
    outcome = _restore_outcome(declaration)
    came = _load_outcome(vault, action.id, restore=outcome, originals=originals)
    if "result" not in came and opening.parent:
        came = _load_outcome(vault, opening.parent, restore=outcome, originals=originals) | came
    version = came.get("version")
    taken = "before" in originals or vault.get(action.id, "before") is not None

    def restore_before(plain: object) -> object:
        return from_plain(plain, hints.before)

    return Record(
        # Earlier versions kept what is ours here too.
        arguments={name: value for name, value in given.items() if name not in declaration.ours},
        key=opening.key or action.id,
        result=came.get("result"),
        image=Image(load("before", restore_before)) if taken else None,
        version=None if version is None else str(version),
    )


def _load_outcome(
    vault: Vault, owner: str, *, restore: Restore, originals: Mapping[str, object]
) -> dict[str, object]:
    try:
        found = originals.get("result") or _load(vault, owner, name="result", restore=restore)
    except LostValueError:
        kept = vault.get(owner, "result")
        plain = decode_value(kept) if kept is not None else None
        return {**(plain if isinstance(plain, dict) else {}), "result": LostValue()}
    return dict(found) if isinstance(found, dict) else {}


def _load(vault: Vault, owner: str, *, name: str, restore: Restore) -> object:
    exact = vault.get(owner, name + EXACT)
    if exact == LOST:
        raise LostValueError(
            f"The {name} of {owner} cannot be had back as they were, and only the process that "
            "made the call knows them: it waits for a person. Annotate the tool's parameters."
        )
    changed = {} if exact is None else decode_exact(exact)
    if None in changed:
        return changed[None]
    kept = vault.get(owner, name)
    back: Any = None if kept is None else restore(decode_value(kept))
    return {**back, **changed} if changed else back


def _keep(
    action: Keeping, row: Kept, *, value: object, restore: Restore, loosely: bool = True
) -> list[Kept]:
    rows = _write(row, value)
    changed = _find_changed(value, restore(decode_value(rows[0].value)))
    if not changed:
        return rows
    exact = encode_exact(changed)
    if exact is None:
        action.originals[row.name] = value
        exact = encode_exact(_simplify_objects(changed)) if loosely else None
    return [*rows, _build_row(row, exact or LOST)]


def _find_changed(value: Any, back: Any) -> dict[str | None, object]:
    """What does not come back as it was, by name where there are names; `None`: all of it."""
    named = isinstance(value, dict) and all(isinstance(name, str) for name in value)
    if not named or not isinstance(back, dict) or value.keys() != back.keys():
        return {} if is_same(back, value) else {None: value}
    return {name: held for name, held in value.items() if not is_same(back[name], held)}


def _simplify_objects(value: Any) -> object:
    """The same with each object of a class as JSON has it, and all around it as it is."""
    if type(value) is dict:
        return {key: _simplify_objects(held) for key, held in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_simplify_objects, value))
    return value if encode_exact(value) is not None else to_plain(value)


def _write(row: Kept, value: object) -> list[Kept]:
    text = encode_value(value)
    return [Kept(owner=row.owner, name=row.name, value=text, expires_at=row.expires_at)]


def _build_row(row: Kept, value: bytes) -> Kept:
    return Kept(owner=row.owner, name=row.name + EXACT, value=value, expires_at=row.expires_at)


def _restore_given(declaration: Declaration, opening: Opening) -> Restore:
    """By their annotations; of one element of a bulk, by that of an element."""
    hints = declaration.hints.arguments if opening.parent else declaration.hints.call

    def restore(plain: object) -> object:
        if not isinstance(plain, dict):
            return {}
        return {name: from_plain(value, hints.get(name)) for name, value in plain.items()}

    return restore


def _restore_outcome(declaration: Declaration) -> Restore:
    def restore(plain: object) -> object:
        if not isinstance(plain, dict) or "result" not in plain:
            return plain
        return {**plain, "result": from_plain(plain["result"], declaration.hints.result)}

    return restore
