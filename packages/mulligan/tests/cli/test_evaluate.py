"""Evaluating replies at the command line."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from mulligan import Mulligan
from mulligan.cli.main import main

TEXT = "Yes, we do, and gladly so, every day of the week."
OWN = '{"id": "a", "question": "Why?", "context": "Because it rains."}\n'


class Evaluation:
    """Runs `mulligan evaluate`: its exit code, and what it tells."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        code = main(["evaluate", *arguments, "--json"])
        return code, json.loads(self._capsys.readouterr().out)

    def show(self, *arguments: str) -> tuple[int, str]:
        """As a person reads it; what is refused is one sentence."""
        code = main(["evaluate", *arguments])
        said = self._capsys.readouterr()
        assert code != 2 or said.err.count("\n") == 1
        return code, said.out + said.err


@pytest.fixture
def evaluate(capsys: pytest.CaptureFixture[str]) -> Evaluation:
    return Evaluation(capsys)


def keep_replies(url: str, *texts: str, query: str = "What?") -> str:
    """A store with replies that were checked with the marketing preset."""

    async def work() -> None:
        async with Mulligan(url) as m:
            for text in texts:
                await m.reply(
                    lambda _, text=text: text, query=query, context="100+ clients, rowing boats"
                )

    asyncio.run(work())
    return url


@pytest.fixture
def store(tmp_path: Path) -> str:
    texts = ("Let's delve into it.", "We build rowing boats.", "We have 500+ clients.")
    return keep_replies(f"sqlite:///{tmp_path}/boatyard.db", *texts)


def test_the_set_we_ship_is_evaluated_with_the_writer_we_ship(evaluate) -> None:
    code, report = evaluate()

    assert code == 0
    assert report["n"] >= 40
    assert 0 < report["reflection_rate"] < 1


def test_two_sets_of_checks_are_compared_and_the_exit_code_says_whether_it_is_safe(
    evaluate, store: str, tmp_path: Path
) -> None:
    stricter = tmp_path / "stricter.toml"
    stricter.write_text('preset = "marketing"\n[checks.too_long]\nat_most = 40\n')

    same, _ = evaluate("--compare", "marketing", "marketing")
    worse, told = evaluate("--compare", "marketing", str(stricter))
    kept, replayed = evaluate("--compare", "default", "marketing", "--recorded", "--store", store)

    assert (same, worse, kept) == (0, 1, 1)
    assert told["verdict"] == "not safe to deploy"
    assert replayed["change"] > 0
    assert replayed["before"]["n"] == replayed["after"]["n"] == 3


def test_a_page_is_written_and_people_get_tables(evaluate, tmp_path: Path) -> None:
    page = tmp_path / "report.html"

    code, said = evaluate.show("--limit", "5", "--html", str(page))

    assert code == 0
    assert "Reflection rate" in said
    assert "First replies rejected by a check" in page.read_text()


def test_replies_of_the_store_are_replayed_under_other_checks(
    evaluate, store: str, tmp_path: Path
) -> None:
    stricter = tmp_path / "stricter.toml"
    stricter.write_text('[checks.grounded]\n[checks.words]\nkind = "avoids"\nwords = ["delve"]\n')

    code, report = evaluate(str(stricter), "--recorded", "--store", store)
    limited, few = evaluate("default", "--recorded", "--limit", "2", "--store", store)

    assert (code, limited, few["n"]) == (0, 0, 2)
    assert (report["n"], report["total_reflections"] > 0) == (3, True)
    assert report["reflection_rate"] == pytest.approx(2 / 3)
    assert set(report["check_rates"]) == {"grounding.number", "text.unwanted_word"}


def test_what_people_asked_is_not_written_out_with_its_secrets(
    evaluate, tmp_path: Path, capsys
) -> None:
    page, key = tmp_path / "asked.html", "sk-abcdefghijklmnop"
    asked = f"Is {key} of bob@example.org valid?"
    url = keep_replies(f"sqlite:///{tmp_path}/asked.db", f"Yes, {key} is.", query=asked)

    code, report = evaluate("default", "--recorded", "--store", url, "--html", str(page))

    written = json.dumps(report) + page.read_text(encoding="utf-8")
    assert code == 0
    assert "Is <key> of <email> valid?" in written
    assert key not in written
    assert "bob@" not in written
    assert page.stat().st_mode & 0o777 == 0o600


