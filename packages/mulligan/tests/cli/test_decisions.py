"""What a person decides at the command line, carried out by the application they name."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
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

@m.tool(effect=Effect.IRREVERSIBLE, arguments={{"leave_out": ("pen",)}})
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

    assert (code, answer["state"]) == (0, "unchecked")
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
    assert "Declare Arguments(provide=…)" in caplog.text


def test_a_denied_call_never_runs(family: str, capsys) -> None:
    act("invite")
    [held] = ids(capsys, family)

    code = main(["deny", held, "--note", "not this year", "--app", "family_app:m"])

    assert code == 0
    assert sys.modules["family_app"].SENT == []
    assert ids(capsys, family) == []


def test_of_a_denied_call_it_is_shown_that_it_was_never_made(family: str, capsys) -> None:
    act("invite")
    [held] = ids(capsys, family)
    main(["deny", held, "--store", family])
    capsys.readouterr()

    main(["show", held, "--store", family])

    said = capsys.readouterr().out
    assert "The call was never made" in said
    assert "ours, as we left it" not in said


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
    from mulligan.types.log import LogQuery

    return LogQuery()


STACKED = """
import json, pathlib
from mulligan import ConflictError, Effect, Mulligan

m = Mulligan("sqlite:///{folder}/tasks.db", recover=False)
FILE = pathlib.Path("{folder}/tasks.json")

def load():
    return json.loads(FILE.read_text())

def save(title):
    row = load()
    FILE.write_text(json.dumps({{"title": title, "rev": row["rev"] + 1}}))

def put_back(record):
    row = load()
    if str(row["rev"]) != record.version:
        raise ConflictError("changed since")
    save(record.before["title"])

@m.tool(
    effect=Effect.REVERSIBLE,
    about=lambda record: "t1",
    before=lambda record: load(),
    read=lambda record: load(),
    version=lambda record: str(record.result["rev"]),
    undo=put_back,
)
def rename(title: str, lost: bool = False) -> dict:
    save(title)
    if lost:
        raise TimeoutError("no answer")
    return load()
"""


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An application whose tool writes a file, and its folder."""
    (tmp_path / "tasks_app.py").write_text(textwrap.dedent(STACKED.format(folder=tmp_path)))
    (tmp_path / "tasks.json").write_text('{"title": "Dinner", "rev": 1}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MULLIGAN_STORE", f"sqlite:///{tmp_path}/tasks.db")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("tasks_app", None)


def rename(*titles: str, lost: bool = False) -> None:
    from importlib import import_module

    app = import_module("tasks_app")
    for title in titles:
        with suppress(TimeoutError):  # a lost answer is what was asked for
            app.m.act_sync("Do it", lambda _, title=title: app.rename(title, lost=lost))


def start_anew() -> None:
    """A command is a process of its own, and closes the application that it was given."""
    sys.modules.pop("tasks_app", None)


def find_ids(capsys) -> list[str]:
    capsys.readouterr()
    main(["actions", "--json"])
    return [action["id"] for action in json.loads(capsys.readouterr().out)["actions"]]


def read_title(folder: Path) -> str:
    return json.loads((folder / "tasks.json").read_text())["title"]


def test_stacked_actions_are_undone_in_order_by_one_command(tasks: Path, capsys) -> None:
    rename("Lunch", "Supper", "Brunch")
    first, *later = find_ids(capsys)

    code = main(["undo", first, "--later", "--app", "tasks_app:m"])

    assert code == 0
    assert read_title(tasks) == "Dinner"
    main(["actions", "--json"])
    out = capsys.readouterr().out.splitlines()[-1]
    assert {a["state"] for a in json.loads(out)["actions"]} == {"undone"}
    assert len(later) == 2


def test_what_came_later_is_known_to_the_application_alone(tasks: Path, capsys) -> None:
    rename("Lunch")
    [first] = find_ids(capsys)

    assert main(["undo", first, "--later"]) == 2
    assert "--app" in capsys.readouterr().err
    assert read_title(tasks) == "Lunch"


def leave_unknown(tasks: Path, capsys) -> str:
    """A call that gave no answer, and that nobody could find out about."""
    rename("Lunch", lost=True)
    for _ in range(8):
        [left] = find_ids(capsys)
        main(["show", left, "--json"])
        if json.loads(capsys.readouterr().out)["state"] == "needs_human":
            break
        sys.modules["tasks_app"].m.recover_sync()
    return left


def test_what_was_ours_after_all_is_put_back(tasks: Path, capsys) -> None:
    left = leave_unknown(tasks, capsys)
    main(["show", left, "--app", "tasks_app:m"])
    shown = capsys.readouterr().out

    refused = main(["undo", left])
    said = capsys.readouterr().err
    start_anew()
    code = main(["undo", left, "--ours", "--app", "tasks_app:m"])

    assert "--ours" in shown
    assert '{"title": "Lunch", "rev": 2}' in shown, "what is there now"
    assert (refused, code) == (2, 0)
    assert f"mulligan undo {left} --ours" in said
    assert read_title(tasks) == "Dinner"


def test_a_persons_edit_after_the_word_is_not_overwritten(tasks: Path, capsys) -> None:
    left = leave_unknown(tasks, capsys)
    main(["undo", left, "--ours"])
    app = sys.modules["tasks_app"]
    write, app.save = app.save, _fail
    app.m.recover_sync()
    app.save = write
    write("Anna's own")

    start_anew()
    main(["undo", left, "--app", "tasks_app:m"])

    main(["show", left, "--json"])
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["state"] in (
        "conflict",
        "undo_failed",
    )
    assert read_title(tasks) == "Anna's own"


def test_a_persons_edit_between_the_word_and_the_undo_is_not_overwritten(
    tasks: Path, capsys
) -> None:
    left = leave_unknown(tasks, capsys)
    main(["undo", left, "--ours"])
    app = sys.modules["tasks_app"]
    app.save("Anna's own")
    app.m.recover_sync()

    main(["show", left, "--json"])
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["state"] in (
        "conflict",
        "undo_failed",
    )
    assert read_title(tasks) == "Anna's own"


def _fail(_: str) -> None:
    raise ConnectionError("not now")


def test_an_application_without_the_tool_is_told_of_with_what_to_do(
    family: str, capsys, tmp_path: Path, caplog
) -> None:
    act("add")
    main(["actions", "--store", family, "--json"])
    done = [each["id"] for each in json.loads(capsys.readouterr().out)["actions"]]
    code_file = tmp_path / "family_app.py"
    code_file.write_text(code_file.read_text().replace("def add(", "def adds("))
    sys.modules.pop("family_app")

    code = main(["undo", done[0], "--app", "family_app:m"])

    said = " ".join(capsys.readouterr().out.split())
    assert code == 1
    assert "This application has no tool 'add', but 'adds'" in said
    assert "declare it as it was, with name='add'" in said
    assert f"mulligan settle {done[0]}" in said
    assert "has no tool 'add'" in caplog.text
