from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from mulligan import Mulligan
from mulligan_dashboard.app import create_app
from mulligan_dashboard.sections import SECTIONS
from tests.dashboard.conftest import Door
from tests.dashboard.stage import Stage


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
