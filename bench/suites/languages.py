"""Phrases and requests in languages added later, written before any rule: right or wrong."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from bench.answers import RIGHT, SILENT, WRONG, Answer, score
from bench.report import progress
from bench.rounds import digits
from bench.said import NOW, count_caught, read_lines
from bench.workers.meaning import find_answers
from mulligan_dates.reader import find_meaning
from mulligan_dates.readings import Moment

LANGUAGES = {"german": "de-DE"}
PARTS = ("open", "apart")
OUTCOMES = (RIGHT, WRONG, SILENT)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--list", action="store_true", help="also the phrases that went wrong")


def run(options: argparse.Namespace) -> dict[str, Any]:
    measured: dict[str, Any] = {}
    with progress(len(LANGUAGES)) as step:
        for language, locale in LANGUAGES.items():
            step(language)
            measured[language] = _measure(language, locale=locale, listed=options.list)
    return {
        "n": sum(each["phrases"]["n"] + each["requests_n"] for each in measured.values()),
        "languages": measured,
    }


def _measure(language: str, *, locale: str, listed: bool) -> dict[str, Any]:
    phrases, requests = read_lines(f"{language}_phrases"), read_lines(f"{language}_requests")
    found = [(each, judge(each, locale)) for each in phrases]
    kinds = dict.fromkeys(each["kind"] for each in phrases)
    result = {
        "phrases": _share([outcome for _, outcome in found]),
        **{
            part: _share([outcome for each, outcome in found if each["part"] == part])
            for part in PARTS
        },
        "kinds": {
            kind: _share([outcome for each, outcome in found if each["kind"] == kind])
            for kind in kinds
        },
        "no locale": _share([judge(each) for each in phrases]),
        "requests_n": len(requests),
        "requests": {
            part: count_caught([each for each in requests if each["part"] == part])
            for part in PARTS
        },
    }
    if listed:
        result["not_right"] = {
            outcome: [each["said"] for each, o in found if o == outcome and each["part"] == "open"]
            for outcome in (WRONG, SILENT)
        }
    return result


def judge(phrase: Mapping[str, Any], locale: str = "") -> str:
    """Whether a phrase is answered as its author meant; one that means no one day, by silence."""
    at = NOW.replace(tzinfo=None)
    if not phrase["means"]:
        return WRONG if find_meaning(phrase["said"], Moment(now=at), locale=locale).known else RIGHT
    answers = find_answers(phrase["said"], at, locale)
    value, *alternatives = map(_read_value, phrase["means"])
    case = {"kind": _tell_kind(phrase["means"][0]), "value": value, "alternatives": alternatives}
    return score(case, map(Answer.read, answers))


def _tell_kind(value: str) -> str:
    if "/" in value:
        return "range"
    return "datetime" if "T" in value else "date"


def _read_value(value: str) -> str | list[str]:
    return value.split("/") if "/" in value else value


def _share(outcomes: Sequence[str]) -> dict[str, Any]:
    counted, n = Counter(outcomes), len(outcomes)
    return {"n": n} | {name: digits(counted[name] / n) if n else None for name in OUTCOMES}
