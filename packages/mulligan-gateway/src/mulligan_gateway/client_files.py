"""A client's file with every server behind the gateway, and the way back.

Where the known clients have their files depends on the operating system. The file as it was lies
beside it, and the gateway reads the servers from there: with their secrets, which then stand in
that one place alone. What is put back is what was there, to the byte.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.servers_file import (
    Node,
    find_section,
    list_entries,
    parse_jsonc,
    read_servers,
)
from mulligan_gateway.toml_table import describe_unknown

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
    unix = at_home / ".config" if platform == "darwin" else folder
    zed = unix / ("Zed" if platform == "win32" else "zed")
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


MARK = "before-mulligan"
OURS = (sys.executable, "-m", "mulligan")
"""The program by its whole path: what a desktop starts knows little of a shell's."""
REPLACED = frozenset(
    ("command", "args", "env", "envFile", "cwd", "url", "serverUrl", "httpUrl", "headers", "type",
     "transport", "source", "trusted")
)  # fmt: skip
"""What the gateway reads in the place of the client; all else of an entry is the client's own."""


class Wrapping(Struct, frozen=True, kw_only=True):
    """What was done to a file."""

    path: Path
    kept: Path
    """Where it lies as it was."""
    wrapped: tuple[str, ...] = ()
    left: Mapping[str, str] | None = None
    """Servers that stand as they were, and why."""
    changed: bool = False
    """`False`: it was so already, and nothing was written."""


def find_file(named: str) -> Path:
    """The file of a known client by its name, else the path itself."""
    return find_client_file(named) if named in CLIENTS else Path(named)


def keep_beside(path: Path) -> Path:
    """Where a file is kept as it was."""
    return path.with_name(f"{path.stem}.{MARK}{path.suffix}")


def wrap_file(
    path: Path, *, command: Sequence[str] = OURS, options: Sequence[str] = ()
) -> Wrapping:
    """Put every server of a client's file behind the gateway; idempotent.

    `options` go to the gateway, such as `--declarations FILE`.
    """
    path = path.resolve()
    kept = keep_beside(path)
    text = _read(path)
    original = _put_back(text, path, kept)
    if not _find_entries(original, path):
        raise ConfigurationError(f"{path} names no server yet, so there is nothing to wrap.")
    with write_beside(kept, original, like=path) as fresh:
        names, left = _sort_servers(original, path, fresh)
        if not names and text == original:
            return Wrapping(path=path, kept=kept, left=left)
        lines = [*command, "gateway", str(kept)]
        commands = {name: [*lines, "--only", name, *options] for name in names}
        wrapped = _replace_entries(original, commands, path)
        if wrapped == text and kept.exists() and _read(kept) == original:
            return Wrapping(path=path, kept=kept, wrapped=tuple(names), left=left)
        _refuse_changed(path, text)
        fresh.replace(kept)
    _replace(path, wrapped, before=text)
    return Wrapping(path=path, kept=kept, wrapped=tuple(names), left=left, changed=True)


def unwrap_file(path: Path) -> Wrapping:
    """Put the servers of a client's file back as they were; what else was changed since stays."""
    path = path.resolve()
    kept = keep_beside(path)
    text = _read(path)
    names = tuple(_list_wrapped(text, path, kept))
    if not names:
        return Wrapping(path=path, kept=kept)
    _replace(path, _put_back(text, path, kept), before=text)
    # What was kept is in the file again, with its secrets: they stay in one place.
    kept.unlink()
    return Wrapping(path=path, kept=kept, wrapped=names, changed=True)


def _put_back(text: str, path: Path, kept: Path) -> str:
    """The text with every wrapped entry as it was."""
    names = list(_list_wrapped(text, path, kept))
    if not names:
        return text
    if not kept.exists():
        raise ConfigurationError(
            f"{path} has servers behind the gateway, but {kept.name} is not beside it. Without it "
            "the original entries are unknown: put it there, or write those servers anew."
        )
    before = _read(kept)
    known = _find_entries(before, kept)
    lost = [name for name in names if name not in known]
    if lost:
        raise ConfigurationError(f"{kept} does not have the server {lost[0]!r}, which is wrapped.")
    raw = {name: before[known[name].start : known[name].end] for name in names}
    return _replace_spans(text, raw, path)


