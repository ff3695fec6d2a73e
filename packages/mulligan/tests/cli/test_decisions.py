"""What a person decides at the command line, carried out by the application they name."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mulligan.cli.main import main
from mulligan.insights.open_actions import OpenList
from mulligan.types.action import Action
from mulligan.types.errors import StoreLockedError
from tests.cli.running import run

FAMILY = """
from mulligan import Effect, Mulligan
m = Mulligan("sqlite:///{folder}/app.db", recover=False)
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

STACKED = """
import json, pathlib
from mulligan import ConflictError, Effect, Mulligan
m = Mulligan("sqlite:///{folder}/app.db", recover=False)
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

PRICED = """
import json, pathlib
from mulligan import Effect, Mulligan
m = Mulligan("sqlite:///{folder}/app.db", recover=False)
FILE = pathlib.Path("{folder}/shelf.json")
def load():
    return json.loads(FILE.read_text()) if FILE.exists() else {{"price": 4, "name": "tea"}}
@m.tool(effect=Effect.IRREVERSIBLE, read=lambda record: load())
def publish(price: int, name: str, note: str = "") -> None:
    FILE.write_text(json.dumps({{"price": price, "name": name}}))
@m.tool(
    effect=Effect.REVERSIBLE,
    before=lambda record: load(),
    undo=lambda record: FILE.write_text(json.dumps(record.before)),
)
def reprice(price: int) -> None:
    FILE.write_text(json.dumps({{"price": price, "name": "tea"}}))
