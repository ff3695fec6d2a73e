"""What the operator declares: a gateway's options, what servers' tools do, and how that is undone.

The recipes that are shipped are named in the operator's file, each with where its facts are from.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, cast

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.app.hosts import Hosts
from mulligan.extensions import find_extensions
from mulligan.runtime.declaration import GROUPS, HOMES, Declared
from mulligan.runtime.declaration import declare as check_declared
from mulligan.runtime.tool_identity import mark_unbound
from mulligan.types.call import Record
from mulligan.types.effect import Effect, Mode
from mulligan.types.errors import ConfigurationError, MissingExtraError, StoreUnavailableError
from mulligan.types.private_files import refuse_unsafe
from mulligan.types.values import hide_fields
from mulligan_dates.text import is_same
from mulligan_gateway.protocol import Limits
from mulligan_gateway.recipe import CallTool, UndoRecipe, compile_recipe, read_recipe
from mulligan_gateway.servers_file import Server
from mulligan_gateway.toml_table import WrittenTable, describe_unknown, read_toml, take_enum

LONGEST = 20_000
"""Characters of an argument that a pattern is searched in."""


class EffectCase(Struct, frozen=True, kw_only=True):
    """What a call must be given for another effect; all of it."""

    effect: Effect
    equal: Mapping[str, object] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    """Arguments that are there, also empty: an empty list may clear what was there."""
    missing: tuple[str, ...] = ()
    """Arguments that are not there, or null."""
    matches: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """Arguments that are texts in which this is found."""

    def fits(self, arguments: Mapping[str, object]) -> bool:
        """Whether a call is such a one."""
        return (
            all(is_same(arguments.get(name), value) for name, value in self.equal.items())
            and all(arguments.get(name) is not None for name in self.given)
            and all(arguments.get(name) is None for name in self.missing)
            and all(_is_found(each, arguments.get(name)) for name, each in self.matches.items())
        )


def read_cases(table: WrittenTable) -> tuple[EffectCase, ...]:
    """The cases of a tool, in their order."""
    return tuple(_read_case(each) for each in table.take_list("cases"))


def _read_case(table: WrittenTable) -> EffectCase:
    effect = take_enum(table, "effect", read=Effect, known=list(Effect))
    matches = table.take("matches", dict, default={})
    try:
        patterns = {name: re.compile(each) for name, each in matches.items()}
    except (re.error, TypeError) as error:
        raise table.fail(f"matches has no regular expression: {error}.") from error
    case = EffectCase(
        effect=effect,
        equal=table.take("equal", dict, default={}),
        given=table.take_texts("given"),
        missing=table.take_texts("missing"),
        matches=patterns,
    )
    table.finish()
    if not (case.equal or case.given or case.missing or case.matches):
        raise table.fail("it fits every call. Say when: equal, given, missing or matches.")
    return case


def _is_found(pattern: re.Pattern[str], value: object) -> bool:
    if isinstance(value, str) and len(value) > LONGEST:
        # An operator's pattern may take any time; a call that raises here is held.
        raise ValueError(f"The text is longer than {LONGEST} characters.")
    return isinstance(value, str) and pattern.search(value) is not None


_FILES = "mulligan_gateway.recipes"
_ENDING = ".toml"

GROUP = "mulligan.recipes"
"""The entry points of packages that bring recipes: each names a package with `NAME.toml` in it."""


class RecipeProof(StrEnum):
    """What the facts of a recipe were held against."""

    UNDONE = "undone"
    """The server was run, and its undos were made on it."""
    LISTED = "listed"
    """The server was run as far as its list of tools; its effects are from its documentation."""
    DOCUMENTED = "documented"
    """Only its documentation was read."""


@hide_fields("tools")
class ShippedRecipe(Struct, frozen=True, kw_only=True):
    """One file of the library, or of a package that brings it."""

    name: str
    title: str
    package: str
    """Where the server is from, such as an npm package."""
    version: str
    """The release that the facts are of."""
    proof: RecipeProof
    server_names: tuple[str, ...] = ()
    """What such servers call themselves when they are connected."""
    notes: tuple[str, ...] = ()
    """What whoever uses it must know."""
    tools: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


def list_recipes() -> list[str]:
    """The names of all recipes of ours."""
    files = resources.files(_FILES).iterdir()
    return sorted(f.name.removesuffix(_ENDING) for f in files if f.name.endswith(_ENDING))


def load_recipe(name: str) -> ShippedRecipe:
    """A recipe by its name, ours or one that a package brings."""
    said = _read_file(name)
    if "service" in said:
        said = _derive_from_service(name, said)
    table = WrittenTable(said, where=f"the recipe {name}")
    recipe = ShippedRecipe(
        name=name,
        title=table.take("title", str, default=""),
        package=table.take("package", str, default=""),
        version=table.take("version", str, default=""),
        proof=take_enum(table, "proof", read=RecipeProof, known=list(RecipeProof)),
        server_names=table.take_texts("server_names"),
        notes=table.take_texts("notes"),
        tools=table.take("tools", dict, default={}),
    )
    table.finish()
    return recipe


def _read_file(name: str) -> dict[str, Any]:
    known = list_recipes()
    if name in known:
        text = resources.files(_FILES).joinpath(f"{name}{_ENDING}").read_text(encoding="utf-8")
        return tomllib.loads(text)
    extension = (others := find_extensions(GROUP)).get(name)
    if extension is None:
        raise ConfigurationError(f"recipe: {describe_unknown(name, [*known, *others])}")
    module = extension.load()
    try:
        file = resources.files(module).joinpath(f"{name}{_ENDING}")
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, TypeError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(
            f"The recipe {name!r} of {extension.describe_packages()} cannot be read: {error}. "
            "Update that package, or uninstall it."
        ) from error


def _derive_from_service(name: str, said: dict[str, Any]) -> dict[str, Any]:
    """What the table of a service says of the tools of a recipe: it is told there, and once."""
    pack = find_extensions("mulligan.packs").get("services")
    if pack is None:
        raise MissingExtraError(need=f"The recipe {name!r}", extra="http")
    derived: dict[str, Any] = pack.load().derive_recipe(said)
    return derived


def find_recipe(server_name: str) -> ShippedRecipe | None:
    """The recipe for a server that calls itself so; a proposal, for a name proves nothing."""
    for name in (*list_recipes(), *find_extensions(GROUP)):
        # One of another package that cannot be read is reported where it is named.
        with suppress(ConfigurationError):
            if server_name in (recipe := load_recipe(name)).server_names:
                return recipe
    return None


FORMAT = 1
PLAIN = ("repeat", "mode", "if_absent", "if_version", "key", "each", "deletes", "describe", *GROUPS)
"""What is said in the file as `@m.tool` takes it; the groups are tables."""

SAID_WITHOUT_RECIPE = ("mode", "describe", "arguments", "failures")
"""Of those, what needs no recipe of a tool to be kept."""

_FLAGS = re.compile(r"\(\?([aimsux]+)\)")


class ToolDeclaration(Struct, frozen=True, kw_only=True):
    """What is said of one tool of one server."""

    server: str
    tool: str
    effect: Effect = Effect.UNDECLARED
    cases: tuple[EffectCase, ...] = ()
    """Arguments with which the effect is another one; the first that fits."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """The rest, as `@m.tool` takes it."""
    recipe: UndoRecipe = field(default_factory=UndoRecipe)
    source: str = "the operator's file"

    def declare(self, m: Hosts, call: CallTool) -> None:
        """Declare the tool; `call` reaches its server, in any process and after any restart."""
        m.declare(self.tool, **self._build(call))

    def hold_instead(self) -> ToolDeclaration:
        """The same without its recipe: what could be undone by that is held."""
        if not any(self.recipe.list_calls()):
            return self
        cases = tuple(replace(each, effect=_hold_reversible(each.effect)) for each in self.cases)
        said = {name: value for name, value in self.said.items() if name in SAID_WITHOUT_RECIPE}
        effect = _hold_reversible(self.effect)
        return replace(self, recipe=UndoRecipe(), cases=cases, effect=effect, said=said)

    @property
    def runs_unheld(self) -> bool:
        """Whether calls that are to be held run all the same, as its mode only watches."""
        holds = Effect.IRREVERSIBLE in (self.effect, *(each.effect for each in self.cases))
        return holds and self.said.get("mode") in {Mode.OFF, Mode.OBSERVE}

    def find_misfit(self, tools: Sequence[Mapping[str, Any]]) -> str:
        """What the server, as it lists its tools now, does not have that this goes by; or empty.

        What does not fit is no reason to run a call: its undo would fail on the first bad day.
        """
        listed = {str(tool.get("name")): tool for tool in tools}
        if self.tool not in listed:
            return f"{self.server} has no tool {self.tool!r}"
        for made in self.recipe.list_calls():
            if made.tool not in listed:
                return f"{self.server} has no tool {made.tool!r}, which {self.tool} is undone by"
            schema = listed[made.tool].get("inputSchema")
            known = schema.get("properties") if isinstance(schema, Mapping) else None
            if isinstance(known, Mapping) and (lacking := sorted(made.names - set(known))):
                return f"{made.tool} of {self.server} takes no {lacking[0]!r}"
        return ""

    def refuse_unkept(self) -> None:
        """Refuse what could not be declared, before any server is there."""
        check_declared(_reply_with, **(self._build(_refuse_call) | Declared(name=self.tool)))

    def _build(self, call: CallTool) -> Declared:
        declared: dict[str, Any] = dict(self.said)
        declared |= compile_recipe(self.recipe, server=self.server, call=call)
        declared["server"] = self.server
        declared["effect"] = self._classify if self.cases else self.effect
        if self.recipe.probe is not None:
            declared["probe_by"] = self.recipe.probe_by
        if "undo" in declared:
            known = {"compares": self.recipe.compares, "rests_on": self.recipe.list_grounds()}
            declared["undoing"] = {**declared.get("undoing", {}), **known}
        return cast("Declared", declared)

    @mark_unbound
    def _classify(self, record: Record) -> Effect:
        fitting = (each.effect for each in self.cases if each.fits(record.arguments))
        return next(fitting, self.effect)


class GatewayRules(Struct, frozen=True, kw_only=True):
    """What the operator says of all tools."""

    mode: Mode = Mode.OBSERVE
    """Of tools that nothing else is said of."""
    strict: bool = False
    """Hold calls of undeclared tools."""
    modes: Mapping[str, Mode] = field(default_factory=dict)
    """The same by server, where one says otherwise."""
    trusted: frozenset[str] = frozenset()
    """Servers whose hints about their own tools are taken at their word."""


def read_declarations(
    path: Path | None, servers: Iterable[Server], *, mode: Mode = Mode.OBSERVE
) -> tuple[ToolDeclaration, ...]:
    """What the file says of tools, with the recipes that it names; nothing without a file.

    `mode`: of tools for which the file says none.
    """
    if path is None:
        return ()
    file = _open_file(path)
    mode = _read_mode(file, mode)
    served = [*servers]
    names = [server.name for server in served]
    known = {*names, *(name for server in served for name in server.beside)}
    found: list[ToolDeclaration] = []
    tables = [*file.take_tables("servers")]
    for name, table in tables:
        misspelt = get_close_matches(name, known) or known.isdisjoint(n for n, _ in tables)
        if name not in known and misspelt:
            # What was meant for a server that is there would not count.
            raise file.fail(f"servers: {describe_unknown(name, known)}")
        read = _read_server(name, table, mode=mode)
        found += read if name in names else []
    return tuple(found)


def read_rules(path: Path | None) -> GatewayRules:
    """What the file says of all tools; without one, everything is only observed."""
    if path is None:
        return GatewayRules()
    file = _open_file(path)
    mode = _read_mode(file, Mode.OBSERVE)
    modes: dict[str, Mode] = {}
    trusted = set()
    for name, table in file.take_tables("servers"):
        modes[name] = _read_mode(table, mode)
        if table.take("trusted", bool, default=False):
            trusted.add(name)
    strict = file.take("strict", bool, default=False)
    return GatewayRules(mode=mode, strict=strict, modes=modes, trusted=frozenset(trusted))


def declare_by_hints(
    server: str, tool: Mapping[str, Any], *, trusted: bool, mode: Mode = Mode.OBSERVE
) -> ToolDeclaration | None:
    """What a server's own annotations say of a tool; they lower nothing unless it is trusted."""
    hints = tool.get("annotations")
    name = tool.get("name")
    if not isinstance(hints, Mapping) or not isinstance(name, str):
        return None
    said: dict[str, Any] = {"mode": mode}
    effect = Effect.UNDECLARED
    if trusted and hints.get("idempotentHint") is True:
        said["repeat"] = "idempotent"
    if trusted and hints.get("readOnlyHint") is True:
        effect = Effect.READ
    elif hints.get("destructiveHint") is True:
        # Whoever says it of himself is believed: it is only held.
        effect = Effect.IRREVERSIBLE
    elif "repeat" not in said:
        return None
    source = f"hints of the {'trusted ' if trusted else ''}server"
    return ToolDeclaration(server=server, tool=name, effect=effect, said=said, source=source)


