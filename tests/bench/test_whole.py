"""All suites in one command: one that fails ends no other, and the page tells only what was run."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import pytest

from bench import suites
from bench.missing import MissingError
from bench.suites import all as everything
from bench.whole import running
from bench.whole.page import merge, write_page
from bench.whole.plan import ON_DATA, QUICK, list_arguments, list_forms
from bench.whole.plot import draw, list_dots
from bench.whole.running import NO_DATA, Measured, pick_figures, pick_spread, run_suite

OTHERS = [name for name in suites.names() if name != "all"]


def make_options(tmp_path: Path, *wanted: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    everything.add_arguments(parser)
    page, kept, plot = tmp_path / "page.md", tmp_path / "kept.json", tmp_path / "plot.svg"
    places = ["--page", str(page), "--kept", str(kept), "--plot", str(plot)]
    return parser.parse_args(["--quick", *places, "--only", *wanted])


def fake_suites(monkeypatch: pytest.MonkeyPatch, told: dict[str, Measured]) -> None:
    def run(suite: str, arguments: list[str] | None, *, quick: bool) -> Measured:
        return told[suite] if arguments is not None else run_suite(suite, None, quick=quick)

    monkeypatch.setattr(everything, "run_suite", run)


@pytest.mark.parametrize("suite", OTHERS)
def test_every_suite_takes_what_it_is_run_with(suite: str) -> None:
    parser = argparse.ArgumentParser()
    suites.load(suite).add_arguments(parser)
    on_data = any(action.dest == "data" and action.required for action in parser._actions)
    for quick in (True, False):
        arguments = list_arguments(suite, quick=quick, data=Path("/data"), half="heldout")
        for form in list_forms(suite, quick=quick):
            parser.parse_args([*arguments, *form.split()])

    assert on_data == (suite in ON_DATA)
    assert set(QUICK) <= set(OTHERS)


def test_one_that_fails_or_lacks_data_ends_no_other(tmp_path, monkeypatch) -> None:
    fine = Measured(suite="text", state="measured", n=3, figures={"us": 5.0})
    fell = Measured(suite="counts", state="failed", said="It fell.")
    fake_suites(monkeypatch, {"text": fine, "counts": fell})

    result = everything.run(make_options(tmp_path, "counts", "bfcl", "text"))

    assert result["n"] == 1
    assert result["failed"] == {"counts": "It fell."}
    assert result["missing"] == {"bfcl": NO_DATA}
    assert everything.failed(result) == "counts: It fell."
    page = (tmp_path / "page.md").read_text()
    assert "`text`" in page
    assert "bfcl" not in page
    assert "counts`" not in page.split("## What was run")[1]


def test_options_of_a_suite_are_handed_on_to_that_one_alone(tmp_path, monkeypatch) -> None:
    given: list[list[str] | None] = []

    def run(suite: str, arguments: list[str] | None, *, quick: bool) -> Measured:
        given.append(arguments)
        return Measured(suite=suite, state="measured", quick=quick)

    monkeypatch.setattr(everything, "run_suite", run)
    options = make_options(tmp_path, "truth")
    options.own = "--seed 3"

    everything.run(options)

    assert given == [["--histories", "50", "--seed", "3"]]
    with pytest.raises(MissingError, match="--only"):
        everything.run(argparse.Namespace(**{**vars(options), "only": ["truth", "text"]}))


def test_a_suite_that_falls_is_one_sentence(monkeypatch) -> None:
    monkeypatch.setattr(running, "ROOT", Path(__file__).parent)

    fell = run_suite("text", ["--no-such-option"], quick=False)

    assert fell.state in ("failed", "missing")
    assert "\n" not in fell.said


def test_figures_are_those_a_suite_is_compared_by() -> None:
    result = {
        "guardrails_ratio": 80.5,
        "us": {"p50": 3, "why": "x"},
        "other": 1,
        "growth_1mb": None,
    }

    assert pick_figures("text", result) == {"guardrails_ratio": 80.5, "us.p50": 3}
    assert pick_figures("checking", {"n": 3, "ms": 2.5, "fine": True}) == {"ms": 2.5}
    assert pick_spread({"spread": {"us": {"q1": 1, "median": 2, "q3": 3}, "x": 1}}) == {
        "us": [1, 3]
    }


def test_a_short_form_takes_the_place_of_no_figures_and_the_page_says_what_was_run(
    tmp_path,
) -> None:
    kept, page = tmp_path / "kept.json", tmp_path / "page.md"
    full = Measured(
        suite="text", state="measured", n=1_000, day="2026-11-16", figures={"us": 5.25},
        spread={"us": [5.0, 5.5]}, versions={"python": "3.11"}, seconds=60.0,
    )  # fmt: skip
    short = Measured(suite="text", state="measured", quick=True, figures={"us": 99.0})
    other = Measured(suite="counts", state="measured", quick=True, n=8, figures={"lines": 4.0})

    merge([full], kept)
    write_page(merge([short, other], kept), machine="2 cores", path=page)

    text = page.read_text()
    assert [each["suite"] for each in json.loads(kept.read_text())] == ["counts", "text"]
    assert "| `text` | us | 5.25 | 5.0 to 5.5 |" in text
    assert "| `text` | 2026-11-16 | 1,000 | nothing else | 60.0 | python 3.11 |" in text
    assert "short form" in text
    assert "99.0" not in text


def test_two_forms_of_a_suite_are_two_rows_and_ratios_are_dots_on_the_plot(tmp_path) -> None:
    kept, page = tmp_path / "kept.json", tmp_path / "page.md"
    forms = [
        Measured(
            suite="overhead",
            state="measured",
            arguments=f"--form {form}",
            figures={"otel_ratio": ratio, "worst_ms": 3.0},
            spread={"otel_ratio": [ratio - 0.1, ratio + 0.1]},
        )
        for form, ratio in (("pure", 0.5), ("fast", 0.25))
    ]

    known = merge(forms, kept)
    write_page(known, machine="2 cores", path=page)
    dots = list_dots(known)
    drawn = draw(dots)

    assert [dot.name for dot in dots] == ["overhead, fast otel_ratio", "overhead, pure otel_ratio"]
    assert "| `overhead, fast` | otel_ratio | 0.25 |" in page.read_text()
    assert drawn.count("<circle") == 2
    fast, pure = map(float, re.findall(r'cx="([\d.]+)"', drawn))
    assert fast < pure
