"""Writes the generated pages of `docs` from the code itself, so that none can be out of date.

`python -m bench.reference cli`, `settings` or `tool_settings`.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from mulligan.cli.commands import list_commands
from mulligan.cli.main import build_parser
from mulligan.runtime.declaration import GROUPS as TOOL_GROUPS
from mulligan.runtime.declaration import Declaration, Declared
from mulligan.runtime.tool_settings import is_derived
from mulligan.settings import GROUPS, SETTINGS, Settings
from mulligan.types.call import DeclaredCallbacks


def render_reference() -> str:
    """The page: the help of the program and of each command."""
    parts = ["# Command line", "", "Written by `make docs` from the program itself.", ""]
    for title, parser in list_commands("mulligan", build_parser()):
        parts += _render_section(title, parser)
    return "\n".join(parts)


def _render_section(title: str, parser: argparse.ArgumentParser) -> list[str]:
    # Argparse wraps by the terminal; the page must not.
    parser.formatter_class = partial(argparse.RawDescriptionHelpFormatter, width=88)
    return [f"## {title}", "", "```text", parser.format_help().rstrip(), "```", ""]


_WRITTEN = "Written by `make docs` from the code itself."
_NOTHING = "none"
_DEPENDS = "it depends"


class FieldNote(NamedTuple):
    """A field of a class as its source has it."""

    type: str
    note: str
    """On one line; empty where nothing stands under the field."""


def render_settings() -> str:
    """The page of what an application may set."""

    def list_rows(owner: type) -> Iterator[tuple[str, ...]]:
        notes = read_notes(owner)
        for each in SETTINGS.values():
            if each.owner is owner:
                default, note = _render_value(each.default), notes[each.field].note
                yield f"`{each.name}`", f"`{each.variable}`", each.form.says, default, note
        for name, kind in GROUPS.items() if owner is Settings else ():
            where = f"[below](#{name})"
            yield f"`{name}`", where, where, f"`{kind.__name__}()`", notes[name].note

    head = ("setting", "in the environment", "given as", "default", "what")
    parts = ["# Settings", "", _WRITTEN, "", *_HOW_SETTINGS_ARE_GIVEN, ""]
    parts += _render_table(head, list_rows(Settings))
    for name, kind in GROUPS.items():
        how = f"In Python `{name}={kind.__name__}(…)`, in a file `[tool.mulligan.{name}]`."
        parts += ["", f"## {name}", "", f"{inspect.getdoc(kind)} {how}", ""]
        parts += _render_table(head, list_rows(kind))
    return "\n".join(parts)


_HOW_SETTINGS_ARE_GIVEN = (
    "Arguments (`Mulligan(sample=0.1)`) override the environment, which overrides",
    "`[tool.mulligan]` of the nearest `pyproject.toml`. An invalid value raises an error that",
    "names the setting. An unknown name, or an unknown variable that starts with `MULLIGAN_`,",
    "raises one with the closest known name.",
)


def render_tool_settings() -> str:
    """The page of what `@m.tool(…)` takes."""

    def list_rows(owner: type, kept: Struct) -> Iterator[tuple[str, ...]]:
        for name, each in read_notes(owner).items():
            depends = name == "name" or (name not in TOOL_GROUPS and is_derived(type(kept), name))
            default = _DEPENDS if depends else _render_value(getattr(kept, name, None))
            yield f"`{name}`", f"`{each.type}`", default, each.note

    head, plain = ("name", "type", "default", "what"), Declaration(tool="")
    parts = ["# What `@m.tool` takes", "", f"{_WRITTEN} {_WHERE_EXAMPLES_ARE}", ""]
    parts += _render_table(head, list_rows(Declared, plain))
    parts += ["", "## Functions of its own", "", _WHAT_FUNCTIONS_ARE, ""]
    parts += _render_table(head, list_rows(DeclaredCallbacks, plain))
    for name, kind in TOOL_GROUPS.items():
        how = f"`{name}={kind.__name__}(…)`; in a file of declarations a table."
        parts += ["", f"## {kind.__name__}", "", f"{inspect.getdoc(kind)} {how}", ""]
        parts += _render_table(head, list_rows(kind, kind()))
    return "\n".join(parts)


_WHERE_EXAMPLES_ARE = "What each buys, with examples: [declaring a tool](tools.md)."
_WHAT_FUNCTIONS_ARE = "A `RecordFunction` is a function of one `Record`, sync or async."


def read_notes(owner: type) -> dict[str, FieldNote]:
    """Each field that a class itself has, with its type and the note under it."""
    (found,) = ast.parse(inspect.getsource(owner)).body
    body = found.body if isinstance(found, ast.ClassDef) else []
    return {
        each.target.id: FieldNote(_render_type(each.annotation), _note_in(after))
        for each, after in zip(body, [*body[1:], None], strict=True)
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }


def _render_type(annotation: ast.expr) -> str:
    """A type as it is shown: without `Annotated`, `| None`, and the words of an enumeration."""
    match annotation:
        case ast.Subscript(value=ast.Name("Annotated"), slice=ast.Tuple(elts=[said, *_])):
            annotation = said
    shown = ast.unparse(annotation).removesuffix(" | None")
    return re.sub(r" \| Literal\[[^]]*\]", "", re.sub(r"\b([A-Z]\w+)Name\b", r"\1", shown))


def _note_in(statement: ast.stmt | None) -> str:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return " ".join(text.split())
        case _:
            return ""


def _render_value(value: object) -> str:
    match value:
        case bool():
            return f"`{str(value).lower()}`"
        case timedelta():
            seconds = value.total_seconds()
            amount, unit = (value.days, "day") if value.days else (seconds, "second")
            return f"{amount:g} {unit}" if amount == 1 else f"{amount:g} {unit}s"
        case _ if not value:
            return _NOTHING
        case str() | float() | int():
            return f"`{value}`"
        case _:
            return f"`{type(value).__name__}()`"


def _render_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    titles = list(head)
    for row in (titles, ["---"] * len(titles), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


PAGES: Mapping[str, Callable[[], str]] = {
    "cli": render_reference,
    "settings": render_settings,
    "tool_settings": render_tool_settings,
}
"""Each page of `docs` that is written here, by its name."""


if __name__ == "__main__":
    print(PAGES[sys.argv[1]]())
