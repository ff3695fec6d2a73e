"""The operator's file: what it may say of tools, and what is refused."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from mulligan import Effect, Mode, Mulligan
from mulligan.types.errors import ConfigurationError, HeldError
from mulligan.types.interfaces import KnownTool
from mulligan_gateway.declarations import (
    ToolDeclaration,
    declare_by_hints,
    read_cases,
    read_declarations,
    read_rules,
)
from mulligan_gateway.servers_file import Server
from mulligan_gateway.toml_table import WrittenTable, read_toml
from tests.gateway.recorded_server import FILES, LocalFiles, declare_files, write_declarations


def read(folder: Path, text: str) -> dict[str, ToolDeclaration]:
    servers = [FILES, Server(name="mail")]
    found = read_declarations(write_declarations(folder, text), servers)
    return {each.tool: each for each in found}


def list_known(m: Mulligan) -> list[KnownTool]:
    """The catalog, as the first turn writes it."""
    with m.turn("look"):
        return m.insights.tools()


def test_what_a_file_says_of_all_tools(tmp_path):
    text = """
    mode = "suggest"
    strict = true
    [servers.files]
    mode = "auto"
    [servers.mail]
    trusted = true
    """

    rules = read_rules(write_declarations(tmp_path, text))

    assert (rules.mode, rules.strict, rules.trusted) == (Mode.SUGGEST, True, {"mail"})
    assert rules.modes == {"files": Mode.AUTO, "mail": Mode.SUGGEST}


def test_a_tool_is_declared_as_it_is_said(tmp_path):
    text = """
    [servers.mail.tools.send]
    effect = "irreversible"
    repeat = "keyed"
    key = "request_id"
    mode = "suggest"
    remote = { requests = 1 }
    refuses = ["(?i)no such recipient"]
    describe = "Send to {to}"
    """

    m = Mulligan("memory:")
    read(tmp_path, text)["send"].declare(m, LocalFiles(tmp_path).call)
    (known,) = list_known(m)

    assert (known.server, known.tool, known.effect) == ("mail", "send", "irreversible")
    assert (known.repeat, known.mode) == ("keyed", "suggest")
    assert known.error_rules[0].nothing_done
    assert "Cannot be undone: held" in known.promises[0]


@pytest.mark.parametrize(
    ("said", "nothing_done"),
    [
        ("No such recipient: x", True),
        ("Error: no such recipient", True),
        ("EIO: write failed, '/tmp/no such recipient'", False),
    ],
)
def test_an_error_refuses_by_how_it_begins_and_not_by_a_name_in_it(tmp_path, said, nothing_done):
    text = '[servers.mail.tools.send]\nrefuses = ["(?i)no such recipient"]'

    (rule,) = read(tmp_path, text)["send"].said["failures"]["error_rules"]

    assert bool(re.search(rule["says"], f"ToolFailedError: {said}")) == nothing_done


def test_hold_is_short_for_a_call_that_awaits_approval(tmp_path):
    assert read(tmp_path, "[servers.mail.tools.send]\nhold = true")["send"].effect is (
        Effect.IRREVERSIBLE
    )


def test_the_recipe_of_a_server_is_there_by_its_name(tmp_path):
    found = read(tmp_path, '[servers.files]\nrecipe = "filesystem"')

    assert found["write_file"].effect is Effect.REVERSIBLE
    assert found["read_file"].effect is Effect.READ
    assert found["write_file"].source == "the recipe filesystem"
    assert found["write_file"].said["mode"] == "observe"


def test_what_the_operator_says_wins_over_the_recipe_name_by_name(tmp_path):
    text = """
    [servers.files]
    recipe = "filesystem"
    [servers.files.tools.write_file]
    mode = "auto"
    """

    found = read(tmp_path, text)["write_file"]

    assert (found.said["mode"], found.effect) == ("auto", Effect.REVERSIBLE)
    assert found.source == "the operator's file"


def test_undo_that_nobody_has_confirmed_is_not_declared(tmp_path):
    text = '[servers.files]\nrecipe = "filesystem"\nundo = false'

    found = read(tmp_path, text)["write_file"]

    assert (found.effect, found.recipe.undo) == (Effect.UNDECLARED, None)


def test_a_weaker_promise_is_told_as_one(tmp_path):
    m = Mulligan("memory:")
    declare_files(m, LocalFiles(tmp_path), tmp_path)

    promised = {each.tool: each.promises[0] for each in list_known(m)}

    assert "because its remote compares no versions" in promised["write_file"]


async def test_the_effect_goes_by_the_arguments(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    local = LocalFiles(folder)
    text = """
    [servers.files.tools.write_file]
    effect = "irreversible"
    mode = "suggest"
    cases = [{ effect = "read", equal = { path = "scratch" } }]
    """
    async with Mulligan("memory:") as m:
        declare_files(m, local, tmp_path, text)
        run = m._build_host({}).open("Write")
        await run.call(local.ask("write_file", path="scratch", content="x"))
        with pytest.raises(HeldError):
            await run.call(local.ask("write_file", path="a.txt", content="x"))
        await run.leave()

    assert [path.name for path in folder.iterdir() if path.name != "ledger"] == ["scratch"]


async def test_what_is_only_observed_is_neither_held_nor_undone(tmp_path):
    local = LocalFiles(tmp_path)
    text = '[servers.files.tools.write_file]\neffect = "irreversible"'
    async with Mulligan("memory:") as m:
        declare_files(m, local, tmp_path, text)
        run = m._build_host({}).open("Write")
        await run.call(local.ask("write_file", path="a.txt", content="x"))
        await run.leave()

    assert (tmp_path / "a.txt").read_text() == "x"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[servers.fils]", "Did you mean 'files'"),
        ("[server.files]", "Did you mean 'servers'"),
        ("format = 2", "this Mulligan reads format 1"),
        ('mode = "watch"', "it is one of off, observe, shadow, suggest, auto"),
        ('[servers.files]\nrecipe = "filesytem"', "Did you mean 'filesystem'"),
        ('[servers.files]\nrecipes = "filesystem"', "Did you mean 'recipe'"),
        ('[servers.files.tools.x]\nefect = "read"', "Did you mean 'effect'"),
        ('[servers.files.tools.x]\neffect = "reads"', "it is one of read"),
        ('[servers.files.tools.x]\neffect = "reversible"', "has no undo"),
        ('[servers.files.tools.x]\nrepeat = "keyed"', "nothing carries the key"),
        ('[servers.files.tools.x]\nrepeat = "twice"', "twice"),
        ('[servers.files.tools.x]\nmode = "loud"', "loud"),
        ('[servers.files.tools.x]\nremote = { requests = "one" }', "one"),
        ("[servers.files.tools.x]\nrequests = 1", "remote=Remote(requests=…)"),
        ("[servers.files.tools.x]\nremote = 3", "remote=3 is no Remote"),
        ('[servers.files.tools.x]\nrefuses = ["no"]\nfailures = 3', "failures=3 is no Failures"),
        ("[servers.files.tools]\nx = 1", "it is a table"),
        ("[servers]\nfiles = 1", "it is a table"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_place(tmp_path, text, says):
    with pytest.raises(ConfigurationError) as refused:
        read(tmp_path, text)

    assert says in str(refused.value)
    assert "declarations.toml" in str(refused.value) or "recipe" in str(refused.value)


def test_a_file_that_anybody_can_write_declares_nothing(tmp_path):
    path = write_declarations(tmp_path, "")
    path.chmod(0o666)

    with pytest.raises(ConfigurationError, match="can be changed by others"):
        read_declarations(path, [FILES])


def test_one_file_may_speak_of_all_servers_where_one_is_served_alone(tmp_path):
    text = "[servers.files.tools.x]\nhold = true\n[servers.mail.tools.y]\nhold = true"
    path = write_declarations(tmp_path, text)

    found = read_declarations(path, [Server(name="files", beside=("mail",))])

    assert [(each.server, each.tool) for each in found] == [("files", "x")]


def test_what_is_said_of_a_server_that_is_not_there_stops_no_other(tmp_path):
    text = "[servers.files.tools.x]\nhold = true\n[servers.mail.tools.y]\nhold = true"
    path = write_declarations(tmp_path, text)

    found = read_declarations(path, [Server(name="files")])

    assert [(each.server, each.tool) for each in found] == [("files", "x")]
    with pytest.raises(ConfigurationError, match="'mail' is unknown"):
        read_declarations(path, [Server(name="mails"), Server(name="files")])
    with pytest.raises(ConfigurationError, match="is unknown"):
        read_declarations(path, [Server(name="db")])


@pytest.mark.parametrize(
    ("text", "mode"),
    [("", Mode.AUTO), ('mode = "suggest"\n', Mode.SUGGEST)],
)
def test_the_mode_of_the_command_line_is_that_of_declared_tools_too(tmp_path, text, mode):
    path = write_declarations(tmp_path, f"{text}[servers.files.tools.x]\nhold = true")

    (found,) = read_declarations(path, [FILES], mode=Mode.AUTO)

    assert found.said["mode"] == mode


LISTED = [
    {"name": "write_file", "inputSchema": {"properties": {"path": {}, "content": {}}}},
    {"name": "read_text_file", "inputSchema": {"properties": {"path": {}}}},
    {"name": "move_file", "inputSchema": {"properties": {"source": {}, "destination": {}}}},
]


@pytest.mark.parametrize(
    ("listed", "says"),
    [
        (LISTED, ""),
        (LISTED[:1] + LISTED[2:], "no tool 'read_text_file'"),
        (LISTED[1:], "no tool 'write_file'"),
        ([LISTED[0], LISTED[1], {**LISTED[2], "inputSchema": {"properties": {"source": {}}}}],
         "takes no 'destination'"),
    ],
)  # fmt: skip
def test_a_server_without_what_an_undo_needs_is_noticed(tmp_path, listed, says):
    declared = read(tmp_path, '[servers.files]\nrecipe = "filesystem"')["write_file"]

    assert says in declared.find_misfit(listed)
    assert bool(says) == bool(declared.find_misfit(listed))


@pytest.mark.parametrize(
    ("hints", "trusted", "effect"),
    [
        ({"readOnlyHint": True}, True, Effect.READ),
        ({"readOnlyHint": True}, False, None),
        ({"destructiveHint": True}, False, Effect.IRREVERSIBLE),
        ({"idempotentHint": True}, True, Effect.UNDECLARED),
        ({"idempotentHint": True}, False, None),
        ({"destructiveHint": False}, True, None),
        (None, True, None),
    ],
)
def test_hints_lower_a_class_only_for_servers_that_are_trusted(hints, trusted, effect):
    tool = {"name": "x", "annotations": hints}

    found = declare_by_hints("mail", tool, trusted=trusted)

    assert (None if found is None else found.effect) == effect


def test_hints_are_declared_like_anything_else(tmp_path):
    hints = {"name": "x", "annotations": {"idempotentHint": True, "readOnlyHint": True}}
    m = Mulligan("memory:")

    found = declare_by_hints("mail", hints, trusted=True)
    assert found is not None
    found.declare(m, LocalFiles(tmp_path).call)

    (known,) = list_known(m)
    assert (known.effect, known.repeat, known.mode) == ("read", "idempotent", "observe")
    asyncio.run(m.recover())


def test_the_file_that_the_page_shows_can_be_read(tmp_path):
    page = Path(__file__).parents[4] / "docs" / "gateway.md"
    (shown,) = re.findall(r"(?s)```toml\n(format = .*?)```", page.read_text())

    found = read_declarations(write_declarations(tmp_path, shown), [FILES, Server(name="notes")])

    declared = {(each.server, each.tool): each.effect for each in found}
    assert declared["notes", "update_note"] is Effect.REVERSIBLE
    assert declared["notes", "send_note"] is Effect.IRREVERSIBLE
    assert declared["files", "write_file"] is Effect.REVERSIBLE


def read_case(**case: object):
    (found,) = read_cases(WrittenTable({"cases": [{"effect": "read", **case}]}, where="here"))
    return found


@pytest.mark.parametrize(
    ("case", "arguments", "fits"),
    [
        ({"equal": {"dry": True}}, {"dry": True}, True),
        ({"equal": {"dry": True}}, {"dry": 1}, False),
        ({"equal": {"dry": True}}, {}, False),
        ({"given": ["attendees"]}, {"attendees": ["a"]}, True),
        ({"given": ["attendees"]}, {"attendees": []}, True),
        ({"given": ["attendees"]}, {"attendees": None}, False),
        ({"missing": ["attendees"]}, {"attendees": None}, True),
        ({"missing": ["attendees"]}, {"attendees": []}, False),
        ({"missing": ["attendees"]}, {"attendees": ["a"]}, False),
        ({"matches": {"sql": "(?i)^select"}}, {"sql": "SELECT 1"}, True),
        ({"matches": {"sql": "(?i)^select"}}, {"sql": 5}, False),
        ({"equal": {"a": 1}, "given": ["b"]}, {"a": 1}, False),
    ],
)
def test_a_case_fits_if_all_of_it_does(case, arguments, fits):
    assert read_case(**case).fits(arguments) == fits


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ({}, "it fits every call"),
        ({"equals": {"a": 1}}, "Did you mean 'equal'"),
        ({"matches": {"sql": "("}}, "no regular expression"),
        ({"given": [1]}, "a list of texts"),
        ({"effect": "harmless", "given": ["x"]}, "it is one of read, reversible"),
    ],
)
def test_a_case_that_cannot_be_meant_is_refused(case, says):
    with pytest.raises(ConfigurationError) as refused:
        read_case(**case)

    assert says in str(refused.value)


def test_a_text_that_is_too_long_to_search_is_as_grave_as_can_be():
    case = read_case(matches={"sql": "^select"})

    with pytest.raises(ValueError, match="longer than"):
        case.fits({"sql": "select " * 10_000})


def test_a_file_that_cannot_be_read_says_where(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text("a = x\n")

    with pytest.raises(ConfigurationError, match="line 1"):
        read_toml(path)
    with pytest.raises(ConfigurationError, match="no file"):
        read_toml(tmp_path / "none.toml")
