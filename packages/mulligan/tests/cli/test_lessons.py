"""What was learned, listed, decided, moved between stores and measured."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from mulligan import Effect, Memory, Mulligan
from mulligan.insights.insights import Insights
from mulligan.runtime.context import OpenTurn
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.call import OWN
from mulligan.types.lesson import EpisodeQuery
from mulligan.types.log import REPLY_SETTLED, Batch
from mulligan_testing.store_contract.contract import make_lesson, make_log_row, make_use
from tests.cli.running import read_json, run

ORDERS = {f"#W{number}": number for number in range(1000, 1010)}


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store where an agent has failed in one way in three turns, and repaired it each time."""
    url = f"sqlite:///{tmp_path}/desk.db"
    with Mulligan(url, memory=Memory(control=0), recover=False) as m:

        @m.tool(effect=Effect.READ)
        async def find_order(order_id: str) -> int:
            if order_id not in ORDERS:
                raise ValueError(f"Order {order_id} not found")
            return ORDERS[order_id]

        async def agent(turn: OpenTurn) -> int:
            number = turn.message.split()[-1]
            try:
                return await find_order(number)
            except ValueError:
                return await find_order(f"#{number}")

        for number in (1001, 1002, 1003):
            m.act_sync(f"Find order W{number}", agent, agent="desk")
        m.flush()
    return url


