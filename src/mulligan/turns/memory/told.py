"""What is said about one call while it is made, for whoever made it: its host has to pass it on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from mulligan.turns.memory.advice_text import Advised, Mended

_listening: ContextVar[list[Advised | Mended] | None] = ContextVar(
    "mulligan_listening", default=None
)


@contextmanager
def listen() -> Iterator[list[Advised | Mended]]:
    """Everything that is said about the calls made in here, as it is said."""
    said: list[Advised | Mended] = []
    token = _listening.set(said)
    try:
        yield said
    finally:
        _listening.reset(token)


def tell(what: Advised | Mended) -> None:
    """Say something about a call that is being made."""
    said = _listening.get()
    if said is not None:
        said.append(what)
