"""Recipes of servers in front of a service: they say what the service's table says."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mulligan import Mulligan, State
from mulligan.types.action import Action
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError, HeldError, MissingExtraError
from mulligan_gateway import declarations
from mulligan_gateway.declarations import load_recipe, read_tool
from mulligan_gateway.toml_table import WrittenTable
from mulligan_packs.services import derive_recipe, recipe
from mulligan_packs.services.table import HoldRule, load_table
from mulligan_testing.simulations import GitHub, GoogleCalendar
from tests.gateway.recorded_server import Upstream, declare_files

RECIPES = {"google_calendar": "google-calendar", "github": "github", "slack": "slack"}
HELD = "irreversible"
ISSUE = {"owner": "family", "repo": "house", "issue_number": 10}
DINNER = {
    "calendarId": "primary",
    "summary": "Dinner",
    "start": "2026-12-04T18:00:00Z",
    "end": "2026-12-04T19:00:00Z",
}


class IssueServer(Upstream):
    """The tools for issues of server-github, over the simulated service."""

    def __init__(self) -> None:
        super().__init__()
        self.service = GitHub()
        self.service.act("POST", "/repos/family/house/issues", {"title": "Roof", "body": "Leaks"})

    async def make(self, tool: str, arguments: dict[str, object]) -> object:
        said = dict(arguments)
        path = f"/repos/{said.pop('owner')}/{said.pop('repo')}/issues/{said.pop('issue_number')}"
        method = {"get_issue": "GET", "update_issue": "PATCH"}[tool]
        return self.service.act(method, path, said or None, by="agent")

    def show(self) -> dict[str, Any]:
        """The issue, as people see it."""
        return self.service.state["family/house"]["issues"]["10"]


class CalendarServer(Upstream):
    """The tools for events of google-calendar-mcp, over the simulated service."""

    def __init__(self) -> None:
        super().__init__()
        self.service = GoogleCalendar()

    async def make(self, tool: str, arguments: dict[str, object]) -> object:
        given = {name: value for name, value in arguments.items() if name != "account"}
        place, event = given.pop("calendarId"), given.pop("eventId", "")
        path = f"/calendars/{place}/events"
        if tool == "create-event":
            given = {n: {"dateTime": v} if n in ("start", "end") else v for n, v in given.items()}
            updates = given.pop("sendUpdates", "all")
            path = f"{path}?sendUpdates={updates}"
            return {"event": self.service.act("POST", path, given, by="agent")}
        method = {"get-event": "GET", "delete-event": "DELETE"}[tool]
        query = f"?sendUpdates={given['sendUpdates']}" if given else ""
        found = self.service.act(method, f"{path}/{event}{query}", by="agent")
        if isinstance(found, dict) and found.get("error", {}).get("code") == 404:
            raise LookupError(f"Event with ID '{event}' not found")
        return {"event": found}

    def list_summaries(self) -> list[str]:
        """What stands in the calendar."""
        events = self.service.state["calendars"]["primary"].values()
        return [each["summary"] for each in events if each["status"] != "cancelled"]


async def reject(
    folder: Path, server: Upstream, name: str, tool: str, *, then: Any = None, **given: object
) -> list[Action]:
    """Make a call through the recipe and have it rejected: what is open then."""
    async with Mulligan("memory:", recover=False) as m:
        text = f'mode = "suggest"\n[servers.files]\nrecipe = "{name}"\n'
        declare_files(m, server, folder, text)

        @m.check(tool)
        def never(call: object) -> str:
            return "Not this one."

        run = m._build_host({}).open("Do it")
        with suppress(HeldError):
            await run.call(server.ask(tool, **given))
        if then is not None:
            then()
        await run.review(None)
        await run.leave()
        return [*m.insights.open_list.actions()]


@pytest.mark.full
async def test_an_issue_is_as_it_was_and_an_edit_in_between_stays(tmp_path):
    server = IssueServer()

    before = dict(server.show())
    wrong = {**ISSUE, "title": "Wrong", "state": "closed"}
    assert await reject(tmp_path, server, "github", "update_issue", **wrong) == []
    assert server.show() == before

    def edit() -> None:
        server.service.act("PATCH", "/repos/family/house/issues/10", {"body": "Theirs"})

    [left] = await reject(tmp_path, server, "github", "update_issue", then=edit, **wrong)
    assert left.state is State.CONFLICT
    assert server.show()["body"] == "Theirs"


@pytest.mark.full
@pytest.mark.parametrize(
    "more", [{"body": "See @grandma"}, {"assignees": ["bob"]}, {"labels": ["x"]}, {"milestone": 1}]
)
async def test_what_the_table_holds_of_an_issue_is_held(tmp_path, more):
    server = IssueServer()

    [left] = await reject(tmp_path, server, "github", "update_issue", **ISSUE, **more)

    assert left.state is State.HELD
    assert [by for by, _, _ in server.service.ledger] == ["second"]
    assert server.service.told == []


@pytest.mark.full
async def test_an_event_is_removed_again_and_one_that_guests_would_hear_of_is_held(tmp_path):
    server = CalendarServer()
    guests = [{"email": "grandma@example.com"}]

    assert await reject(tmp_path, server, "google_calendar", "create-event", **DINNER) == []
    quietly = {**DINNER, "attendees": guests, "sendUpdates": "none"}
    assert await reject(tmp_path, server, "google_calendar", "create-event", **quietly) == []
    assert [method for _, method, _ in server.service.ledger] == ["POST", "DELETE"] * 2

    for more in ({}, {"sendUpdates": "all"}, {"sendUpdates": "externalOnly"}):
        told = {**DINNER, "attendees": guests, **more}
        [left] = await reject(tmp_path, server, "google_calendar", "create-event", **told)
        assert left.state is State.HELD
    assert server.list_summaries() == []
    assert server.service.told == []


@pytest.mark.full
async def test_an_event_that_somebody_has_edited_stays(tmp_path):
    server = CalendarServer()

    def edit() -> None:
        [event] = server.service.state["calendars"]["primary"]
        path = f"/calendars/primary/events/{event}"
        server.service.act("PATCH", path, {"description": "Theirs"})

    [left] = await reject(tmp_path, server, "google_calendar", "create-event", then=edit, **DINNER)

    assert left.state is State.CONFLICT
    assert server.list_summaries() == ["Dinner"]


@pytest.mark.parametrize("name", RECIPES)
def test_a_tool_undoes_no_more_than_its_operation_and_holds_what_the_table_holds(name):
    table = load_table(RECIPES[name])
    by_request = {row.send.partition("?")[0]: row for row in table.operations.values()}
    file = declarations._read_file(name)
    operations = {
        tool: table.operations[said["operation"]]
        for tool, said in file["tools"].items()
        if isinstance(said.get("operation"), str)
    }

    assert operations
    for tool, row in operations.items():
        said = load_recipe(name).tools[tool]
        kind = Effect(said["effect"])
        assert (kind is Effect.READ) is row.reads
        if kind is Effect.REVERSIBLE:
            assert row.undo is not None
            assert by_request[row.undo.send.partition("?")[0]] in operations.values()
            assert said["undoing"]["loses"] == [*row.loses]


def test_a_change_in_the_table_changes_the_recipe(monkeypatch):
    table = load_table("github")
    row = table.operations["update_issue"]
    held = HoldRule(because="titles are read aloud", matches={"title": "^Loud"})
    louder = {**table.operations, "update_issue": replace(row, held=(held,), loses=("sleep",))}
    gone = {**table.operations, "update_issue": replace(row, undo=None)}
    record = type("R", (), {"arguments": {"title": "Loud"}})()

    def read(operations: dict[str, Any]) -> Any:
        changed = replace(table, operations=operations)
        monkeypatch.setattr(recipe, "load_table", lambda name: changed)
        said = load_recipe("github").tools["update_issue"]
        return read_tool(WrittenTable(said, where="github"), server="s", tool="update_issue")

    assert read(table.operations)._classify(record) is Effect.REVERSIBLE
    declared = read(louder)
    assert declared._classify(record) is Effect.IRREVERSIBLE
    assert declared.said["undoing"] == {"loses": ["sleep"]}
    assert read(gone).effect is Effect.IRREVERSIBLE


def test_what_a_recipe_needs_and_has_not_is_said(monkeypatch):
    with pytest.raises(ConfigurationError, match="GitHub has no operation 'fly'"):
        derive_recipe({"service": "github", "tools": {"t": {"operation": "fly"}}})

    monkeypatch.setattr(declarations, "find_extensions", lambda group: {})
    with pytest.raises(MissingExtraError, match=r"'github' needs an extra: pip install"):
        load_recipe("github")
