"""Looking after a store: doctor, migrate, backup, forget, export."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import duckdb
import pytest

from mulligan import Effect, Mulligan
from mulligan.cli import store as doctor
from mulligan.insights.insights import Insights
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.action import ActionQuery, Kept, State
from mulligan.types.adapter import HostCall
from mulligan.types.log import LogQuery
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
    assert "--thorough checks all" in plainly


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

    said, silent = [each for each in json.loads(out)["advice"] if "declared" in each]
    assert "send_mial is declared but was never called; send_mail is called" in said
    assert silent.startswith("Neither log nor journal has a call of read_mail, which is declared.")


def test_doctor_knows_of_a_call_that_was_held_and_never_run(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(url) as m:
        find = m.tool(effect=Effect.READ)(len)

        @m.tool(effect=Effect.IRREVERSIBLE)
        def mail(to: str) -> None:
            raise AssertionError(to)

        with m.turn():
            find([1])
            mail("mum@family.test")

    _, out, _ = run(capsys, "doctor", "--store", url, "--json")

    assert not [each for each in json.loads(out)["advice"] if "declared" in each]


def test_migrate_makes_a_store_and_says_where_it_stands(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/new.db"

    code, out, _ = run(capsys, "migrate", "--store", url, "--json")

    assert code == 0
    assert json.loads(out)["schemas"]["journal"] >= 1
    assert (tmp_path / "new.db").exists()


def test_a_copy_is_a_store_that_every_command_can_open(store, capsys, tmp_path: Path) -> None:
    code, said, _ = run(capsys, "backup", "--json", "--store", store, str(tmp_path / "copy"))
    _, there, _ = run(capsys, "log", "--json", "--store", store)
    name = Path(store.removeprefix("sqlite:///")).name
    opened, here, _ = run(capsys, "log", "--json", "--store", f"sqlite:///{tmp_path}/copy/{name}")

    assert (code, opened) == (0, 0)
    assert json.loads(said)["bytes"] > 0
    assert json.loads(here)["rows"] == json.loads(there)["rows"] != []


def test_a_server_has_its_own_way(capsys, tmp_path: Path) -> None:
    code, _, said = run(
        capsys, "backup", "--store", "postgresql://127.0.0.1:1/nobody", str(tmp_path / "copy")
    )

    assert code == 2
    assert "pg_dump" in said


def test_where_no_store_is_nothing_is_made(capsys, tmp_path: Path) -> None:
    code, _, said = run(
        capsys, "backup", "--store", f"sqlite:///{tmp_path}/none.db", str(tmp_path / "copy")
    )

    assert code == 3
    assert "does not exist" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        ["open", "--store", "sqlite:///typo.db"],
        ["tasks", "optimize", "weekly", "--judge", "test", "--store", "sqlite:///typo.db"],
        ["copy", "sqlite:///typo.db", "sqlite:///copy.db"],
    ],
)
def test_a_mistyped_path_is_to_be_checked_and_no_store_is_made(
    command, capsys, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)

    code, _, said = run(capsys, *command)

    assert code == 3
    assert "typo.db does not exist: check the path." in said
    assert list(tmp_path.iterdir()) == []


def test_what_is_past_its_time_goes_and_the_files_are_written_anew(store, capsys) -> None:
    opened = open_store(store)
    ended = datetime.now(UTC) - timedelta(days=1)
    opened.vault.put(Kept(owner="one", name="before", value=b"gone", expires_at=ended))
    opened.close()

    code, said, _ = run(capsys, "forget", "--json", "--store", store)
    again, plainly, _ = run(capsys, "forget", "--store", store)

    found = json.loads(said)
    assert (code, again) == (0, 0)
    assert found["kept"] == 1
    assert len(found["vacuumed"]["parts"]) == 2
    assert "2 files or tables rewritten" in plainly


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_lines_have_every_call_and_action_and_no_secret(store, capsys, tmp_path: Path) -> None:
    out = tmp_path / "out"

    code, said, _ = run(capsys, "export", "--store", store, str(out))

    calls, actions = read_lines(out / "calls.jsonl"), read_lines(out / "actions.jsonl")
    with Insights.open(Settings(store=store)) as insights:
        assert [row["id"] for row in calls] == [
            row.id for row in insights.log(LogQuery(limit=1000, oldest_first=True))
        ]
        kept = insights.open_list.search(ActionQuery(limit=1000))
        assert {row["id"] for row in actions} == {action.id for action in kept}
    assert code == 0
    assert f"{len(calls)} calls, {len(actions)} actions" in " ".join(said.split())
    assert "hunter2" not in (out / "calls.jsonl").read_text()


def test_parquet_has_the_same_with_types(store, capsys, tmp_path: Path) -> None:
    run(capsys, "export", "--store", store, str(tmp_path / "lines"))
    code, said, _ = run(
        capsys, "export", "--parquet", "--json", "--store", store, str(tmp_path / "out")
    )

    files = json.loads(said)["files"]
    lines = read_lines(tmp_path / "lines" / "calls.jsonl")
    with duckdb.connect() as connection:
        calls = connection.read_parquet(files["calls"])
        described = dict(zip(calls.columns, map(str, calls.types), strict=True))
        count, durations = calls.aggregate("count(*), sum(duration_us)").fetchall()[0]
        actions = connection.read_parquet(files["actions"]).filter("settled").count("id").fetchone()
    assert code == 0
    assert (count, durations) == (len(lines), sum(int(str(row["duration_us"])) for row in lines))
    assert described["at"] == "TIMESTAMP WITH TIME ZONE"
    assert described["parameters"] in ("JSON", "VARCHAR")
    assert actions is not None
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "actions.parquet",
        "calls.parquet",
    ]


def test_where_nothing_fits_it_says_what_was_asked_for(store, capsys, tmp_path: Path) -> None:
    asked = ("--tenant", "nobody", "--until", "2020-01-01T01:00+01:00")

    code, said, _ = run(capsys, "export", "--store", store, *asked, str(tmp_path / "out"))

    assert code == 0
    assert " ".join(said.split()).endswith(
        "0 calls, 0 actions. Nothing matches --tenant nobody --until 2020-01-01T00:00:00+00:00."
    )
    assert (tmp_path / "out" / "calls.jsonl").read_text() == ""


def test_an_empty_store_is_said_to_be_one(capsys, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    Mulligan(url).close()

    code, said, _ = run(capsys, "export", "--store", url, str(tmp_path / "out"))

    assert code == 0
    assert "0 calls, 0 actions. The store has none yet." in " ".join(said.split())


def test_a_file_that_is_there_is_left_alone(store, capsys, tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_text("mine")

    code, _, said = run(capsys, "export", "--store", store, str(tmp_path))

    assert code == 2
    assert "already exists" in said
    assert (tmp_path / "calls.jsonl").read_text() == "mine"


def test_without_the_extra_it_says_what_to_install(
    store, capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)

    code, _, said = run(capsys, "export", "--parquet", "--store", store, str(tmp_path / "out"))

    assert code == 2
    assert 'pip install "mulligan[parquet]"' in said
    assert not (tmp_path / "out").exists()
