"""A file of declarations, proposed from lists of tools and from the log: for a person to read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct, field

from mulligan.insights.insights import Insights
from mulligan.types.display import format_one_line
from mulligan_dates.text import split_name
from mulligan_gateway.declarations import ShippedRecipe, find_recipe

WINDOW = timedelta(days=30)
LONGEST = 160
READING = frozenset(
    ("get", "list", "search", "find", "read", "show", "describe", "count", "fetch", "lookup",
     "view", "browse", "inspect", "status")
)  # fmt: skip
GRAVE = frozenset(
    ("send", "post", "publish", "push", "pay", "charge", "transfer", "refund", "email", "mail",
     "notify", "invite", "reply", "comment", "merge", "delete", "remove", "drop", "purge",
     "destroy", "wipe", "execute", "exec", "run", "shell", "eval", "deploy", "restart", "cancel")
)  # fmt: skip
"""Words of names that suggest what cannot be undone. They raise a class, and lower none."""
CHANGING = ("update", "set", "edit", "rename", "modify", "change")
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


class ListedServer(Struct, frozen=True, kw_only=True):
    """A server as it answered: what it calls itself, and its tools."""

    name: str
    """In the file of servers."""
    calls_itself: str = ""
    version: str = ""
    tools: Sequence[Mapping[str, Any]] = ()


class SeenCalls(Struct, frozen=True, kw_only=True):
    """What the log has of one tool."""

    calls: float = 0
    failed: float = 0
    errors: dict[str, float] = field(default_factory=dict)
    """Failures by the class of their error."""


def read_seen(insights: Insights) -> dict[tuple[str, str], SeenCalls]:
    """What the log has seen of each tool of late, by server and tool."""
    found: dict[tuple[str, str], SeenCalls] = {}
    for share in insights.figures(WINDOW).tools:
        server, _, tool = share.name.rpartition("/")
        found[server, tool] = SeenCalls(calls=share.calls, failed=share.failed)
    for seen in insights.patterns(WINDOW):
        pattern, kind = seen.pattern, str(seen.pattern.error_class)
        for errors in (each.errors for key, each in found.items() if key[1] == pattern.tool):
            errors[kind] = errors.get(kind, 0) + pattern.count
    return found


def suggest_declarations(
    servers: Sequence[ListedServer], *, seen: Mapping[tuple[str, str], SeenCalls] | None = None
) -> str:
    """The text of a file. What lowers a class or undoes anything is a comment until a person has
    taken the mark away; what holds a call more is not."""
    lines = list(_HEAD)
    for server in servers:
        lines += ["", f"[servers.{_write_key(server.name)}]"]
        recipe = find_recipe(server.calls_itself)
        lines += _suggest_server(server, recipe)
        for tool in server.tools:
            if recipe is None or tool.get("name") not in recipe.tools:
                lines += _suggest_tool(server, tool, seen=seen or {})
    return "\n".join(lines) + "\n"


_HEAD = (
    "# Proposed by `mulligan gateway --suggest`, and not reviewed yet: read it before you use it.",
    "# What would lower an effect, or undo a call, is commented out. Uncomment what you know to be",
    "# true. What servers say of themselves is quoted, and proves nothing.",
    "format = 1",
    'mode = "observe"  # "suggest" also reviews, holds and undoes as declared; "auto" corrects',
)


def _suggest_server(server: ListedServer, recipe: ShippedRecipe | None) -> Iterator[str]:
    says = f"{_quote(server.calls_itself)} {_quote(server.version)}".strip()
    yield f"# It calls itself {says or 'nothing'}, which proves nothing."
    if recipe is None:
        yield "# There is no recipe for it. Name one if you know it to be that server:"
        yield '# recipe = "…"'
        return
    yield f"# The recipe for {recipe.title} ({recipe.package} {recipe.version}) fits that name."
    yield f"# Its facts are {_PROOFS[recipe.proof.value]}."
    for note in recipe.notes:
        yield f"# - {_quote(note, most=400, marks=False)}"
    yield f"recipe = {json.dumps(recipe.name)}"
    yield "undo = false  # true once you have read what its undos do and what they lose"


_PROOFS = {
    "undone": "proven: its undos were made on that server",
    "listed": "from the list of tools of that server and its documentation",
    "documented": "from its documentation alone",
}


def _suggest_tool(
    server: ListedServer,
    tool: Mapping[str, Any],
    *,
    seen: Mapping[tuple[str, str], SeenCalls],
) -> Iterator[str]:
    name = tool.get("name")
    if not isinstance(name, str) or not name:
        return
    words = split_name(name)
    yield ""
    yield f"[servers.{_write_key(server.name)}.tools.{_write_key(name)}]"
    described = tool.get("description")
    if isinstance(described, str) and described.strip():
        yield f"# The server says: {_quote(described)}"
    hints = tool.get("annotations")
    for hint in _HINTS if isinstance(hints, Mapping) else ():
        value = hints.get(hint) if isinstance(hints, Mapping) else None
        if isinstance(value, bool):
            yield f"# The server hints (untrusted): {hint} = {json.dumps(value)}"
    yield from _describe_seen(seen.get((server.name, name)))
    yield from _suggest_effect(words, hints if isinstance(hints, Mapping) else {})
    yield from _suggest_undo(name, words, server.tools)


def _describe_seen(calls: SeenCalls | None) -> Iterator[str]:
    if calls is None or not calls.calls:
        yield "# The log has no calls of it."
        return
    kinds = ", ".join(f"{kind} ({count:g})" for kind, count in calls.errors.items())
    told = f"; kinds of failures: {kinds}" if kinds else ""
    yield f"# The log: {calls.calls:g} calls in 30 days, {calls.failed:g} failed{told}."


def _suggest_effect(words: Sequence[str], hints: Mapping[str, object]) -> Iterator[str]:
    grave = [word for word in words if word in GRAVE]
    if grave or hints.get("destructiveHint") is True:
        why = f"its name says {grave[0]!r}" if grave else "its server says that it destroys"
        yield f'effect = "irreversible"  # {why}: held wherever the mode is not "observe"'
    elif words[:1] and words[0] in READING:
        yield "# By its name it reads. If you know that it changes nothing:"
        yield '# effect = "read"'
    elif hints.get("readOnlyHint") is True:
        yield "# If you take its server at its word:"
        yield '# effect = "read"'
    else:
        yield '# Its effect is unknown: effect = "read", "reversible" or "irreversible".'
    if hints.get("idempotentHint") is True:
        yield "# If it is idempotent, also where the object was edited in between:"
        yield '# repeat = "idempotent"'


def _suggest_undo(
    name: str, words: Sequence[str], tools: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Two tools of the server that look as if they were the two halves of an undo."""
    named = {split_name(str(tool.get("name"))): tool for tool in tools}
    rest = tuple(words[1:])
    if not words or not rest:
        return
    getter = next((named[w, *rest] for w in ("get", "read", "fetch") if (w, *rest) in named), None)
    if words[0] in CHANGING and getter is not None:
        keys = _list_parameters(getter, required=True)
        own = named.get(tuple(words), {})
        given = ", ".join(f'{_write_key(k)} = "{{arguments.{k}}}"' for k in keys)
        back = [k for k in _list_parameters(own) if k not in keys]
        put = ", ".join(f'{_write_key(k)} = "{{before.{k}?}}"' for k in back)
        yield "# A way back may be this. Try it on something that does not matter first:"
        yield '# effect = "reversible"'
        yield f"# read = {{ tool = {json.dumps(getter['name'])}, arguments = {{ {given} }} }}"
        yield '# version = { of = "content" }'
        yield f"# undo = {{ tool = {json.dumps(name)}, arguments = {{ {given}, {put} }} }}"
    remover = next((named[w, *rest] for w in ("delete", "remove") if (w, *rest) in named), None)
    if words[0] in ("create", "add") and remover is not None and getter is not None:
        key = next(iter(_list_parameters(remover, required=True)), "id")
        by = f'{{ {_write_key(key)} = "{{result.id}}" }}'
        yield "# A way back may be this. Look at what it returns, and try it on something first:"
        yield '# effect = "reversible"'
        yield f"# read = {{ tool = {json.dumps(getter['name'])}, arguments = {by} }}"
        yield '# version = { of = "content" }'
        yield f"# undo = {{ tool = {json.dumps(remover['name'])}, arguments = {by} }}"
        yield "# made = { … }  # what its result has in it if it has made that, and not found it"


def _list_parameters(tool: Mapping[str, Any], *, required: bool = False) -> list[str]:
    schema = tool.get("inputSchema")
    if not isinstance(schema, Mapping):
        return []
    found = schema.get("required" if required else "properties")
    if not isinstance(found, list | Mapping):
        return []
    return [each for each in found if isinstance(each, str) and each.isidentifier()]


def _quote(text: object, *, most: int = LONGEST, marks: bool = True) -> str:
    """Text from elsewhere on one line of a comment, where it can begin nothing of its own."""
    if not isinstance(text, str) or not text.strip():
        return ""
    line = format_one_line(text, most=most)
    return f"“{line}”" if marks else line


def _write_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
