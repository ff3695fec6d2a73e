"""The suites on text, on data that each test writes itself. No test here asserts a timing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.suites.grounding import (
    THRESHOLD,
    balanced_accuracy,
    estimate_support,
    precision_at_half_recall,
)
from bench.texts import sample_replies
from tests.bench.running import read_result, write_cases


def instruction(kind: str, *, followed: bool, **settings: object) -> dict:
    return {"id": kind, "kwargs": settings, "followed": followed}


def test_replies_counts_agreement_violations_and_false_findings(tmp_path: Path) -> None:
    write_cases(
        tmp_path,
        "ifeval/gpt4",
        {
            "response": "One, two.\n\n* a\n* b",
            "instructions": [
                instruction("punctuation:no_comma", followed=False),
                instruction("detectable_format:number_bullet_lists", followed=True,
                            num_bullets=2),
                instruction("keywords:frequency", followed=True, relation="less than",
                            keyword="two", frequency=2),
                instruction("startend:end_checker", followed=False, end_phrase="Bye."),
                instruction("language:response_language", followed=True, language="ko"),
            ],
        },
        {
            "response": "A tree.",
            "instructions": [
                instruction("length_constraints:number_words", followed=True,
                            relation="at least", num_words=3),
                instruction("keywords:forbidden_words", followed=False,
                            forbidden_words=["stone"]),
            ],
        },
    )  # fmt: skip

    result = read_result("replies", "--data", str(tmp_path))

    assert (result["n"], result["mapped"], result["instructions"]) == (2, 6, 7)
    assert (result["violations"], result["violations_found"]) == (3, 2)
    assert result["false_findings"] == 1
    assert result["agreement"] == pytest.approx(4 / 6, abs=1e-3)
    assert (result["mended"], result["mended_right"]) == (1, 1)
    assert result["not_mapped"] == {"language:response_language": 1}


def test_grounding_leaves_out_what_no_expert_judged_and_says_what_it_cannot_do(
    tmp_path: Path,
) -> None:
    evidence = ["The northern ferry leaves every hour from the long pier."]
    write_cases(
        tmp_path,
        "grounding/expertqa_claims",
        *(
            {"claim": claim, "evidence": evidence, "support": support, "question": "When?"}
            for claim, support in [
                ("The northern ferry leaves every hour.", "Complete"),
                ("Wolves hunt deer in winter.", "Incomplete"),
                ("It has 700 seats.", "Partial"),
                ("Nobody looked.", "N/A"),
            ]
        ),
    )

    result = read_result("grounding", "--data", str(tmp_path))

    assert (result["n"], result["supported"]) == (3, 1)
    assert result["balanced_accuracy"] == 1.0
    assert result["precision_at_half_recall"] == 1.0
    assert result["specifics"] == {"flagged": 1, "unsupported_among_them": 1, "precision": 1.0}
    assert "opposite" in result["statement"]


def test_support_is_shared_wording_less_something_for_a_number_that_is_nowhere() -> None:
    evidence = ("The harbour ferry leaves every 20 minutes from the northern pier.",)

    right = estimate_support("The harbour ferry leaves every 20 minutes.", evidence)
    wrong = estimate_support("The harbour ferry leaves every 45 minutes.", evidence)
    other = estimate_support("Wolves hunt deer in winter.", evidence)

    assert right > wrong
    assert right > THRESHOLD > other


def test_equal_scores_are_flagged_together() -> None:
    truth = [False, True, False, True]

    assert precision_at_half_recall([0.1, 0.1, 0.1, 0.9], truth) == pytest.approx(2 / 3, abs=1e-3)
    assert balanced_accuracy([False, False, True, True], truth) == 0.5
    assert balanced_accuracy([True], [True]) is None


def test_text_without_the_peer_has_every_key_and_no_ratio() -> None:
    result = read_result("text", "--quick", "--alone")

    assert result["guardrails_ratio"] is None
    assert all(result[key] > 0 for key in ("n", "us", "growth_1mb"))


def test_replies_to_check_are_of_the_size_asked_for_and_the_same_for_all() -> None:
    first = sample_replies(5, size=2_500, seed=1)

    assert sample_replies(5, size=2_500, seed=1) == first
    assert all(1_900 < len(sample.text) < 3_100 for sample in first)
