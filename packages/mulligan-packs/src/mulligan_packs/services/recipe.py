"""What an MCP server's tools do at a service, by the service's table: a recipe for the gateway.

A recipe file says which operation each tool of the server makes. Effect, undo, holds and losses
come from the table. What no tool of the server can take back is held.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from msgspec import Struct

from mulligan.types.errors import ConfigurationError
from mulligan_packs.services.table import (
    HoldRule,
    ObjectKind,
    Operation,
    ServiceTable,
    list_places,
    load_table,
)

WrittenTool = dict[str, Any]
"""What a file says of a tool, as the gateway reads it."""
HELD: WrittenTool = {"effect": "irreversible"}
OF_LOOK = ("take", "absent", "required")
"""What a file says of a tool that shows an object, or makes one: where it stands in the result,
what an error says where there is none, and fields without which nothing could be put back."""


def derive_recipe(said: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe file whose tools name operations, as one that says all of each tool."""
    rest = dict(said)
    server = ServiceServer(
        table=load_table(rest.pop("service")),
        tools=rest.pop("tools"),
        named=rest.pop("named", {}),
        beside=rest.pop("beside", {}),
        unsaid=rest.pop("unsaid", {}),
    )
    return {**rest, "tools": {name: server.describe(name) for name in server.tools}}


class ServiceServer(Struct, frozen=True, kw_only=True):
    """An MCP server in front of a service."""

    table: ServiceTable
    tools: Mapping[str, Mapping[str, Any]]
    named: Mapping[str, list[str]]
    """The arguments that stand for a parameter, where they are not called as the service has it."""
    beside: Mapping[str, str]
    """Arguments that every call takes besides."""
    unsaid: Mapping[str, object]
    """What the server takes for a parameter that is not given."""

    def describe(self, name: str) -> WrittenTool:
        """All that is said of a tool; what its file says itself goes over the table."""
        own = dict(self.tools[name])
        operations = own.pop("operation", [])
        lacks = own.pop("lacks", [])
        look = {key: own.pop(key) for key in OF_LOOK if key in own}
        rows = [
            self._find_row(each)
            for each in ([operations] if isinstance(operations, str) else operations)
        ]
        if not rows:
            return own
        if all(row.reads for row in rows):
            return {"effect": "read", **own}
        if len(rows) > 1:
            # Which of them a call has made would be known only afterwards.
            return {**HELD, **own}
        told = self._describe_undo(rows[0], look, lacks=lacks)
        if "cases" in told:
            own["cases"] = [*told["cases"], *own.get("cases", ())]
        return {"describe": rows[0].says, **told, **own}

    def _find_row(self, name: str) -> Operation:
        if name not in self.table.operations:
            raise ConfigurationError(f"{self.table.title} has no operation {name!r}.")
        return self.table.operations[name]

    def _find_tool(self, request: str) -> str:
        """The tool that makes this request, and no other."""
        way = request.partition("?")[0]
        for name, said in self.tools.items():
            row = self.table.operations.get(str(said.get("operation")))
            if row is not None and row.send.partition("?")[0] == way:
                return name
        return ""

    def _describe_undo(
        self, row: Operation, look: Mapping[str, Any], *, lacks: list[str]
    ) -> WrittenTool:
        """How the server itself can take an operation back; held where it cannot."""
        if row.undo is None or any(each.before for each in row.held):
            return HELD
        kind = self.table.objects[row.object]
        reader, undoer = self._find_tool(f"GET {kind.read}"), self._find_tool(row.undo.send)
        body = {} if row.undo.body is None else row.undo.body
        if not (reader and undoer and isinstance(body, Mapping)):
            return HELD
        fields = [each for each in self._list_fields(row) if each not in lacks]
        # A list or a part of something is read in another form than it is written in.
        kept = [each for each in fields if not kind.keep or kind.keep.get(each) == each]
        if any(said != f"{{before.{name}}}" for name, said in body.items()):
            return HELD
        made = [*list_places(kind.read)][-1] if row.makes or row.key else ""
        where = ".".join(filter(None, ("result", look.get("take", ""), kind.id)))
        values = {made: f"{{{where}}}"} if made else {}
        named = self._name(kind.read, values)
        fixed = dict(each.split("=") for each in row.undo.send.partition("?")[2].split("&") if each)
        back = {each: f"{{before.{each}?}}" for each in body if each in kept}
        return {
            "effect": "reversible",
            "about": f"{row.object} {'/'.join(named.values())}",
            **({"made": _nest(look.get("take", ""))} if made else {}),
            "read": self._describe_look(reader, kind, named=named, fields=kept),
            "version": {"of": "content"},
            "undo": {
                "tool": undoer,
                "arguments": {**self._name(row.undo.send, values), **fixed, **back, **self.beside},
            },
            "undoing": {"loses": [*row.loses]},
            "cases": [
                *(case for rule in row.held for case in self._list_cases(rule)),
                *({**HELD, "given": [each]} for each in fields if each not in kept),
            ],
        }

    def _describe_look(
        self, tool: str, kind: ObjectKind, *, named: Mapping[str, str], fields: list[str]
    ) -> WrittenTool:
        said = self.tools[tool]
        required = said.get("required", ())
        return {
            "tool": tool,
            "arguments": {**named, **self.beside},
            "form": "table",
            "fields": {each: f"{each}!" if each in required else each for each in fields},
            "gone": kind.gone,
            **{key: said[key] for key in ("take", "absent") if key in said},
        }

    def _list_fields(self, row: Operation) -> list[str]:
        """What of the object an operation writes, as the service calls it."""
        placed = {*list_places(row.send), *row.query, row.key}
        return [self.table.spell(n) for n in (*row.needs, *row.takes) if n not in placed]

    def _name(self, path: str, values: Mapping[str, str]) -> dict[str, str]:
        """The arguments that name what a path names: as the call was given, or of these values."""
        return {
            argument: values.get(place, f"{{arguments.{argument}}}")
            for place in list_places(path.partition("?")[0])
            for argument in self.named.get(place, [self.table.spell(place)])
        }

    def _list_cases(self, rule: HoldRule) -> Iterator[WrittenTool]:
        """When a rule of the table holds a call, by the arguments of the tool."""
        spell = self.table.spell
        choices = [
            [*values, *([None] if self.unsaid.get(name) in values else [])]
            for name, values in rule.among.items()
        ]
        for given, *chosen in product(rule.given or ("",), *choices):
            said = dict(zip(map(spell, rule.among), chosen, strict=True))
            yield {
                **HELD,
                "given": [spell(given)] if given else [],
                "equal": {name: value for name, value in said.items() if value is not None},
                "missing": [name for name, value in said.items() if value is None],
                "matches": {spell(name): pattern for name, pattern in rule.matches.items()},
            }


def _nest(path: str) -> dict[str, Any]:
    """A result that has something at a path."""
    nested: dict[str, Any] = {}
    for step in reversed(path.split(".") if path else ()):
        nested = {step: nested}
    return nested
