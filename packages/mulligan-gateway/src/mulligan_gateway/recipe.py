"""Undo recipes: what an operator writes of a server, as the functions that an undo needs.

A recipe says which tool shows what is there and which puts it back. Its arguments are values with
places for what a call was given and returned. It becomes functions of the record: read, before,
undo, probe, version and about.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

from msgspec import Struct, field

from mulligan.runtime.assessment import is_edit_of, is_work_of
from mulligan.runtime.tool_identity import mark_unbound
from mulligan.types.call import DeclaredCallbacks, Record
from mulligan.types.effect import ProbeBy
from mulligan.types.errors import ConfigurationError, ConflictError
from mulligan_dates.text import list_strings
from mulligan_gateway.toml_table import WrittenTable, take_enum

SOURCES = ("arguments", "before", "result", "version", "key")
"""What a place may name: what the call was given, what was there before, what it returned, the
version that it left, and its key."""

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*+)\}|[{}]")
_NAME = re.compile(r"([a-z]++)((?:\.[^.{}?]++)*+)(\?)?")


class MissingValueError(LookupError):
    """A place names something that is not there."""


class TemplatePlace(Struct, frozen=True, kw_only=True):
    """One place: where its value comes from."""

    source: str
    way: tuple[str, ...] = ()
    optional: bool = False
    """Where it is not there, or null, the argument is left out."""

    def read(self, values: Mapping[str, object]) -> object:
        """Its value; `MissingValueError` where there is none."""
        found = follow_path(values.get(self.source), self.way)
        if found is None and (self.optional or not self.way):
            raise MissingValueError(f"There is no {self.source}.")
        return found


class ArgumentTemplate(Struct, frozen=True, kw_only=True):
    """A value with places in it, at any depth."""

    said: object

    @classmethod
    def read(cls, said: object, *, where: str) -> ArgumentTemplate:
        """A template whose places are all known ones."""
        template = cls(said=said)
        for _ in template.list_places(where=where):
            pass
        return template

    @property
    def sources(self) -> frozenset[str]:
        """What it takes its values from."""
        return frozenset(place.source for place in self.list_places(where=""))

    def list_places(self, *, where: str) -> Iterator[TemplatePlace]:
        """Every place in it."""
        for text in list_strings(self.said):
            for found in _PLACE.finditer(text):
                if found[0] not in ("{{", "}}"):
                    yield _read_place(found, where=where)

    def fill(self, record: Record, *, before: object = None) -> object:
        """The value for one call."""
        values = {
            "arguments": record.arguments,
            "before": before,
            "result": record.result,
            "version": record.version,
            "key": record.key,
        }
        return _fill(self.said, values)


_LEFT_OUT = object()


def follow_path(value: object, way: tuple[str, ...]) -> object:
    """What stands at the end of a path; `MissingValueError` where it leads nowhere."""
    for step in way:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            raise MissingValueError(f"There is no {step!r} in what was to have {'.'.join(way)!r}.")
    return value


def _fill(said: object, values: Mapping[str, object]) -> object:
    if isinstance(said, str):
        return _fill_text(said, values)
    if isinstance(said, Mapping):
        filled = {key: _fill(each, values) for key, each in said.items()}
        return {key: each for key, each in filled.items() if each is not _LEFT_OUT}
    if isinstance(said, list):
        return [each for each in (_fill(each, values) for each in said) if each is not _LEFT_OUT]
    return said


def _fill_text(said: str, values: Mapping[str, object]) -> object:
    whole = _PLACE.fullmatch(said)
    if whole is not None and whole[1] is not None:
        # A place that stands alone keeps the type of its value.
        place = _read_place(whole, where="")
        try:
            return place.read(values)
        except MissingValueError:
            if place.optional:
                return _LEFT_OUT
            raise

    def write(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0][0]
        value = _read_place(found, where="").read(values)
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            told = "is no text or number that could stand inside a text"
            raise MissingValueError(f"{found[0]} {told}.")
        return str(value)

    return _PLACE.sub(write, said)


def _read_place(found: re.Match[str], *, where: str) -> TemplatePlace:
    named = _NAME.fullmatch(found[1] or "")
    if named is None or named[1] not in SOURCES:
        raise ConfigurationError(
            f"{where}: {found[0]!r} is no place. Places are "
            f"{', '.join('{' + each + '}' for each in SOURCES)}, such as {{arguments.path}} or "
            "{before.title?}; a brace itself is written twice."
        )
    if named[1] == "arguments" and not named[2]:
        raise ConfigurationError(f"{where}: {found[0]!r} names no argument, as {{arguments.path}}.")
    way = tuple(named[2].split(".")[1:])
    return TemplatePlace(source=named[1], way=way, optional=named[3] is not None)


CONTENT = "content"
"""The version of what has none: what is there, as a hash."""
FORMS = ("any", "text", "table", "list")
WHOLE = "."
"""The path of a result as it came."""


class ToolCall(Struct, frozen=True, kw_only=True):
    """A call of a tool of the same server."""

    tool: str
    arguments: ArgumentTemplate

    @property
    def names(self) -> frozenset[str]:
        """The arguments that it passes."""
        return (
            frozenset(self.arguments.said) if isinstance(self.arguments.said, dict) else frozenset()
        )


class Look(Struct, frozen=True, kw_only=True):
    """A call that shows what is there."""

    call: ToolCall
    take: tuple[str, ...] = (WHOLE,)
    """Paths to it in the result, the first that leads somewhere."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What is kept of it, by the path of each; empty: all. One whose path ends in `!` must be
    there: without it nothing could be put back, and the call is held."""
    where: ArgumentTemplate | None = None
    """Of a list, the one element whose fields are these."""
    form: str = "any"
    gone: Mapping[str, object] = field(default_factory=dict)
    """Fields that say of something that it is deleted, though it can still be read."""
    extract: re.Pattern[str] | None = None
    """The one group of this is what is meant of a text."""
    strip: tuple[re.Pattern[str], ...] = ()
    """Parts of a text that change by themselves, such as the time of the last access."""
    fails_if_absent: bool = False
    """The tool itself refuses, or does nothing, where nothing is there: no need to hold it."""
    lossless: bool = False
    """A text that lost something in transit (U+FFFD) is none: it could not be put back."""
    absent: tuple[re.Pattern[str], ...] = ()
    """What an error says where nothing is there."""
    absent_text: tuple[re.Pattern[str], ...] = ()
    """The same of a server that says so in a text that is no error."""


class VersionRule(Struct, frozen=True, kw_only=True):
    """How the call's own work is told from other edits."""

    of: str
    """`content`, or a path in what the look returned."""
    in_result: str = ""
    """Where the tool's own result has it."""
    leaves: ArgumentTemplate | None = None
    """For `content`: what a call leaves, as a look will show it."""
    seen_after: bool = False
    """What is there right after a call is taken for its work, whatever it is: an edit made in that
    very moment counts as the call's own."""


