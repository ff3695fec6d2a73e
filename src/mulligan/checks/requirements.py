"""What the checks ask for, as text for a prompt: then writer and checker agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mulligan.core.finding import Finding
from mulligan.core.text import Reply, TextCheck

LookAt = Callable[[Reply], Iterable[Finding]]


def asks(sentence: str, *, name: str = "") -> Callable[[LookAt], TextCheck]:
    """Say what a check of one's own asks for: `@asks("Write in British English.")`."""

    def with_its_requirement(look: LookAt) -> TextCheck:
        called = name or getattr(look, "__name__", "check")
        return TextCheck(name=called, look=look, asks=sentence)

    return with_its_requirement


def render_requirements(checks: Iterable[LookAt]) -> str:
    """A list of what the checks ask for. One that cannot say is left out."""
    wanted = [check.asks for check in checks if isinstance(check, TextCheck) and check.asks]
    return "\n".join(f"- {sentence}" for sentence in dict.fromkeys(wanted))
