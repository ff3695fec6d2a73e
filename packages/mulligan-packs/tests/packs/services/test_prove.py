"""What `mulligan prove` finds on a service that is as documented, and on one that is not."""

from __future__ import annotations

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
from mulligan_testing.simulations import SIMULATIONS, GoogleCalendar
from tests.packs.services.account import PLACES, open_account, prove

pytestmark = pytest.mark.full

WHEN = {name: {"dateTime": "2026-12-04T18:00:00Z", "timeZone": "UTC"} for name in ("start", "end")}
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


@pytest.mark.parametrize("differs", ["no-412", "no-trash", "lag"])
async def test_a_service_that_differs_is_reported_and_keeps_every_edit(differs: str) -> None:
    shown, simulation = await prove("google-calendar", differs=frozenset({differs}))

    found = [each for each in shown if each.result == DIFFERS]
    steps = {"no-412": "edited right before it", "no-trash": "undone", "lag": "undone"}
    assert steps[differs] in {each.step for each in found}
    assert not any(
        "gone" in each.what
        for each in found
        if each.step == "edited right before it" and "replace" not in each.operation
    )
    assert not any("over an edit" in each.what for each in found)
    others = ("primary", "family")
    assert all(simulation.state["calendars"][name] == {} for name in others)


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
        ("google-calendar", "create_event", {"calendar_id": "family", "summary": "s1", **WHEN}),
        (
            "google-calendar",
            "move_event",
            {"calendar_id": "s1", "event_id": "e", "destination": "family"},
        ),
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
