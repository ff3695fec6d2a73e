"""What a person decides at the command line, carried out by the application they name."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from mulligan.cli.main import main

APPLICATION = """
from mulligan import Effect, Mulligan

m = Mulligan("sqlite:///{folder}/family.db", recover=False)
EVENTS, SENT = {{}}, []

def read(record):
    return EVENTS.get(record.arguments["name"])

def remove(record):
    EVENTS.pop(record.arguments["name"])

@m.tool(effect=Effect.REVERSIBLE, read=read, undo=remove)
def add(name: str) -> str:
    EVENTS[name] = name
    return name

@m.tool(effect=Effect.IRREVERSIBLE)
def invite(name: str) -> str:
    SENT.append(name)
    return "sent"

@m.tool(effect=Effect.IRREVERSIBLE, leave_out=("pen",))
def write(name: str, pen: object) -> str:
    raise AssertionError
"""


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An application in the current folder, and its store."""
    (tmp_path / "family_app.py").write_text(textwrap.dedent(APPLICATION.format(folder=tmp_path)))
    monkeypatch.chdir(tmp_path)
    yield f"sqlite:///{tmp_path}/family.db"
    sys.modules.pop("family_app", None)
    sys.path[:] = [place for place in sys.path if place != str(tmp_path)]


def act(call: str, *more: object) -> None:
    """Let an agent make one call."""
    from importlib import import_module

    sys.path.insert(0, str(Path.cwd()))
    app = import_module("family_app")
    app.m.act_sync("Do it", lambda _: getattr(app, call)("Grandma", *more))


def ids(capsys: pytest.CaptureFixture[str], store: str) -> list[str]:
    capsys.readouterr()
    main(["open", "--store", store, "--json"])
    return [action["id"] for action in json.loads(capsys.readouterr().out)["actions"]]


def test_an_approved_call_is_run_once_by_the_application(family: str, capsys) -> None:
    act("invite")
    [held] = ids(capsys, family)
    app = sys.modules["family_app"]

    code = main(["approve", held, "--app", "family_app:m", "--json"])
    answer = json.loads(capsys.readouterr().out)
    again = main(["approve", held, "--store", family])

    assert (code, answer["state"]) == (0, "verified")
    assert app.SENT == ["Grandma"]
    assert again == 2
    assert ids(capsys, family) == []


def test_without_the_application_an_approval_waits_for_it(family: str, capsys) -> None:
    act("invite")
    [held] = ids(capsys, family)

    code = main(["approve", held[:30], "--store", family])

    said = capsys.readouterr().out
    assert code == 0
    assert said.splitlines()[0] == "Invite (name: Grandma)"
    assert "is approved" in said
    assert "--app" in said
    assert sys.modules["family_app"].SENT == []


def test_an_application_that_cannot_run_an_approved_call_is_no_success(
    family: str, capsys, caplog
) -> None:
    act("write", object())
    [held] = ids(capsys, family)
    sys.modules.pop("family_app")

    code = main(["approve", held, "--app", "family_app:m"])

    said = capsys.readouterr().out
    assert code == 1
    assert "could not see to it now" in said
    assert "within seconds" not in said
    assert "Declare provide=" in caplog.text


def test_a_denied_call_never_runs(family: str, capsys) -> None:
    act("invite")
    [held] = ids(capsys, family)

    code = main(["deny", held, "--note", "not this year", "--app", "family_app:m"])

    assert code == 0
    assert sys.modules["family_app"].SENT == []
    assert ids(capsys, family) == []


def test_what_was_approved_and_not_yet_run_can_still_be_stopped(family: str, capsys) -> None:
    act("invite")
    [held] = ids(capsys, family)
    main(["approve", held, "--store", family])

    code = main(["deny", held, "--app", "family_app:m"])

    assert code == 0
    assert sys.modules["family_app"].SENT == []
    assert ids(capsys, family) == []


def test_an_action_is_undone_by_the_application(family: str, capsys) -> None:
    act("add")
    app = sys.modules["family_app"]
    app.m.flush()
    [done] = [row.id for row in app.m.insights.log(_all())]

    code = main(["undo", done, "--app", "family_app:m"])

    assert code == 0
    assert "undone" in capsys.readouterr().out
    assert app.EVENTS == {}


def test_what_cannot_be_undone_is_refused_in_one_sentence(family: str, capsys) -> None:
    act("invite")
    [held] = ids(capsys, family)

    code = main(["undo", held, "--store", family])

    assert code == 2
    assert "nothing that could be undone" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["family_app", "family_app:nothing", "nowhere:m", "json:loads"])
def test_an_application_that_is_none_is_refused(family: str, capsys, name: str) -> None:
    code = main(["undo", "abc", "--store", family, "--app", name])

    assert code == 2
    assert "--app" in capsys.readouterr().err


def test_doctor_prints_what_each_declaration_promises(family: str, capsys) -> None:
    act("add")
    sys.modules["family_app"].m.flush()

    main(["doctor", "--store", family, "--json"])

    tools = {tool["tool"]: tool for tool in json.loads(capsys.readouterr().out)["tools"]}
    assert set(tools) == {"add", "invite", "write"}
    assert "without versions" in tools["add"]["promises"][0]
    assert "held until a person" in tools["invite"]["promises"][0]


def _all() -> object:
    from mulligan.core.log_query import LogQuery

    return LogQuery()
