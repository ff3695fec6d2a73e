"""Phrases about time that others labelled: right, wrong or silent, beside three libraries."""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.answers import RIGHT, SILENT, WRONG, Answer, Case, is_core, score
from bench.attempts import attempted
from bench.data import add_data_arguments, has_cases, is_kept_out, read_cases
from bench.peers import add_peer_arguments, peer_python
from bench.report import Step, progress
from bench.rounds import Worker, digits, read_versions, start_workers
from bench.workers.phrases import country_of
from mulligan.checks.dates import dates_as_said
from mulligan.loops.actions import Attempted

OURS = "mulligan"
WORKERS = {
    OURS: "our_dates",
    "dateparser": "dateparser_dates",
    "parsedatetime": "parsedatetime_dates",
    "recognizers-text": "recognizers_dates",
}
FIRST = "mulligan, at first"
"""Ours with nothing kept of the phrase from an earlier time."""
OUTCOMES = (RIGHT, WRONG, SILENT)
TIMED = 150
"""Phrases of a round of timing, the same for all."""
OTHERS = 5
"""Values of other cases that each case is held against."""
OUTSIDE = "outside/dates"
"""Phrases gathered later, from sources that no rule was made on."""
THIRD = "third/dates3"
"""Phrases gathered later still, half of them with what was missed then in view."""
KEPT_APART = frozenset({"natty", "sutime"})
"""Sources among them that were not read while rules were repaired."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    add_peer_arguments(parser)
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds of timing")
    parser.add_argument("--seed", type=int, default=1, help="of the phrases timed and the order")
    parser.add_argument("--alone", action="store_true", help="without the peers")


def run(options: argparse.Namespace) -> dict[str, Any]:
    cases = read_cases(options, "dates/cases")
    peers = None if options.alone else peer_python(options.peers, install=not options.no_install)
    with ExitStack() as stack:
        ours = Path(sys.executable)
        wanted = {n: (ours if n == OURS else peers, module) for n, module in WORKERS.items()}
        workers = start_workers(stack, wanted)
        step = stack.enter_context(progress(len(workers) * (1 + options.rounds) + 1))
        outcomes = {name: _outcomes(worker, cases, step) for name, worker in workers.items()}
        outside = _measure_outside(workers[OURS], options, step)
        third = _measure_third(workers[OURS], options, step)
        medians = _medians(workers, cases, options=options, step=step)
        versions = read_versions(workers)
    step("as a checker")
    mine = outcomes.pop(OURS)
    return {
        "n": len(cases),
        **_shares(cases, mine),
        "by_source": _by_source(cases, mine),
        "wrong_ids": [
            case["id"] for case, found in zip(cases, mine, strict=True) if found == WRONG
        ],
        "peers": {name: _shares(cases, found) for name, found in outcomes.items()},
        "outside": outside,
        "third": third,
        "checker": _checker(cases),
        "median_us": medians.pop(FIRST),
        "median_us_again": medians.pop(OURS),
        "peers_median_us": medians,
        "versions": versions,
    }


def _asked(case: Case) -> list[str]:
    return [case["text"], case["ref"], case["locale"]]


def _outcomes(worker: Worker, cases: Sequence[Case], step: Step) -> list[str]:
    step("answers")
    answers = worker.ask("answer", cases=[_asked(case) for case in cases])["answers"]
    return [score(case, map(Answer.read, told)) for case, told in zip(cases, answers, strict=True)]


def _measure_outside(
    worker: Worker, options: argparse.Namespace, step: Step
) -> dict[str, Any] | None:
    """The same figures for the phrases that were gathered later, if they are there."""
    if not has_cases(options, OUTSIDE):
        return None
    cases = read_cases(options, OUTSIDE)
    found = list(zip(cases, _outcomes(worker, cases, step), strict=True))
    groups = {
        "looked_at": [each for each in found if each[0]["source"] not in KEPT_APART],
        "kept_apart": [each for each in found if each[0]["source"] in KEPT_APART],
    }
    return {
        "n": len(cases),
        **_shares(cases, [outcome for _, outcome in found]),
        "by_source": _by_source(cases, [outcome for _, outcome in found]),
        **{name: _share([outcome for _, outcome in each]) for name, each in groups.items()},
        "wrong_ids": [case["id"] for case, outcome in groups["looked_at"] if outcome == WRONG],
    }


def _measure_third(
    worker: Worker, options: argparse.Namespace, step: Step
) -> dict[str, Any] | None:
    """All groups of the latest phrases, and beside them the part that no rule was made on."""
    if not has_cases(options, THIRD):
        return None
    cases = read_cases(options, THIRD)
    found = list(zip(cases, _outcomes(worker, cases, step), strict=True))
    groups: dict[str, list[str]] = defaultdict(list)
    for case, outcome in found:
        part = "kept" if is_kept_out(case["text"]) else "open"
        for name in ("all", case["group"], part, f"{case['group']}_{part}"):
            groups[name].append(outcome)
    return {name: _share(each) for name, each in groups.items()} | {
        "missed": [
            f"{case['id']} {outcome}"
            for case, outcome in found
            if outcome != RIGHT and not is_kept_out(case["text"])
        ]
    }


def _medians(
    workers: Mapping[str, Worker],
    cases: Sequence[Case],
    *,
    options: argparse.Namespace,
    step: Step,
) -> dict[str, float]:
    """The median over the phrases of each phrase's median over the rounds."""
    chance = random.Random(options.seed)
    chosen = [_asked(case) for case in chance.sample(cases, k=min(TIMED, len(cases)))]
    spent: dict[str, list[list[float]]] = {name: [] for name in (*workers, FIRST)}
    for _ in range(options.rounds):
        for name in chance.sample(sorted(workers), k=len(workers)):
            step(f"time of {name}")
            spent[name].append(workers[name].ask("time", cases=chosen)["us"])
        spent[FIRST].append(workers[OURS].ask("time_first", cases=chosen)["us"])
    return {
        name: digits(statistics.median(map(statistics.median, zip(*rounds, strict=True))))
        for name, rounds in spent.items()
    }


