"""Makes calls with planted secrets in an application that logs, traces and prints."""

from __future__ import annotations

import contextlib
import json
import logging
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from mulligan import Effect, Mulligan
from tests.redaction.canaries import KINDS, SHOWS_NAMES, VALUES, Kind
from tests.redaction.test_walk import MONSTERS


def plant_all(folder: Path) -> None:
    logging.basicConfig(filename=folder / "host.log", level=logging.DEBUG)
    spans = (folder / "spans.json").open("w")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=spans)))
    trace.set_tracer_provider(provider)
    with Mulligan(f"sqlite:///{folder}/planted.db") as m:
        planted = _plant(m)
        survived = _feed_monsters(m)
    spans.close()
    print(json.dumps({"planted": planted, "monsters": survived}))


def _plant(m: Mulligan) -> list[str]:
    """Each kind in each place of arguments, results and errors, each time another secret."""

    @m.tool(effect=Effect.READ)
    def take(value: object) -> int:
        return 1

    @m.tool(effect=Effect.READ)
    def give(number: int) -> object:
        return answers[number]

    @m.tool
    def fail(number: int) -> None:
        secret_in_a_local = answers[number]
        raise RuntimeError(secret_in_a_local) from ValueError(secret_in_a_local)

    answers: list[object] = []
    planted = []
    for kind, place, way in _everywhere():
        secret = kind.make(random.Random(f"{kind.name} {place} {way}"))
        planted.append(secret)
        answers.append(VALUES[place](secret))
        with m.turn(agent="planner", context=f"using {secret}" if kind.by_form else "x"):
            match way:
                case "taken":
                    take(answers[-1])
                case "given":
                    give(len(answers) - 1)
                case _:
                    # The error itself is the place the secret is planted in.
                    with contextlib.suppress(RuntimeError):
                        fail(len(answers) - 1)
    return planted


def _everywhere() -> Iterator[tuple[Kind, str, str]]:
    """Every kind, in every place, by turns on each way in or out. Of words, what is hidden."""
    for number, kind in enumerate(KINDS):
        for turn, place in enumerate(VALUES, start=number):
            if kind.name != "word" or place not in SHOWS_NAMES:
                ways = ("taken", "given", "raised") if kind.by_form else ("taken", "given")
                yield kind, place, ways[turn % len(ways)]


def _feed_monsters(m: Mulligan) -> int:
    @m.tool(effect=Effect.READ)
    def swallow(monster: object) -> object:
        return monster

    for make in MONSTERS.values():
        monster = make()
        assert swallow(monster) is monster
    return len(MONSTERS)


if __name__ == "__main__":
    plant_all(Path(sys.argv[1]))