def _list_wrapped(text: str, path: Path, kept: Path) -> Iterator[str]:
    for name, node in _find_entries(text, path).items():
        entry = node.value
        said = entry.get("args") if isinstance(entry, dict) else None
        args = said if isinstance(said, list) else []
        # Those of a gateway for this server of the kept file.
        ours = ["gateway", str(kept), "--only", name]
        if any(args[at : at + 4] == ours for at in range(len(args))):
            yield name


def _sort_servers(text: str, path: Path, fresh: Path) -> tuple[list[str], dict[str, str]]:
    """Which servers go behind the gateway, and why the others do not."""
    names, left = [], {}
    for name, node in _find_entries(text, path).items():
        entry = node.value if isinstance(node.value, dict) else {}
        if entry.get("disabled") is True or entry.get("enabled") is False:
            left[name] = "it is disabled; wrap again once it is not"
            continue
        try:
            read_servers(fresh, only=name)
        except ConfigurationError as error:
            # As the gateway would say it when its client starts it.
            left[name] = str(error).replace(str(fresh), path.name)
        else:
            names.append(name)
    return names, left


def _replace_entries(text: str, commands: Mapping[str, Sequence[str]], path: Path) -> str:
    section = find_section(_as_mapping(parse_jsonc(text)))[-1]
    entries = _find_entries(text, path)
    written = {}
    for name, (program, *args) in commands.items():
        node = entries[name]
        rest = {k: v for k, v in _as_mapping(node).items() if k not in REPLACED}
        entry: dict[str, object] = dict(_OF_SECTIONS.get(section, {}))
        entry |= {"command": program, "args": args, **rest}
        line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
        margin = line[: len(line) - len(line.lstrip())]
        newline = "\r\n" if "\r\n" in text else "\n"
        unit = "\t" if margin.startswith("\t") else "  "
        lines = json.dumps(entry, indent=unit, ensure_ascii=False).split("\n")
        written[name] = f"{newline}{margin}".join(lines)
    return _replace_spans(text, written, path)


_OF_SECTIONS = {"servers": {"type": "stdio"}, "context_servers": {"source": "custom"}}
"""What VS Code and Zed want to see in an entry."""


def _replace_spans(text: str, written: Mapping[str, str], path: Path) -> str:
    """The text with some entries in other words; every other byte stays."""
    entries = _find_entries(text, path)
    for name in sorted(written, key=lambda each: entries[each].start, reverse=True):
        node = entries[name]
        text = text[: node.start] + written[name] + text[node.end :]
    return text


def _find_entries(text: str, path: Path) -> dict[str, Node]:
    try:
        root = parse_jsonc(text)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path} is no JSON. {error} Nothing was changed.") from error
    document = _as_mapping(root)
    list_entries(document, path)
    for name in find_section(document):
        root = root.members[name]
    return root.members


def _as_mapping(node: Node) -> Mapping[str, object]:
    return node.value if isinstance(node.value, dict) else {}


def _read(path: Path) -> str:
    try:
        # As it is: a text read in Python's own way would lose its line ends.
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"There is no file {path}. Name one that a client has, or the client: "
            f"{', '.join(CLIENTS)}."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}.") from error


def _refuse_changed(path: Path, text: str) -> None:
    if _read(path) != text:
        raise ConfigurationError(
            f"{path} was changed while it was read, perhaps by its client. Nothing was written: "
            "close the client, and try again."
        )


def _replace(path: Path, text: str, *, before: str) -> None:
    with write_beside(path, text, like=path) as fresh:
        _refuse_changed(path, before)
        fresh.replace(path)


@contextmanager
def write_beside(path: Path, text: str, *, like: Path) -> Iterator[Path]:
    """A new file beside another one, with its mode, on disk; deleted unless it was moved."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        fresh.chmod(stat.S_IMODE(like.stat().st_mode))
        yield fresh
    finally:
        # Moved to its place, it is no longer here.
        with suppress(FileNotFoundError):
            fresh.unlink()
