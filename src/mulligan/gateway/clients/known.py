"""Where the known clients have their files, by operating system."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from mulligan.core.errors import ConfigurationError
from mulligan.gateway.undoing.tables import describe_unknown

CLIENTS = ("claude-code", "claude-desktop", "cursor", "vscode", "windsurf", "zed")


def find_client_file(
    client: str,
    *,
    platform: str = sys.platform,
    home: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Path:
    """The file that a client has for its user; one of a project is named by its path instead."""
    if client not in CLIENTS:
        raise ConfigurationError(f"Clients: {describe_unknown(client, CLIENTS)}")
    at_home = Path.home() if home is None else home
    folder = _find_settings(platform, at_home, os.environ if environment is None else environment)
    # Zed has its settings among those of Unix on a Mac, too.
    zed = at_home / ".config" / "zed" if platform == "darwin" else folder / _name_zed(platform)
    places = {
        "claude-code": at_home / ".claude.json",
        "claude-desktop": folder / "Claude" / "claude_desktop_config.json",
        "cursor": at_home / ".cursor" / "mcp.json",
        "vscode": folder / "Code" / "User" / "mcp.json",
        "windsurf": at_home / ".codeium" / "windsurf" / "mcp_config.json",
        "zed": zed / "settings.json",
    }
    return places[client]


def find_store_file(
    *,
    platform: str = sys.platform,
    home: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Path:
    """Where a person's clients keep what they did, unless the person says where."""
    at_home = Path.home() if home is None else home
    said = os.environ if environment is None else environment
    if platform == "win32":
        folder = Path(said.get("LOCALAPPDATA") or at_home / "AppData" / "Local")
    elif platform == "darwin":
        folder = _find_settings(platform, at_home, said)
    else:
        folder = Path(said.get("XDG_DATA_HOME") or at_home / ".local" / "share")
    return folder / "mulligan" / "gateway.db"


def _find_settings(platform: str, home: Path, environment: Mapping[str, str]) -> Path:
    """Where programs keep what they are told."""
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    if platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


def _name_zed(platform: str) -> str:
    return "Zed" if platform == "win32" else "zed"