def _open_file(path: Path) -> WrittenTable:
    try:
        refuse_unsafe(path, linked=True)
    except StoreUnavailableError as error:
        raise ConfigurationError(f"The declarations are not read: {error}") from error
    file = WrittenTable(read_toml(path), where=str(path))
    version = file.take("format", int, default=FORMAT)
    if version != FORMAT:
        raise file.fail(f"format is {version}; this Mulligan reads format {FORMAT}.")
    table = WrittenTable(file.take_rest(("mode", "strict", "servers")), where=str(path))
    file.finish()
    return table


def _read_mode(table: WrittenTable, default: Mode) -> Mode:
    return take_enum(table, "mode", read=Mode, known=list(Mode)) if "mode" in table else default


def _read_server(name: str, table: WrittenTable, *, mode: Mode) -> list[ToolDeclaration]:
    mode = _read_mode(table, mode)
    table.take("trusted", bool, default=False)
    undo = table.take("undo", bool, default=True)
    shipped = table.take("recipe", str, default="")
    source, tools = "the operator's file", dict[str, dict[str, object]]()
    if shipped:
        recipe = load_recipe(shipped)
        source, tools = f"the recipe {shipped}", {k: dict(v) for k, v in recipe.tools.items()}
    own = table.take("tools", dict, default={})
    table.finish()
    for tool, said in own.items():
        if not isinstance(said, dict):
            raise table.fail(f"tools.{tool} is {said!r}; it is a table.")
        # What the operator says wins, name by name.
        tools[tool] = _join(tools.get(tool, {}), said)
    found = []
    for tool, said in tools.items():
        where = f"{table.where}.tools.{tool}"
        declaration = read_tool(WrittenTable(said, where=where), server=name, tool=tool, mode=mode)
        if tool not in own:
            declaration = replace(declaration, source=source)
        found.append(declaration if undo else _drop_undo(declaration))
    return found


