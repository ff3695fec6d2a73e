"""What `mulligan prove` finds on a service that is as documented, and on one that is not."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from rich.console import Console

from mulligan.cli.main import main
from mulligan.types.errors import ConfigurationError
from mulligan_packs.services.command import build_table
from mulligan_packs.services.prove import (
    DIFFERS,
    NOT_POSSIBLE,
    PROVEN,
    ProvingTransport,
    ServiceProving,
    StepShown,
)
from mulligan_packs.services.service import Service, build_client
from mulligan_packs.services.table import load_table
from mulligan_testing.simulations import SIMULATIONS, GoogleCalendar, Simulation
from mulligan_testing.simulations.notion import HOME, SCRATCH
from tests.packs.proving import ALL
from tests.packs.services.account import PLACES, open_account, prove

pytestmark = pytest.mark.full

WHEN = {name: {"dateTime": "2026-12-04T18:00:00Z", "timeZone": "UTC"} for name in ("start", "end")}
WHOLE = ("replace_event", "create_file", "update_file")
"""What writes all of something: where nothing is compared, an edit right before it is gone."""
SECRET = "ya29.secret-of-somebody"


def list_left(simulation: Any, name: str) -> list[object]:
    """What a proof has left lying about."""
    if name == "google-calendar":
        events = [e for c in simulation.state["calendars"].values() for e in c.values()]
        return [each["id"] for each in events if each["status"] != "cancelled"]
    return simulation.list_left()


@pytest.mark.parametrize("name", SIMULATIONS)
async def test_every_operation_with_an_undo_is_proven_where_a_service_is_as_documented(
    name: str,
) -> None:
    shown, simulation = await prove(name)

    assert [each for each in shown if each.result == DIFFERS] == []
    assert {each.result for each in shown} <= {PROVEN, NOT_POSSIBLE}
    table = SIMULATIONS[name]
    assert table.simulates
    assert list_left(simulation, name) == []
    assert simulation.told == []
    proven = {each.operation.partition(",")[0] for each in shown if each.step == "undone"}
    rows = load_table(name).operations.items()
    assert proven == {named for named, row in rows if row.undo is not None or row.each}


@pytest.mark.parametrize(
    ("name", "differs", "step"),
    [
        ("github", "no-412", "edited right before it"),
        ("google-calendar", "no-412", "edited right before it"),
        ("google-calendar", "no-trash", "undone"),
        ("google-calendar", "lag", "undone"),
        ("gmail", "deaf", "undone"),
        ("gmail", "no-trash", "undone"),
        ("gmail", "lag", "undone"),
        ("outlook-calendar", "no-412", "edited right before it"),
        ("outlook-mail", "no-412", "edited right before it"),
        ("outlook-mail", "no-trash", "undone"),
        ("outlook-mail", "lag", "undone"),
    ],
)
async def test_a_service_that_differs_is_reported_and_keeps_every_edit(
    name: str, differs: str, step: str
) -> None:
    shown, simulation = await prove(name, differs=frozenset({differs}))

    found = [each for each in shown if each.result == DIFFERS]
    assert step in {each.step for each in found}
    assert not any(
        "gone" in each.what
        for each in found
        if each.step == "edited right before it" and each.operation not in WHOLE
    )
    assert not any("over an edit" in each.what for each in found)
    if name == "google-calendar":
        others = ("primary", "family")
        assert all(simulation.state["calendars"][name] == {} for name in others)


@pytest.mark.parametrize(
    ("name", "differs", "operation", "step"),
    [
        ("github", "no-delete", "create_file", "undone"),
        ("github", "lag", "update_issue", "undone"),
        ("slack", "deaf", "update_message", "edited after it"),
        ("slack", "lag", "set_topic", "undone"),
        ("outlook-calendar", "lag", "update_event", "undone"),
        ("notion", "no-trash", "trash_page", "undone"),
        ("notion", "lag", "create_page", "undone"),
        ("notion", "forgets", "update_page, a row", "undone"),
        ("jira", "no-delete", "create_issue", "undone"),
        ("jira", "lag", "create_issue", "undone"),
        ("jira", "forgets", "update_issue", "undone"),
        ("stripe", "no-keys", "create_customer", "its answer lost"),
        ("stripe", "lag", "create_customer", "undone"),
        ("stripe", "forgets", "update_product", "undone"),
    ],
)
async def test_an_operation_that_differs_is_named_and_every_edit_is_kept(
    name: str, differs: str, operation: str, step: str
) -> None:
    only = "" if ALL else operation.partition(",")[0]
    shown, simulation = await prove(name, differs=frozenset({differs}), only=only)

    found = [each for each in shown if each.result == DIFFERS]
    assert (operation, step) in {(each.operation, each.step) for each in found}
    assert not any("over an edit" in each.what or "edit is gone" in each.what for each in found)
    assert simulation.told == []


@pytest.mark.parametrize(
    ("name", "operation"), [("outlook-calendar", "create_event"), ("slack", "add_reaction")]
)
async def test_what_a_service_deletes_and_keeps_all_the_same_is_named(
    name: str, operation: str
) -> None:
    shown, simulation = await prove(name, differs=frozenset({"no-delete"}))

    assert (operation, "undone") in {
        (each.operation, each.step) for each in shown if each.result == DIFFERS
    }
    named = {each.what.split()[1] for each in shown if each.step == "cleared away"}
    assert named == set(list_left(simulation, name)) != set()
    assert simulation.told == []


@pytest.mark.parametrize("name", SIMULATIONS)
def test_every_service_can_be_wrong_in_three_ways(name: str) -> None:
    table = SIMULATIONS[name]

    assert len(table.differences) >= 3
    source = Path(inspect.getfile(table)).read_text() + inspect.getsource(Simulation)
    assert all(
        f'"{each}" in self.differs' in source or f'"{each}" not in self.differs' in source
        for each in table.differences
    )


async def test_a_proof_writes_nowhere_but_in_a_place_called_scratch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(PLACES, "google-calendar", ("primary", ""))

    with pytest.raises(ConfigurationError, match="'scratch' in its name"):
        await prove("google-calendar")


@pytest.mark.parametrize(
    ("name", "operation", "elsewhere"),
    [
        ("slack", "post_message", {"channel": "C1", "text": "Made in C2"}),
        ("github", "create_issue", {"repository": "family/plans", "title": "family/scratch"}),
        ("stripe", "update_customer", {"customer_id": "cus_home", "name": "cus_scratch"}),
        ("stripe", "create_invoice_item", {"customer": "cus_home", "amount": 1, "currency": "eur"}),
        ("stripe", "create_payment_intent", {"amount": 1, "currency": "eur"}),
        ("jira", "delete_issue", {"issue_id": "10001"}),
        ("jira", "create_issue", {"project": "HOME", "issue_type": "Task", "summary": "SCR"}),
        ("notion", "trash_page", {"page_id": HOME}),
        ("notion", "create_page", {"parent_id": HOME, "properties": {"title": SCRATCH}}),
        ("notion", "move_page", {"page_id": SCRATCH, "parent_id": HOME}),
        ("google-calendar", "create_event", {"calendar_id": "family", "summary": "s1", **WHEN}),
        (
            "google-calendar",
            "move_event",
            {"calendar_id": "s1", "event_id": "e", "destination": "family"},
        ),
        ("gmail", "trash_message", {"message_id": "19a0000000000001"}),
        ("gmail", "modify_messages", {"ids": ["Label_2", "m1"], "add_label_ids": ["Label_2"]}),
        ("gmail", "insert_message", {"raw": "TWFkZQ==", "label_ids": ["INBOX"]}),
        ("gmail", "send_message", {"raw": "TWFkZQ=="}),
        ("outlook-calendar", "delete_event", {"calendar_id": "c1", "event_id": "c2"}),
        ("outlook-mail", "move_message", {"message_id": "m", "destination_id": "f-scratch"}),
        ("outlook-mail", "create_folder", {"folder_id": "inbox", "display_name": "f-scratch"}),
    ],
)
def test_a_proof_writes_nowhere_else_whatever_a_text_says(
    name: str, operation: str, elsewhere: dict[str, Any]
) -> None:
    simulation, table = SIMULATIONS[name](), load_table(name)
    transport = ProvingTransport(httpx.HTTPTransport())
    with (
        simulation.serve() as url,
        build_client(table, lambda: "agent", base_url=url, transport=transport) as client,
    ):
        service, places = Service(table, client), PLACES[name]
        ServiceProving(service, transport, place=places[0], other=places[1]).require_scratch()
        with pytest.raises(ConfigurationError, match="outside the place"):
            service.build_function(operation)(**elsewhere)

    assert transport.writes == 0


def test_a_place_that_cannot_be_read_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_TOKEN", SECRET)

    with GoogleCalendar().serve() as url:
        code = main(
            ["prove", "google-calendar", "--token-env", "OUR_TOKEN", "--in", "x", "--base-url", url]
        )

    assert code == 2
    assert "x cannot be read" in capsys.readouterr().err


def test_what_a_service_has_said_is_shown_as_text() -> None:
    said = "404 for /[/nope] \x1b[31m"

    table = build_table([StepShown(operation="post", step="undone", result=DIFFERS, what=said)])

    console = Console(width=200)
    with console.capture() as shown:
        console.print(table)
    assert "404 for /[/nope] \\x1b[31m" in shown.get()


def test_the_command_prints_a_report_and_keeps_the_token_to_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OUR_TOKEN", SECRET)
    monkeypatch.chdir(tmp_path)
    simulation = GoogleCalendar()

    with simulation.serve() as url:
        said = ["prove", "google-calendar", "--token-env", "OUR_TOKEN", "--in", "s1"]
        code = main([*said, "--base-url", url, "--lands-within", "0.05", "--json"])

    out, err = capsys.readouterr()
    report = json.loads(out)
    assert code == 0
    assert report["counts"]["proven"] >= 40
    assert report["counts"]["not possible"] == 1
    assert {by for by, _, _ in simulation.ledger} == {SECRET}
    assert SECRET not in out + err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("place", "where"),
    [("", ""), ("s1", "/elsewhere"), ("s1", "http://127.0.0.1:9"), ("s1", "nowhere")],
)
def test_a_place_or_an_address_that_is_wrong_is_refused_in_one_sentence(
    place: str,
    where: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OUR_TOKEN", SECRET)
    simulation = GoogleCalendar()

    with simulation.serve() as url:
        base = where if where[:1] not in ("", "/") else url + where
        said = ["prove", "google-calendar", "--token-env", "OUR_TOKEN", "--in", place]
        code = main([*said, "--base-url", base])

    err = capsys.readouterr().err
    assert (code, err.count("\n"), simulation.ledger) == (2, 1, [])
    assert "--base-url" in err or "--in" in err
    assert SECRET not in err


async def test_what_a_limit_keeps_from_being_made_or_cleared_away_is_said_as_it_is() -> None:
    shown, simulation = await prove("google-calendar", limited_after=40)

    said = [each.what for each in shown if each.result == DIFFERS]
    left = [each.what for each in shown if each.step == "cleared away"]
    assert not any("over an edit" in each or "edit is gone" in each for each in said)
    assert {each.split()[1] for each in left} == set(list_left(simulation, "google-calendar"))
    assert left


async def test_a_pull_request_and_an_archived_channel_are_as_they_were() -> None:
    with open_account("github") as account:
        before = account.simulation.state["family/house"]["pulls"]["1"].copy()
        named = {"repository": "family/house", "pull_number": 1}

        assert await account.reject("update_pull_request", **named, title="Wrong") == []
        assert account.simulation.state["family/house"]["pulls"]["1"] == before
        assert len(account.simulation.ledger) == 2

    with open_account("slack") as account:
        assert await account.reject("archive_channel", "C1") == []
        assert account.simulation.state["C1"]["archived"] is False
        assert len(account.simulation.ledger) == 2


async def test_an_undo_sends_back_what_the_call_was_given_and_nothing_else() -> None:
    with open_account("github") as account:
        account.simulation.act("POST", "/repos/family/house/issues", {"title": "Base"})
        sent: list[httpx.Request] = []
        account.service._client.event_hooks["request"].append(sent.append)

        assert await account.reject("update_issue", "family/house", 10, title="Wrong") == []

    changes = [json.loads(each.content) for each in sent if each.method == "PATCH"]
    assert changes == [{"title": "Wrong"}, {"title": "Base"}]
