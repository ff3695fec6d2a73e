"""What all clients of a gateway share: the application, and what is known of the servers' tools."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version

from mulligan.app.mulligan import Mulligan
from mulligan.core.adapter import HostCall
from mulligan.core.effect import Mode
from mulligan.core.errors import ConfigurationError
from mulligan.core.history import SessionHistories
from mulligan.gateway.configuration import GatewayOptions
from mulligan.gateway.declarations import declare_by_hints
from mulligan.gateway.servers_file import Server
from mulligan.gateway.sessions.questions import Questions
from mulligan.gateway.tools.exposed_names import describe_item
from mulligan.gateway.tools.pins import Pins
from mulligan.gateway.tools.shown_list import ListedItem, ListedTool

Report = Callable[[str], None]
"""Tells the operator something, in a sentence."""

_log = logging.getLogger("mulligan.gateway").warning


class Shared:
    """One application before some servers."""

    def __init__(
        self,
        m: Mulligan,
        servers: Sequence[Server],
        *,
        options: GatewayOptions | None = None,
        report: Report = _log,
    ) -> None:
        if not servers:
            raise ConfigurationError("The file names no server: there is nothing to stand before.")
        self.m = m
        self.servers = tuple(servers)
        self.options = options or GatewayOptions()
        self.report = report
        self.host = m._build_host({"pitfalls": True}, name="gateway")  # noqa: SLF001
        self.pins = Pins(self.options.pins)
        self.questions = Questions()
        self.histories = SessionHistories()
        self.version = version("mulligan")
        self._hints: dict[tuple[str, str], Mapping[str, object]] = {}
        self._reported: set[object] = set()
        self._modes: dict[tuple[str, str], Mode] = {}

    def hash_text(self, text: str) -> str:
        """What the log has in the place of words of others."""
        return self.host.parts.runtime.redactor.hash_text(text)

    def report_once(self, said: str, *, about: object = None) -> None:
        """Tell the operator something that will come up again; `about`: by what it is known."""
        key = said if about is None else about
        if key not in self._reported:
            self._reported.add(key)
            self.report(said)

    def note_pins(self, server: str, kind: str, items: Sequence[ListedItem]) -> None:
        """Hold what a server says of itself against what was approved; a change is reported."""
        try:
            self.pins.note(server, kind, items, adopt=not self.options.pin)
            changed = self.pins.list_unapproved(item for item in items if item.digest)
        except (OSError, ConfigurationError) as error:
            self.report(f"What servers list cannot be kept: {error}.")
            return
        until = ", and is not offered until it is approved" if self.options.pin else ""
        for item in changed:
            self.report_once(
                f"{server}: what {describe_item(item)} says has changed{until}.",
                about=(server, item.digest),
            )

    def list_refused(self, items: Iterable[ListedItem]) -> list[ListedItem]:
        """What is neither shown nor used: pinned, and not as it was approved."""
        return self.pins.list_unapproved(items) if self.options.pin else []

    def vouches_for(self, principal: str) -> bool:
        """Whether what a client reports of a person counts as said: the one that has started the
        gateway for itself, or one that the operator has named."""
        return not principal or principal in self.options.trusted

    def find_mode(self, call: HostCall) -> Mode:
        """How far is gone with a tool: as it was declared, else as is said of all others."""
        key = call.server, call.tool
        if key not in self._modes:
            found = self.host.tools.find_tool(call)
            if found is None:
                self._declare_unsaid(call)
                found = self.host.tools.find_tool(call)
            self._modes[key] = self.options.mode if found is None else found.declaration.mode
        return self._modes[key]

    def _declare_unsaid(self, call: HostCall) -> None:
        """A tool that the operator says nothing of: by its hints if they count, else its mode."""
        server = next(each for each in self.servers if each.name == call.server)
        mode = self.options.modes.get(server.name, self.options.mode)
        hints = self._hints.get((call.server, call.tool), {})
        said = {"name": call.tool, "annotations": hints}
        hinted = declare_by_hints(server.name, said, trusted=server.trusted, mode=mode)
        if hinted is None:
            self.m.declare(call.tool, server=server.name, mode=mode)
        else:
            self.m.declare(call.tool, server=server.name, effect=hinted.effect, **hinted.said)
        self.note_shape(call)

    def note_shape(self, call: HostCall) -> None:
        """Have a declared tool known with its schema: what is learned of it holds for that one.

        Without it, who learns from the store finds another schema there than the calls had.
        """
        self.host.tools.find(call)

    def note_listed(self, tool: ListedTool) -> None:
        """A server lists a tool."""
        self._hints[tool.server, tool.name] = tool.hints
