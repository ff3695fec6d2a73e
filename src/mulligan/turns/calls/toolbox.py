"""The tools of one application by name: what recovery needs to go on where another stopped."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from mulligan.codec.values import decode_value, from_plain
from mulligan.core.action import Action, Opening
from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Vault
from mulligan.core.record import Image, Record
from mulligan.turns.calls.rows import log_settled
from mulligan.turns.calls.tool import Tool
from mulligan.turns.journal.book import LiveAction
from mulligan.turns.journal.steady import read_stamp
from mulligan.turns.tools.declaration import Declaration


class Toolbox:
    """Every tool that was declared."""

    def __init__(self) -> None:
        self._tools: dict[tuple[str, str], Tool] = {}
        self.checked: dict[str, str] = {}
        """The checks of the application's own, by the tools they are for."""
        self.news = False
        """Something was declared since anybody was told."""

    def add(self, tool: Tool) -> None:
        """Know a tool. Declared again at its own place, as in a cell that is run again, the last
        one counts; another one of the same name is refused, as an approved call might run it."""
        said = tool.declaration
        known = self._tools.get((said.server, said.tool))
        if known is not None and known.definition != tool.definition:
            where = f" on the server {said.server!r}" if said.server else ""
            raise ConfigurationError(
                f"There is a tool {said.tool!r}{where} already, {known.definition}, and this one "
                f"is {tool.definition}. Give one of them a name=… or a server=… of its own."
            )
        self._tools[said.server, said.tool] = tool
        self.news = True

    def find(self, opening: Opening) -> Tool | None:
        """The tool of an action, if this application has it."""
        return self.find_by_name(opening.tool, server=opening.server)

    def find_by_name(self, tool: str, *, server: str) -> Tool | None:
        """The tool of that name, if this application has it."""
        return self._tools.get((server, tool))

    def __iter__(self) -> Iterator[Tool]:
        return iter(list(self._tools.values()))

    def take_up(self, action: Action, vault: Vault) -> LiveAction | None:
        """An action as its own process would have it; `None` where the code or a value is gone."""
        tool = self.find(action.opening)
        arguments = vault.get(action.id, "arguments")
        if tool is None or arguments is None:
            return None
        declaration, tries = tool.declaration, action.detail.get("tries", 0)
        after = action.detail.get("after", ())
        return LiveAction(
            id=action.id,
            opening=action.opening,
            declaration=declaration,
            record=_load_record(action, arguments, declaration=declaration, vault=vault),
            opened_at=action.opened_at,
            state=action.state,
            version=action.version,
            tries=tries if isinstance(tries, int) else 0,
            given_up=read_stamp(action.detail.get("given_up")),
            undo_begun=action.detail.get("undo_begun") is True,
            seen=action.detail.get("seen") is True,
            after=tuple(map(str, after)) if isinstance(after, list) else (),
            on_settled=partial(log_settled, tool),
        )


def build_codeless_action(action: Action) -> LiveAction:
    """An action whose tool is not known here: enough to write of it, and to do nothing else."""
    opening = action.opening
    return LiveAction(
        id=action.id,
        opening=opening,
        declaration=Declaration(tool=opening.tool, server=opening.server),
        record=Record(arguments={}),
        opened_at=action.opened_at,
        state=action.state,
        version=action.version,
    )


def _load_record(
    action: Action, arguments: bytes, *, declaration: Declaration, vault: Vault
) -> Record:
    hints = declaration.hints
    before, outcome = vault.get(action.id, "before"), vault.get(action.id, "result")
    came = _decode_mapping(outcome)
    if "result" not in came and action.opening.parent:
        shared = _decode_mapping(vault.get(action.opening.parent, "result"))
        came = shared | came
    version = came.get("version")
    return Record(
        arguments={
            name: from_plain(value, hints.arguments.get(name))
            for name, value in _decode_mapping(arguments).items()
            if name not in declaration.ours  # earlier versions kept them here too
        },
        key=action.opening.key or action.id,
        result=from_plain(came.get("result"), hints.result),
        image=None if before is None else Image(decode_value(before, hints.before)),
        version=None if version is None else str(version),
    )


def _decode_mapping(kept: bytes | None) -> dict[str, object]:
    value = decode_value(kept) if kept is not None else None
    return value if isinstance(value, dict) else {}
