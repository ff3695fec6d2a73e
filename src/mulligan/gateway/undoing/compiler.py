"""A recipe as functions of the record: read, before, undo, probe, version and about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from mulligan.core.errors import ConflictError
from mulligan.core.record import DeclaredAbilities, Record
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.undoing.recipe import CONTENT, WHOLE, Look, ToolCall, UndoRecipe
from mulligan.gateway.undoing.templates import MissingValueError, follow_path
from mulligan.runtime.assessment import is_edit_of, is_work_of
from mulligan.runtime.tool_identity import mark_unbound

CallTool = Callable[[str, str, Mapping[str, object]], Awaitable[object]]
"""Calls a tool of a server, outside any client's session: server, tool, arguments. It answers with
what the tool returned as plain values, and raises what it returned as an error."""

STATE = "mulligan_state"
VERSION = "version"
"""What was read, and its version, side by side: so that no result of a tool is taken for it."""

LONGEST = 4_000
"""Characters of an error that an operator's pattern is searched in."""
_NOTHING = object()
_LOST = "\ufffd"
_KINDS = {"text": str, "table": dict, "list": list}


class UnseenStateError(Exception):
    """What a look returned is not what its recipe says it returns."""


def compile_recipe(recipe: UndoRecipe, *, server: str, call: CallTool) -> DeclaredAbilities:
    """The functions that a tool is declared with."""
    compiled = CompiledRecipe(recipe=recipe, server=server, call=call)
    abilities: dict[str, Callable[..., object]] = {}
    if recipe.read is not None:
        abilities["read"] = compiled.read
        if recipe.takes_image:
            abilities["before"] = compiled.take_image
    if recipe.undo is not None or recipe.undo_new is not None:
        abilities["undo"] = compiled.undo
    if recipe.version is not None:
        abilities["version"] = compiled.find_version
    if recipe.probe is not None:
        abilities["probe"] = compiled.probe
    if recipe.about is not None:
        abilities["about"] = compiled.name_object
    return cast("DeclaredAbilities", abilities)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRecipe:
    """A recipe over the server that it is for.

    Its functions are bound to nothing but their tool: a process that starts anew has another
    connection to the server, and recovers all the same.
    """

    recipe: UndoRecipe
    server: str
    call: CallTool

    @mark_unbound
    async def read(self, record: Record) -> object:
        """What is there now, with its version; `None`: nothing."""
        look = self.recipe.read
        if look is None:
            raise UnseenStateError("The recipe reads nothing.")
        raw = await self._look(look, record)
        if raw is _NOTHING:
            return None
        state = _keep_fields(raw, look)
        return {STATE: state, VERSION: self._read_version(raw, state)}

    @mark_unbound
    async def take_image(self, record: Record) -> object:
        """What is there before the call; what no undo of the recipe could bring back is refused."""
        state = await self.read(record)
        recipe, look = self.recipe, self.recipe.read
        new = state is None
        if recipe.undo is None and recipe.undo_new is None:
            return state
        if new and recipe.undo_new is None and not (look is not None and look.fails_if_absent):
            raise UnseenStateError("Nothing is there, and what it makes anew cannot be undone.")
        if not new and recipe.undo is None:
            raise UnseenStateError("Something is there already, and could not be put back.")
        return state

    @mark_unbound
    async def probe(self, record: Record) -> object:
        """What a call without an answer left, as its tool would have returned it."""
        look = self.recipe.probe
        if look is None:
            raise UnseenStateError("The recipe looks for nothing.")
        raw = await self._look(look, record)
        return None if raw is _NOTHING else _keep_fields(raw, look)

    @mark_unbound
    async def undo(self, record: Record) -> None:
        """Put back what was there before, if what is there is still what the call left."""
        before = record.before
        if self._may_be_older(record):
            raise ConflictError(
                "Its answer does not say that the call has made it: it may have been there before."
            )
        new = before is None and self.recipe.takes_image
        call = self.recipe.undo_new if new else self.recipe.undo
        if call is None:
            was = "nothing was there" if new else "something was there"
            raise LookupError(f"The recipe has no undo where {was} before the call.")
        if not self.recipe.compares and self.recipe.version is not None:
            await self._refuse_changed(record)
        given = call.arguments.fill(record, before=_unpack_state(before))
        try:
            await self._make(call, given)
        except Exception as error:
            if _says(self.recipe.conflict, str(error)):
                raise ConflictError(str(error)) from error
            raise

    @mark_unbound
    async def find_version(self, record: Record) -> object:
        """The version of what was read, or of what the call has just left."""
        rule, result = self.recipe.version, record.result
        if isinstance(result, dict) and STATE in result:
            return result.get(VERSION)
        if rule is None or self._may_be_older(record):
            return None
        if rule.leaves is not None:
            return hash_content(rule.leaves.fill(record, before=_unpack_state(record.before)))
        if rule.in_result:
            return _as_version(follow_path(result, _split(rule.in_result)))
        # The result does not tell, so it is looked at right away; it may be an edit by then.
        found = await self.read(record)
        if not isinstance(found, dict) or not (rule.seen_after or self._is_work(record, found)):
            return None
        return found.get(VERSION)

    def _may_be_older(self, record: Record) -> bool:
        """Whether nothing says that the call has made what is there, where nobody had looked."""
        made = self.recipe.made
        return (
            made is not None
            and record.before is None
            and not _holds(record.result, made.fill(record))
        )

    def _is_work(self, record: Record, found: Mapping[str, object]) -> bool:
        """Whether what is there is explained by the call: by what it returned or was given."""
        now, before = found[STATE], _unpack_state(record.before)
        given = {name: value for name, value in record.arguments.items() if value is not None}
        if now == before or self._is_returned(record, now):
            return True
        if (
            isinstance(before, str)
            and isinstance(now, str)
            and is_edit_of(given, before=before, now=now)
        ):
            return True
        was = {} if before is None and isinstance(now, Mapping) else before
        return is_work_of([given], before=was, now=now)

    def _is_returned(self, record: Record, now: object) -> bool:
        """Whether the call's own result shows the same, read as a look is."""
        look = self.recipe.read
        try:
            return look is not None and _keep_fields(_take(record.result, look), look) == now
        except UnseenStateError:
            return False

    @mark_unbound
    def name_object(self, record: Record) -> object:
        """The object that a call is about."""
        about = self.recipe.about
        if about is None:
            return None
        return about.fill(record, before=_unpack_state(record.before))

    async def _refuse_changed(self, record: Record) -> None:
        """The last look before an undo that the server makes without comparing."""
        found = await self.read(record)
        there = found.get(VERSION) if isinstance(found, dict) else None
        if there is None or str(there) != record.version:
            raise ConflictError("It is not at the version that the call left.")

    async def _look(self, look: Look, record: Record) -> object:
        """What a look shows of what is there; `_NOTHING` where it says that nothing is."""
        given = look.call.arguments.fill(record, before=_unpack_state(record.before))
        try:
            result = await self._make(look.call, given)
        except Exception as error:
            if _says(look.absent, str(error)):
                return _NOTHING
            raise
        if isinstance(result, str) and _says(look.absent_text, result):
            return _NOTHING
        found = _take(result, look)
        if look.where is not None:
            found = _choose(found, look.where.fill(record))
        if found is None or (look.gone and _has_fields(found, look.gone)):
            return _NOTHING
        return found

    async def _make(self, call: ToolCall, given: object) -> object:
        return await self.call(self.server, call.tool, cast("dict[str, object]", given))

    def _read_version(self, raw: object, state: object) -> str | None:
        rule = self.recipe.version
        if rule is None:
            return None
        if rule.of == CONTENT:
            return hash_content(state)
        return _as_version(follow_path(raw, _split(rule.of)))


