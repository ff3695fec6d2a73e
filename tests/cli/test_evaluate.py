"""Evaluating replies at the command line."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.cli.main import main


def test_the_set_we_ship_is_evaluated_with_the_writer_we_ship(capsys) -> None:
    code = main(["evaluate", "--json"])

    report = json.loads(capsys.readouterr().out)
    assert code == 0
    assert report["n"] >= 40
    assert 0 < report["reflection_rate"] < 1


def test_two_sets_of_checks_are_compared_and_the_exit_code_says_whether_it_is_safe(
    tmp_path: Path, capsys
) -> None:
    stricter = tmp_path / "stricter.toml"
    stricter.write_text('preset = "marketing"\n[checks.too_long]\nat_most = 40\n')

    same = main(["evaluate", "--compare", "marketing", "marketing", "--json"])
    capsys.readouterr()
    worse = main(["evaluate", "--compare", "marketing", str(stricter), "--json"])

    told = json.loads(capsys.readouterr().out)
    assert (same, worse) == (0, 1)
    assert told["verdict"] == "not safe to deploy"


def test_a_page_is_written_and_people_get_tables(tmp_path: Path, capsys) -> None:
    page = tmp_path / "report.html"

    code = main(["evaluate", "--limit", "5", "--html", str(page)])

    assert code == 0
    assert "Reflection rate" in capsys.readouterr().out
    assert "<svg" in page.read_text()


@pytest.mark.parametrize("wrong", [["nothing"], ["--cases", "nowhere.jsonl"]])
def test_what_is_not_there_is_one_sentence(wrong: list[str], capsys) -> None:
    code = main(["evaluate", *wrong])

    assert code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store with three replies that were checked with the marketing preset."""
    url = f"sqlite:///{tmp_path}/boatyard.db"
    texts = ("Let's delve into it.", "We build rowing boats.", "We have 500+ clients.")

    async def work() -> None:
        async with Mulligan(url) as m:
            for text in texts:
                await m.reply(
                    lambda _, text=text: text, query="What?", context="100+ clients, rowing boats"
                )

    asyncio.run(work())
    return url


def test_replies_of_the_store_are_replayed_under_other_checks(
    store: str, tmp_path: Path, capsys
) -> None:
    stricter = tmp_path / "stricter.toml"
    stricter.write_text('[checks.grounded]\n[checks.words]\nkind = "avoids"\nwords = ["delve"]\n')

    code = main(["evaluate", str(stricter), "--recorded", "--store", store, "--json"])
    report = json.loads(capsys.readouterr().out)
    limited = main(
        ["evaluate", "default", "--recorded", "--limit", "2", "--store", store, "--json"]
    )
    few = json.loads(capsys.readouterr().out)

    assert (code, limited) == (0, 0)
    assert (report["n"], report["total_reflections"] > 0) == (3, True)
    assert report["reflection_rate"] == pytest.approx(2 / 3)
    assert set(report["check_rates"]) == {"grounding.number", "text.unwanted_word"}
    assert few["n"] == 2


def test_what_people_asked_is_not_written_out_with_its_secrets(tmp_path: Path, capsys) -> None:
    url, page = f"sqlite:///{tmp_path}/asked.db", tmp_path / "asked.html"
    key = "sk-abcdefghijklmnop"

    async def work() -> None:
        async with Mulligan(url) as m:
            asked = f"Is {key} of bob@example.org valid?"
            await m.reply(lambda _: f"Yes, {key} is.", query=asked, context="keys")

    asyncio.run(work())
    code = main(
        ["evaluate", "default", "--recorded", "--store", url, "--json", "--html", str(page)]
    )

    written = capsys.readouterr().out + page.read_text(encoding="utf-8")
    assert code == 0
    assert "Is <key> of <email> valid?" in written
    assert key not in written
    assert "bob@" not in written
    assert page.stat().st_mode & 0o777 == 0o600


def test_two_sets_of_checks_are_compared_on_the_replies_of_the_store(store: str, capsys) -> None:
    code = main(
        ["evaluate", "--compare", "default", "marketing", "--recorded", "--store", store, "--json"]
    )

    told = json.loads(capsys.readouterr().out)
    assert code == 1
    assert told["change"] > 0
    assert told["before"]["n"] == told["after"]["n"] == 3


def test_a_store_without_replies_says_how_they_come_there(tmp_path: Path, capsys) -> None:
    url = f"sqlite:///{tmp_path}/empty.db"
    Mulligan(url).close()

    code = main(["evaluate", "--recorded", "--store", url])

    assert code == 2
    assert "kept no replies" in capsys.readouterr().err


