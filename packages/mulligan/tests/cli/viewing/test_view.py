from __future__ import annotations

import csv
import json

import pytest

from mulligan_dashboard.sections import SECTIONS
from tests.cli.running import run


@pytest.mark.parametrize("section", SECTIONS, ids=lambda each: each.name)
def test_every_page_is_a_command_too(store, capsys, section) -> None:
    code, out, _ = run(capsys, "view", section.name, "--store", store)

    assert code == 0
    assert section.rows in ("", *json.loads(out))


def test_its_table_is_for_a_spreadsheet(store, capsys) -> None:
    _, out, _ = run(capsys, "view", "tools", "--csv", "--store", store)
    nothing = run(capsys, "view", "tools", "--csv", "--agent", "nobody there", "--store", store)

    rows = list(csv.DictReader(out.splitlines()))
    assert rows
    assert {"name", "excess"} <= set(rows[0])
    assert nothing[1].strip() == ""


def test_one_thing_has_an_id(store, capsys) -> None:
    _, out, _ = run(capsys, "view", "turns", "--store", store)
    turn = json.loads(out)["rows"][0]["turn"]

    _, one, _ = run(capsys, "view", "turns", turn, "--store", store)
    code, _, err = run(capsys, "view", "tools", "x", "--store", store)

    assert json.loads(one)["row"]["turn"] == turn
    assert (code, "about no single thing" in err) == (2, True)
