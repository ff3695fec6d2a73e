from __future__ import annotations

import re

import jsonschema_rs
import pytest

from mulligan_dashboard.openapi import build_openapi
from mulligan_dashboard.sections import ACTS, SECTIONS, SINGLE
from tests.dashboard.conftest import Door
from tests.dashboard.stage import Stage

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