WRITERS = f"""
import asyncio, sys
from langchain_core.runnables import RunnableLambda
from mulligan import Mulligan
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel
TEXT = {TEXT!r}
agent = Agent(TestModel(custom_output_text=TEXT))
runnable = RunnableLambda(lambda prompt: TEXT)
async def learns(case, correction):
    return "Yes." if correction is None else TEXT
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
def doubt(prompt):
    return {{"claims": [{{"text": "It rains.", "support": "unsupported"}}]}}
async def polite(case, text):
    return 1.0 if "please" in text else 0.25
def beyond(case, text):
    return 7.0
def says_it_rains(case, correction):
    return "It rains." if correction is None else "It rains, they say."
m = Mulligan("memory:", judge=judge, replies="rules.toml")
doubting = Mulligan("memory:", judge=doubt, replies="verified.toml")
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch) -> Path:
    """A folder with writers of all kinds, and a set of sixty questions."""
    pytest.importorskip("pydantic_ai")
    pytest.importorskip("langchain_core")
    (tmp_path / "shop_writers.py").write_text(WRITERS)
    (tmp_path / "rules.toml").write_text("[checks.verified]\n[checks.length]\nat_least = 5\n")
    (tmp_path / "verified.toml").write_text("attempts = 2\n[checks.verified]\n")
    (tmp_path / "short.toml").write_text("seconds = 0.2\n[checks.length]\nat_least = 5\n")
    lines = (json.dumps({"id": n, "question": f"Why {n}?", "context": "So."}) for n in range(60))
    (tmp_path / "mine.jsonl").write_text("\n".join(lines))
    (tmp_path / "one.jsonl").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_with(writer: str, cases: str = "mine.jsonl") -> tuple[str, ...]:
    return ("--cases", cases, "--writer", f"shop_writers:{writer}")


def test_a_function_of_ones_own_writes_the_replies_and_is_told_what_was_wrong(
    evaluate, shop: Path
) -> None:
    code, report = evaluate("default", *write_with("learns"), "--limit", "10")

    assert code == 0
    assert report["check_rates"].keys() == {"text.too_short"}
    assert report["average_iterations"] > 1.5


@pytest.mark.parametrize("writer", ["agent", "runnable", "writes"])
def test_an_agent_a_runnable_and_a_plain_function_write_too(evaluate, shop, writer: str) -> None:
    code, report = evaluate("default", *write_with(writer), "--limit", "2")

    assert (code, report["n"], report["average_iterations"]) == (0, 2, 1.0)


def test_a_live_model_writes_the_replies(evaluate) -> None:
    pytest.importorskip("pydantic_ai")

    code, report = evaluate("default", "--model", "test", "--limit", "3")

    assert (code, report["n"]) == (0, 3)
    assert report["tokens"] > 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing"], "nothing"),
        (["--cases", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--model", "test", "--recorded", "--cases", "one.jsonl"], "choose one"),
        (["--writer", "os:sep"], "--writer 'os:sep' is a str; name a function, an agent"),
        (["default", "--cases", "one.jsonl"], "Your set has no writer"),
        (["--writer", "shop_writers:takes_one"], "must take two values"),
        (
            ["default", *write_with("writes"), "--html", "none/page.html"],
            "none/page.html cannot be written",
        ),
        (["--recorded", "--store", "sqlite:///empty.db"], "kept no replies"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_in_one_sentence_before_the_work(
    evaluate, shop: Path, arguments: list[str], says: str
) -> None:
    Mulligan("sqlite:///empty.db").close()

    code, said = evaluate.show(*arguments)

    assert code == 2
    assert says in said
    assert "writing…" not in said


def test_the_judge_and_the_rules_of_an_application_are_those_of_its_evaluation(
    evaluate, shop: Path
) -> None:
    given = write_with("says_it_rains", "one.jsonl")

    _, judged = evaluate(*given, "--app", "shop_writers:doubting")
    _, alone = evaluate(*given, "verified.toml")

    assert (judged["judge_asked"], judged["bound_reached"]) == (2, 1)
    assert judged["check_rates"] == {"grounding.unsupported_claim": 1.0}
    assert (judged["writer"], judged["notes"]) == ("says_it_rains", [])
    assert alone["notes"] == [
        "Claims were not verified: the rules need a judge, and none was named."
    ]


@pytest.mark.full
@pytest.mark.parametrize("writer", ["fails", "writes_nothing", "leaves", "writes_at_last"])
def test_a_writer_that_writes_nothing_tells_nothing_and_nothing_is_called_safe(
    evaluate, shop: Path, writer: str
) -> None:
    code, alone = evaluate("default", *write_with(writer))
    both_code, both = evaluate("--compare", "default", "default", *write_with(writer))

    assert (code, both_code, both["verdict"]) == (1, 1, "cannot tell")
    assert (alone["unknown"], alone["reflection_range"][0]) == (60, 0)
    assert alone["without_reply"] == (0 if writer == "writes_at_last" else 60)
    assert "Cannot tell" in alone["doubts"][0]
    assert "of 60 cases, 60 had no first reply" in both["sentence"]


def test_a_judge_that_does_not_answer_tells_nothing_and_nothing_is_called_safe(
    evaluate, shop: Path
) -> None:
    given = (*write_with("writes"), "--app", "shop_writers:m")

    code, table = evaluate.show(*given, "--html", "page.html")
    both_code, both = evaluate("--compare", "rules.toml", "rules.toml", *given)

    said = "60 of 60 replies were sent unreviewed"
    assert (code, both_code, both["verdict"]) == (1, 1, "cannot tell")
    assert said in table
    assert said in (shop / "page.html").read_text()
    assert both["after"]["unreviewed"] == 60


def test_a_writer_that_swallows_its_cancellation_does_not_hold_up_the_report(
    evaluate, shop: Path
) -> None:
    began = time.monotonic()
    code, report = evaluate("short.toml", *write_with("resists"), "--limit", "2")

    assert (code, report["without_reply"]) == (1, 2)
    assert time.monotonic() - began < 30


TWO_WRITERS = """
def good(case, feedback):
    return " ".join(case.answer)

