"""What all clients of a gateway share: the application, the servers' tools, and open questions.

In revisions in which a client asks again with the answer, nothing but what we have handed out tells
an answer to our question from an unrequested one: each is answered once, for the same call.
"""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version

from mulligan.app.mulligan import Mulligan
from mulligan.codec import encode_exact
from mulligan.redaction.redactor import hide_secrets
from mulligan.runtime.tool import Tool
from mulligan.types.adapter import HostCall
from mulligan.types.display import show_name
from mulligan.types.effect import Effect, Mode
from mulligan.types.errors import ConfigurationError
from mulligan.types.turn import SessionHistories
from mulligan_gateway.access import EVERYTHING, NOTHING, Grant
from mulligan_gateway.declarations import GatewayOptions, declare_by_hints
from mulligan_gateway.metrics import Metrics
from mulligan_gateway.party import Tasks
from mulligan_gateway.protocol import MOST_TOOLS
from mulligan_gateway.servers_file import Server
from mulligan_gateway.tools import MOST_NAME, ListedItem, ListedTool, Pins, describe_item

MOST = 1_000
"""Unanswered questions: the oldest is forgotten first, and is asked again."""


def name_call(principal: str, tool: str, arguments: dict[str, object]) -> str:
    """What tells the call that a person was asked about from every other."""
    said = encode_exact(arguments) or repr(arguments).encode()
    return "\0".join((principal, tool, said.decode()))


class Questions:
    """Those of all clients of a gateway, by names that cannot be guessed: each about a call."""

    def __init__(self, *, most: int = MOST) -> None:
        self._most = most
        self._open: OrderedDict[str, str] = OrderedDict()

    def ask(self, call: str) -> str:
        """The name under which the answer will come."""
        name = secrets.token_urlsafe(24)
        self._open[name] = call
        while len(self._open) > self._most:
            self._open.popitem(last=False)
        return name

    def take_answer(self, name: str, call: str) -> bool:
        """Whether this very call was asked about under that name, and was not answered yet."""
        if self._open.get(name) != call:
            return False
        del self._open[name]
        return True


MOST_ACTIONS = 1_000
"""Actions of a principal that are remembered."""
MOST_FAILURES = 20


class OwnRecord:
    """What one principal did through the gateway, over whatever connections."""

    def __init__(self) -> None:
        self.failed: deque[tuple[HostCall, str]] = deque(maxlen=MOST_FAILURES)
        """With what the server said."""
        self.actions: OrderedDict[str, None] = OrderedDict()
        self.answered = Tasks()
        """Calls that are answered, and not on record yet: what is asked of them waits for that."""

    def note_failure(self, call: HostCall, said: str) -> None:
        """A call has failed."""
        self.failed.append((call, said))

    def note_actions(self, actions: tuple[str, ...]) -> None:
        """Something was done that is on record, or it waits."""
        for action in actions:
            self.actions[action] = None
        while len(self.actions) > MOST_ACTIONS:
            self.actions.popitem(last=False)


Report = Callable[[str], None]
"""Tells the operator something, in a sentence."""

