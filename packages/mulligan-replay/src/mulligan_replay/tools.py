"""What each tool of a trace can do: guessed from its annotations and its name, said, and corrected
in a small file.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from mulligan.checks.parameters import ToolShape, ToolVerb, find_deed, list_verbs
from mulligan.checks.tool_outputs import as_record
from mulligan.types.call import Call
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from mulligan_dates.text import split_name
from mulligan_replay.trace import TracedTool

MOST_TOOLS = 5_000
"""Tools that are told apart; the calls of others are counted together."""
OTHERS = "(other tools)"

EFFECTS: Mapping[str, Effect] = {
    "read": Effect.READ,
    "write": Effect.REVERSIBLE,
    "irreversible": Effect.IRREVERSIBLE,
    "unknown": Effect.UNDECLARED,
}
"""As a person writes them. A write may be undone once its tool is declared with an undo."""
NAMES = {effect: name for name, effect in EFFECTS.items()}

_FINAL = """
bash buy charge checkout deploy email exec execute invite mail notify order pay post publish
purchase refund reply run send shell sms submit transfer tweet wire
"""
"""What nobody can undo: mail, payment, publishing, notification, shell."""
_PACKS: Mapping[str, str] = {
    "sql": "customer database db order record row sql table user",
    "calendar": "appointment calendar event invitation meeting",
    "mail": "draft email inbox mail mailbox message",
    "files": "directory doc document file folder path",
    "http": "api http issue page resource rest ticket webhook",
}
"""What each pack is about."""


class Guess(Struct, frozen=True, kw_only=True):
    """What a tool is thought to do, and why."""

    effect: Effect
    why: str
    said: bool = False
    """A person or the server said it: it is no guess."""


def guess_effect(tool: str, told: TracedTool | None = None) -> Guess:
    """By what a server says of a tool, else by the first verb in its name."""
    if told is not None and told.read_only:
        return Guess(effect=Effect.READ, why="its annotation says read-only", said=True)
    if told is not None and told.destructive:
        return Guess(
            effect=Effect.IRREVERSIBLE, why="its annotation says that it destroys", said=True
        )
    for word in list_verbs(tool):
        deed = find_deed(word)
        if deed is ToolVerb.READ:
            return Guess(effect=Effect.READ, why=f"its name says {word}")
        if word in _FINAL.split():
            return Guess(effect=Effect.IRREVERSIBLE, why=f"its name says {word}")
        if deed is not None:
            return Guess(effect=Effect.REVERSIBLE, why=f"its name says {word}")
    return Guess(effect=Effect.UNDECLARED, why="nothing says what it does")


def find_pack(tool: str) -> str:
    """The pack that brings an undo for what a tool is about; empty where none does."""
    words = set(split_name(tool))
    named = words | {word.removesuffix("s") for word in words}
    return next((pack for pack, about in _PACKS.items() if {*about.split()} & named), "")


class TracedTools:
    """The tools of a trace, as far as they are known."""

    def __init__(self, corrected: Mapping[str, Effect] | None = None) -> None:
        self._corrected = dict(corrected or {})
        self._told: dict[str, TracedTool] = {}
        self._shapes: dict[str, tuple[ToolShape, Guess]] = {}
        self.calls: Counter[str] = Counter()
        """Calls by tool, as they were counted."""

    def add(self, tool: TracedTool) -> None:
        """Take in what a trace says of a tool."""
        if tool.name in self._told or len(self._told) < MOST_TOOLS:
            self._told[tool.name] = tool
            self._shapes.pop(tool.name, None)

    def count(self, tool: str) -> str:
        """Count a call; the name that it is counted under."""
        name = tool if tool in self.calls or len(self.calls) < MOST_TOOLS else OTHERS
        self.calls[name] += 1
        return name

    def see_result(self, tool: str, result: object) -> None:
        """Take a tool of unknown effect for one that reads, once it has listed things."""
        shape, guess = self._find(tool)
        if guess.effect is Effect.UNDECLARED and not guess.said and _lists_things(result):
            seen = Guess(effect=Effect.READ, why="it returned a list of things")
            self._shapes[tool] = replace(shape, effect=seen.effect), seen

    def find_guess(self, tool: str) -> Guess:
        """What a tool is thought to do."""
        return self._find(tool)[1]

    def find_shape(self, call: Call) -> ToolShape:
        """What is known of the tool of a call, as the checks that choose themselves ask it."""
        return self._find(call.tool)[0]

    @property
    def listed(self) -> tuple[str, ...]:
        """The tools that the trace says could be called."""
        return tuple(self._told)

    def _find(self, tool: str) -> tuple[ToolShape, Guess]:
        if (known := self._shapes.get(tool)) is not None:
            return known
        told, given = self._told.get(tool), self._corrected.get(tool)
        if given is not None:
            guess = Guess(effect=given, why="you said so", said=True)
        else:
            guess = guess_effect(tool, told)
        schema = told.schema if told is not None else {}
        found = ToolShape(tool=tool, effect=guess.effect, schema=schema), guess
        if len(self._shapes) >= MOST_TOOLS:
            self._shapes.clear()
        self._shapes[tool] = found
        return found


def _lists_things(result: object) -> bool:
    parts = result.values() if isinstance(result, Mapping) else [result]
    return any(isinstance(each, list) and any(map(as_record, each)) for each in parts)


class Corrections(Struct, frozen=True, kw_only=True):
    """What a person says of the tools and the people of a trace."""

    effects: Mapping[str, Effect]
    timezone: str = "UTC"


def read_corrections(path: Path) -> Corrections:
    """A file as `write_corrections` made it and a person changed it."""
    try:
        held = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}.") from error
    given, zone = held.get("effects", {}), held.get("timezone", "UTC")
    wrong = {name: said for name, said in given.items() if said not in EFFECTS}
    if wrong:
        name, said = next(iter(wrong.items()))
        known = ", ".join(EFFECTS)
        raise ConfigurationError(f"{path}: {name} is {said!r}, which is none of {known}.")
    check_zone(zone)
    return Corrections(effects={name: EFFECTS[said] for name, said in given.items()}, timezone=zone)


def check_zone(name: str) -> str:
    """The name of a time zone that there is."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, TypeError, OSError) as error:
        raise ConfigurationError(
            f"There is no time zone {name!r}. Say it as Europe/Berlin or UTC."
        ) from error
    return name


def write_corrections(tools: TracedTools, *, timezone: str) -> Iterator[str]:
    """The lines of a file that says what each tool was taken for, to be corrected."""
    yield "# What each tool can do: read, write, irreversible or unknown. These are guesses."
    yield "# Correct them, and run `mulligan replay` again with --tools and this file."
    yield f'timezone = "{timezone}"  # of the people who asked'
    yield ""
    yield "[effects]"
    for tool, calls in sorted(tools.calls.items()):
        if tool != OTHERS:
            guess = tools.find_guess(tool)
            times = "1 call" if calls == 1 else f"{calls:,} calls"
            yield f'{_quote(tool)} = "{NAMES[guess.effect]}"  # {guess.why}; {times}'


def _quote(name: str) -> str:
    shown = "".join(
        c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}"
        for c in name
        if not "\ud800" <= c <= "\udfff"
    )
    return f'"{shown}"'
