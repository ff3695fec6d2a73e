"""What all clients of a gateway share: the application, and what is known of the servers' tools."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version

from mulligan.app.mulligan import Mulligan
from mulligan.core.adapter import HostCall
from mulligan.core.display.escape import show_name
from mulligan.core.effect import Mode
from mulligan.core.errors import ConfigurationError
from mulligan.core.history import SessionHistories
from mulligan.gateway.configuration import GatewayOptions
from mulligan.gateway.declarations import declare_by_hints
from mulligan.gateway.servers_file import Server
from mulligan.gateway.sessions.questions import Questions
from mulligan.gateway.tools.pins import Pins
from mulligan.gateway.tools.shown_list import ListedTool, ToolReader

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
        self.insights = m._ask_about()  # noqa: SLF001 - the gateway is an application of it
        """What clients are told: of the gateway's own tenant alone, which may be nobody."""
        self.servers = tuple(servers)
        self.options = options or GatewayOptions()
        self.report = report
        self.host = m._build_host({"pitfalls": True}, name="gateway")  # noqa: SLF001 - as above
        self.tools = ToolReader()
        self.pins = Pins(self.options.pins)
        self.questions = Questions()
        self.histories = SessionHistories()
        self.version = version("mulligan")
        self._hints: dict[tuple[str, str], Mapping[str, object]] = {}
        self._reported: set[tuple[str, str]] = set()
        self._modes: dict[tuple[str, str], Mode] = {}

    def hash_text(self, text: str) -> str:
        """What the log has in the place of words of others."""
        return self.host.parts.runtime.redactor.hash_text(text)

    def _note_pin(self, tool: ListedTool) -> None:
        """Hold what a tool says of itself against what was approved; a change is reported once."""
        try:
            fine = self.pins.note(tool)
        except (OSError, ConfigurationError) as error:
            self.report(f"What tools look like cannot be kept: {error}.")
            return
        if not fine and (tool.server, tool.digest) not in self._reported:
            self._reported.add((tool.server, tool.digest))
            self.report(f"{tool.server}: what '{show_name(tool.name)}' says of itself has changed.")

    def is_refused(self, server: str, tool: str) -> bool:
        """Whether a tool is neither shown nor called: pinned, and no longer as it was approved."""
        return self.options.pin and self.pins.is_changed(server, tool)

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
        """A server lists a tool: what it says of itself is held against what was approved."""
        self._hints[tool.server, tool.name] = tool.hints
        self._note_pin(tool)
