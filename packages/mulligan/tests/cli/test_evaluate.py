"""Evaluating replies at the command line."""

from __future__ import annotations

import asyncio
import json
import sys
import time
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


DEAD = """
import asyncio, sys
from mulligan import Mulligan

TEXT = "Yes, we do, and gladly so, every day of the week."

def fails(case, correction):
    raise ConnectionError("down")

def writes_nothing(case, correction):
    return "  "

def leaves(case, correction):
    sys.exit(7)

def writes(case, correction):
    print("writing…")
    return TEXT

def writes_at_last(case, correction):
    return "" if correction is None else TEXT

async def resists(case, correction):
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            continue

def takes_one(case):
    return TEXT

def judge(prompt):
    raise ConnectionError("down")

m = Mulligan("memory:", judge=judge, replies="rules.toml")
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch) -> Path:
    """A folder with people who fail, and a set of sixty questions."""
    (tmp_path / "dead_shop.py").write_text(DEAD)
    (tmp_path / "rules.toml").write_text("[checks.verified]\n[checks.length]\nat_least = 5\n")
    (tmp_path / "short.toml").write_text("seconds = 0.2\n[checks.length]\nat_least = 5\n")
    lines = (json.dumps({"id": n, "question": f"Why {n}?", "context": "So."}) for n in range(60))
    (tmp_path / "mine.jsonl").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "dead_shop", raising=False)
    return tmp_path


@pytest.mark.parametrize("writer", ["fails", "writes_nothing", "leaves", "writes_at_last"])
def test_a_writer_that_writes_nothing_tells_nothing_and_nothing_is_called_safe(
    writer: str, shop: Path, capsys
) -> None:
    given = ["--cases", "mine.jsonl", "--writer", f"dead_shop:{writer}", "--json"]

    code = main(["evaluate", "default", *given])
    alone = json.loads(capsys.readouterr().out)
    both_code = main(["evaluate", "--compare", "default", "default", *given])
    both = json.loads(capsys.readouterr().out)

    assert (code, both_code, both["verdict"]) == (1, 1, "cannot tell")
    assert (alone["unknown"], alone["reflection_range"][0]) == (60, 0)
    assert alone["without_reply"] == (0 if writer == "writes_at_last" else 60)
    assert "Cannot tell" in alone["doubts"][0]
    assert "of 60 cases, 60 had no first reply" in both["sentence"]


def test_a_judge_that_does_not_answer_tells_nothing_and_nothing_is_called_safe(
    shop: Path, capsys
) -> None:
    given = ["--cases", "mine.jsonl", "--writer", "dead_shop:writes", "--app", "dead_shop:m"]

    code = main(["evaluate", *given, "--html", "page.html"])
    table = capsys.readouterr().out
    both_code = main(["evaluate", "--compare", "rules.toml", "rules.toml", *given, "--json"])
    both = json.loads(capsys.readouterr().out)

    assert (code, both_code, both["verdict"]) == (1, 1, "cannot tell")
    said = "60 of 60 replies were sent unreviewed"
    assert said in table
    assert said in (shop / "page.html").read_text()
    assert both["after"]["unreviewed"] == 60


def test_people_read_how_many_cases_have_no_reply(shop: Path, capsys) -> None:
    given = ["--cases", "mine.jsonl", "--writer", "dead_shop:fails", "--html", "page.html"]

    main(["evaluate", "default", *given])

    for said in (capsys.readouterr().out, (shop / "page.html").read_text()):
        assert "Cases without a reply" in said
        assert "60 of 60 cases have no reply" in said


def test_what_a_writer_prints_is_not_in_the_json(shop: Path, capsys) -> None:
    given = ["--cases", "mine.jsonl", "--writer", "dead_shop:writes", "--limit", "3", "--json"]

    code = main(["evaluate", "default", *given])

    said = capsys.readouterr()
    assert (code, json.loads(said.out)["n"]) == (0, 3)
    assert "writing…" in said.err


def test_a_writer_that_swallows_its_cancellation_does_not_hold_up_the_report(
    shop: Path, capsys
) -> None:
    given = ["--cases", "mine.jsonl", "--writer", "dead_shop:resists", "--limit", "2", "--json"]
    began = time.monotonic()

    code = main(["evaluate", "short.toml", *given])

    assert (code, json.loads(capsys.readouterr().out)["without_reply"]) == (1, 2)
    assert time.monotonic() - began < 10


def test_a_page_that_cannot_be_written_is_refused_before_the_work(shop: Path, capsys) -> None:
    given = ["--cases", "mine.jsonl", "--writer", "dead_shop:writes", "--html", "none/page.html"]

    code = main(["evaluate", "default", *given])

    said = capsys.readouterr()
    assert (code, "none/page.html cannot be written" in said.err) == (2, True)
    assert "writing…" not in said.out


def test_a_writer_that_takes_too_little_is_refused_before_the_work(shop: Path, capsys) -> None:
    code = main(["evaluate", "--writer", "dead_shop:takes_one"])

    assert (code, "must take two values" in capsys.readouterr().err) == (2, True)
