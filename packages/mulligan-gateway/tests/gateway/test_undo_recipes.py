"""Undo recipes: what one may say, and that its undo over MCP is recorded, verified, recovered."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mulligan import Mulligan, State
from mulligan.process.fault_points import Point
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError, HeldError
from mulligan_gateway.recipe import ArgumentTemplate, MissingValueError, UndoRecipe, read_recipe
from mulligan_gateway.toml_table import WrittenTable
from mulligan_testing.faults import Deed, Faults, Strike
from tests.gateway.recorded_server import LocalFiles, Upstream, connect_files, declare_files
from tests.gateway.undo_child import open_application

pytestmark = pytest.mark.full

READ = {"tool": "get", "arguments": {"id": "{arguments.id}"}}
READ_MADE = {"tool": "get", "arguments": {"id": "{result.id}"}}
PUT_BACK = {"tool": "put", "arguments": {"id": "{arguments.id}", "text": "{before.text}"}}
DELETE = {"tool": "delete", "arguments": {"id": "{result.id}"}}


def read_undo(**said: object) -> UndoRecipe:
    table = WrittenTable(said, where="here")
    recipe = read_recipe(table)
    table.finish()
    return recipe


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"undo": PUT_BACK}, "no read that would prove it"),
        ({"read": READ_MADE, "undo": PUT_BACK}, "which is not there before the call"),
        ({"read": READ_MADE, "undo_new": DELETE}, "write undo, not undo_new"),
        ({"read": READ, "undo": {**PUT_BACK, "compares": True}}, "passes no {version}"),
        (
            {"read": READ, "undo": {"tool": "put", "arguments": {"v": "{version}"}}},
            "no table ver",
        ),
        (
            {"read": READ_MADE, "undo": DELETE},
            "Say what a result has in it if the call has made",
        ),
        (
            {"read": READ, "undo_new": DELETE},
            "Say what a result has in it if the call has made",
        ),
        ({"read": READ_MADE, "undo": READ, "made": {}}, "may be what it is a copy of"),
        ({"read": READ_MADE, "undo": DELETE, "made": "always"}, "made is a table"),
        ({"version": {"of": "content"}}, "no read that shows it"),
        ({"read": {"tool": "get", "arguments": {"id": "{version}"}}}, "cannot use {before}"),
        ({"read": {"arguments": {}}}, "it names no tool"),
        ({"read": {**READ, "takes": "x"}}, "Did you mean 'take'"),
        ({"read": {**READ, "form": "txt"}}, "it is one of any, text"),
        ({"read": {**READ, "absent": ["("]}}, "no regular expression"),
        ({"read": {**READ, "where": "x"}}, "where is a table"),
        ({"read": READ, "version": {}}, "of is missing"),
        ({"read": READ, "version": {"of": "etag", "leaves": "x"}}, "leaves goes with"),
        (
            {"read": READ, "version": {"of": "content", "in_result": "x"}},
            "in_result needs a path",
        ),
        ({"probe": {**READ, "by": "guess"}}, "it is one of call, state"),
    ],
)
def test_a_recipe_that_could_not_be_kept_is_refused(said, says):
    with pytest.raises(ConfigurationError) as refused:
        read_undo(**said)

    assert says in str(refused.value)


RECORD = Record(
    arguments={"path": "a/b", "n": 3, "tags": ["x"], "none": None, "owner": {"id": 7}},
    key="k1",
    result={"id": "e1", "items": [{"id": 5}]},
    version="v2",
)


@pytest.mark.parametrize(
    ("said", "filled"),
    [
        ("{arguments.path}", "a/b"),
        ("{arguments.n}", 3),
        ("{arguments.tags}", ["x"]),
        ("{arguments.owner.id}", 7),
        ("{arguments.path}.undone-{key}", "a/b.undone-k1"),
        ("no place", "no place"),
        ("{{literal}} {arguments.n}", "{literal} 3"),
        ({"id": "{result.id}", "force": True}, {"id": "e1", "force": True}),
        ({"a": "{arguments.missing?}", "b": 1}, {"b": 1}),
        ({"a": "{arguments.none?}", "b": "{arguments.none}"}, {"b": None}),
        (["{result.items.0.id}", "{version}"], [5, "v2"]),
        ("{before.title}", "was"),
    ],
)
def test_places_are_filled_by_what_the_call_was_given_and_returned(said, filled):
    template = ArgumentTemplate.read(said, where="here")

    assert template.fill(RECORD, before={"title": "was"}) == filled


@pytest.mark.parametrize(
    "said", ["{arguments.missing}", "{result.items.9}", "x{arguments.tags}", "{before}"]
)
def test_what_is_not_there_is_never_guessed(said):
    with pytest.raises(MissingValueError):
        ArgumentTemplate.read(said, where="here").fill(RECORD)


@pytest.mark.parametrize("said", ["{path}", "{arguments}", "{results.id}", "{}", "open {"])
def test_a_place_that_nobody_knows_is_refused_where_it_is_written(said):
    with pytest.raises(ConfigurationError, match=r"^here: ") as refused:
        ArgumentTemplate.read({"deep": [said]}, where="here")

    assert "{arguments.path}" in str(refused.value)


CHILD = Path(__file__).parent / "undo_child.py"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("as it was")
    return folder


@pytest.fixture
async def m(tmp_path: Path):
    async with open_application(tmp_path) as opened:
        yield opened


@pytest.fixture
def upstream(m: Mulligan, files: Path, tmp_path: Path) -> LocalFiles:
    local = LocalFiles(files)
    declare_files(m, local, tmp_path)
    return local


def list_states(m: Mulligan) -> list[State]:
    journal = m._parts.store.journal
    found = journal.list_open_actions(after="", limit=100)
    return [action.state for action in found]


async def write(m: Mulligan, upstream: Upstream, **arguments: object):
    run = m._build_host({}).open("Write hello")
    try:
        await run.call(upstream.ask("write_file", **arguments))
        return await run.review(None)
    finally:
        await run.leave()


async def test_a_wrong_write_is_put_back_and_read_back(m, upstream, files):
    answer = await write(m, upstream, path="a.txt", content="goodbye")

    assert answer.undone
    assert (files / "a.txt").read_text() == "as it was"
    assert upstream.made[-1][0] == "read_text_file"
    assert list_states(m) == []


async def test_a_file_that_was_made_is_moved_aside_on_a_server_that_runs(m, files, tmp_path):
    async with connect_files(files) as connected:
        declare_files(m, connected, tmp_path)
        answer = await write(m, connected, path="new.txt", content="goodbye")

    (aside,) = [path for path in files.iterdir() if ".undone-" in path.name]
    assert answer.undone
    assert not (files / "new.txt").exists()
    assert aside.read_text() == "goodbye"
    assert [tool for tool, _ in connected.made].count("move_file") == 1


@pytest.mark.parametrize("point", [Point.DOOMED, Point.LOOKED])
async def test_an_edit_made_since_is_left_alone_also_right_before_the_undo(
    m, upstream, files, point
):
    def edit() -> None:
        (files / "a.txt").write_text("by a person")

    with Faults(Strike(deed=Deed.EDIT, point=point), edit=edit):
        await write(m, upstream, path="a.txt", content="goodbye")

    assert (files / "a.txt").read_text() == "by a person"
    assert list_states(m) == [State.CONFLICT]


async def test_what_is_no_text_is_held_before_it_is_lost(m, upstream, files):
    (files / "a.txt").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(HeldError, match="could not be undone"):
        await write(m, upstream, path="a.txt", content="goodbye")

    assert (files / "a.txt").read_bytes() == b"\xff\xfe\x00"


async def test_an_edit_in_a_file_is_undone_under_what_it_left(m, upstream, files):
    @m.check("edit_file")
    def never(call):
        return "Not this one."

    run = m._build_host({}).open("Change it")
    edits = [{"oldText": "was", "newText": "is"}]
    await run.call(upstream.ask("edit_file", path="a.txt", edits=edits))
    changed = (files / "a.txt").read_text()
    answer = await run.review(None)
    await run.leave()

    assert (changed, answer.undone) == ("as it is", True)
    assert (files / "a.txt").read_text() == "as it was"


async def test_an_edit_of_the_moment_after_a_call_is_not_taken_for_the_call(m, upstream, files):
    @m.check("edit_file")
    def never(call):
        return "Not this one."

    def edit() -> None:
        (files / "a.txt").write_text("by a person")

    run = m._build_host({}).open("Change it")
    edits = [{"oldText": "was", "newText": "is"}]
    with Faults(Strike(deed=Deed.EDIT, point=Point.CALLED), edit=edit):
        await run.call(upstream.ask("edit_file", path="a.txt", edits=edits))
    await run.review(None)
    await run.leave()

    assert (files / "a.txt").read_text() == "by a person"
    assert list_states(m) == [State.UNDO_FAILED]


async def test_an_edit_of_what_is_not_there_fails_as_it_does_without_us(m, upstream):
    run = m._build_host({}).open("Change it")

    with pytest.raises(Exception, match="ENOENT"):
        await run.call(upstream.ask("edit_file", path="none.txt", edits=[]))
    await run.leave()

    assert list_states(m) == []


async def test_a_move_is_undone_by_a_move(m, upstream, files):
    @m.check("move_file")
    def never(call):
        return "Not this one."

    run = m._build_host({}).open("Move it")
    await run.call(upstream.ask("move_file", source="a.txt", destination="b.txt"))
    moved = (files / "b.txt").exists()
    answer = await run.review(None)
    await run.leave()

    assert (moved, answer.undone) == (True, True)
    assert (files / "a.txt").read_text() == "as it was"
    assert not (files / "b.txt").exists()


async def test_a_move_onto_what_is_there_is_held(m, upstream, files):
    (files / "b.txt").write_text("taken")
    run = m._build_host({}).open("Move it")

    with pytest.raises(HeldError, match="already"):
        await run.call(upstream.ask("move_file", source="a.txt", destination="b.txt"))
    await run.leave()


async def test_an_undo_whose_server_dies_under_it_is_made_when_the_server_is_back(files, tmp_path):
    def kill_server() -> None:
        os.kill(int((files / ".pid").read_text()), signal.SIGKILL)

    async with open_application(tmp_path, recover=False) as m:
        async with connect_files(files) as connected:
            declare_files(m, connected, tmp_path)
            with Faults(Strike(deed=Deed.EDIT, point=Point.LOOKED), edit=kill_server):
                await write(m, connected, path="a.txt", content="goodbye")
        left, states = (files / "a.txt").read_text(), list_states(m)
        async with connect_files(files) as again:
            declare_files(m, again, tmp_path)
            await recover(m)
        after = list_states(m)

    assert (left, states) == ("goodbye", [State.UNDO_FAILED])
    assert ((files / "a.txt").read_text(), after) == ("as it was", [])
    assert count_writes(files) == 2


KILLED_AT = {
    Point.CALLED: "goodbye",
    Point.EXECUTED: "goodbye",
    Point.LOOKED: "goodbye",
    Point.TAKEN_BACK: "as it was",
}
"""What stands in the file when the process is gone."""


@pytest.mark.parametrize("point", KILLED_AT)
async def test_who_comes_after_a_kill_finishes_the_undo(tmp_path, files, point):
    killed = await asyncio.to_thread(run_child, tmp_path, point)
    left = (files / "a.txt").read_text()
    async with open_application(tmp_path) as m, connect_files(files) as upstream:
        declare_files(m, upstream, tmp_path)
        await recover(m)
        states = list_states(m)
    now = (files / "a.txt").read_text()

    assert (killed, left) == (-signal.SIGKILL, KILLED_AT[point])
    if point is Point.CALLED:
        # Nobody can tell whose the change is: a person is asked, and nothing is done.
        assert (states, now, count_writes(files)) == ([State.NEEDS_HUMAN], "goodbye", 1)
    else:
        assert (states, now, count_writes(files)) == ([], "as it was", 2)


class Notes(Upstream):
    """A server that gets or creates notes by their title."""

    def __init__(self) -> None:
        super().__init__()
        self.notes = {1: "milk"}

    async def make(self, tool: str, arguments: dict[str, object]) -> object:
        if tool == "add_note":
            title = str(arguments["title"])
            found = next((n for n, held in self.notes.items() if held == title), None)
            number = found or max(self.notes) + 1
            self.notes[number] = title
            return {"id": number, "title": title, "created": found is None}
        number = int(str(arguments["id"]))
        if tool == "delete_note":
            return {"title": self.notes.pop(number)}
        return {"title": self.notes[number]} if number in self.notes else "No such note."


MADE_NOTES = """
mode = "suggest"
[servers.files.tools.add_note]
effect = "reversible"
read = { tool = "get_note", arguments = { id = "{result.id}" }, absent_text = ["No such note"] }
version = { of = "content" }
undo = { tool = "delete_note", arguments = { id = "{result.id}" } }
made = { created = true }
"""


@pytest.mark.parametrize(("title", "undone"), [("tea", True), ("milk", False)])
async def test_only_what_the_answer_says_was_made_is_taken_away(m, tmp_path, title, undone):
    upstream = Notes()
    declare_files(m, upstream, tmp_path, MADE_NOTES)

    @m.check("add_note")
    def never(call: object) -> str:
        return "Not this one."

    run = m._build_host({}).open("Note it")
    await run.call(upstream.ask("add_note", title=title))
    await run.review(None)
    await run.leave()

    assert upstream.notes == {1: "milk"}
    assert list_states(m) == ([] if undone else [State.UNDO_FAILED])


class Graph(Upstream):
    """The tools of a knowledge graph, where somebody is faster than the next call."""

    def __init__(self, *, faster: bool) -> None:
        super().__init__()
        self.faster, self.entities = faster, dict[str, Any]()

    async def make(self, tool: str, arguments: dict[str, Any]) -> object:
        if tool == "create_entities":
            if self.faster:
                self.entities |= {each["name"]: each for each in arguments["entities"]}
            new = [each for each in arguments["entities"] if each["name"] not in self.entities]
            self.entities |= {each["name"]: each for each in new}
            return {"entities": new}
        if tool == "delete_entities":
            for name in arguments["entityNames"]:
                self.entities.pop(name)
        found = [self.entities[n] for n in arguments.get("names", ()) if n in self.entities]
        return {"entities": found, "relations": []}


@pytest.mark.parametrize("faster", [False, True])
async def test_an_entity_that_somebody_made_right_before_the_call_is_left_alone(
    m, tmp_path, faster
):
    upstream = Graph(faster=faster)
    declare_files(m, upstream, tmp_path, 'mode = "suggest"\n[servers.files]\nrecipe = "memory"\n')

    @m.check("create_entities")
    def never(call: object) -> str:
        return "Not this one."

    ann = {"name": "Ann", "entityType": "person", "observations": []}
    run = m._build_host({}).open("Note her")
    await run.call(upstream.ask("create_entities", entities=[ann]))
    await run.review(None)
    await run.leave()

    assert list_states(m) == ([State.UNDO_FAILED] if faster else [])
    assert upstream.entities == ({"Ann": ann} if faster else {})


async def recover(m: Mulligan) -> None:
    """Look after what was left, until nothing more is to be done by itself."""
    for _ in range(100):
        await m.recover()
        if all(state is State.NEEDS_HUMAN for state in list_states(m)):
            return
        await asyncio.sleep(0.1)


def run_child(folder: Path, point: Point) -> int:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(CHILD), str(folder), point]
    return subprocess.run(command, env=environment, timeout=120).returncode


def count_writes(files: Path) -> int:
    return len((files / "ledger").read_text().splitlines())