DESTROYS = "destructiveHint"
MOST_STATES = 1_000
"""Questions of servers that are remembered."""
_log = logging.getLogger("mulligan").warning


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
        """What clients are told: of the gateway's own tenant alone, if it has one."""
        self.servers = tuple(servers)
        self.options = options or GatewayOptions()
        self.report: Report = lambda said: report(hide_secrets(said))
        self.host = m._build_host({"pitfalls": True}, name="gateway")  # noqa: SLF001 - as above
        self.pins = Pins(self.options.pins)
        self.questions = Questions()
        self.histories = SessionHistories()
        self.own_records = defaultdict[str, OwnRecord](OwnRecord)
        """By principal: a client that comes back is the same one."""
        self._states: OrderedDict[tuple[str, str], None] = OrderedDict()
        self.version = version("mulligan")
        self.grants: Mapping[str, Grant] = {}
        """What clients may do of whom the operator says it."""
        self.find_client: Callable[[str], str] = str
        """The client of the operator's file that a principal comes as."""
        self.metrics = Metrics()
        self.log: Callable[[dict[str, object]], None] | None = None
        """Told of every call, where the operator wants to read that."""
        self.unsure = {(each.server, each.tool): each for each in self.options.declarations}
        """What is declared and was not held against its server yet, or did not fit, or may not fit
        any more."""
        self._misfits: dict[tuple[str, str], str] = {}
        """What was declared, each with why it did not fit when it was, if it did not."""
        self.settled_at: dict[str, float] = {}
        """When what is declared was last held against a server that has not changed since."""
        self._hints: dict[tuple[str, str], Mapping[str, object]] = {}
        self._unlisted: set[tuple[str, str]] = set()
        """Tools that clients have called and no server lists."""
        self._unsaid: set[tuple[str, str]] = set()
        """Tools that the operator says nothing of, as they were declared here."""
        self._reported: set[object] = set()
        self._tools: dict[tuple[str, str], Tool | None] = {}
        """As they were declared; how far is gone with one may change at any time."""

    def find_grant(self, principal: str) -> Grant:
        """What a client may do."""
        default = NOTHING if principal and self.grants else EVERYTHING
        return self.grants.get(self.find_client(principal), default)

    def list_servers(self, principal: str) -> list[Server]:
        """The servers that a client may use."""
        grant = self.find_grant(principal)
        return [server for server in self.servers if grant.serves(server.name)]

    def note_call(self, principal: str, call: HostCall, outcome: str, *, seconds: float) -> None:
        """A call has ended, in a word."""
        # Of names that clients make up, only so many are kept.
        who = call.server, call.tool if self.takes_name(call.server, call.tool) else ""
        self.metrics.add("calls_total", principal, *who, outcome)
        self.metrics.add("call_seconds_total", *who, by=seconds)
        if self.log is not None:
            took = {"outcome": outcome, "seconds": round(seconds, 6)}
            self.log(
                {"event": "call", "client": principal, "server": who[0], "tool": who[1]} | took
            )

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

    def keeps_label(self, agent: str) -> bool:
        """Whether an agent is on record by its own name, and not by a mask that others share."""
        return self.host.parts.runtime.redactor.redact_label(agent) == agent

    def vouches_for(self, principal: str) -> bool:
        """Whether what a client reports of a person counts as said: the one that has started the
        gateway for itself, or one that the operator has named."""
        return not principal or self.find_client(principal) in self.options.trusted

    async def settle(self, server: str, tool: str) -> None:
        """Have what the operator says of a tool count, whatever its server lists by now."""

    def note_changed(self, server: str) -> None:
        """A server has changed its tools: what is declared of them may not fit any more."""
        self.settled_at.pop(server, None)
        for each in self.options.declarations:
            if each.server == server:
                self.unsure[each.server, each.tool] = each

    def takes_name(self, server: str, tool: str) -> bool:
        """Whether a tool may be called by a name: of unlisted names, only so many."""
        key = server, tool
        if key in self._hints or key in self._misfits or key in self._unlisted:
            return True
        if len(self._unlisted) >= MOST_TOOLS or len(tool) > MOST_NAME:
            return False
        self._unlisted.add(key)
        return True

    def forwards_unlisted(self, server: str, tool: str) -> bool:
        """Whether a tool that its server does not list may be called: where it is declared, and
        where nothing would be held anyway."""
        if self.options.modes.get(server, self.options.mode).only_watches:
            return True
        return any((each.server, each.tool) == (server, tool) for each in self.options.declarations)

    def find_mode(self, call: HostCall) -> Mode:
        """How far is gone with a tool: as it was declared, else as is said of all others."""
        key = call.server, call.tool
        if key not in self._tools:
            found = self.host.tools.find_tool(call)
            if found is None or key in self._unsaid:
                self._declare_unsaid(call)
                found = self.host.tools.find_tool(call)
            self._tools[key] = found
        tool = self._tools[key]
        return self.options.mode if tool is None else tool.reach.mode

    def forget_mode(self, server: str, tool: str) -> None:
        """A tool is declared anew, or will be at its next call."""
        self._tools.pop((server, tool), None)

    def change_options(self, options: GatewayOptions) -> None:
        """From now on, the operator says this of tools. A call under way ends as it began, and one
        that begins waits until its tool is declared anew."""
        declared = {(each.server, each.tool): each for each in options.declarations}
        self._unsaid |= self._misfits.keys() | self.unsure.keys()
        self._unsaid -= declared.keys()
        self.options, self.unsure = options, declared
        for known in (self._misfits, self.settled_at, self._tools):
            known.clear()

    def _declare_unsaid(self, call: HostCall) -> None:
        """A tool that the operator says nothing of: by its hints if they count, else its mode."""
        key = call.server, call.tool
        server = next((s for s in self.servers if s.name == call.server), Server(name=call.server))
        mode = self.options.modes.get(server.name, self.options.mode)
        hints = self._hints.get(key)
        said = {"name": call.tool, "annotations": hints}
        hinted = declare_by_hints(server.name, said, trusted=server.trusted, mode=mode)
        if hinted is not None:
            self.m.declare(call.tool, server=server.name, effect=hinted.effect, **hinted.said)
        elif hints is None and not mode.only_watches:
            told = f"'{show_name(call.tool)}' is called and not listed, so its calls are held."
            self.report_once(f"{server.name}: {told}", about=(server.name, "called and not listed"))
            self.m.declare(call.tool, server=server.name, effect=Effect.IRREVERSIBLE, mode=mode)
        else:
            self.m.declare(call.tool, server=server.name, mode=mode)
        self._unsaid.add(key)
        self.note_shape(call)

    def note_shape(self, call: HostCall) -> None:
        """Have a declared tool known with its schema: what is learned of it holds for that one.

        Without it, what learns from the store finds another schema there than the calls had.
        """
        self.host.tools.find(call)

    def is_held(self, server: str, tool: str, arguments: Mapping[str, object]) -> bool:
        """Whether a person is asked about a call before it is made."""
        known = self.host.parts.toolbox.find_by_name(tool, server=server)
        if known is None or not known.reach.has_effect:
            return False
        effect = known.declaration.classify_effect(arguments)
        return effect in (Effect.IRREVERSIBLE, Effect.UNDECLARED)

    def find_denial(self, principal: str, call: HostCall) -> str:
        """Why a client may not make a call; empty where it may."""
        grant = self.find_grant(principal)
        if not grant.allows(call.server, call.tool):
            return f"the operator does not grant {show_name(call.tool)} to {principal!r}"
        if not grant.effects:
            return ""
        known = self.host.parts.toolbox.find_by_name(call.tool, server=call.server)
        effect = Effect.UNDECLARED
        if known is not None:
            effect = known.declaration.classify_effect(call.arguments)
        granted = ", ".join(sorted(grant.effects))
        denial = f"it is {effect}, and {principal!r} is granted only {granted}"
        return "" if effect in grant.effects else denial

    def list_tools(self) -> list[tuple[str, str]]:
        """The tools that servers have listed, each after its server."""
        return list(self._hints)

    def note_state(self, principal: str, state: object) -> None:
        """A server has asked something in the place of an answer."""
        self._states[principal, str(state)] = None
        if len(self._states) > MOST_STATES:
            self._states.popitem(last=False)

    def has_asked(self, principal: str, state: str) -> bool:
        """Whether a server has asked that."""
        return (principal, state) in self._states

    def note_listed(self, tool: ListedTool) -> None:
        """A server lists a tool."""
        key, hints = (tool.server, tool.name), dict(tool.hints)
        before = self._hints.get(key)
        if before is not None:
            # Where it has said others before: that it destroys counts if it has ever said so, and
            # all else if it always has.
            destroys = True in (before.get(DESTROYS), hints.get(DESTROYS))
            hints = {name: value for name, value in hints.items() if before.get(name) == value}
            hints |= {DESTROYS: True} if destroys else {}
        if hints != before:
            self._hints[key] = hints
            self.forget_mode(*key)
