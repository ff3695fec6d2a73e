"""How a gateway goes about it, as its operator says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from mulligan.core.effect import Mode
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.declarations import ToolDeclaration
from mulligan.gateway.protocol.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayOptions:
    """What may be said of a gateway. Without a word, it only watches and remembers."""

    mode: Mode = Mode.OBSERVE
    """How far it goes with tools that no declaration names."""
    own_tools: bool = True
    """Offer clients the tools that say why a call failed, and take back what they did."""
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