def _shares(cases: Sequence[Case], outcomes: Sequence[str]) -> dict[str, Any]:
    pairs = list(zip(cases, outcomes, strict=True))
    groups = {
        "core": [found for case, found in pairs if is_core(case)],
        "ranges": [found for case, found in pairs if case["kind"] == "range"],
        "holidays": [found for case, found in pairs if case["holiday"]],
        "all": list(outcomes),
    }
    return {name: _share(found) for name, found in groups.items()}


def _by_source(cases: Sequence[Case], outcomes: Sequence[str]) -> dict[str, Any]:
    """The core of each source; their test files are put together."""
    found: dict[str, list[str]] = defaultdict(list)
    for case, outcome in zip(cases, outcomes, strict=True):
        if is_core(case):
            found[case["source"].partition("/")[0]].append(outcome)
    return {name: _share(each) for name, each in sorted(found.items())}


def _share(outcomes: Sequence[str]) -> dict[str, Any]:
    counted, n = Counter(outcomes), len(outcomes)
    return {"n": n} | {name: digits(counted[name] / n) if n else None for name in OUTCOMES}


def _checker(cases: Sequence[Case]) -> dict[str, Any]:
    """Right values that pass, and values of other cases said at the same time that do not."""
    passed = [(case, not _flags(case, _values(case))) for case in cases if _is_real(case)]
    pairs = list(_disjoint(cases))
    others = [_flags(case, _values(other)) for case, other in pairs]
    open_ = {case["id"] for case in cases if not _speaks_of_days(case)}
    core = [right for case, right in passed if is_core(case)]
    return {
        "right_passed": _mean([right for _, right in passed]),
        "right_n": len(passed),
        "core_right_passed": _mean(core),
        "core_right_n": len(core),
        "other_flagged": _mean(others),
        "other_n": len(others),
        "other_silent": _mean([case["id"] in open_ for case, _ in pairs]),
    }


def _mean(found: Sequence[bool]) -> float | None:
    return digits(sum(found) / len(found)) if found else None


def _flags(case: Case, values: Sequence[str]) -> bool:
    arguments = {f"date_{number}": value for number, value in enumerate(values)}
    return any(True for _ in dates_as_said()(_said(case, arguments)))


def _speaks_of_days(case: Case) -> bool:
    """Whether the check holds anything against this sentence: some day of long ago, at least."""
    return _flags(case, ["1066-10-14"])


def _said(case: Case, arguments: Mapping[str, str]) -> Attempted:
    now = datetime.fromisoformat(case["ref"]).replace(tzinfo=UTC)
    known = {"locale": case["locale"], "country": country_of(case["locale"])}
    return attempted(case["sentence"], now=now, calls=[("book", arguments)], known=known)


def _values(case: Case) -> list[str]:
    found = case["value"]
    return [each.replace(" ", "T") for each in (found if isinstance(found, list) else [found])]


def _is_real(case: Case) -> bool:
    """Whether the label is a date; some authors write the year 1 for none."""
    return not _values(case)[0].startswith("0001")


def _disjoint(cases: Sequence[Case]) -> Iterable[tuple[Case, Case]]:
    """Each case of the core with a few others said at the same time that mean other days."""
    same: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if is_core(case) and _is_real(case):
            same[case["ref"]].append(case)
    for group in same.values():
        for number, case in enumerate(group):
            rotated = [*group[number + 1 :], *group[:number]]
            different = [other for other in rotated if not _days(case) & _days(other)]
            yield from ((case, other) for other in different[:OTHERS])


def _days(case: Case) -> set[str]:
    return {value[:10] for value in (case["value"], *case["alternatives"])}


def _cells(share: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(share[name] for name in OUTCOMES)