def poor(case, feedback):
    return "Nobody knows that here, and nobody ever did."

def wordy(case, feedback):
    return "Well. " * 600
"""


@pytest.fixture
def two_writers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "two_writers.py").write_text(TWO_WRITERS)
    monkeypatch.syspath_prepend(tmp_path)


def compare_writers(evaluate: Evaluation, first: str, second: str) -> tuple[int, dict[str, Any]]:
    named = ("--writer", f"two_writers:{first}", "--against", f"two_writers:{second}")
    return evaluate("default", *named)


@pytest.mark.usefixtures("two_writers")
def test_two_writers_are_compared_on_the_same_cases(evaluate: Evaluation) -> None:
    code, told = compare_writers(evaluate, "good", "wordy")

    assert (code, told["verdict"]) == (1, "not safe to deploy")
    assert told["before"]["writer"] == "good"
    assert told["change"] > 0.5
    assert compare_writers(evaluate, "good", "good")[1]["verdict"] == "no difference"


@pytest.mark.usefixtures("two_writers")
def test_a_writer_that_loses_expected_answers_is_not_safe_though_its_checks_pass(
    evaluate: Evaluation,
) -> None:
    code, told = compare_writers(evaluate, "good", "poor")

    change, low, high = told["expected"]
    assert low <= change <= high < 0
    assert (code, told["verdict"]) == (1, "not safe to deploy")
    assert "expected answers given -" in evaluate.show(
        "default", "--writer", "two_writers:good", "--against", "two_writers:poor"
    )[1].replace("\n", " ")


def test_a_second_writer_needs_a_first_and_one_set_of_checks(evaluate: Evaluation) -> None:
    code, said = evaluate.show("default", "--against", "two_writers:poor")

    assert (code, "name the first by --model or --writer" in said) == (2, True)


def test_a_run_is_compared_with_a_baseline_file(evaluate: Evaluation, tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    strict = tmp_path / "strict.toml"
    strict.write_text('preset = "marketing"\n[checks.too_long]\nat_most = 200\n')
    _, told = evaluate()
    before.write_text(json.dumps(told))

    same, first = evaluate("--baseline", str(before))
    worse, second = evaluate(str(strict), "--baseline", str(before))
    code, said = evaluate.show("--baseline", str(strict))

    assert (same, first["verdict"]) == (0, "no difference")
    assert (worse, second["verdict"]) == (1, "not safe to deploy")
    assert code == 2
    assert "no baseline" in said


def test_metrics_of_ones_own_stand_beside_the_figures(evaluate: Evaluation, shop) -> None:
    asked = ("--metric", "shop_writers:polite", "--metric", "shop_writers:beyond")

    _, told = evaluate(*write_with("learns"), *asked, "--limit", "2")
    code, said = evaluate.show("--metric", "shop_writers:nothing")

    assert told["metrics"] == told["cases"][0]["metrics"] == {"polite": 0.25}
    assert (code, "--metric 'shop_writers:nothing'" in said) == (2, True)
