from __future__ import annotations

import json
from pathlib import Path

from mulligan import Mulligan
from tests.cli.running import run


def test_doctor_is_content_with_a_healthy_store(store: str, capsys) -> None:
    code, out, _ = run(capsys, "doctor", "--store", store, "--json")

    report = json.loads(out)
    assert code == 0, report["problems"]
    assert report["health"]["version"].startswith("3.")
    assert report["dropped"] == 0
    assert report["with_context"] == 1.0
    assert report["retention"]["log_days"] == 30
    assert report["retention"]["learned_days"] == 90


def test_doctor_shows_a_table_to_people(store: str, capsys) -> None:
    code, out, _ = run(capsys, "doctor", "--store", store)

    assert code == 0
    assert "Nothing needs you." in out
    assert "retention" in out


def test_doctor_says_when_calls_do_not_say_who_made_them(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(url) as m:
        m.tool(len)([1])

    code, out, _ = run(capsys, "doctor", "--store", url, "--json")

    assert code == 0
    assert "0%" in json.loads(out)["advice"][0]


def test_doctor_says_which_form_of_redaction_runs(store: str, capsys, monkeypatch) -> None:
    monkeypatch.setenv("MULLIGAN_FAST", "off")

    _, out, _ = run(capsys, "doctor", "--store", store, "--json")

    assert json.loads(out)["redaction"] == "pure Python; fast is off"