_SEEN_AFTER = "no edit between the call and the look right after it"
_ACCOUNTED = (
    "what is there right after a call being what it returned or was given: else its author is "
    "unknown, and the undo needs attention"
)


class UndoRecipe(Struct, frozen=True, kw_only=True):
    """All that a recipe says of one tool."""

    read: Look | None = None
    undo: ToolCall | None = None
    undo_new: ToolCall | None = None
    """Where nothing was there before."""
    conflict: tuple[re.Pattern[str], ...] = ()
    """What an error of the undo says if the object was edited since."""
    compares: bool = False
    """The server itself refuses an undo whose version is not there any more."""
    version: VersionRule | None = None
    probe: Look | None = None
    probe_by: ProbeBy = ProbeBy.STATE
    about: ArgumentTemplate | None = None
    made: ArgumentTemplate | None = None
    """What a result has in it if its call has made what it names, and not found it there."""

    @property
    def takes_snapshot(self) -> bool:
        """Whether what is there can be read before the call: not if only its result names it."""
        return self.read is not None and "result" not in self.read.call.arguments.sources

    def list_grounds(self) -> tuple[str, ...]:
        """What an undo takes for granted, for a person."""
        rule = self.version
        if rule is None or rule.in_result or rule.leaves is not None:
            return ()
        return (_SEEN_AFTER if rule.seen_after else _ACCOUNTED,)

    def list_calls(self) -> Iterator[ToolCall]:
        """Every call that it may make."""
        for look in (self.read, self.probe):
            if look is not None:
                yield look.call
        for call in (self.undo, self.undo_new):
            if call is not None:
                yield call


