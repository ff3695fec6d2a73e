from __future__ import annotations

import csv

import pytest

from mulligan_dashboard.security import Role
from tests.dashboard.conftest import Door
from tests.dashboard.stage import Stage, run_apart


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


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"note": 1}', b'{"else": ""}', b"[" * 60_000])
def test_words_that_fit_no_act_are_refused(door: Door, filled: Stage, body: bytes) -> None:
    key = {**door.key(Role.DECIDE), "content-type": "application/json"}

    answer = door.client.post("/api/v1/open/0/settle", content=body, headers=key)

    assert answer.status_code == 400


def test_an_act_that_cannot_be_done_says_why(door: Door, filled: Stage) -> None:
    failed = filled.m.insights.open_list.actions()[2].id

    answer = door.client.post(
        f"/api/v1/open/{failed}/settle", json={"note": " "}, headers=door.key(Role.DECIDE)
    )

    assert answer.status_code == 409
    assert "note is needed" in answer.json()["error"]


def test_a_page_that_is_not_there_is_a_page(door: Door) -> None:
    answer = door.client.get("/nowhere", headers={**door.key(), "accept": "text/html"})

    assert answer.status_code == 404
    assert "Back to the overview" in answer.text
