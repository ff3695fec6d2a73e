"""A call that is under way, and what it was given."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mulligan.core.ids import RANDOM_BITS, make_uuid7
from mulligan.turns.memory.offers import Corrected
from mulligan.turns.turn.context import Labels, OpenTurn

if TYPE_CHECKING:
    from mulligan.telemetry.spans import ToolSpan

_MUTABLE = frozenset({dict, list, set, bytearray})
_COPIED = 64


class Pending:
    """A call that is under way."""

    __slots__ = (
        "_copies", "arguments", "at_us", "follows", "id", "labels", "parameters", "parent", "span",
        "start", "try_number", "turn",
    )  # fmt: skip

    labels: Labels
    start: int
    turn: OpenTurn | None

    def __init__(self, at_us: int, *, chance: random.Random) -> None:
        self.id = make_uuid7(at_us, chance.getrandbits(RANDOM_BITS))
        self.at_us = at_us
        self.parameters: str | None = None
        """Redacted before the tool can change what it was given; `None`: not sampled."""
        self.parent: str | None = None
        self.follows: Corrected | None = None
        """The correction that this call is."""
        self.span: ToolSpan | None = None
        self.try_number = 1

    def take(self, arguments: Mapping[str, object]) -> None:
        """What the call is made with."""
        self.arguments = arguments
        # A tool may take things out of what it is given, and quote them in its error.
        self._copies = {
            name: value.copy()  # type: ignore[attr-defined]
            for name, value in arguments.items()
            if type(value) in _MUTABLE and len(value) <= _COPIED  # type: ignore[arg-type]
        }

    def as_given(self) -> Mapping[str, object]:
        """The arguments as they were when the call was made."""
        return {**self.arguments, **self._copies} if self._copies else self.arguments

    def has_changed(self) -> bool:
        """Whether the tool has changed what it was given, so that the same call cannot be made."""
        try:
            return any(self.arguments[name] != copy for name, copy in self._copies.items())
        except Exception:  # noqa: BLE001 - values that cannot even be compared
            return True

    def follow(self, corrected: Corrected) -> None:
        """This call is a later try of one that failed, with corrected arguments."""
        first = corrected.execution
        self.follows = corrected
        self.parent = first.call.parent or first.call.id
        self.try_number = first.try_number + 1

    def start_clock(self) -> None:
        """From here on it is the tool's own time."""
        self.start = time.perf_counter_ns()