"""

APP = ("--app", "named_app:m")


def type_at_terminal(answer: str, *arguments: str) -> tuple[int, str]:
    """Run a command in a terminal of its own, and answer what it asks; its code and its screen."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "mulligan", *arguments]
    env = {**os.environ, "COLUMNS": "400", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as child:
        os.close(theirs)
        screen = ""
        with suppress(OSError):  # how a terminal ends on Linux
            while piece := os.read(ours, 10_000).decode():
                asked = "[y/N]" in screen
                screen += piece
                if "[y/N]" in screen and not asked:
                    os.write(ours, f"{answer}\n".encode())
        code = child.wait(60)
    os.close(ours)
    return code, screen


class Desk:
    """A person at the command line, in the folder of an application."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys

    @property
    def app(self) -> ModuleType:
        return import_module("named_app")

    def act(self, call: str, *arguments: object) -> None:
        """Let an agent make one call."""
        with suppress(TimeoutError):  # a lost answer is what was asked for
            self.app.m.act_sync("Do it", lambda _: getattr(self.app, call)(*arguments))

    def run(self, *arguments: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        return run(self._capsys, *arguments)

    def read(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json")[1])

    def list_ids(self, command: str = "open") -> list[str]:
        return [action["id"] for action in self.read(command)["actions"]]

    def start_anew(self) -> None:
        """A command is a process of its own, and closes the application that it was given."""
        sys.modules.pop("named_app", None)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch, capsys) -> Callable[[str], Desk]:
    """A desk at an application with this source."""

    def sit(source: str) -> Desk:
        (tmp_path / "named_app.py").write_text(textwrap.dedent(source.format(folder=tmp_path)))
        return Desk(tmp_path, capsys)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MULLIGAN_STORE", f"sqlite:///{tmp_path}/app.db")
    monkeypatch.syspath_prepend(str(tmp_path))
    return sit


@pytest.fixture
def family(desk) -> Desk:
    return desk(FAMILY)


def test_a_person_approves_a_call_with_an_argument_of_their_own(family: Desk) -> None:
    family.act("invite", "Grandma")
    [held] = family.list_ids()

    unknown, _, why = family.run("approve", held, "--set", 'whom="Grandpa"')
    wrong = family.run("approve", held, "--set", "name")
    code, shown = type_at_terminal("y", "approve", held, "--set", "name=Grandpa", *APP)

    made = family.read("show", held)
    changed = made["entries"][1]["detail"]["changed"]
    assert (unknown, wrong[0], code) == (2, 2, 0)
    assert "'whom'" in why
    assert "--set NAME=VALUE" in wrong[2]
    assert "You change name: Grandpa" in shown
    assert (made["state"], made["arguments"]) == ("unchecked", {"name": "Grandpa"})
    assert changed == {"name": {"from": "Grandma", "to": "Grandpa"}}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("NaN", "NaN is no number"),
        ("1e400", "too large"),
        ("1e1", "Expected `int`"),
        ("[" * 3_000 + "]" * 3_000, "nested too deeply"),
    ],
)
def test_a_value_that_would_arrive_as_another_is_refused_in_a_sentence(
    desk, value: str, why: str
) -> None:
    shop = desk(PRICED)
    shop.act("publish", 5, "tea")
    [held] = shop.list_ids()

    code, _, said = shop.run("approve", held, "--set", f"price={value}", *APP)

    assert code == 2
    assert why in said
    assert shop.read("show", held)["state"] == "held"


def test_a_change_that_no_check_has_looked_at_is_said_to_be_one(family: Desk) -> None:
    family.act("invite", "Grandma")
    [held] = family.list_ids()

    _, said, _ = family.run("approve", held, "--set", "name=Grandpa")

    assert "No check has looked at what you changed" in " ".join(said.split())


def test_a_held_call_is_shown_with_what_it_would_change_before_it_is_approved(desk) -> None:
    shop = desk(PRICED)
    shop.act("publish", 5, "tea", "hunter2")
    [held] = shop.list_ids()

    refused, shown = type_at_terminal("n", "approve", held, *APP)
    left = shop.read("show", held)["state"]
    agreed, _ = type_at_terminal("y", "approve", held, *APP)

    for line in ("Asked for: Do it", "Given price: 5", "Changes price: 4 → 5", "irreversible"):
        assert line in shown, shown
    assert "Changes name" not in shown
    assert shown.index("expires") < shown.index("[y/N]")
    assert (refused, left, agreed) == (1, "held", 0)
    assert json.loads((shop.folder / "shelf.json").read_text())["price"] == 5


def test_what_a_call_was_given_is_not_called_what_it_wrote(desk) -> None:
    shop = desk(PRICED)
    shop.act("reprice", 5)
    [done] = shop.list_ids("actions")

    _, shown, _ = shop.run("show", done)
    facts = shop.read("show", done)

    assert "Changes price: 4 → 5" in shown
    assert "Changes name" not in shown
    assert "written by the call" not in shown
    assert re.search(r"given to the call +│ *\{\"price\": 5\}", shown)
    assert facts["contents"] == {"before": {"price": 4, "name": "tea"}, "given": {"price": 5}}


def test_a_history_has_what_a_person_can_read_and_no_bookkeeping(tasks: Desk) -> None:
    tasks.act("rename", "Tea", True)
    [lost] = tasks.list_ids("actions")

    _, shown, _ = tasks.run("show", lost)
    _, listed, _ = tasks.run("actions")

    assert "unknown" in shown
    for word in ("given_up", "unheard_since", "undo_begun"):
        assert word not in shown + listed


def test_every_list_and_page_tells_the_same_of_a_held_call(desk) -> None:
    shop = desk(PRICED)
    shop.act("publish", 5, "tea")
    [held] = shop.list_ids()

    brief = shop.read("show", held)["brief"]
    _, listed, _ = shop.run("open")
    _, shown, _ = shop.run("show", held)
    with_code = shop.read("show", held, *APP)["brief"]

    lines = [f"{line['name']}: {line['text']}" for line in brief]
    assert [line for line in lines[1:] if line not in " ".join(listed.split())] == []
    assert [line for line in lines if line not in " ".join(shown.split())] == []
    assert [line for line in brief if line not in with_code] == []
    assert {"name": "Changes price", "text": "4 → 5"} in with_code


def test_an_undo_of_several_is_planned_and_asked_about_in_a_terminal(desk) -> None:
    shop = desk(PRICED)
    shop.act("reprice", 5)
    [done] = shop.read("actions")["actions"]

    refused, plan = type_at_terminal("", "undo", "--turn", done["turn"], *APP)
    kept = json.loads((shop.folder / "shelf.json").read_text())["price"]
    agreed, _ = type_at_terminal("y", "undo", "--turn", done["turn"], *APP)

    assert "undo → undone" in plan
    assert (refused, kept, agreed) == (1, 5, 0)
    assert json.loads((shop.folder / "shelf.json").read_text())["price"] == 4


def test_what_is_decided_in_a_terminal_is_on_record_beside_what_pages_decide(
    family: Desk,
) -> None:
    for name in ("Anna", "Ben"):
        family.act("invite", name)
    family.act("add", "Grandma")
    first, second = family.list_ids()
    [done] = [each["id"] for each in family.read("actions")["actions"] if each["tool"] == "add"]

    family.run("approve", first)
    family.run("deny", second)
    family.run("deny", second)
    family.run("undo", done, *APP)

    health = json.loads(family.run("view", "health")[1])
    acts = [(each["act"], bool(each["refused"])) for each in health["acts"]]
    assert acts == [
        (f"undo {done}", False),
        (f"deny {second}", True),
        (f"deny {second}", False),
        (f"approve {first}", False),
    ]


def test_without_the_application_an_approval_waits_for_it(family: Desk) -> None:
    family.act("invite", "Grandma")
    [held] = family.list_ids()

    code, said, _ = family.run("approve", held[:30])

    assert code == 0
    assert said.splitlines()[0] == "Invite (name: Grandma)"
    assert "is approved" in said
    assert "--app" in said
    assert family.app.SENT == []


def test_an_application_that_cannot_run_an_approved_call_is_no_success(family, caplog) -> None:
    family.act("write", "Grandma", object())
    [held] = family.list_ids()
    family.start_anew()

    code, said, _ = family.run("approve", held, *APP)

    assert code == 1
    assert "could not carry it out now" in said
    assert "within seconds" not in said
    assert "Declare Arguments(provide=…)" in caplog.text


def test_what_was_decided_before_the_store_failed_is_said(family: Desk, monkeypatch) -> None:
    for name in ("Anna", "Ben"):
        family.act("invite", name)
    first, second = family.list_ids()
    deny = OpenList.deny

    def fail_at_second(self: OpenList, name: str, **said: Any) -> Action:
        if name == second:
            raise StoreLockedError("The store is busy.")
        return deny(self, name, **said)

    monkeypatch.setattr(OpenList, "deny", fail_at_second)

    code, _, err = family.run("deny", first, second)

    assert code != 0
    assert f"The store is busy. Before that, {first} is denied" in " ".join(err.split())


@pytest.mark.parametrize("approved", [False, True], ids=["held", "approved and not yet run"])
def test_a_denied_call_never_runs_and_is_shown_so(family: Desk, approved: bool) -> None:
    family.act("invite", "Grandma")
    [held] = family.list_ids()
    app = family.app
    if approved:
        family.run("approve", held)

    code, _, _ = family.run("deny", held, "--note", "not this year", *APP)
    _, shown, _ = family.run("show", held)

    assert (code, app.SENT, family.list_ids()) == (0, [], [])
    assert "The call was never made" in shown
    assert "written by the call" not in shown


def test_what_cannot_be_undone_is_refused_in_one_sentence(family: Desk) -> None:
    family.act("invite", "Grandma")
    [held] = family.list_ids()

    code, _, err = family.run("undo", held)

    assert code == 2
    assert "there is nothing to undo" in err


@pytest.mark.parametrize("name", ["named_app", "named_app:nothing", "nowhere:m", "json:loads"])
def test_an_application_that_is_none_is_refused(family: Desk, name: str) -> None:
    code, _, err = family.run("undo", "abc", "--app", name)

    assert code == 2
    assert "--app" in err


def test_an_application_without_the_tool_is_told_of_with_what_to_do(family: Desk, caplog) -> None:
    family.act("add", "Grandma")
    [done] = family.list_ids("actions")
    source = family.folder / "named_app.py"
    source.write_text(source.read_text().replace("def add(", "def adds("))
    family.start_anew()

    code, said, _ = family.run("undo", done, *APP)

    told = " ".join(said.split())
    assert code == 1
    assert "This application has no tool 'add', but 'adds'" in told
    assert "declare it as it was, with name='add'" in told
    assert f"mulligan settle {done}" in told
    assert "has no tool 'add'" in caplog.text


@pytest.mark.full
def test_doctor_prints_what_each_declaration_promises(family: Desk) -> None:
    family.act("add", "Grandma")
    family.app.m.flush()

    tools = {tool["tool"]: tool for tool in family.read("doctor")["tools"]}

    assert set(tools) == {"add", "invite", "write"}
    assert "without versions" in tools["add"]["promises"][0]
    assert "held until a person" in tools["invite"]["promises"][0]


@pytest.fixture
def tasks(desk, tmp_path: Path) -> Desk:
    """An application whose tool writes a file."""
    (tmp_path / "tasks.json").write_text('{"title": "Dinner", "rev": 1}')
    return desk(STACKED)


@pytest.fixture
def unknown(tasks: Desk) -> str:
    """A call that gave no answer, and that nobody could find out about."""
    tasks.act("rename", "Lunch", True)
    [left] = tasks.list_ids("actions")
    for _ in range(8):
        if tasks.read("show", left)["state"] == "needs_human":
            break
        tasks.app.m.recover_sync()
    return left


def read_title(tasks: Desk) -> str:
    return json.loads((tasks.folder / "tasks.json").read_text())["title"]


def test_stacked_actions_are_undone_in_order_by_one_command(tasks: Desk) -> None:
    for title in ("Lunch", "Supper", "Brunch"):
        tasks.act("rename", title)
    [first, *later] = tasks.list_ids("actions")

    unnamed, _, err = tasks.run("undo", first, "--later")
    code, _, _ = tasks.run("undo", first, "--later", *APP)

    assert (unnamed, "--app" in err) == (2, True), "only the application knows what came later"
    assert (code, read_title(tasks), len(later)) == (0, "Dinner", 2)
    assert {each["state"] for each in tasks.read("actions")["actions"]} == {"undone"}


def test_what_was_ours_after_all_is_put_back(tasks: Desk, unknown: str) -> None:
    _, shown, _ = tasks.run("show", unknown, *APP)
    refused, _, err = tasks.run("undo", unknown)
    tasks.start_anew()
    code, _, _ = tasks.run("undo", unknown, "--ours", *APP)

    assert "--ours" in shown
    assert '{"title": "Lunch", "rev": 2}' in shown, "what is there now"
    assert (refused, code) == (2, 0)
    assert f"mulligan undo {unknown} --ours" in err
    assert read_title(tasks) == "Dinner"


@pytest.mark.parametrize("failed", [False, True], ids=["before the undo", "after one that failed"])
def test_a_persons_edit_after_the_word_is_not_overwritten(
    tasks: Desk, unknown: str, failed: bool
) -> None:
    main(["undo", unknown, "--ours"])
    app = tasks.app
    write = app.save
    if failed:
        app.save = fail
        app.m.recover_sync()
        app.save = write
    write("Anna's own")

    if failed:
        tasks.start_anew()
        tasks.run("undo", unknown, *APP)
    else:
        app.m.recover_sync()

    assert tasks.read("show", unknown)["state"] in ("conflict", "undo_failed")
    assert read_title(tasks) == "Anna's own"


def fail(_: str) -> None:
    raise ConnectionError("not now")


def test_all_that_an_agent_did_is_planned_and_undone(desk: Callable[[str], Desk]) -> None:
    family = desk(FAMILY)
    family.act("add", "dinner")
    family.act("add", "lunch")
    family.act("invite", "Ben")
    agent = family.read("open")["actions"][0]["agent"]
    scope = ("undo", "--agent", agent, "--since", "1h")

    apart = family.run(*scope, "--plan")[1]
    plan = family.read(*scope, "--plan")
    code, said, _ = family.run(*scope, *APP)

    assert "To look now: --app MODULE:NAME" in apart
    assert [(each["tool"], each["does"], each["expected"]) for each in plan["steps"]] == [
        ("invite", "deny", None), ("add", "undo", None), ("add", "undo", None),
    ]  # fmt: skip
    assert (code, family.app.EVENTS, family.app.SENT) == (0, {}, [])
    assert "undone" in said
    again, done, _ = family.run(*scope)
    assert (again, "nothing to undo" in done) == (0, True)


def test_what_was_asked_for_before_and_is_undone_now_is_told(desk: Callable[[str], Desk]) -> None:
    family = desk(FAMILY)
    family.act("add", "dinner")
    scope = ("undo", "--agent", family.read("actions")["actions"][0]["agent"], "--since", "1h")

    asked, waits, _ = family.run(*scope)
    code, said, _ = family.run(*scope, *APP)

    assert (asked, "undoing" in waits, "asked for already" in waits) == (0, True, False)
    assert (code, "undone" in said, "nothing to undo" in said) == (0, True, False)
    assert family.app.EVENTS == {}


def test_an_undo_that_left_a_conflict_is_no_success_the_second_time_either(tasks: Desk) -> None:
    tasks.act("rename", "Ours")
    turn = tasks.read("actions")["actions"][-1]["turn"]
    tasks.app.save("Anna's own")
    first, _, _ = tasks.run("undo", "--turn", turn, *APP)
    tasks.start_anew()

    again, said, _ = tasks.run("undo", "--turn", turn, *APP)

    assert (first, again) == (1, 1)
    assert "can be undone now" in said
    assert "nothing to undo" not in said
    assert "conflict" in said


@pytest.mark.parametrize(
    "words",
    [[], ["a1", "--turn", "b1"], ["a1", "--plan"]],
)
def test_what_is_to_be_undone_is_named_once(desk: Callable[[str], Desk], words: list[str]) -> None:
    code, _, err = desk(FAMILY).run("undo", *words)

    assert (code, "Name" in err or "Say" in err or "--plan" in err) == (2, True)


def test_several_are_decided_at_once_and_one_that_cannot_be_holds_up_no_other(
    desk: Callable[[str], Desk],
) -> None:
    family = desk(FAMILY)
    for name in ("Ben", "Ann"):
        family.act("invite", name)
    ids = family.list_ids()

    code, said, _ = family.run("approve", ids[0], "ffff", ids[1], *APP)

    assert (code, sorted(family.app.SENT)) == (1, ["Ann", "Ben"])
    assert "there is no such action" in said
    assert family.run("approve", *ids, "--version", "1")[0] == 2