def hash_content(state: object) -> str:
    """What tells two contents apart, the same in every process."""
    written = json.dumps(state, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()[:32]


def _take(result: object, look: Look) -> object:
    """The part of a result that is meant, of the form that is meant."""
    for path in look.take:
        try:
            found = follow_path(result, _split(path))
        except MissingValueError:
            continue
        kind = _KINDS.get(look.form)
        if kind is None or isinstance(found, kind):
            if look.lossless and isinstance(found, str) and _LOST in found:
                raise UnseenStateError("It is no text that could be put back as it was.")
            return _strip(found, look)
    raise UnseenStateError(
        f"{look.call.tool} returned nothing at {' or '.join(look.take)} that is {look.form}."
    )


def _strip(found: object, look: Look) -> object:
    if look.extract is not None:
        meant = look.extract.search(found) if isinstance(found, str) else None
        if meant is None:
            raise UnseenStateError(f"{look.call.tool} returned no text that shows what is meant.")
        return meant[1]
    for pattern in look.strip if isinstance(found, str) else ():
        found = pattern.sub("", str(found))
    return found


def _choose(found: object, fields: object) -> object:
    """The only element of a list that has these fields."""
    if not isinstance(found, list):
        raise UnseenStateError("The recipe looks through a list, and there is none.")
    wanted = cast("dict[str, object]", fields)
    fitting = [each for each in found if _has_fields(each, wanted)]
    if len(fitting) > 1:
        raise UnseenStateError(
            f"{len(fitting)} elements have {', '.join(wanted)} as is looked for."
        )
    return fitting[0] if fitting else _NOTHING


def _has_fields(element: object, wanted: Mapping[str, object]) -> bool:
    try:
        return all(follow_path(element, _split(path)) == each for path, each in wanted.items())
    except MissingValueError:
        return False


def _holds(found: object, wanted: object) -> bool:
    """Whether all of a pattern is in a value: of a table its fields, of a list some elements."""
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(
            name in found and _holds(found[name], each) for name, each in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(found, list) and all(
            any(_holds(each, one) for each in found) for one in wanted
        )
    return found == wanted


def _keep_fields(raw: object, look: Look) -> object:
    if not look.fields:
        return raw
    kept: dict[str, object] = {}
    for name, path in look.fields.items():
        required, path = path.endswith("!"), path.removesuffix("!")
        try:
            kept[name] = follow_path(raw, _split(path))
        except MissingValueError:
            # Servers leave out what is empty.
            kept[name] = None
        if required and kept[name] is None:
            raise UnseenStateError(
                f"{look.call.tool} shows no {path}, which could not be put back."
            )
    return kept


def _unpack_state(seen: object) -> object:
    return seen.get(STATE) if isinstance(seen, dict) and STATE in seen else seen


def _split(path: str) -> tuple[str, ...]:
    return () if path == WHOLE else tuple(path.split("."))


def _as_version(found: object) -> str | None:
    return None if found is None else str(found)


def _says(patterns: tuple[Any, ...], text: str) -> bool:
    return any(pattern.search(text[:LONGEST]) for pattern in patterns)