@pytest.fixture
def lesson(store: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The id of the lesson that was drawn from it."""
    listed = read_json(capsys, "lessons", "list", "--store", store, "--tool", "find_order")
    [found] = listed["lessons"]
    return str(found["id"])


@pytest.fixture
def undrawn(store: str, tmp_path: Path) -> str:
    """A store with the same failures, as an earlier release kept them: without a lesson."""
    url = f"sqlite:///{tmp_path}/old.db"
    with closing(open_store(store)) as full, closing(open_store(url)) as old:
        old.failures.record(full.failures.list_episodes(EpisodeQuery()))
    return url


def test_what_was_learned_is_listed_with_what_it_brought(
    store: str, lesson: str, capsys, monkeypatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")

    listed = read_json(capsys, "lessons", "list", "--store", store, "--tool", "find_order")
    _, table, _ = run(capsys, "lessons", "list", "--store", store)

    [seen] = listed["lessons"]
    assert (seen["id"], seen["state"], seen["seen"]) == (lesson, "active", 3)
    assert seen["balance"]["helped"] == 3
    assert lesson in table


def test_nothing_learned_is_said_so(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    Mulligan(url).close()

    code, out, _ = run(capsys, "lessons", "list", "--store", url)

    assert (code, out.splitlines()[0]) == (0, "Nothing was learned yet.")


@pytest.mark.full
def test_a_filter_that_no_lesson_fits_is_not_taken_for_an_empty_memory(store, capsys) -> None:
    code, out, _ = run(capsys, "lessons", "list", "--store", store, "--tool", "fnd_order")

    assert (code, out) == (0, "No learned lessons match.\n")


def test_what_every_memory_begins_with_is_listed_as_built_in(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    Mulligan(url).close()

    listed = read_json(capsys, "lessons", "list", "--store", url)["lessons"]
    run(capsys, "lessons", "list", "--store", url)
    table = run(capsys, "lessons", "list", "--store", url)[1]
    shown = read_json(capsys, "lessons", "show", listed[0]["id"], "--store", url)
    code, _, error = run(capsys, "lessons", "revoke", listed[0]["id"], "--store", url)

    assert {lesson["built_in"] for lesson in listed} == {True}
    assert table.count("built in") == len(listed) == 9
    assert [version["id"] for version in shown["versions"]] == [listed[0]["id"]]
    assert (code, "seeds=False" in error) == (2, True)
    assert (
        read_json(capsys, "lessons", "list", "--tool", "find_order", "--store", url)["lessons"]
        == []
    )
    dates = read_json(capsys, "lessons", "list", "--text", "date", "--store", url)["lessons"]
    assert 0 < len(dates) < len(listed)


def test_built_in_lessons_that_are_switched_off_are_not_listed(
    tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    Mulligan(url).close()
    monkeypatch.setenv("MULLIGAN_MEMORY_SEEDS", "false")

    assert read_json(capsys, "lessons", "list", "--store", url)["lessons"] == []


def test_thumbs_for_the_turns_it_was_used_in_are_shown(store: str, lesson: str, capsys) -> None:
    uses = read_json(capsys, "lessons", "show", lesson, "--store", store)["uses"]
    turns = [use["turn"] for use in uses]
    settled = [
        make_log_row(number, server=OWN, tool=REPLY_SETTLED, turn=turn)
        for number, turn in enumerate([*turns, "another"])
    ]
    with Mulligan(store) as m:
        m._parts.store.log.write(Batch(rows=settled))
        for number, up in [(0, True), (1, False), (2, False), (0, False), (3, True)]:
            m.rate(settled[number].id, up=up)

    shown = read_json(capsys, "lessons", "show", lesson, "--store", store)
    _, words, _ = run(capsys, "lessons", "show", lesson, "--store", store)

    assert (shown["rated_up"]["figure"], shown["rated_up"]["n"]) == (0.0, 3)
    assert "People liked 0 of 3 replies of those turns." in words


def test_revoking_lists_every_call_that_was_touched(store: str, lesson: str, capsys) -> None:
    gone = read_json(
        capsys, "lessons", "revoke", lesson[:6], "--store", store, "--note", "Wrong shop."
    )
    shown = read_json(capsys, "lessons", "show", lesson, "--store", store)
    _, pitfalls, _ = run(capsys, "pitfalls", "find_order", "--store", store)

    assert len(gone["uses"]) == 3
    assert shown["versions"][-1]["state"] == "retired"
    assert shown["versions"][-1]["why"] == "Wrong shop."
    assert "If this fails, try" not in pitfalls
    assert "No remedy is proven yet" in pitfalls


def test_a_doubted_lesson_waits_until_it_is_approved(store: str, lesson: str, capsys) -> None:
    doubted = read_json(capsys, "lessons", "quarantine", lesson, "--store", store)
    approved = read_json(capsys, "lessons", "approve", lesson, "--store", store)

    assert doubted["lesson"]["state"] == "quarantined"
    assert approved["lesson"]["state"] == "active"


def test_a_consolidation_can_be_taken_back(undrawn: str, capsys) -> None:
    drawn = read_json(capsys, "lessons", "consolidate", "--store", undrawn)

    back = read_json(capsys, "lessons", "consolidate", "--store", undrawn, "--undo", drawn["batch"])
    again, _, err = run(capsys, "lessons", "consolidate", "--store", undrawn, "--undo", "20200101")

    assert drawn["episodes"] == 3
    assert {each["state"] for each in back["lessons"]} == {"quarantined"}
    assert again == 2
    assert "No lesson is still at the version that consolidation '20200101' wrote." in err


def test_lessons_go_from_store_to_store_as_candidates(
    store: str, lesson: str, tmp_path: Path, capsys
) -> None:
    _, lines, _ = run(capsys, "lessons", "export", "--store", store, "--tool", "find_order")
    file = tmp_path / "lessons.jsonl"
    file.write_text(lines)
    other = f"sqlite:///{tmp_path}/other.db"
    Mulligan(other).close()

    new = read_json(capsys, "lessons", "import", str(file), "--store", other)
    twice = read_json(capsys, "lessons", "import", str(file), "--store", other)

    assert [(each["id"], each["state"]) for each in new["imported"]] == [(lesson, "candidate")]
    assert twice["imported"] == []


@pytest.mark.full
@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ('{"lessons": 99}\n', "version 99"),
        ("hello\n", "not a file of lessons"),
        ("", "not a file of lessons"),
        ('{"lessons": 1}\nnot json\n', "Line 2 is no JSON"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence_and_changes_nothing(
    undrawn: str, tmp_path: Path, capsys, lines: str, says: str
) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(lines)

    code, _, err = run(capsys, "lessons", "import", str(file), "--store", undrawn)

    assert code == 2
    assert says in err
    assert err.count("\n") == 1
    listed = read_json(capsys, "lessons", "list", "--store", undrawn)["lessons"]
    assert [each for each in listed if not each["built_in"]] == []


def test_a_lesson_about_a_tool_that_is_gone_is_refused(
    store: str, lesson: str, tmp_path: Path, capsys
) -> None:
    _, lines, _ = run(capsys, "lessons", "export", "--store", store, "--tool", "find_order")
    file = tmp_path / "lessons.jsonl"
    file.write_text(lines.replace('"tool": "find_order"', '"tool": "lost_tool"'))

    code, _, err = run(capsys, "lessons", "import", str(file), "--store", store)

    assert code == 2
    assert "names tool 'lost_tool', which does not exist" in err


def test_pitfalls_are_for_a_tool_an_agent_or_what_has_changed(
    store: str, lesson: str, capsys
) -> None:
    _, of_tool, _ = run(capsys, "pitfalls", "find_order", "--store", store)
    _, of_agent, _ = run(capsys, "pitfalls", "--agent", "desk", "--store", store)
    changed = read_json(capsys, "pitfalls", "--changed-since", "1d", "--store", store)
    nothing, _, err = run(capsys, "pitfalls", "--store", store)
    with Insights.open(Settings(store=store)) as insights:
        exported = insights.acts.list_exports()

    assert of_agent.replace("`find_order`: ", "") == of_tool
    assert list(exported) == ["find_order"]
    assert "If this fails, try:" in of_tool
    assert "find_order" in changed["tools"]
    assert nothing == 2
    assert "Name a tool" in err


def test_calibration_says_when_there_is_nothing_to_measure(tmp_path: Path, capsys) -> None:
    store = f"sqlite:///{tmp_path}/new.db"
    Mulligan(store).close()

    code, out, _ = run(capsys, "calibration", "--store", store)
    figures = read_json(capsys, "calibration", "--store", store)

    assert code == 0
    assert "nothing to measure" in out
    assert figures["calibration"]["n"] == 0


def test_a_lesson_that_is_not_there_is_one_sentence(store: str, capsys) -> None:
    code, _, err = run(capsys, "lessons", "show", "zzz", "--store", store)

    assert code == 2
    assert err == ("mulligan: 'zzz': there is no such lesson. `mulligan lessons list` has them.\n")


@pytest.fixture
def worn(tmp_path: Path) -> str:
    """A store with a lesson that has touched 130 calls."""
    url = f"sqlite:///{tmp_path}/desk.db"
    opened = open_store(url)
    opened.failures.append([make_lesson()])
    opened.failures.use([make_use(number) for number in range(130)])
    opened.close()
    return url


def test_the_newest_calls_that_a_lesson_affected_are_shown_or_all_of_them(worn, capsys) -> None:
    shown = read_json(capsys, "lessons", "show", "l1", "--store", worn)
    every = read_json(capsys, "lessons", "show", "l1", "--all", "--store", worn)
    _, words, _ = run(capsys, "lessons", "show", "l1", "--store", worn)
    _, all_words, _ = run(capsys, "lessons", "show", "l1", "--all", "--store", worn)
    gone = read_json(capsys, "lessons", "revoke", "l1", "--store", worn)

    assert (len(shown["uses"]), shown["balance"]["uses"]) == (100, 130)
    assert shown["uses"][-1]["call"] == make_use(129).call
    assert "the newest of 130 calls: --all lists them" in words
    assert "--all" not in all_words
    assert len(every["uses"]) == len(gone["uses"]) == 130
