"""The tools of one application, each found by its name and by what it is bound to."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from typing import cast

from mulligan.checks.parameters import ToolShape
from mulligan.codec import LostValueError
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.outcome import log_settled
from mulligan.runtime.payloads import load_record
from mulligan.runtime.tool import ActionTools, Tool
from mulligan.runtime.waiting import read_stamp
from mulligan.types.action import Action, By, Opening
from mulligan.types.call import Call, Record
from mulligan.types.effect import Mode
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Waiver
from mulligan.types.interfaces import Vault

_report = logging.getLogger("mulligan")

MOST_BOUND = 1_000
"""Tools that are kept by what they are bound to, the latest."""


class Toolbox:
    """Every tool that was declared."""

    def __init__(self) -> None:
        self._tools: dict[tuple[str, str], Tool] = {}
        """The last one of each name."""
        self._bound: dict[tuple[str, str, str], Tool] = {}
        """The last one of each name and mark."""
        self._warned: set[str] = set()
        self.action_tools = ActionTools()
        self.checked: dict[str, str] = {}
        """The checks of the application's own, by the tools they are for."""
        self._most: Mapping[str, Mode] = {}
        self.waivers: list[Waiver] = []
        """What people have said of rules on a page, the ended ones too."""
        self.news = False
        """Something was declared since the last announcement."""

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
        self._add_bound(tool)
        tool.limit(self.find_most(said.tool))
        self.news = True

    def find_most(self, tool: str = "") -> Mode:
        """How far an operator lets all tools go, or one of them."""
        return self._most.get("", Mode.AUTO).limit(self._most.get(tool, Mode.AUTO))

    def limit(self, most: Mapping[str, Mode]) -> None:
        """Let tools go no further than an operator says, by name; "" is all of them."""
        if most == self._most:
            return
        self._most = most
        for tool in (*self._tools.values(), *self._bound.values()):
            tool.limit(self.find_most(tool.declaration.tool))
        self.news = True

    def _add_bound(self, tool: Tool) -> None:
        """Tools that are made for each user or request are told apart by whom they act for."""
        said = tool.declaration
        known = self._bound.pop((said.server, said.tool, tool.bound), None)
        if said.server or known is None:
            pass
        elif known.mistakable or not tool.binding.is_like(known.binding):
            known.mistakable = tool.mistakable = True
            self._warn_of_mistakable(said.tool)
        self._bound[said.server, said.tool, tool.bound] = tool
        while len(self._bound) > MOST_BOUND:
            self._bound.pop(next(iter(self._bound)))

    def _warn_of_mistakable(self, tool: str) -> None:
        if tool not in self._warned:
            self._warned.add(tool)
            _report.warning(
                "%s was declared again for other objects, and nothing says whether they are "
                "those of another account: an open action of it needs attention after a "
                "restart. Say whom each acts for with server=….",
                tool,
            )

    def find(self, action: Action | LiveAction) -> Tool | None:
        """The very tool that made an action, if this application has it.

        A name is not enough: tools of one name may act for one person each.
        """
        made, opening = self.action_tools.find(action.id), action.opening
        if made is not None:
            return cast("Tool", made[0])
        last = self.find_by_name(opening.tool, server=opening.server)
        if last is not None and not (last.binding.mark or last.binding.objects):
            return last
        found = self._bound.get((opening.server, opening.tool, opening.binding))
        found = found or self._find_only(opening)
        return None if found is None or found.mistakable else found

    def _find_only(self, opening: Opening) -> Tool | None:
        """The only tool of an account, whatever else it holds by now: that may change."""
        account, _, _ = opening.binding.partition("/")
        same = [
            tool
            for (server, name, _), tool in self._bound.items()
            if (server, name) == (opening.server, opening.tool)
            and tool.bound.partition("/")[0] == account
        ]
        return same[0] if len(same) == 1 and not opening.binding.endswith("~") else None

    def describe_missing(self, action: Action) -> str:
        """Why an action cannot be taken up here, and what to do about it, in a sentence."""
        said = action.opening
        by_hand = f'fix it by hand, then `mulligan settle {action.id} --note "…"`'
        if self.find(action) is not None:
            return f"What {said.tool} was given is not known here any more: {by_hand}."
        if self.find_by_name(said.tool, server=said.server) is not None:
            return (
                f"{said.tool} acted for another account than here, or nothing says for which. Give "
                "tools that are made for each user or request a server=… of their own, and have "
                f"this one taken up where its own is declared; else {by_hand}."
            )
        server = f", server={said.server!r}" if said.server else ""
        near = get_close_matches(said.tool, [name for _, name in self._tools], n=1)
        has = f", but {near[0]!r}" if near and near[0] != said.tool else ""
        return (
            f"This application has no tool {said.tool!r}{server}{has}: if it was renamed, declare "
            f"it as it was, with name={said.tool!r}{server}; else {by_hand}."
        )

    def find_by_name(self, tool: str, *, server: str) -> Tool | None:
        """The tool of that name, if this application has it."""
        return self._tools.get((server, tool))

    def list_named(self, tool: str) -> list[Tool]:
        """The tools of that name, wherever they live."""
        return [each for (_, name), each in self._tools.items() if name == tool]

    def find_shape(self, call: Call) -> ToolShape | None:
        """What was declared of a call's tool, for checks that choose themselves."""
        tool = self.find_by_name(call.tool, server=call.server)
        return None if tool is None else tool.shape

    @property
    def count(self) -> int:
        """How many tools there are."""
        return len(self._tools)

    def __iter__(self) -> Iterator[Tool]:
        return iter(list(self._tools.values()))

    def take_up(self, action: Action, vault: Vault) -> LiveAction | None:
        """An action as its own process would have it; `None` where the code or a value is gone."""
        tool = self.find(action)
        if tool is None or vault.get(action.id, "arguments") is None:
            return None
        made = self.action_tools.find(action.id)
        originals = {} if made is None else made[1]
        try:
            record = load_record(action, tool.declaration, vault=vault, originals=originals)
        except LostValueError as lost:
            tool.warn_once(str(lost))
            return None
        declaration, tries = tool.declaration, action.detail.get("tries", 0)
        after, claimed_at = action.detail.get("after", ()), action.detail.get("claimed_at")
        return LiveAction(
            id=action.id,
            opening=action.opening,
            declaration=declaration,
            record=record,
            originals=originals,
            opened_at=action.opened_at,
            state=action.state,
            version=action.version,
            by=By.RECOVERY,
            tries=tries if isinstance(tries, int) else 0,
            given_up=read_stamp(action.detail.get("given_up")),
            unheard_since=read_stamp(action.detail.get("unheard_since")),
            undo_begun=action.detail.get("undo_begun") is True,
            seen=action.detail.get("seen") is True,
            claimed=action.detail.get("claimed") is True,
            claimed_at=claimed_at if isinstance(claimed_at, str) else None,
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
        by=By.RECOVERY,
    )
