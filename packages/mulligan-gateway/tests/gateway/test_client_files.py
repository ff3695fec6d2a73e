"""A client's file goes behind the gateway, and back to the byte."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.client_files import (
    CLIENTS,
    find_client_file,
    find_file,
    find_store_file,
    keep_beside,
    unwrap_file,
    wrap_file,
)
from mulligan_gateway.servers_file import parse_jsonc, read_servers

CLAUDE = """{
  "theme": "dark",
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "server", "/home"],
      "env": { "KEY": "s3cr3t" },
      "autoApprove": ["read_file"]
    },
    "docs": { "type": "http", "url": "https://x.example/mcp", "headers": { "A": "Bearer t0ken" } }
  }
}
"""
VSCODE = """// of a person
{
\t"inputs": [], /* none */
\t"servers": {
\t\t"files": { "command": "npx", "args": ["-y", "server"], }, // mine
\t\t"asks": { "command": "x", "args": ["${input:key}"] },
\t\t"off": { "command": "x", "disabled": true },
\t},
}
"""
ZED = (
    '{\r\n  "context_servers": {\r\n    "files": {"source": "custom", "command": "npx"}\r\n  }\r\n}'
)
OURS = ("mulligan",)


def write(folder: Path, text: str) -> Path:
    path = folder / "config.json"
    path.write_bytes(text.encode())
    path.chmod(0o600)
    return path


def read(path: Path) -> dict[str, object]:
    found = parse_jsonc(path.read_bytes().decode()).value
    assert isinstance(found, dict)
    return found


def test_every_server_goes_behind_the_gateway(tmp_path):
    path = write(tmp_path, CLAUDE)

    done = wrap_file(path, command=OURS, options=["--pin"])

    kept = str(tmp_path / "config.before-mulligan.json")
    assert done.wrapped == ("files", "docs")
    assert read(path) == {
        "theme": "dark",
        "mcpServers": {
            "files": {
                "command": "mulligan",
                "args": ["gateway", kept, "--only", "files", "--pin"],
                "autoApprove": ["read_file"],
            },
            "docs": {
                "command": "mulligan",
                "args": ["gateway", kept, "--only", "docs", "--pin"],
            },
        },
    }


def test_what_the_gateway_is_pointed_at_has_the_server_with_its_secrets(tmp_path):
    wrap_file(write(tmp_path, CLAUDE), command=OURS)

    (files,) = read_servers(tmp_path / "config.before-mulligan.json", only="files")
    (docs,) = read_servers(tmp_path / "config.before-mulligan.json", only="docs")

    assert (files.command, files.env) == (("npx", "-y", "server", "/home"), {"KEY": "s3cr3t"})
    assert docs.headers == {"A": "Bearer t0ken"}


def test_secrets_stand_in_one_place_before_and_after(tmp_path):
    path = write(tmp_path, CLAUDE)

    wrap_file(path, command=OURS)
    wrapped = [each.name for each in tmp_path.iterdir() if "s3cr3t" in each.read_text()]
    unwrap_file(path)
    unwrapped = [each.name for each in tmp_path.iterdir() if "s3cr3t" in each.read_text()]

    assert (wrapped, unwrapped) == (["config.before-mulligan.json"], ["config.json"])


@pytest.mark.parametrize("text", [CLAUDE, VSCODE, ZED])
def test_what_is_put_back_is_what_was_there_to_the_byte(tmp_path, text):
    path = write(tmp_path, text)

    wrap_file(path, command=OURS)
    wrapped = path.read_bytes()
    done = unwrap_file(path)

    assert wrapped != text.encode()
    assert path.read_bytes() == text.encode()
    assert done.changed
    assert [each.name for each in tmp_path.iterdir()] == ["config.json"]


@pytest.mark.parametrize("text", [CLAUDE, VSCODE, ZED])
def test_twice_is_as_once(tmp_path, text):
    path = write(tmp_path, text)
    first = wrap_file(path, command=OURS)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}

    second = wrap_file(path, command=OURS)

    assert (first.changed, second.changed, second.wrapped) == (True, False, first.wrapped)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_comments_and_what_nobody_knows_stay(tmp_path):
    path = write(tmp_path, VSCODE)

    done = wrap_file(path, command=OURS)
    text = path.read_text()

    assert text.startswith("// of a person\n")
    assert "/* none */" in text
    assert "// mine" in text
    assert done.wrapped == ("files",)
    assert read(path)["servers"]["files"]["type"] == "stdio"
    assert "\r" not in text


def test_what_only_its_client_could_start_is_left_and_said(tmp_path):
    done = wrap_file(write(tmp_path, VSCODE), command=OURS)

    assert done.left is not None
    assert "only its own client can fill" in done.left["asks"]
    assert "disabled" in done.left["off"]


def test_a_file_of_which_nothing_can_be_wrapped_leaves_no_copy_of_its_secrets(tmp_path):
    path = write(tmp_path, '{"servers": {"off": {"command": "x", "disabled": true}}}')

    done = wrap_file(path, command=OURS)

    assert (done.wrapped, done.changed) == ((), False)
    assert list(tmp_path.iterdir()) == [path]


def test_a_server_that_was_added_since_is_wrapped_too_and_put_back_too(tmp_path):
    path = write(tmp_path, CLAUDE)
    wrap_file(path, command=OURS)
    document = json.loads(path.read_text())
    document["mcpServers"]["new"] = {"command": "added"}
    document["theme"] = "light"
    path.write_text(json.dumps(document))

    done = wrap_file(path, command=OURS)
    unwrap_file(path)

    assert done.wrapped == ("files", "docs", "new")
    expected = json.loads(CLAUDE)
    expected["mcpServers"]["new"] = {"command": "added"}
    assert read(path) == {**expected, "theme": "light"}


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_the_mode_of_a_file_is_kept_on_both(tmp_path, mode):
    path = write(tmp_path, CLAUDE)
    path.chmod(mode)

    done = wrap_file(path, command=OURS)

    assert [each.stat().st_mode & 0o777 for each in (path, done.kept)] == [mode, mode]


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_a_link_stays_a_link_and_its_file_is_changed(tmp_path):
    (tmp_path / "dotfiles").mkdir()
    path = write(tmp_path / "dotfiles", CLAUDE)
    link = tmp_path / "link.json"
    link.symlink_to(path)

    wrap_file(link, command=OURS)

    assert link.is_symlink()
    assert "--only" in path.read_text()


def test_nothing_is_written_where_nothing_can_be_read(tmp_path):
    for text, says in (
        ("{", "is no JSON"),
        ('{"mcpServers": {}}', "names no server yet"),
        ('{"x": 1}', "names no servers"),
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "twice"),
    ):
        path = write(tmp_path, text)

        with pytest.raises(ConfigurationError, match=says):
            wrap_file(path, command=OURS)

        assert path.read_text() == text
        assert [each.name for each in tmp_path.iterdir()] == ["config.json"]


def test_without_what_was_kept_nothing_is_put_back(tmp_path):
    path = write(tmp_path, CLAUDE)
    done = wrap_file(path, command=OURS)
    done.kept.unlink()
    text = path.read_text()

    with pytest.raises(ConfigurationError, match="is not beside it"):
        unwrap_file(path)

    assert path.read_text() == text


def test_what_was_never_wrapped_is_left_alone(tmp_path):
    path = write(tmp_path, CLAUDE)

    assert not unwrap_file(path).changed
    assert path.read_text() == CLAUDE


def test_a_client_is_found_by_its_name_and_a_file_by_its_path(tmp_path):
    assert find_file("cursor").name == "mcp.json"
    assert find_file(str(tmp_path)) == tmp_path
    assert keep_beside(Path(".mcp.json")).name == ".mcp.before-mulligan.json"


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="There is no file"):
        wrap_file(tmp_path / "none.json", command=OURS)


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
