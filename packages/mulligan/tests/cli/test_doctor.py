from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import apsw

from mulligan import Effect, Mulligan
from mulligan.cli import store as doctor
from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.adapter import HostCall
from mulligan_testing.store_contract.contract import find_way, walk
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
    monkeypatch.setenv("MULLIGAN_REDACTION_FAST", "off")

    _, out, _ = run(capsys, "doctor", "--store", store, "--json")

    assert json.loads(out)["redaction"] == "pure Python; fast is off"


def test_a_large_store_is_read_from_end_to_end_only_if_asked(
    store: str, capsys, monkeypatch
) -> None:
    monkeypatch.setattr(doctor, "READ_UNASKED", 1)

    _, quick, _ = run(capsys, "doctor", "--store", store, "--json")
    _, plainly, _ = run(capsys, "doctor", "--store", store)
    _, asked, _ = run(capsys, "doctor", "--store", store, "--json", "--thorough")

    assert (json.loads(quick)["thorough"], json.loads(asked)["thorough"]) == (False, True)
    assert json.loads(quick)["health"]["rows"] is None
    assert json.loads(asked)["health"]["rows"] > 0
    assert "--thorough reads all" in plainly


def test_one_that_no_application_would_open_is_read_unasked(
    store: str, capsys, monkeypatch
) -> None:
    monkeypatch.setattr(doctor, "READ_UNASKED", 1)
    opened = open_store(store)
    opened.journal.submit(walk("one", find_way(State.VERIFIED), at=datetime.now(UTC))).result()
    opened.close()
    with apsw.Connection(store.removeprefix("sqlite:///")) as file:
        file.execute("update entry set body = body || ' '")

    code, said, _ = run(capsys, "doctor", "--store", store, "--json")

    assert code == 1
    assert json.loads(said)["thorough"] is True
    assert json.loads(said)["problems"]


def test_a_value_that_is_not_what_was_kept_is_a_problem(store: str, capsys) -> None:
    opened = open_store(store)
    opened.vault.put(Kept(owner="one", name="before", value=b"dinner at six"))
    opened.close()
    with apsw.Connection(store.removeprefix("sqlite:///")) as file:
        file.execute("update kept set value = cast('dinner at ten' as blob)")

    code, said, _ = run(capsys, "doctor", "--store", store, "--json")

    assert code == 1
    assert "'before' of one is not what was kept" in " ".join(json.loads(said)["problems"])


async def test_doctor_names_a_declaration_that_is_misspelt(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/family.db"

    async def make(arguments) -> str:
        return "sent"

    async with Mulligan(url) as m:
        m.declare("send_mial", effect=Effect.READ)
        m.declare("list_mails", effect=Effect.READ)
        m.declare("read_mail", effect=Effect.READ)
        run_ = m._build_host({}).open("Send it.")
        await run_.call(HostCall(tool="list_mails", arguments={}, make=make))
        await run_.call(HostCall(tool="send_mail", arguments={}, make=make))
        await run_.leave()

    _, out, _ = run(capsys, "doctor", "--store", url, "--json")

    [said] = [each for each in json.loads(out)["advice"] if "is declared" in each]
    assert "send_mial is declared and was never called; send_mail is called" in said