def read_recipe(table: WrittenTable) -> UndoRecipe:
    """What a table of a tool says of its undo; all of it may be missing."""
    undo = table.take_table("undo")
    conflict = undo.take_texts("conflict") if undo is not None else ()
    compares = undo.take("compares", bool, default=False) if undo is not None else False
    probe = table.take_table("probe")
    by = ProbeBy.STATE
    if probe is not None and "by" in probe:
        # A server that others have written leaves no receipt of ours.
        known = {each.value: each for each in ProbeBy if each is not ProbeBy.RECEIPT}
        by = take_enum(probe, "by", read=lambda said: known[said], known=known)
    read, new, version = (table.take_table(name) for name in ("read", "undo_new", "version"))
    about, made = table.take_any("about"), table.take_any("made")
    if made is not None and not isinstance(made, dict):
        raise table.fail("made is a table of what a result has in it: { created = true }.")
    recipe = UndoRecipe(
        read=None if read is None else _read_look(read),
        undo=None if undo is None else _read_call(undo, finish=True),
        undo_new=None if new is None else _read_call(new, finish=True),
        conflict=_compile_all(table, conflict),
        compares=compares,
        version=None if version is None else _read_version_rule(version),
        probe=None if probe is None else _read_look(probe),
        probe_by=by,
        about=_read_template(table, "about", about),
        made=_read_template(table, "made", made),
    )
    _refuse_misfits(recipe, table)
    return recipe


def _refuse_misfits(recipe: UndoRecipe, table: WrittenTable) -> None:
    undoes = recipe.undo is not None or recipe.undo_new is not None
    uses = frozenset().union(*(c.arguments.sources for c in (recipe.undo, recipe.undo_new) if c))
    early = frozenset() if recipe.read is None else recipe.read.call.arguments.sources
    removes = recipe.undo_new if recipe.takes_snapshot else recipe.undo
    named_by = frozenset[str]() if removes is None else removes.arguments.sources
    complaints = {
        "it has an undo, but no read that would prove it. Add a table read": (
            undoes and recipe.read is None
        ),
        "its undo puts {before} back, but its read needs {result}, which is not there before the "
        "call. Have it read by the arguments": "before" in uses and not recipe.takes_snapshot,
        "its read cannot be made before the call, so nothing was there: write undo, not undo_new": (
            recipe.undo_new is not None and recipe.read is not None and not recipe.takes_snapshot
        ),
        "its undo takes away what only the result names, and a tool that gets or creates names "
        "what was there before. Say what a result has in it if the call has made that: made = { "
        "created = true }; made = {} if it never returns anything else": (
            "result" in named_by and recipe.made is None
        ),
        "its undo takes away what the call has made, and names it by the arguments, which may be "
        "what it is a copy of. Name it by the {result}": (
            removes is not None and not recipe.takes_snapshot and "result" not in named_by
        ),
        "its read cannot use {before} or {version}": bool(early & {"before", "version"}),
        "it compares versions, but its undo passes no {version}": (
            recipe.compares and "version" not in uses
        ),
        "its undo passes a {version}, but there is no table version": (
            "version" in uses and recipe.version is None
        ),
        "it has a version, but no read that shows it": (
            recipe.version is not None and recipe.read is None
        ),
    }
    for why, wrong in complaints.items():
        if wrong:
            raise table.fail(f"{why}.")


def _read_call(table: WrittenTable, *, finish: bool = False) -> ToolCall:
    tool = table.take("tool", str, default="")
    if not tool:
        raise table.fail('it names no tool. Add tool = "…", one of the same server.')
    given = table.take("arguments", dict, default={})
    if finish:
        table.finish()
    where = f"{table.where}.arguments"
    return ToolCall(tool=tool, arguments=ArgumentTemplate.read(given, where=where))


def _read_look(table: WrittenTable) -> Look:
    call = _read_call(table)
    where = table.take_any("where")
    fields = table.take("fields", dict, default={})
    form = table.take("form", str, default="any")
    if form not in FORMS:
        raise table.fail(f"form is {form!r}; it is one of {', '.join(FORMS)}.")
    if not all(isinstance(each, str) for each in fields.values()):
        raise table.fail("fields has, for each name, the path of its value as a text.")
    if where is not None and not isinstance(where, dict):
        raise table.fail('where is a table of fields and values: { id = "{arguments.id}" }.')
    look = Look(
        call=call,
        take=table.take_texts("take") or (WHOLE,),
        fields=fields,
        where=_read_template(table, "where", where),
        form=form,
        gone=table.take("gone", dict, default={}),
        extract=_read_extract(table),
        strip=_compile_all(table, table.take_texts("strip")),
        fails_if_absent=table.take("fails_if_absent", bool, default=False),
        lossless=table.take("lossless", bool, default=False),
        absent=_compile_all(table, table.take_texts("absent")),
        absent_text=_compile_all(table, table.take_texts("absent_text")),
    )
    table.finish()
    return look


