"""How much, how deep and how long: what keeps one peer from taking all there is."""

from __future__ import annotations

from mulligan.core.runtime.dataclass import dataclass

MEBI = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the gateway takes from a client or a server; every one can be set."""

    frame: int = 4 * MEBI
    """Bytes of one message."""
    depth: int = 128
    """How deep a message may be nested."""
    answer: float = 300.0
    """Seconds without an answer or a sign of progress after which a request is given up."""
    start: float = 60.0
    """Seconds that a server may take for its first answer."""
    stop: float = 2.0
    """Seconds for each step of stopping a server: input closed, asked to end, killed."""
    waiting: int = 10_000
    """Requests of one peer that are under way at once."""
    restarts: int = 5
    """Deaths in a row after which a server is left alone for a while."""
    backoff: float = 0.2
    """Seconds before the second start in a row; doubled for each that follows."""
    rest: float = 30.0
    """The longest pause between two starts, also of one that is left alone."""
