"""What a run came to, and whether a change may go out."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from mulligan.evaluation.page import render_comparison, render_report
from mulligan.evaluation.report import (
    CaseResult,
    ChangeSafety,
    Report,
    compare,
    compute_change,
    list_advice,
    list_doubts,
    summary,
)
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Standing


def result(
    case: str, *, iterations: int = 1, rules: tuple[str, ...] = (), bound: bool = False
) -> CaseResult:
    return CaseResult(
        case=case,
        question=f"question {case}",
        iterations=iterations,
        reflected=iterations > 1 or bound,
        standing=Standing.REJECTED if bound else Standing.ACCEPTED,
        bound_reached=bound,
        first_findings=rules,
        last_findings=rules if bound else (),
        seconds=0.01 * iterations,
        tokens=100 * iterations,
        judge_asked=0,
        text="text",
    )


def report(*reflected: bool, name: str = "") -> Report:
    """One case for each, reflected on or not."""
    results = [result(str(n), iterations=1 + yes) for n, yes in enumerate(reflected)]
    return Report(results=tuple(results), name=name)


FOUR = Report(
    results=(
        result("a"),
        result("b", iterations=2, rules=("text.too_long",)),
        result("c", iterations=3, rules=("text.too_long", "text.no_list"), bound=True),
        result("d"),
    ),
    name="four",
)


def test_the_figures_are_those_of_the_cases() -> None:
    assert FOUR.n == 4
    assert FOUR.reflection_rate == 0.5
    assert FOUR.total_reflections == 2  # first replies that were rejected, as the source counts
    assert FOUR.rewrites == 3
    assert FOUR.reflection_range == pytest.approx((0.15, 0.85), abs=0.005)
    assert FOUR.average_iterations == 1.75
    assert FOUR.iterations_when_reflected == 2.5
    assert FOUR.bound_rate == 0.25
    assert FOUR.check_rates == {"text.too_long": 0.5, "text.no_list": 0.25}
    assert FOUR.iteration_counts == {1: 2, 2: 1, 3: 1}
    assert FOUR.tokens == 700
    assert FOUR.latency == (0.015, 0.03)


def test_a_person_reads_rates_beside_their_targets() -> None:
    lines = {label: (value, target) for label, value, target in summary(FOUR)}

    assert lines["Reflection rate"] == ("50.0% (15 to 85 % with 4 cases)", "20 to 40 %")
    assert lines["Average iterations"] == ("1.75", "1.5 to 2.5")
    assert dict.fromkeys(lines) == dict.fromkeys(label for label, *_ in summary(report(False)))


@pytest.mark.parametrize(
    ("reflected", "said"),
    [
        ((True,) * 61 + (False,) * 39, "above 60 %"),
        ((True,) * 60 + (False,) * 40, None),
        ((True,) * 10 + (False,) * 90, None),
        ((True,) * 9 + (False,) * 91, "below 10 %"),
    ],
)
def test_advice_is_given_only_where_the_rate_is_far_off(reflected, said) -> None:
    given = list_advice(report(*reflected))

    assert len(given) == (said is not None)
    assert said is None or said in given[0]


@pytest.mark.parametrize(("bound", "given"), [(5, False), (6, True)])
def test_advice_names_what_is_left_where_the_bound_is_often_reached(bound, given) -> None:
    results = [result(str(n), iterations=3, rules=("text.x",), bound=n < bound) for n in range(30)]
    results += [result(f"good {n}") for n in range(70)]

    said = [each for each in list_advice(Report(results=tuple(results))) if "bound" in each]

    assert bool(said) is given
    assert not given or "mostly on text.x" in said[0]


def test_a_set_without_cases_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no cases"):
        Report(results=())


def test_what_is_not_known_makes_the_range_wider_and_is_said() -> None:
    lost = replace(result("x"), judged=False, silent=True)
    unseen = replace(result("y"), judged=False, standing=Standing.UNREVIEWED)
    known = Report(results=(result("a"), result("b"), result("c")))
    half = Report(results=(*known.results, lost, unseen))
    none = Report(results=(lost, unseen))

    assert (half.gaps.unknown, half.gaps.without_reply, half.gaps.unreviewed) == (2, 1, 1)
    assert half.reflection_range[1] > known.reflection_range[1]
    assert (half.gaps.tells, none.gaps.tells) == (True, False)
    assert [said.split(":")[0] for said in list_doubts(none)] == [
        "Cannot tell how often replies are rejected",
        "1 of 2 cases have no reply",
        "1 of 2 replies were sent unreviewed",
    ]
    assert (list(list_doubts(known)), list_advice(none)) == ([], [])


def test_the_interval_is_that_of_agresti_and_min() -> None:
    change, low, high = compute_change([0.0] * 62 + [-1.0] * 16 + [1.0] * 8)

    assert change == pytest.approx(-8 / 86)
    assert low == pytest.approx(-8 / 88 - 1.96 * (25 - 64 / 88) ** 0.5 / 88, abs=1e-4)
    assert high == pytest.approx(-8 / 88 + 1.96 * (25 - 64 / 88) ** 0.5 / 88, abs=1e-4)


def test_runs_over_different_cases_cannot_be_compared() -> None:
    with pytest.raises(ConfigurationError, match="different cases"):
        compare(report(True), report(True, False))


def leave_unknown(known: Report, count: int) -> Report:
    """The same run, with nothing known of its first cases."""
    lost = (replace(each, reflected=False, judged=False) for each in known.results[:count])
    return replace(known, results=(*lost, *known.results[count:]))


@pytest.mark.parametrize("count", [30, 100])
def test_what_is_not_known_of_is_never_safe(count: int) -> None:
    same = report(*[True, False] * 50)

    for before, after in itertools.permutations((same, leave_unknown(same, count))):
        compared = compare(before, after)

        assert (compared.verdict, compared.unknown) == (ChangeSafety.UNKNOWN, count)
        assert compared.low < -0.1 < 0.1 < compared.high
        assert compared.sentence.startswith("cannot tell: ")
        assert f"of 100 cases, {count} had no first reply, or it was" in compared.sentence


class Tags(HTMLParser):
    """Counts tags, and notes those that are not closed where they should be."""

    VOID = frozenset({"meta", "rect", "line", "circle", "br"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text: list[str] = []
        self.crossed: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_a_report_is_one_page_with_figures_and_every_case() -> None:
    page = render_report(
        Report(
            results=(result("a"), result("b", iterations=3, rules=("text.too_long",), bound=True)),
            name="mine",
        )
    )

    tags = Tags(page)
    assert (tags.open, tags.crossed) == ([], [])
    assert tags.seen.count("table") == 3
    said = " ".join(tags.text)
    assert all(word in said for word in ("mine", "question a", "text.too_long", "Reflection rate"))
    assert "sent although rejected" in said


def test_text_from_a_case_stays_text() -> None:
    hostile = "</table><script>alert(1)</script>"

    page = render_report(Report(results=(result(hostile, rules=(hostile,)),), name=hostile))

    assert "<script>" not in page
    assert "script" not in Tags(page).seen


def test_a_comparison_shows_the_verdict_the_interval_and_the_cases_that_changed() -> None:
    compared = compare(report(False, False, name="old <b>"), report(True, False, name="new"))

    tags = Tags(render_comparison(compared))

    said = " ".join(tags.text)
    assert (tags.open, tags.crossed) == ([], [])
    assert compared.sentence in said
    assert "Cases that changed: 1" in said
    assert "old <b>" in said
    assert "b" not in tags.seen


def test_the_first_reply_and_the_one_that_goes_out_stand_side_by_side() -> None:
    changed = replace(result("a", iterations=2), first_text="first words", text="last words")
    at = datetime(2026, 11, 16, 4, tzinfo=UTC)
    page = render_report(Report(results=(changed,), writer="openai:gpt-5", at=at, notes=("Mind.",)))

    said = " ".join(Tags(page).text)
    for words in ("first words", "last words", "openai:gpt-5", "2026-11-16 04:00 UTC", "Mind."):
        assert words in said


SAME = report(*[True, False] * 150)
NONE, ALL = report(*[False] * 40), report(*[True] * 40)


@pytest.mark.parametrize(
    ("before", "after", "verdict", "said"),
    [
        (SAME, SAME, ChangeSafety.SAME, "no difference: reflection rate +0.0 points"),
        (ALL, NONE, ChangeSafety.SAFE, "safe to deploy: reflection rate -100.0 points"),
        (
            NONE,
            report(*[True] * 20, *[False] * 20),
            ChangeSafety.UNSAFE,
            "not safe to deploy: reflection rate +50.0 points",
        ),
        (
            report(*[False] * 20),
            report(True, *[False] * 19),
            ChangeSafety.UNSURE,
            "run more than 20 cases",
        ),
        # Whatever the unknown cases were.
        (SAME, leave_unknown(SAME, 2), ChangeSafety.SAFE, "safe to deploy"),
        (NONE, leave_unknown(ALL, 20), ChangeSafety.UNSAFE, "not safe to deploy"),
    ],
)
def test_a_change_is_safe_only_where_its_interval_says_so(before, after, verdict, said) -> None:
    compared = compare(before, after)

    assert compared.verdict is verdict
    assert said in compared.sentence
    assert "limit 10" in compared.sentence