def _read_extract(table: WrittenTable) -> re.Pattern[str] | None:
    said = table.take("extract", str, default="")
    if not said:
        return None
    (pattern,) = _compile_all(table, (said,))
    if pattern.groups != 1:
        raise table.fail(
            f"extract has {pattern.groups} groups; it has one, which is what is meant."
        )
    return pattern


def _read_version_rule(table: WrittenTable) -> VersionRule:
    of = table.take("of", str, default="")
    leaves = table.take_any("leaves")
    rule = VersionRule(
        of=of,
        in_result=table.take("in_result", str, default=""),
        leaves=_read_template(table, "leaves", leaves),
        seen_after=table.take("seen_after", bool, default=False),
    )
    table.finish()
    if not of:
        raise table.fail(f'of is missing: "{CONTENT}", or a path such as "updated_at".')
    if rule.leaves is not None and of != CONTENT:
        raise table.fail(f'leaves goes with of = "{CONTENT}" alone.')
    if rule.in_result and of == CONTENT:
        raise table.fail("in_result needs a path: a result does not hold the hash of a content.")
    return rule


def _read_template(table: WrittenTable, name: str, said: object) -> ArgumentTemplate | None:
    return None if said is None else ArgumentTemplate.read(said, where=f"{table.where}.{name}")


def _compile_all(table: WrittenTable, said: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    try:
        return tuple(re.compile(each) for each in said)
    except re.error as error:
        raise ConfigurationError(f"{table.where}: no regular expression: {error}.") from error


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


def compile_recipe(recipe: UndoRecipe, *, server: str, call: CallTool) -> DeclaredCallbacks:
    """The functions that a tool is declared with."""
    compiled = CompiledRecipe(recipe=recipe, server=server, call=call)
    callbacks: dict[str, Callable[..., object]] = {}
    if recipe.read is not None:
        callbacks["read"] = compiled.read
        if recipe.takes_snapshot:
            callbacks["before"] = compiled.take_snapshot
    if recipe.undo is not None or recipe.undo_new is not None:
        callbacks["undo"] = compiled.undo
    if recipe.version is not None:
        callbacks["version"] = compiled.find_version
    if recipe.probe is not None:
        callbacks["probe"] = compiled.probe
    if recipe.about is not None:
        callbacks["about"] = compiled.name_object
    return cast("DeclaredCallbacks", callbacks)


class CompiledRecipe(Struct, frozen=True, kw_only=True):
    """A recipe over the server that it is for. Only what the recipe has is ever called.

    Its functions are bound to nothing but their tool: a process that starts anew has another
    connection to the server, and recovers all the same.
    """

    recipe: UndoRecipe
    server: str
    call: CallTool

    @mark_unbound
    async def read(self, record: Record) -> object:
        """What is there now, with its version; `None`: nothing."""
        look = cast("Look", self.recipe.read)
        raw = await self._look(look, record)
        if raw is _NOTHING:
            return None
        state = _keep_fields(raw, look)
        return {STATE: state, VERSION: self._read_version(raw, state)}

    @mark_unbound
    async def take_snapshot(self, record: Record) -> object:
        """What is there before the call; what no undo of the recipe could bring back is refused."""
        state = await self.read(record)
        recipe, look = self.recipe, cast("Look", self.recipe.read)
        new = state is None
        if recipe.undo is None and recipe.undo_new is None:
            return state
        if new and recipe.undo_new is None and not look.fails_if_absent:
            raise UnseenStateError("Nothing is there, and what it makes anew cannot be undone.")
        if not new and recipe.undo is None:
            raise UnseenStateError("Something is there already, and could not be put back.")
        return state

    @mark_unbound
    async def probe(self, record: Record) -> object:
        """What a call without an answer left, as its tool would have returned it."""
        look = cast("Look", self.recipe.probe)
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
        new = before is None and self.recipe.takes_snapshot
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
        """Whether nothing proves that the call made what is there, without a look before."""
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
        if now == before:
            return True
        look = cast("Look", self.recipe.read)
        with suppress(UnseenStateError):  # its own result may not show it
            if _keep_fields(_take(record.result, look), look) == now:
                return True
        if (
            isinstance(before, str)
            and isinstance(now, str)
            and is_edit_of(given, before=before, now=now)
        ):
            return True
        was = {} if before is None and isinstance(now, Mapping) else before
        return is_work_of([given], before=was, now=now)

    @mark_unbound
    def name_object(self, record: Record) -> object:
        """The object that a call is about."""
        about = cast("ArgumentTemplate", self.recipe.about)
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
