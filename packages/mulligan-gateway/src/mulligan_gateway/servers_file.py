"""The file that MCP clients name their servers in, as each of them writes it.

It is JSON with comments and trailing commas, read with where each value stands.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.types.errors import ConfigurationError, StoreUnavailableError
from mulligan.types.private_files import refuse_unsafe
from mulligan.types.values import hide_fields

_TEXT = r'"(?:[^"\\\n]|\\.)*+"?'
_COMMENT = re.compile(rf"({_TEXT})|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(\*/)?|\A\ufeff")
_LAST_COMMA = re.compile(rf"({_TEXT})|,(?=\s*[\]}}])")
_BLANK = re.compile(r"[\s:,]*+")


@hide_fields("text")
class Node(Struct, frozen=True, kw_only=True):
    """A value and the stretch of text that it was read from."""

    text: str
    """All of it, without comments."""
    value: Any
    start: int
    end: int

    @property
    def members(self) -> dict[str, Node]:
        """Of an object, each with its path."""
        found: dict[str, Node] = {}
        at = _skip(self.text, self.start + 1)
        while isinstance(self.value, dict) and self.text[at] != "}":
            name, end = _read(self.text, at)
            start = _skip(self.text, end)
            value, end = _read(self.text, start)
            found[name] = Node(text=self.text, value=value, start=start, end=end)
            at = _skip(self.text, end)
        return found


def parse_jsonc(text: str) -> Node:
    """Read a text; `ConfigurationError` says where it cannot be read."""

    def drop(found: re.Match[str]) -> str:
        if found[0].startswith("/*") and not found[2]:
            line = text.count("\n", 0, found.start()) + 1
            raise ConfigurationError(f"Line {line}: the comment has no end.")
        # Everything keeps its place.
        return found[1] or re.sub(r"[^\n]", " ", found[0])

    plain = _LAST_COMMA.sub(lambda found: found[1] or " ", _COMMENT.sub(drop, text))
    try:
        json.loads(plain, object_pairs_hook=_refuse_doubled, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        where = f"Line {error.lineno}, column {error.colno}"
        raise ConfigurationError(f"{where}: {error.msg.lower()}.") from error
    except RecursionError as error:
        raise ConfigurationError("It is nested too deep.") from error
    start = _skip(plain, 0)
    value, end = _read(plain, start)
    return Node(text=plain, value=value, start=start, end=end)


_read = json.JSONDecoder().raw_decode


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _refuse_doubled(pairs: list[tuple[str, object]]) -> dict[str, object]:
    twice = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if twice:
        raise ConfigurationError(f"{twice[0]!r} stands there twice, and programs differ on which.")
    return dict(pairs)


def _refuse_constant(name: str) -> object:
    raise ConfigurationError(f"{name} is no value of JSON.")


SECTIONS = ("mcpServers", "servers", "context_servers")
"""Where the servers stand: of most clients, of VS Code, of Zed."""
INSIDE = "mcp"
"""A section may stand in here, as in the settings of VS Code."""
MOST_BYTES = 4 * 1024 * 1024
TRANSPORTS = {
    "": "",
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "streamable_http": "http",
}
"""What clients call a transport."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}")
_VARIABLE = re.compile(r"\$\{([^{}]*+)\}")
_PLAIN_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)


@hide_fields("command", "env", "url", "headers")
class Server(Struct, frozen=True, kw_only=True):
    """One upstream server: a program to start, or a URL to connect to."""

    name: str
    command: tuple[str, ...] = ()
    """The program and its arguments; empty where there is a URL."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Never shown, as secrets stand there."""
    cwd: Path | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    trusted: bool = False
    """The operator takes what it says of its own tools (`readOnlyHint` …) at its word."""
    beside: tuple[str, ...] = ()
    """The other servers of its file, where it was read alone: they may be spoken of, too."""


