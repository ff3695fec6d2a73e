from __future__ import annotations

from pathlib import Path

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.client_files import CLIENTS, find_client_file, find_store_file

HOME = Path("/home/ann")


def find(client: str, platform: str, **environment: str) -> str:
    found = find_client_file(client, platform=platform, home=HOME, environment=environment)
    return found.as_posix().removeprefix("/home/ann/")


@pytest.mark.parametrize(
    ("client", "linux", "mac", "windows"),
    [
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "AppData/Roaming/Claude/claude_desktop_config.json",
        ),
        ("claude-code", ".claude.json", ".claude.json", ".claude.json"),
        ("cursor", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json"),
        (
            "vscode",
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            "AppData/Roaming/Code/User/mcp.json",
        ),
        ("windsurf", *[".codeium/windsurf/mcp_config.json"] * 3),
        (
            "zed",
            ".config/zed/settings.json",
            ".config/zed/settings.json",
            "AppData/Roaming/Zed/settings.json",
        ),
    ],
)
def test_each_client_has_its_place_on_each_system(client, linux, mac, windows):
    found = [find(client, platform) for platform in ("linux", "darwin", "win32")]

    assert found == [linux, mac, windows]


def test_the_environment_says_where_settings_are():
    assert find("vscode", "linux", XDG_CONFIG_HOME="/x") == "/x/Code/User/mcp.json"
    assert find("vscode", "win32", APPDATA="/y") == "/y/Code/User/mcp.json"


def test_a_client_that_nobody_knows_is_refused_with_the_nearest():
    with pytest.raises(ConfigurationError, match="Did you mean 'cursor'"):
        find_client_file("curser")
    assert len(CLIENTS) == 6


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, ".local/share/mulligan/gateway.db"),
        ("linux", {"XDG_DATA_HOME": "/x"}, "/x/mulligan/gateway.db"),
        ("darwin", {}, "Library/Application Support/mulligan/gateway.db"),
        ("win32", {}, "AppData/Local/mulligan/gateway.db"),
        ("win32", {"LOCALAPPDATA": "/y"}, "/y/mulligan/gateway.db"),
    ],
)
def test_what_clients_do_is_kept_in_the_persons_own_place(platform, environment, expected):
    found = find_store_file(platform=platform, home=HOME, environment=environment)

    assert found.as_posix().removeprefix("/home/ann/") == expected
