"""Whether a suggestion's probability means what it says, learning from the stream as it goes."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from msgspec.structs import asdict, replace

from bench.data import add_data_arguments
from bench.failures.environments import Environments, add_environment_arguments
from bench.failures.learner import Learner
from bench.failures.proposing import Stage
from bench.failures.stream import BFCL, Happening, failures_in_order
from bench.failures.tau import Schemas, episode_of, failed_call, read_schemas
from bench.failures.unseen import Field, forecast_unseen
from bench.report import Step, progress
from bench.suites.tau_repair import same_arguments
from mulligan.learning.calibration import Calibration, measure_calibration
from mulligan.learning.classify import classify_text
from mulligan.learning.decide import may_apply
from mulligan.learning.suggest import suggest_corrections
from mulligan.types.call import Failure
from mulligan.types.effect import Mode
from mulligan.types.lesson import FailedCall, Suggestion

Result = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """A suggestion's stated probability and its result."""

    made: Suggestion
    came_true: bool
    automatic: bool
    """Mode `auto` would have applied it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    add_environment_arguments(parser)


def run(options: argparse.Namespace) -> Result:
    stream = failures_in_order(options)
    schemas = read_schemas(options.data)
    with closing(Environments(options)) as environments, progress(len(stream)) as step:
        forecasts = _forecasts(stream, environments, schemas=schemas, step=step)
        versions = environments.versions
    found = measure_calibration([(each.made.probability, each.came_true) for each in forecasts])
    automatic = [each.came_true for each in forecasts if each.automatic]
    return {
        "n": len(stream),
        "forecasts": found.n,
        "came_true": sum(each.came_true for each in forecasts),
        **_figures(found),
        "auto_precision": round(sum(automatic) / len(automatic), 4) if automatic else None,
        "auto_n": len(automatic),
        "unseen_tools": _unseen(options),
        "versions": versions,
    }


def _unseen(options: argparse.Namespace) -> Result:
    """The same for each tool by the outcomes of all others, over every source there is."""
    with closing(Field(options)) as field, progress(2 * len(field.failures)) as step:
        judged = forecast_unseen(field, step=step)
    found = measure_calibration([(each.made.probability, each.came_true) for each in judged])
    tools = {(each.met.of, each.met.case["tool"]) for each in judged}
    return {"n": found.n, "tools": len(tools), "failures": len(field.failures), **_figures(found)}


def _figures(found: Calibration) -> Result:
    bins = [{name: round(value, 4) for name, value in asdict(each).items()} for each in found.bins]
    return {
        "ece": round(found.ece, 4),
        "brier": round(found.brier, 4),
        "base_brier": round(found.base_brier, 4),
        "bins": bins,
    }


def _forecasts(
    stream: list[Happening], environments: Environments, *, schemas: Schemas, step: Step
) -> list[Forecast]:
    """Each failure in its order: what is suggested, then the truth, then the lesson of it."""
    learner = Learner()
    found: list[Forecast] = []
    for number, each in enumerate(stream):
        step(each.case["tool"])
        if each.of == BFCL:
            failed, forecast = _played(each, environments, learner)
            episode = environments.episode(each.case, number)
        else:
            failed, forecast = _compared(each, schemas, learner)
            episode = episode_of(each.case, failed, number)
        offer = None
        if forecast is not None:
            found.append(forecast)
            offer = learner.settle(failed, forecast.made, helped=forecast.came_true)
        learner.remember(episode, offer)
    return found


def _played(
    each: Happening, environments: Environments, learner: Learner
) -> tuple[FailedCall, Forecast | None]:
    """Where there is an environment, it says whether the proposal helps."""
    failed = environments.failed_call(each.case)
    stage = Stage(environments, each.case, sources=learner.sources)
    made = stage.proposal()
    if made is None:
        return failed, None
    return failed, _forecast(failed, made, came_true=stage.carry_out(made))


def _compared(
    each: Happening, schemas: Schemas, learner: Learner
) -> tuple[FailedCall, Forecast | None]:
    """Where there is none, only what the repair really was counts as right."""
    failed = failed_call(each.case, schemas)
    made = next(iter(suggest_corrections(failed, sources=learner.sources)), None)
    if made is None:
        return failed, None
    after = made.patch.apply(failed.call.arguments)
    exact = each.repaired and same_arguments(after, each.case["fixed_args"])
    return failed, _forecast(failed, made, came_true=exact and not made.patch.first)


def _forecast(failed: FailedCall, made: Suggestion, *, came_true: bool) -> Forecast:
    """The data has only the words of an error; what class it is, a remote would have said."""
    classed = replace(failed, failure=Failure(error_class=classify_text(failed.error)))
    automatic = may_apply(made, classed, mode=Mode.AUTO)
    return Forecast(made=made, came_true=came_true, automatic=automatic)
