"""Every view and act over HTTP: pages, JSON, CSV and their description."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime

import jsonschema_rs
import pytest
from msgspec import Struct
from starlette.testclient import TestClient

from mulligan import Mulligan, State
from mulligan.cli.main import build_parser
from mulligan.insights import open_actions, turns
from mulligan.insights.figures import Estimate
from mulligan.insights.filters import ViewRequest, Window
from mulligan.types.errors import ConfigurationError
from mulligan_dashboard.app import create_app, render_csv
from mulligan_dashboard.openapi import build_openapi
from mulligan_dashboard.sections import ACTS, SECTIONS, SINGLE, parse_query
from mulligan_dashboard.security import Role
from mulligan_dashboard.site import HERE, render_report
from tests.dashboard.conftest import Door
from tests.dashboard.stage import Stage, run_apart

pytestmark = pytest.mark.full


def test_without_a_way_in_nobody_gets_in(m: Mulligan) -> None:
    with TestClient(create_app(m.insights), base_url="http://127.0.0.1") as client:
        assert client.get("/api/v1/overview").status_code == 401


@pytest.mark.parametrize("section", SECTIONS, ids=lambda each: each.name)
def test_every_view_is_a_page_and_json(door: Door, filled: Stage, section) -> None:
    page = door.client.get(section.path, headers=door.key())
    json = door.client.get(section.json_path, headers=door.key())

    assert page.status_code == json.status_code == 200
    assert f"<h1>{section.title}</h1>".replace("'", "&#39;") in page.text
    assert isinstance(json.json(), dict)


def test_only_what_is_meant_to_change_things_can_be_asked_to(door: Door) -> None:
    for section in SECTIONS:
        assert door.client.post(section.path, json={}, headers=door.key()).status_code == 405


def test_an_act_is_on_record_with_who_did_it_also_where_it_was_refused(
    door: Door, filled: Stage
) -> None:

    hold = filled.m.insights.open_list.actions()[0].id
    key = door.key(Role.DECIDE)

    first = door.client.post(f"/api/v1/open/{hold}/deny", json={"note": "no"}, headers=key)
    again = door.client.post(f"/api/v1/open/{hold}/deny", json={}, headers=key)

    assert (first.status_code, again.status_code) == (200, 409)
    refused, done = filled.m.insights.acts.list_acts()
    assert (done.by, done.act, done.refused) == ("Mum", f"deny {hold}", "")
    assert "denied" in refused.refused


def test_a_view_is_there_for_programs(door: Door, filled: Stage) -> None:
    answer = door.client.get("/api/v1/open", headers=door.key())

    said = answer.json()
    assert said["paging"]["total"] == 3
    assert [item["state"] for item in said["items"]] == ["held", "held", "undo_failed"]
    assert said["items"][0]["what"].startswith("Send mail (subject: Picnic")


@pytest.mark.parametrize(("role", "shown"), [(Role.LOOK, False), (Role.DECIDE, True)])
def test_who_decides_sees_whom_a_call_is_about_and_who_looks_does_not(
    door: Door, stage: Stage, role: Role, shown: bool
) -> None:
    async def write(_: object) -> str:
        await stage.send_mail("For ann@example.com", "password=hunter2-Zx9")
        return "Done."

    run_apart(stage.m.act("Write to Ann", write))
    [held] = stage.m.insights.open_list.actions()

    for path in ("/api/v1/open", f"/api/v1/open/{held.id}", f"/open/{held.id}"):
        said = door.client.get(path, headers=door.key(role)).text
        assert ("ann@example.com" in said) is shown, path
        assert "hunter2" not in said


def test_a_table_is_there_for_spreadsheets(door: Door, filled: Stage) -> None:
    answer = door.client.get("/api/v1/open?format=csv", headers=door.key())

    rows = list(csv.DictReader(answer.text.splitlines()))
    assert answer.headers["content-type"].startswith("text/csv")
    assert [row["state"] for row in rows] == ["held", "held", "undo_failed"]


def test_an_export_has_every_row_that_its_page_leads_through(door: Door, stage: Stage) -> None:
    async def act() -> None:
        for number in range(25):
            await stage.hold(f"Mail {number}")
        await stage.fail_undo()

    run_apart(act())
    stage.m.flush()

    page = door.client.get("/open?state=held&page=2", headers=door.key()).text
    link = re.search(r'href="([^"]+)">CSV<', page)
    assert link is not None
    answer = door.client.get(link[1].replace("&amp;", "&"), headers=door.key())

    rows = list(csv.DictReader(answer.text.splitlines()))
    assert {row["state"] for row in rows} == {"held"}
    assert len(rows) == 25


def test_a_figure_of_results_leads_to_as_many(door: Door, stage: Stage) -> None:
    async def act() -> None:
        for number in range(3):
            await stage.hold(f"Mail {number}")

    run_apart(act())
    for held in stage.m.insights.open_list.actions():
        stage.m.insights.open_list.deny(held.id, by="ann")
    stage.m.flush()

    page = door.client.get("/cost", headers=door.key()).text
    [(path, times)] = re.findall(r'<a href="(/actions\?state=denied)">(\d+)</a>', page)
    listed = door.client.get(f"/api/v1{path}", headers=door.key()).json()

    assert (int(times), listed["paging"]["total"]) == (3, 3)


def test_a_part_of_a_list_is_never_called_all_of_it(
    door: Door, filled: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "MOST_ROWS", 2)
    monkeypatch.setattr(open_actions, "MOST_LISTED", 2)

    found = {
        path: door.client.get(path, headers=door.key()).text
        for path in (
            "/turns",
            "/turns?agent=helper&only=failed",
            "/actions",
            "/actions?state=held",
        )
    }

    assert all(
        "not looked through" in found[path]
        for path in ("/turns", "/turns?agent=helper&only=failed")
    )
    assert "there are older ones" in found["/actions"]
    assert not [path for path, page in found.items() if "in this period." in page]


def test_an_empty_store_says_how_to_begin_and_a_filter_does_not(door: Door, stage: Stage) -> None:
    empty = door.client.get("/", headers=door.key()).text
    run_apart(stage.fail())
    stage.m.flush()
    stage.m.insights.cache.forget()
    of_nobody = door.client.get("/?agent=nobody", headers=door.key()).text
    begun = door.client.get("/", headers=door.key()).text

    store = stage.m.insights.settings.store
    assert f"mulligan init --store {store}" in empty
    assert [page.count("Three ways to begin") for page in (empty, of_nobody, begun)] == [1, 0, 0]
    assert [page.count('class="chart"') for page in (empty, of_nobody, begun)] == [0, 0, 2]
    assert "No such calls in 30 days." in of_nobody


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/overview?window=1y", 400),
        ("/api/v1/open?page=0", 400),
        ("/api/v1/open?page=x", 400),
        (f"/api/v1/open?tool={'x' * 600}", 400),
        ("/api/v1/open/0", 404),
        ("/api/v1/nothing", 404),
        ("/api/v1/open/%00", 404),
    ],
)
def test_what_means_nothing_is_said_to(door: Door, path: str, status: int) -> None:
    answer = door.client.get(path, headers=door.key())

    assert answer.status_code == status
    assert answer.json()["error"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"note": 1}', b'{"else": ""}', b"[" * 60_000])
def test_words_that_fit_no_act_are_refused(door: Door, filled: Stage, body: bytes) -> None:
    key = {**door.key(Role.DECIDE), "content-type": "application/json"}

    answer = door.client.post("/api/v1/open/0/settle", content=body, headers=key)

    assert answer.status_code == 400


@pytest.mark.parametrize("act", ["approve", "deny", "undo", "settle"])
def test_a_body_that_was_lost_decides_nothing(door: Door, filled: Stage, act: str) -> None:
    hold = next(a for a in filled.m.insights.open_list.actions() if a.state is State.HELD)
    key = {**door.key(Role.DECIDE), "content-type": "application/json"}

    answer = door.client.post(f"/api/v1/open/{hold.id}/{act}", content=b"", headers=key)

    assert answer.status_code == 400
    assert "JSON object" in answer.json()["error"]
    assert filled.m.insights.open_list.find(hold.id).version == hold.version


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ('{"subject": "a", "subject": "b"}', "more than once"),
        ('{"subject": NaN}', "NaN is no number"),
        ('{"a":' * 3_000 + "1" + "}" * 3_000, "nested too deeply"),
    ],
)
def test_changes_that_would_be_read_otherwise_are_refused(
    door: Door, filled: Stage, changes: str, why: str
) -> None:
    hold = next(a for a in filled.m.insights.open_list.actions() if a.state is State.HELD)
    path = f"/api/v1/open/{hold.id}/approve"

    answer = door.client.post(path, json={"changes": changes}, headers=door.key(Role.DECIDE))

    assert answer.status_code == 409
    assert why in answer.json()["error"]
    assert filled.m.insights.open_list.find(hold.id).state is State.HELD


def test_an_act_that_cannot_be_done_says_why(door: Door, filled: Stage) -> None:
    failed = filled.m.insights.open_list.actions()[2].id

    answer = door.client.post(
        f"/api/v1/open/{failed}/settle", json={"note": " "}, headers=door.key(Role.DECIDE)
    )

    assert answer.status_code == 409
    assert "note is required" in answer.json()["error"]


def test_a_page_that_is_not_there_is_a_page(door: Door) -> None:
    answer = door.client.get("/nowhere", headers={**door.key(), "accept": "text/html"})

    assert answer.status_code == 404
    assert "Back to the overview" in answer.text


def test_an_empty_address_asks_for_a_week_of_everything() -> None:
    assert parse_query({}) == ViewRequest()
    assert parse_query({"tool": "", "window": "", "page": ""}) == ViewRequest()


def test_an_address_says_all_that_is_asked_for() -> None:
    asked = parse_query({"window": "30d", "tool": "find", "page": "3", "state": "held"}, id_="7")

    assert asked.filter.window is Window.MONTH
    assert (asked.filter.tool, asked.page, asked.id) == ("find", 3, "7")
    assert asked.words == {"state": "held"}


@pytest.mark.parametrize(
    "params",
    [
        {"window": "1y"},
        {"page": "-1"},
        {"page": "٣"},
        {"page": "9" * 30},
        {"page": "000000001" + "9" * 400},
        {"agent": "x" * 513},
    ],
)
def test_a_word_that_means_nothing_is_an_error(params: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        parse_query(params)


DESCRIBED = build_openapi("1")


def test_every_view_and_act_is_described() -> None:
    wanted = {each.json_path for each in (*SECTIONS, *SINGLE)} | {act.path for act in ACTS}

    assert set(DESCRIBED["paths"]) == wanted


def test_every_reference_leads_somewhere() -> None:
    names = set(re.findall(r"#/components/schemas/(\w+)", str(DESCRIBED)))

    assert names <= DESCRIBED["components"]["schemas"].keys()


@pytest.mark.parametrize("section", SECTIONS, ids=lambda each: each.name)
def test_what_is_sent_is_what_is_described(door: Door, filled: Stage, section) -> None:
    answers = DESCRIBED["paths"][section.json_path]["get"]["responses"]
    schema = answers["200"]["content"]["application/json"]["schema"]

    sent = door.client.get(section.json_path, headers=door.key()).json()

    jsonschema_rs.validate({**schema, "components": DESCRIBED["components"]}, sent)


class Row(Struct, frozen=True, kw_only=True):
    name: str
    share: Estimate
    at: datetime = datetime(2026, 11, 16, tzinfo=UTC)
    agents: tuple[str, ...] = ()
    note: str | None = None


def read_csv(rows: list[Row]) -> list[dict[str, str]]:
    return list(csv.DictReader(render_csv(rows).splitlines()))


def test_a_part_stands_under_its_own_name() -> None:
    (row,) = read_csv([Row(name="find", share=Estimate(figure=0.5, n=2), agents=("a", "b"))])

    assert row["share.figure"] == "0.5"
    assert row["at"] == "2026-11-16T00:00:00+00:00"
    assert row["agents"] == '["a","b"]'
    assert row["note"] == row["share.low"] == ""


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", " =", "\n=", "\uff1d"])
def test_what_a_spreadsheet_would_run_is_text(sign: str) -> None:
    (row,) = read_csv([Row(name=f"{sign}cmd|' /C calc'!A0", share=Estimate(figure=-1.0, n=0))])

    assert not row["name"].startswith(sign)
    assert row["share.figure"] == "-1.0"


def test_no_rows_are_no_lines() -> None:
    assert render_csv([]).strip() == ""


def test_every_view_has_a_page_of_its_own() -> None:
    shown = (*SECTIONS, *SINGLE)

    assert [each.name for each in shown if not (HERE / "templates" / each.template).is_file()] == []
    assert len({each.path for each in shown}) == len(shown)


def test_every_view_names_a_command_that_there_is() -> None:
    known = build_parser().format_help()

    for each in (*SECTIONS, *SINGLE):
        program, command, *_ = each.command.split()
        assert program == "mulligan"
        assert re.search(rf"^ +{command}\b", known, re.MULTILINE), each.command


def test_a_report_has_every_view_and_loads_nothing(lived: Mulligan) -> None:
    page = render_report(lived.insights, Window.MONTH)

    missing = [s.name for s in SECTIONS if f'<section class="sheet" id="{s.name}">' not in page]
    assert missing == ["search"], "nothing can be looked for in a file"
    assert "script-src &#39;sha256-" in page
    assert re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=", page) == []
    assert page.count("<script>") == 1
