"""The command line as a person meets it: real processes for what only they show, else in here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan
from mulligan.cli.main import main


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store with a success, a failure that was repaired, and one that was not."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MULLIGAN_STORE", raising=False)
    url = f"sqlite:///{tmp_path}/family.db"
    answers = iter([ConnectionRefusedError("no"), 7])
    with Mulligan(url) as m:

        @m.tool(effect=Effect.READ)
        def find(limit: int) -> int:
            answer = next(answers)
            if isinstance(answer, Exception):
                raise answer
            return answer

        @m.tool
        def share(token: str) -> None:
            raise PermissionError(f"not with {token}")

        with m.turn(agent="planner", context="planning"):
            find(3)
            with pytest.raises(PermissionError):
                share("hunter2-is-my-token")
    return url


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(arguments)
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    output = capsys.readouterr()
    return code, output.out, output.err


def test_log_shows_every_try_and_no_secret(store: str, capsys) -> None:
    code, out, _ = run(capsys, "log", "--store", store)

    assert code == 0
    assert out.count("find") == 2
    assert "PermissionError" in out
    assert "hunter2" not in out


def test_a_narrow_terminal_gets_lines_instead_of_a_broken_table(
    store: str, capsys, monkeypatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    _, out, _ = run(capsys, "log", "--store", store)

    assert "PermissionError" in out
    assert "┃" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_log_as_json_is_one_document(store: str, capsys) -> None:
    code, out, _ = run(capsys, "log", "--store", store, "--json")

    rows = json.loads(out)["rows"]
    assert code == 0
    assert [row["outcome"] for row in rows] == ["failure", "success", "failure"]
    assert rows[1]["parent"] == rows[0]["id"]
    assert rows[0]["parameters"] == {"limit": 3}
    assert rows[0]["at"].endswith("+00:00")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["--tool", "share"], 1),
        (["--agent", "planner"], 3),
        (["--agent", "nobody"], 0),
        (["--outcome", "success"], 1),
        (["--error-class", "policy"], 1),
        (["--since", "1h"], 3),
        (["--until", "1h"], 0),
        (["-n", "2"], 2),
    ],
)
def test_log_filters(store: str, capsys, filters: list[str], expected: int) -> None:
    _, out, _ = run(capsys, "log", "--store", store, "--json", *filters)

    assert len(json.loads(out)["rows"]) == expected


def test_the_store_may_come_from_the_environment(store: str, capsys, monkeypatch) -> None:
    monkeypatch.setenv("MULLIGAN_STORE", store)

    code, out, _ = run(capsys, "log", "--json")

    assert code == 0
    assert len(json.loads(out)["rows"]) == 3


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


def test_migrate_makes_a_store_and_says_where_it_stands(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/new.db"

    code, out, _ = run(capsys, "migrate", "--store", url, "--json")

    assert code == 0
    assert json.loads(out)["schemas"]["journal"] >= 1
    assert (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["log", "--store", "mongodb://db"], 2, "mongodb"),
        (["log", "--store", "sqlite:///nowhere/x.db"], 3, "nowhere"),
        (["log", "--since", "yesterday"], 2, "yesterday"),
        (
            ["log", "--since", "2026-11-14T09:00"],
            2,
            "'2026-11-14T09:00' has no time zone; write 2026-11-14T09:00+00:00 for UTC",
        ),
        (["log"], 2, "memory: is gone with its process"),
        (["doctor"], 2, "--store URL"),
        (["migrate", "--store", "memory:"], 2, "memory:"),
        (["log", "-n", "0"], 2, "whole number"),
        (["log", "-n", "9" * 30], 2, "whole number"),
        (["log", "--since", "999999w"], 2, "999999w"),
        (["log", "--since", "0001-01-01T00:00+14:00"], 2, "0001"),
        (["log", "--since", "2026-11-14"], 2, "write 2026-11-14T00:00+00:00 for UTC"),
        (["log", "--store", ""], 2, "''"),
        (["log", "--store", "sqlite:////nope/\x1b]0;x\x07.db"], 3, "\\x1b"),
        (["log", "--outcome", "meh"], 2, "meh"),
        (["fly"], 2, "fly"),
        ([], 2, "COMMAND"),
    ],
)
def test_bad_input_is_named_with_the_way_out(
    tmp_path: Path, monkeypatch, capsys, arguments: list[str], code: int, says: str
) -> None:
    monkeypatch.chdir(tmp_path)

    got, out, err = run(capsys, *arguments)

    assert got == code
    assert out == ""
    assert says in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_follow_shows_calls_as_they_are_stored(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(url) as m:
        find = m.tool(name="find")(len)
        find([1])
        m.flush()
        follower = subprocess.Popen(
            [sys.executable, "-m", "mulligan", "log", "-f", "--json", "--store", url],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert follower.stdout is not None
            first = json.loads(follower.stdout.readline())
            find([1, 2])
            m.flush()
            second = json.loads(follower.stdout.readline())
        finally:
            follower.kill()
            follower.communicate()

    assert (first["result"], second["result"]) == (1, 2)


@pytest.mark.parametrize("command", ["log --store {store}", "log --json --store {store}", "demo"])
def test_a_reader_that_goes_away_is_no_error(store: str, command: str) -> None:
    command = command.format(store=store)
    reader = subprocess.run(
        f"{sys.executable} -m mulligan {command} | head -c1 >/dev/null; exit ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", capture_output=True, text=True,
    )  # fmt: skip

    assert reader.returncode == 0
    assert reader.stderr == ""


def test_output_that_cannot_be_written_is_one_sentence(store: str) -> None:
    done = subprocess.run(
        f"{sys.executable} -m mulligan doctor --json --store {store} > /dev/full",
        shell=True, capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 3
    assert done.stderr == "mulligan: the output could not be written: No space left on device.\n"


def test_help_lists_the_commands_and_what_exit_codes_mean(capsys) -> None:
    code, out, _ = run(capsys, "--help")

    assert code == 0
    for word in ("demo", "log", "doctor", "migrate", "exit codes"):
        assert word in out