def _join(shipped: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Two tables of a tool as one, also where both have one of the same group."""
    both = [k for k in GROUPS if k in shipped and isinstance(own.get(k), Mapping)]
    groups = {k: {**shipped[k], **own[k]} for k in both}
    return {**shipped, **own, **groups}


def read_tool(
    table: WrittenTable, *, server: str, tool: str, mode: Mode = Mode.OBSERVE
) -> ToolDeclaration:
    """What a table says of one tool, refused where nothing could keep it."""
    effect = Effect.UNDECLARED
    if "effect" in table:
        effect = take_enum(table, "effect", read=Effect, known=list(Effect))
    else:
        table.take_any("effect")
    if table.take("hold", bool, default=False):
        effect = Effect.IRREVERSIBLE
    recipe = read_recipe(table)
    cases = read_cases(table)
    refuses = table.take_texts("refuses")
    # A name that belongs into a group is refused with its place, as `@m.tool` does.
    said: dict[str, Any] = table.take_rest((*PLAIN, *HOMES))
    table.finish()
    failures = said.get("failures", {})
    if refuses and isinstance(failures, Mapping):
        rules = [{"says": _pin_to_start(each), "nothing_done": True} for each in refuses]
        said["failures"] = {**failures, "error_rules": [*rules, *failures.get("error_rules", [])]}
    said.setdefault("mode", mode.value)
    declaration = ToolDeclaration(
        server=server, tool=tool, effect=effect, cases=cases, said=said, recipe=recipe
    )
    try:
        declaration.refuse_unkept()
    except (ConfigurationError, ValueError, TypeError) as error:
        raise ConfigurationError(f"{table.where}: {error}") from error
    return declaration


def _pin_to_start(pattern: str) -> str:
    """A pattern anchored where an error's own text begins: names chosen by others follow it."""
    flags = _FLAGS.match(pattern)
    inner = f"(?{flags[1]}:{pattern[flags.end() :]})" if flags else f"(?:{pattern})"
    return rf"\A\w+: (?:Error: )?{inner}"


def _drop_undo(declaration: ToolDeclaration) -> ToolDeclaration:
    """The same without its unconfirmed undo: its effect is then undeclared."""
    if declaration.recipe.undo is None and declaration.recipe.undo_new is None:
        return declaration
    bare = replace(declaration.recipe, undo=None, undo_new=None)
    cases = tuple(each for each in declaration.cases if each.effect is not Effect.REVERSIBLE)
    effect = declaration.effect
    effect = Effect.UNDECLARED if effect is Effect.REVERSIBLE else effect
    return replace(declaration, recipe=bare, effect=effect, cases=cases)


def _hold_reversible(effect: Effect) -> Effect:
    return Effect.IRREVERSIBLE if effect is Effect.REVERSIBLE else effect


async def _reply_with(**arguments: object) -> object:
    """What a declaration is checked against before its server is there."""
    return arguments


async def _refuse_call(server: str, tool: str, arguments: Mapping[str, object]) -> object:  # noqa: ARG001
    raise ConnectionError(f"{server} is not connected, so {tool} is not called.")


class GatewayOptions(Struct, frozen=True, kw_only=True):
    """What may be said of a gateway. Without a word, it only watches and remembers."""

    mode: Mode = Mode.OBSERVE
    """How far it goes with tools that no declaration names."""
    own_tools: bool = True
    """Offer clients the tools that explain a failed call and undo an action."""
    pitfalls: bool = False
    """Put what is known to go wrong with a tool into its description."""
    trusted: frozenset[str] = frozenset()
    """Clients over HTTP, by the names of their tokens, whose word counts for what a person said."""
    intent: bool = False
    """Let clients say why they make a call, in an argument that no server sees."""
    pin: bool = False
    """Offer nothing that servers have changed or added, until a person has approved it."""
    pins: Path | None = None
    """Where it is kept what servers said; without a place, only as long as the process."""
    declarations: tuple[ToolDeclaration, ...] = ()
    """What the operator says of tools."""
    modes: Mapping[str, Mode] = field(default_factory=dict)
    """The mode by server, where one has another than the rest."""
    limits: Limits = field(default_factory=Limits)
