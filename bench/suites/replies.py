"""Checks of text against instructions that a program can verify: IFEval, answered by GPT-4."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.report import progress
from bench.rounds import digits
from mulligan.checks.text import LengthUnit, avoids, ends_with, length, list_items, mentions
from mulligan.types.reply import Reply, TextCheck

Result = dict[str, Any]
Settings = Mapping[str, Any]

LESS = "less than"


add_arguments = add_data_arguments


def _bounds(relation: str, count: int) -> dict[str, int]:
    return {"at_most": count - 1} if relation == LESS else {"at_least": count}


def _frequency(settings: Settings) -> TextCheck:
    bounds = {"at_least": 0, **_bounds(settings["relation"], settings["frequency"])}
    return mentions(words=[settings["keyword"]], **bounds)


CHECKS: dict[str, Callable[[Settings], TextCheck]] = {
    "keywords:forbidden_words": lambda s: avoids(words=s["forbidden_words"], inflect=False),
    "keywords:existence": lambda s: mentions(words=s["keywords"]),
    "keywords:frequency": _frequency,
    "length_constraints:number_words": lambda s: length(
        unit=LengthUnit.WORDS, **_bounds(s["relation"], s["num_words"])
    ),
    "length_constraints:number_sentences": lambda s: length(
        unit=LengthUnit.SENTENCES, **_bounds(s["relation"], s["num_sentences"])
    ),
    "detectable_format:number_bullet_lists": lambda s: list_items(
        at_least=s["num_bullets"], at_most=s["num_bullets"]
    ),
    "startend:end_checker": lambda s: ends_with(phrase=s["end_phrase"], add=True),
    "punctuation:no_comma": lambda _: avoids(words=[","]),
    "detectable_content:postscript": lambda s: mentions(words=[s["postscript_marker"]]),
}
"""The instructions that one of our checks states, with its settings alone."""


def run(options: argparse.Namespace) -> Result:
    cases = read_cases(options, "ifeval/gpt4")
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    unmapped: Counter[str] = Counter()
    with progress(len(cases)) as step:
        for case in cases:
            step("answers")
            for instruction in case["instructions"]:
                if instruction["id"] in CHECKS:
                    kinds[instruction["id"]].update(_compare(instruction, case["response"]))
                else:
                    unmapped[instruction["id"]] += 1
    total: Counter[str] = sum(kinds.values(), Counter())
    return {
        "n": len(cases),
        **_figures(total),
        "instructions": total["mapped"] + unmapped.total(),
        "by_kind": {kind: _figures(counts) for kind, counts in sorted(kinds.items())},
        "not_mapped": dict(sorted(unmapped.items())),
    }


def _compare(instruction: dict[str, Any], text: str) -> Counter[str]:
    check = CHECKS[instruction["id"]](instruction["kwargs"])
    flagged = bool(list(check(Reply(text=text))))
    violated = not instruction["followed"]
    fixed = flagged and check.fix is not None
    right = fixed and not list(check(Reply(text=check.fix(text)))) if check.fix else False
    return Counter(
        mapped=1,
        agreed=int(flagged == violated),
        violations=int(violated),
        found=int(violated and flagged),
        false_findings=int(flagged and not violated),
        fixed=int(fixed),
        fixed_right=int(right),
    )


def _figures(counts: Counter[str]) -> Result:
    mapped = counts["mapped"]
    return {
        "mapped": mapped,
        "agreement": digits(counts["agreed"] / mapped) if mapped else None,
        "violations": counts["violations"],
        "violations_found": counts["found"],
        "false_findings": counts["false_findings"],
        "fixed": counts["fixed"],
        "fixed_right": counts["fixed_right"],
    }
