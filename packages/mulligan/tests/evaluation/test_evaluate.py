from __future__ import annotations

from pathlib import Path

from mulligan.evaluation.cases import Case
from mulligan.evaluation.evaluate import evaluate, evaluate_both, write_page
from mulligan.evaluation.report import ChangeSafety
from mulligan.evaluation.writers import build_replay_writer


async def test_nothing_said_the_shipped_set_is_run_with_the_shipped_writer() -> None:
    report = await evaluate()

    assert report.n >= 40
    assert report.name == "marketing"


async def test_a_limit_takes_the_first_cases_and_each_is_announced() -> None:
    seen: list[str] = []

    report = await evaluate(limit=3, step=lambda case: seen.append(case.id))

    assert [result.case for result in report.results] == seen
    assert len(seen) == 3


async def test_two_files_are_compared_on_the_same_cases_and_written_as_a_page(
    tmp_path: Path,
) -> None:
    loose, strict = tmp_path / "loose.toml", tmp_path / "strict.toml"
    loose.write_text('preset = "default"\n')
    strict.write_text('preset = "default"\n[checks.too_long]\nat_most = 30\n')

    comparison = await evaluate_both(str(loose), str(strict))
    write_page(comparison, tmp_path / "page.html")

    assert comparison.verdict is ChangeSafety.UNSAFE
    page = (tmp_path / "page.html").read_text()
    assert comparison.sentence in page
    assert "loose" in page
    assert "strict" in page


async def test_recorded_replies_can_be_the_set_on_which_a_threshold_is_tried(
    tmp_path: Path,
) -> None:
    cases = [Case(id=str(n), question="How?", recorded=("word " * n,)) for n in (5, 10, 40)]
    file = tmp_path / "short.toml"
    file.write_text("[checks.length]\nat_most = 60\n")

    report = await evaluate(str(file), cases=cases, write=build_replay_writer())
    write_page(report, tmp_path / "page.html")

    assert [result.reflected for result in report.results] == [False, False, True]
    assert "short" in (tmp_path / "page.html").read_text()
