"""Whether a suggestion's probability means what it says, learning from the stream as it goes."""

from __future__ import annotations

import argparse
import math
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
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
from mulligan.learning.calibration import Bin, Calibration, compute_wilson, measure_calibration
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
    parser.add_argument(
        "--seen-only", action="store_true", help="leave out the tools that nobody has seen"
    )
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the reliability as SVG")


def run(options: argparse.Namespace) -> Result:
    stream = failures_in_order(options)
    schemas = read_schemas(options.data)
    with closing(Environments(options)) as environments, progress(len(stream)) as step:
        forecasts = _forecasts(stream, environments, schemas=schemas, step=step)
        versions = environments.versions
    found = measure_calibration([(each.made.probability, each.came_true) for each in forecasts])
    if options.picture is not None:
        options.picture.write_text(render_reliability(found), encoding="utf-8")
    automatic = [each.came_true for each in forecasts if each.automatic]
    return {
        "n": len(stream),
        "forecasts": found.n,
        "came_true": sum(each.came_true for each in forecasts),
        **_figures(found),
        "auto_precision": round(sum(automatic) / len(automatic), 4) if automatic else None,
        "auto_n": len(automatic),
        "unseen_tools": None if options.seen_only else _unseen(options),
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


SIDE = 240
MARGIN = 44
LARGEST = 7.0
"""Radius of the largest bin."""

MIDDLE = 'text-anchor="middle"'

STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#444}"
    ".frame,.right{fill:none;stroke:#bbb}.right{stroke-dasharray:4 4}"
    ".sure{stroke:#7aa2d6;stroke-width:2}.bin{fill:#2f6fbd}"
)


def render_reliability(found: Calibration) -> str:
    """One mark for each bin, its interval of 95 %, and the line on which it should lie."""
    size = SIDE + 2 * MARGIN
    low, high = _scale_x(0.0), _scale_x(1.0)
    most = max((each.n for each in found.bins), default=1)
    against = f"Brier {found.brier:.3f} (base {found.base_brier:.3f})"
    scores = f"n={found.n}, ECE {found.ece:.3f}, {against}"
    drawn = [
        f'<rect class="frame" x="{low:g}" y="{MARGIN}" width="{SIDE}" height="{SIDE}"/>',
        (
            f'<line class="right" x1="{low:g}" y1="{_scale_y(0.0):g}" '
            f'x2="{high:g}" y2="{_scale_y(1.0):g}"/>'
        ),
        *(_render_mark(each, most=most) for each in found.bins),
        *(
            f'<text x="{_scale_x(share):g}" y="{MARGIN + SIDE + 16}" {MIDDLE}>{share:g}</text>'
            f'<text x="{MARGIN - 6}" y="{_scale_y(share) + 4:g}" text-anchor="end">{share:g}</text>'
            for share in (0.0, 0.5, 1.0)
        ),
        f'<text x="{size / 2:g}" y="{size - 8}" {MIDDLE}>probability given</text>',
        f'<text transform="translate(14 {size / 2:g}) rotate(-90)" {MIDDLE}>came true</text>',
        f'<text x="{low:g}" y="{MARGIN - 14}">{scores}</text>',
    ]
    title = "Probability given against share that came true"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" '
        f'viewBox="0 0 {size} {size}" width="{size}" height="{size}">'
        f"<style>{STYLE}</style>{''.join(drawn)}</svg>\n"
    )


def _render_mark(each: Bin, *, most: int) -> str:
    low, high = compute_wilson(each.true * each.n, each.n)
    x, radius = _scale_x(each.said), LARGEST * math.sqrt(each.n / most)
    return (
        f'<line class="sure" x1="{x:.1f}" y1="{_scale_y(low):.1f}" '
        f'x2="{x:.1f}" y2="{_scale_y(high):.1f}"/>'
        f'<circle class="bin" cx="{x:.1f}" cy="{_scale_y(each.true):.1f}" r="{radius:.1f}"/>'
    )


def _scale_x(share: float) -> float:
    return MARGIN + share * SIDE


def _scale_y(share: float) -> float:
    return MARGIN + (1 - share) * SIDE