def test_a_function_of_ones_own_writes_the_replies(tmp_path: Path, monkeypatch, capsys) -> None:
    (tmp_path / "shop_replies.py").write_text(
        "async def reply(case, correction):\n"
        "    return 'Yes.' if correction is None else 'Yes, we do, and gladly so, every day.'\n"
    )
    monkeypatch.chdir(tmp_path)
    arguments = ["evaluate", "default", "--limit", "10", "--json"]

    code = main([*arguments, "--writer", "shop_replies:reply"])
    report = json.loads(capsys.readouterr().out)

    assert code == 0
    assert report["check_rates"].keys() == {"text.too_short"}
    assert report["average_iterations"] > 1.5


@pytest.mark.parametrize("writer", ["agent", "runnable", "function"])
def test_an_agent_a_runnable_and_a_plain_function_write_too(
    writer: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    pytest.importorskip("pydantic_ai")
    pytest.importorskip("langchain_core")
    (tmp_path / "anybody.py").write_text(
        "from langchain_core.runnables import RunnableLambda\n"
        "from pydantic_ai import Agent\n"
        "from pydantic_ai.models.test import TestModel\n"
        "TEXT = 'Yes, we do, and gladly so, every day.'\n"
        "agent = Agent(TestModel(custom_output_text=TEXT))\n"
        "runnable = RunnableLambda(lambda prompt: TEXT)\n"
        "def function(case, correction):\n"
        "    return TEXT\n"
    )
    monkeypatch.chdir(tmp_path)
    arguments = ["evaluate", "default", "--limit", "2", "--json"]

    code = main([*arguments, "--writer", f"anybody:{writer}"])

    report = json.loads(capsys.readouterr().out)
    assert (code, report["n"], report["average_iterations"]) == (0, 2, 1.0)


def test_a_live_model_writes_the_replies(capsys) -> None:
    pytest.importorskip("pydantic_ai")

    code = main(["evaluate", "default", "--model", "test", "--limit", "3", "--json"])

    report = json.loads(capsys.readouterr().out)
    assert (code, report["n"]) == (0, 3)
    assert report["tokens"] > 0


def test_two_writers_at_once_are_refused(capsys) -> None:
    code = main(["evaluate", "--model", "test", "--recorded", "--cases", __file__])

    assert code == 2


def test_a_writer_that_is_no_function_is_named(capsys) -> None:
    code = main(["evaluate", "--writer", "os:sep", "--limit", "1"])

    assert code == 2
    assert "--writer 'os:sep' is a str; name a function, an agent" in capsys.readouterr().err


OWN = '{"id": "a", "question": "Why?", "context": "Because it rains."}\n'


def test_a_set_of_ones_own_needs_a_writer_of_its_own(tmp_path: Path, capsys) -> None:
    cases = tmp_path / "mine.jsonl"
    cases.write_text(OWN)

    code = main(["evaluate", "default", "--cases", str(cases)])

    assert code == 2
    assert "Nobody writes the replies of your set" in capsys.readouterr().err


APPLICATION = """
from mulligan import Mulligan

def judge(prompt):
    return {"claims": [{"text": "It rains.", "support": "unsupported"}]}

def reply(case, correction):
    return "It rains." if correction is None else "It rains, they say."

m = Mulligan("memory:", judge=judge, replies="rules.toml")
"""


def test_the_judge_and_the_rules_of_an_application_are_those_of_its_evaluation(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    (tmp_path / "judged_shop.py").write_text(APPLICATION)
    (tmp_path / "rules.toml").write_text("attempts = 2\n[checks.verified]\n")
    (tmp_path / "mine.jsonl").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    arguments = ["evaluate", "--cases", "mine.jsonl", "--writer", "judged_shop:reply", "--json"]

    main([*arguments, "--app", "judged_shop:m"])
    judged = json.loads(capsys.readouterr().out)
    main([*arguments, "rules.toml"])
    alone = json.loads(capsys.readouterr().out)

    assert (judged["judge_asked"], judged["bound_reached"]) == (2, 1)
    assert judged["check_rates"] == {"grounding.unsupported_claim": 1.0}
    assert judged["writer"] == "reply"
    assert judged["notes"] == []
    assert alone["notes"] == [
        "Claims were not verified by a judge: the rules ask for one, and none was named."
    ]
