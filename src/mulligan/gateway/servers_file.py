"""The usual file of MCP servers: `{"mcpServers": {"files": {"command": …}}}`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mulligan.core.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server, as an operator's file names it."""

    name: str
    command: tuple[str, ...] = ()
    """What starts it. Empty: it is reached at its address."""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: Path | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    trusted: bool = False
    """What its tools say of themselves may be believed."""
    shared: bool = False
    """It keeps nothing of its clients, so that one connection serves them all."""


def read_servers(path: Path) -> tuple[Server, ...]:
    """The servers of a file."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]
        return tuple(_read_server(name, said) for name, said in table.items())
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise ConfigurationError(f"{path} is no file of MCP servers: {error!r}.") from error


def _read_server(name: str, said: Mapping[str, Any]) -> Server:
    return Server(
        name=name,
        command=(said["command"], *said.get("args", ())) if "command" in said else (),
        env=said.get("env", {}),
        cwd=Path(said["cwd"]) if "cwd" in said else None,
        url=said.get("url", ""),
        headers=said.get("headers", {}),
        trusted=bool(said.get("trusted")),
        shared=bool(said.get("shared")),
    )