def read_servers(
    path: Path, *, environment: Mapping[str, str] | None = None, only: str = ""
) -> tuple[Server, ...]:
    """The servers of a file, less those that it disables; `${VARIABLES}` are filled in.

    `only`: that one alone, and no other need be readable.
    """
    variables = os.environ if environment is None else environment
    entries = list_entries(read_document(path), path)
    beside: tuple[str, ...] = ()
    if only:
        if only not in entries:
            known = ", ".join(map(repr, entries)) or "none"
            raise ConfigurationError(f"{path} has no server {only!r}. It has {known}.")
        beside = tuple(name for name in entries if name != only)
        entries = {only: entries[only]}
    found = []
    for name, entry in entries.items():
        reader = _Entry(name, entry, path=path, variables=variables)
        if not reader.read_flag("disabled") and reader.read_flag("enabled", default=True):
            found.append(replace(reader.read(), beside=beside))
    if not found:
        raise ConfigurationError(
            f"{path} has no server that is enabled. Add one to its {SECTIONS[0]}: "
            '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "…"]}}}.'
        )
    return tuple(found)


def read_document(path: Path) -> Mapping[str, object]:
    """The whole file as it is, refused where others could have written it: it runs programs."""
    try:
        refuse_unsafe(path, linked=True)
        if path.stat().st_size > MOST_BYTES:
            raise ConfigurationError(f"{path} is larger than {MOST_BYTES} bytes: no such file.")
        text = path.read_bytes().decode("utf-8-sig")
    except StoreUnavailableError as error:
        raise ConfigurationError(f"The servers are not read: {error}") from error
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"There is no file {path}. Pass the one that your client names its servers in, such "
            "as .mcp.json."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}.") from error
    try:
        document = parse_jsonc(text).value
    except ConfigurationError as error:
        raise ConfigurationError(f"{path} is no JSON. {error}") from error
    if not isinstance(document, dict):
        raise ConfigurationError(f"{path} holds {_name_type(document)}, not an object of settings.")
    return document


def find_section(document: Mapping[str, object]) -> tuple[str, ...]:
    """The way to the servers in a document; empty where it has none."""
    for outer in ((), (INSIDE,)):
        place = document.get(INSIDE) if outer else document
        if isinstance(place, Mapping) and (found := [name for name in SECTIONS if name in place]):
            return (*outer, found[0])
    return ()


def list_entries(document: Mapping[str, object], path: Path) -> dict[str, Mapping[str, object]]:
    """The entries by name, as they stand."""
    way = find_section(document)
    if not way:
        known = ", ".join(repr(name) for name in SECTIONS)
        raise ConfigurationError(
            f"{path} names no servers: it has none of {known}. Its keys: "
            f"{', '.join(map(repr, sorted(document))) or 'none'}."
        )
    place: object = document
    for name in way:
        place = place[name] if isinstance(place, Mapping) else None
    if not isinstance(place, Mapping):
        raise ConfigurationError(
            f"{path}: {'.'.join(way)} is {_name_type(place)}, not an object of servers by name."
        )
    for name, entry in place.items():
        if not isinstance(entry, Mapping):
            raise ConfigurationError(
                f"{path}: the server {name!r} is {_name_type(entry)}, not an object with a command "
                "or a url."
            )
    return dict(place)


