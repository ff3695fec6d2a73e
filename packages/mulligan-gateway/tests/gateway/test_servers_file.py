"""The file of servers, as every client writes it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.servers_file import Server, parse_jsonc, read_servers

ENVIRONMENT = {"TOKEN": "s3cr3t", "EMPTY": ""}


def write(folder: Path, document: object) -> Path:
    path = folder / "mcp.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    path.chmod(0o600)
    return path


def read_one(folder: Path, entry: object) -> Server:
    path = write(folder, {"mcpServers": {"files": entry}})
    return read_servers(path, environment=ENVIRONMENT)[0]


def test_a_program_is_read_with_its_arguments_and_environment(tmp_path):
    server = read_one(
        tmp_path,
        {
            "command": "npx",
            "args": ["-y", "server", "--key=${TOKEN}"],
            "env": {"KEY": "${env:TOKEN}", "PORT": 8080, "DEBUG": True},
            "cwd": str(tmp_path),
        },
    )

    assert server.command == ("npx", "-y", "server", "--key=s3cr3t")
    assert server.env == {"KEY": "s3cr3t", "PORT": "8080", "DEBUG": "true"}
    assert (server.cwd, server.url) == (tmp_path, "")


def test_a_remote_server_is_read_with_its_headers(tmp_path):
    server = read_one(
        tmp_path,
        {"type": "http", "url": "https://x.example/mcp", "headers": {"A": "Bearer ${TOKEN}"}},
    )

    assert (server.url, server.headers) == ("https://x.example/mcp", {"A": "Bearer s3cr3t"})
    assert server.command == ()


@pytest.mark.parametrize(
    "document",
    [
        {"mcpServers": {"s": {"command": "x", "autoApprove": ["y"], "timeout": 3}}},
        {"servers": {"s": {"type": "stdio", "command": "x"}}, "inputs": []},
        {"mcp": {"servers": {"s": {"command": "x"}}}, "editor.fontSize": 12},
        {"context_servers": {"s": {"source": "custom", "command": {"path": "x", "args": []}}}},
        {"context_servers": {"s": {"source": "custom", "command": "x", "args": []}}},
        {"mcpServers": {"s": {"command": ["x"]}, "off": {"command": "y", "disabled": True}}},
        '{// Zed\n"context_servers": {"s": {"command": "x",},},}',
    ],
)
def test_each_client_writes_it_in_its_own_way(tmp_path, document):
    (server,) = read_servers(write(tmp_path, document), environment={})

    assert (server.name, server.command) == ("s", ("x",))


def test_windsurf_calls_the_url_by_another_name(tmp_path):
    assert read_one(tmp_path, {"serverUrl": "https://x.example"}).url == "https://x.example"


def test_a_default_stands_in_for_a_variable_that_is_not_set(tmp_path):
    server = read_one(tmp_path, {"command": "x", "args": ["${NONE:-a}", "${EMPTY:-b}", "${EMPTY}"]})

    assert server.command == ("x", "a", "b", "")


def test_no_secret_stands_in_what_a_server_prints_as(tmp_path):
    server = read_one(tmp_path, {"command": "x", "args": ["${TOKEN}"], "env": {"K": "${TOKEN}"}})

    assert "s3cr3t" not in repr(server)


def test_a_server_is_trusted_only_if_it_says_so(tmp_path):
    plain = read_one(tmp_path, {"command": "x"})
    said = read_one(tmp_path, {"command": "x", "trusted": True})

    assert (plain.trusted, said.trusted) == (False, True)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({}, "neither a command nor a url"),
        ({"command": "x", "url": "https://x.example"}, "both a command and a url"),
        ({"args": ["x"]}, "no command that would take them"),
        ({"command": 3}, "a number in command"),
        ({"command": "x", "args": "y"}, "a list of texts"),
        ({"command": "x", "args": ["${NOBODY}"]}, "needs the variable NOBODY"),
        ({"command": "x", "args": ["${input:key}"]}, "only its own client can fill"),
        ({"command": "x", "args": ["${workspaceFolder:x}"]}, "only its own client can fill"),
        ({"command": "x", "env": ["A=1"]}, "not an object of texts"),
        ({"command": "x", "env": {"A": None}}, "null in env.A"),
        ({"command": "x", "cwd": "nowhere"}, "which is no folder"),
        ({"command": "x", "trusted": "yes"}, "true or false"),
        ({"type": "sse", "url": "https://x.example/sse"}, "retired transport"),
        ({"type": "carrier-pigeon", "command": "x"}, "Known are 'stdio'"),
        ({"type": "http", "command": "x"}, "has no fitting address"),
        ({"url": "ftp://x.example"}, "begins with https://"),
        ({"url": "https://me:pw@x.example"}, "a password in its url"),
        ({"url": "https://a.example", "serverUrl": "https://b.example"}, "under two names"),
        ("npx", "not an object with a command"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_to_do(tmp_path, entry, says):
    with pytest.raises(ConfigurationError) as refused:
        read_one(tmp_path, entry)

    assert says in str(refused.value)
    assert "'files'" in str(refused.value)
    assert "pw" not in str(refused.value)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("[]", "holds a list"),
        ("{", "is no JSON"),
        ({"mcpservers": {}}, "none of 'mcpServers', 'servers', 'context_servers'"),
        ({"mcpServers": []}, "not an object of servers"),
        ({"mcpServers": {}}, "no server that is enabled"),
        ({"mcpServers": {"a b": {"command": "x"}}}, "a name that no tool could be called by"),
    ],
)
def test_a_file_without_servers_is_refused(tmp_path, document, says):
    with pytest.raises(ConfigurationError, match=says):
        read_servers(write(tmp_path, document), environment={})


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="There is no file"):
        read_servers(tmp_path / "none.json", environment={})


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_a_file_that_anybody_can_write_starts_no_program(tmp_path):
    path = write(tmp_path, {"mcpServers": {"s": {"command": "x"}}})
    path.chmod(0o666)

    with pytest.raises(ConfigurationError, match="can be changed by others"):
        read_servers(path, environment={})


def test_one_server_is_read_alone_whatever_the_others_are(tmp_path):
    document = {"mcpServers": {"a": {"command": "x"}, "b": {"command": "${NOBODY}"}}}
    path = write(tmp_path, document)

    (alone,) = read_servers(path, environment={}, only="a")

    assert (alone.name, alone.beside) == ("a", ("b",))
    with pytest.raises(ConfigurationError, match=r"has no server 'c'\. It has 'a', 'b'"):
        read_servers(path, environment={}, only="c")


WITH_COMMENTS = """// of a person
{
  "a": 1, /* kept */ "b": [true, null, "x // no comment",],
  "c": {"d": -1.5e3},
}
"""


def test_comments_and_trailing_commas_are_read_over():
    assert parse_jsonc(WITH_COMMENTS).value == {
        "a": 1,
        "b": [True, None, "x // no comment"],
        "c": {"d": -1500.0},
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1 "b": 2}', "Line 1, column 9: expecting ',' delimiter"),
        ('{\n  "a": }', "Line 2, column 8: expecting value"),
        ('// one\n{"a": 1} x', "Line 2, column 10: extra data"),
        ('{"a": 1, "a": 2}', "'a' stands there twice"),
        ('\n[{"a": NaN}]', "NaN is no value"),
        ("\n/* never ends", "Line 2: the comment has no end"),
        ('{"a": "never ends}', "Line 1, column 7: unterminated string"),
        ("", "Line 1, column 1: expecting value"),
        ("{a: 1}", "Line 1, column 2: expecting property name enclosed in double quotes"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text, says):
    with pytest.raises(ConfigurationError) as refused:
        parse_jsonc(text)

    assert says in str(refused.value)
