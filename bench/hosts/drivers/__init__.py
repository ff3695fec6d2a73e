"""Agents of other frameworks, each with a model that follows a script, with Mulligan in one line.

One module a host, imported when it is used. Each has what `Driver` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, cast

from mulligan import Mulligan

HOSTS = {
    "pydantic-ai": "pydantic_ai",
    "langchain": "langchain",
    "openai-agents": "agents",
    "fastmcp": "fastmcp",
    "strands": "strands",
    "google-adk": "google.adk",
    "claude-agent": "claude_agent_sdk",
}
"""Each with the package that it comes in."""

OTHERS = {
    "smolagents": "smolagents",
    "crewai": "crewai",
    "llama-index": "llama_index",
    "dspy": "dspy",
}
"""The same of frameworks without an adapter, whose tools are decorated: each has its example."""

Step = tuple[str, dict[str, Any]] | str
"""What the model does next: it calls a tool, or it replies."""

Conversation = Sequence[tuple[str, Sequence[Step]]]
"""Messages of a person, each with what the model does then."""

Tools = Sequence[Callable[..., Any]]
"""Plain functions, not decorated: what they do is declared by their names."""


@dataclass
class Ran:
    """What came of a run."""

    reply: str = ""
    """What the person reads."""
    shown: list[str] = field(default_factory=list)
    """Everything that the model was shown, one text for each time that it was asked."""
    waits: Any = None
    """The host's own state of a run that waits for a person; `None`: it has ended."""


class Driver(Protocol):
    """One host, driven by a script."""

    CANNOT: Mapping[str, str]
    """What the host has no power for, by the names of the stories, with the reason."""

    async def run(
        self, m: Mulligan | None, tools: Tools, message: str, script: Sequence[Step], **options: Any
    ) -> Ran:
        """One run of an agent on a message; without Mulligan where there is none."""

    async def converse(self, m: Mulligan, tools: Tools, talk: Conversation) -> list[Ran]:
        """A run for each of several messages in one conversation, as the host keeps it."""

    async def stream(
        self, m: Mulligan, tools: Tools, message: str, script: Sequence[Step], **options: Any
    ) -> list[str]:
        """The texts that a stream of such a run shows, in parts."""

    async def go_on(self, m: Mulligan, tools: Tools, ran: Ran, script: Sequence[Step]) -> Ran:
        """Go on with a run that waits, now that a person has decided."""


def list_installed() -> list[str]:
    """The hosts that there are in this environment."""
    return [host for host, package in HOSTS.items() if is_installed(package)]


def is_installed(package: str) -> bool:
    """Whether there is a package, which may be inside another one."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def load_driver(host: str) -> Driver:
    """The driver of a host, which must be installed."""
    return cast("Driver", import_module(f"bench.hosts.drivers.{host.replace('-', '_')}"))