class _Entry:
    """One server as a client wrote it down."""

    def __init__(
        self,
        name: str,
        entry: Mapping[str, object],
        *,
        path: Path,
        variables: Mapping[str, str],
    ) -> None:
        self.name = name
        self.path = path
        self.variables = variables
        nested = entry.get("command")
        if isinstance(nested, Mapping):
            # Zed once wrote the program as an object of its own.
            inner = {name: nested[name] for name in ("args", "env") if name in nested}
            entry = {**entry, **inner, "command": nested.get("path", "")}
        self.entry = entry

    def fail(self, why: str) -> ConfigurationError:
        return ConfigurationError(f"{self.path}: the server {self.name!r} {why}")

    def read(self) -> Server:
        if not _NAME.fullmatch(self.name):
            raise self.fail(
                "has a name that no tool could be called by. Use letters, digits, _, - and dots."
            )
        url = self._read_url()
        command = self._read_command()
        said = self._read_transport()
        if bool(url) == bool(command):
            both = "both a command and a url" if url else "neither a command nor a url"
            raise self.fail(f"has {both}. A program to start has one, a remote server the other.")
        if said and said != ("http" if url else "stdio"):
            raise self.fail(f"says type {self.entry.get('type')!r}, but has no fitting address.")
        return Server(
            name=self.name,
            command=command,
            env=self._read_texts("env"),
            cwd=self._read_folder(),
            url=url,
            headers=self._read_texts("headers"),
            trusted=self.read_flag("trusted"),
        )

    def read_flag(self, name: str, *, default: bool = False) -> bool:
        value = self.entry.get(name, default)
        if not isinstance(value, bool):
            raise self.fail(f"says {name}={value!r}; it is true or false.")
        return value

    def _read_transport(self) -> str:
        said = self.entry.get("type", self.entry.get("transport", ""))
        if said == "sse":
            raise self.fail(
                "is of the retired transport 'sse'. Ask its makers for the URL of its streamable "
                'HTTP, often …/mcp, and write "type": "http".'
            )
        if not isinstance(said, str) or said not in TRANSPORTS:
            known = ", ".join(repr(each) for each in TRANSPORTS if each)
            raise self.fail(f"says type {said!r}. Known are {known}.")
        return TRANSPORTS[said]

    def _read_command(self) -> tuple[str, ...]:
        program = self.entry.get("command", "")
        if isinstance(program, list):
            given: list[object] = program
        else:
            given = [program] if program != "" else []
        arguments = self.entry.get("args", [])
        if not isinstance(arguments, list):
            raise self.fail(f"has args {arguments!r}; it is a list of texts.")
        if arguments and not given:
            raise self.fail("has args, but no command that would take them.")
        return tuple(self._fill("command", each) for each in [*given, *arguments])

    def _read_url(self) -> str:
        given = [self.entry[name] for name in ("url", "serverUrl", "httpUrl") if name in self.entry]
        if not given:
            return ""
        if len(given) > 1:
            raise self.fail("has its URL under two names. Keep one: url.")
        url = self._fill("url", given[0])
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise self.fail("has a url that is none. It begins with https:// or http://.")
        if parts.username or parts.password:
            raise self.fail("has a password in its url. Put it into headers: Authorization.")
        return url

    def _read_texts(self, name: str) -> dict[str, str]:
        given = self.entry.get(name)
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            raise self.fail(f"has {name} that are {_name_type(given)}, not an object of texts.")
        # Numbers and booleans are what people write there, and programs get texts anyway.
        texts = {
            key: json.dumps(value) if isinstance(value, int | float) else value
            for key, value in given.items()
        }
        return {key: self._fill(f"{name}.{key}", value) for key, value in texts.items()}

    def _read_folder(self) -> Path | None:
        given = self.entry.get("cwd")
        if given is None or given == "":
            return None
        folder = Path(self._fill("cwd", given)).expanduser()
        if not folder.is_absolute():
            folder = self.path.absolute().parent / folder
        if not folder.is_dir():
            raise self.fail(f"is to start in {folder}, which is no folder.")
        return folder

    def _fill(self, where: str, text: object) -> str:
        if not isinstance(text, str):
            raise self.fail(f"has {_name_type(text)} in {where}, where a text belongs.")
        if "\x00" in text:
            raise self.fail(f"has a zero byte in {where}.")
        return _VARIABLE.sub(lambda found: self._expand(where, found[1]), text)

    def _expand(self, where: str, said: str) -> str:
        # What clients fill in that is the same for all of them on a machine.
        if said in ("/", "pathSeparator"):
            return os.sep
        if said == "userHome":
            return str(Path.home())
        found = _PLAIN_VARIABLE.fullmatch(said)
        if found is None:
            raise self.fail(
                f"has ${{{said}}} in {where}, which only its own client can fill. Put the value "
                "there, or a variable of the environment: ${NAME} or ${NAME:-default}."
            )
        name, default = found[1], found[2]
        value = self.variables.get(name)
        if value:
            return value
        if default is not None:
            return default
        if value is None:
            raise self.fail(
                f"needs the variable {name} in {where}, which is not set. Set it where the gateway "
                f"is started, or write ${{{name}:-default}}."
            )
        return value


def _name_type(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a boolean"}
    return "null" if value is None else names.get(type(value), "a number")
