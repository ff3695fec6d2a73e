"""An undo recipe as it is written: which tool shows what is there, and which puts it back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field

from mulligan.core.effect import ProbeBy
from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.undoing.tables import WrittenTable, take_enum
from mulligan.gateway.undoing.templates import ArgumentTemplate

CONTENT = "content"
"""The version of what has none: what is there, as a hash."""
FORMS = ("any", "text", "table", "list")
WHOLE = "."
"""The path of a result as it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool of the same server."""

    tool: str
    arguments: ArgumentTemplate

    @property
    def names(self) -> frozenset[str]:
        """The arguments that it passes."""
        return (
            frozenset(self.arguments.said) if isinstance(self.arguments.said, dict) else frozenset()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
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
    """A text that lost something on its way (U+FFFD) is none: it could not be put back."""
    absent: tuple[re.Pattern[str], ...] = ()
    """What an error says where nothing is there."""
    absent_text: tuple[re.Pattern[str], ...] = ()
    """The same of a server that says so in a text that is no error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRule:
    """How what a call left is told from anybody else's work."""

    of: str
    """`content`, or a path in what the look returned."""
    in_result: str = ""
    """Where the tool's own result has it."""
    leaves: ArgumentTemplate | None = None
    """For `content`: what a call leaves, as a look will show it."""
    seen_after: bool = False
    """What is there right after a call is taken for its work, whatever it is: an edit made in that
    very moment counts as the call's own."""


_SEEN_AFTER = "nobody having changed it between the call and the look right after it"
_ACCOUNTED = (
    "what is there right after a call being what it returned or was given: else nobody knows whose "
    "it is, and the undo waits for a person"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRecipe:
    """All that a recipe says of one tool."""

    read: Look | None = None
    undo: ToolCall | None = None
    undo_new: ToolCall | None = None
    """Where nothing was there before."""
    conflict: tuple[re.Pattern[str], ...] = ()
    """What an error of the undo says if somebody has changed it since."""
    compares: bool = False
    """The server itself refuses an undo whose version is not there any more."""
    version: VersionRule | None = None
    probe: Look | None = None
    probe_by: ProbeBy = ProbeBy.STATE
    about: ArgumentTemplate | None = None
    made: ArgumentTemplate | None = None
    """What a result has in it if its call has made what it names, and not found it there."""

    @property
    def takes_image(self) -> bool:
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
        by = take_enum(probe, "by", read=ProbeBy, known=list(ProbeBy))
    read, new, version = (table.take_table(name) for name in ("read", "undo_new", "version"))
    about = table.take_any("about")
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
        made=_read_made(table),
    )
    _refuse_misfits(recipe, table)
    return recipe


def _refuse_misfits(recipe: UndoRecipe, table: WrittenTable) -> None:
    undoes = recipe.undo is not None or recipe.undo_new is not None
    uses = frozenset().union(*(c.arguments.sources for c in (recipe.undo, recipe.undo_new) if c))
    early = frozenset() if recipe.read is None else recipe.read.call.arguments.sources
    removes = recipe.undo_new if recipe.takes_image else recipe.undo
    named_by = frozenset[str]() if removes is None else removes.arguments.sources
    complaints = {
        "it has an undo, but no read that would prove it. Add a table read": (
            undoes and recipe.read is None
        ),
        "its undo puts {before} back, but its read needs {result}, which is not there before the "
        "call. Have it read by the arguments": "before" in uses and not recipe.takes_image,
        "its read cannot be made before the call, so nothing was there: write undo, not undo_new": (
            recipe.undo_new is not None and recipe.read is not None and not recipe.takes_image
        ),
        "its undo takes away what only the result names, and a tool that gets or creates names "
        "what was there before. Say what a result has in it if the call has made that: made = { "
        "created = true }; made = {} if it never returns anything else": (
            "result" in named_by and recipe.made is None
        ),
        "its undo takes away what the call has made, and names it by the arguments, which may be "
        "what it is a copy of. Name it by the {result}": (
            removes is not None and not recipe.takes_image and "result" not in named_by
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


def _read_made(table: WrittenTable) -> ArgumentTemplate | None:
    said = table.take_any("made")
    if said is not None and not isinstance(said, dict):
        raise table.fail("made is a table of what a result has in it: { created = true }.")
    return _read_template(table, "made", said)


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
        leaves=None
        if leaves is None
        else ArgumentTemplate.read(leaves, where=f"{table.where}.leaves"),
        seen_after=table.take("seen_after", bool, default=False),
    )
    table.finish()
    if not of:
        raise table.fail(f'of is missing: "{CONTENT}", or a path such as "updated_at".')
    if rule.leaves is not None and of != CONTENT:
        raise table.fail(f'leaves goes with of = "{CONTENT}" alone.')
    if rule.in_result and of == CONTENT:
        raise table.fail("in_result goes with a path: the hash of a content stands in no result.")
    return rule


def _read_template(table: WrittenTable, name: str, said: object) -> ArgumentTemplate | None:
    return None if said is None else ArgumentTemplate.read(said, where=f"{table.where}.{name}")


def _compile_all(table: WrittenTable, said: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    try:
        return tuple(re.compile(each) for each in said)
    except re.error as error:
        raise ConfigurationError(f"{table.where}: no regular expression: {error}.") from error
