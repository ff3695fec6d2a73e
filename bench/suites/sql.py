"""Random schemas and calls of the SQL pack beside a second writer, judged by the whole database."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import Any

import sqlalchemy

from bench.crash.workers import scratch
from bench.packs import campaign
from bench.packs.campaign import MEANINGS, PROMISES, failed
from bench.packs.histories import Place
from bench.packs.sql_mutants import list_hunts
from bench.servers import DATABASES, find_database

__all__ = ["MEANINGS", "PROMISES", "failed"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    known = ", ".join(DATABASES)
    parser.add_argument("--on", default="sqlite", help=f"{known}, or a database's URL")
    campaign.add_arguments(parser, histories=200)


def run(options: argparse.Namespace) -> dict[str, Any]:
    with scratch() as folder, ExitStack() as stack:
        place = Place(find_database(options.on, folder, stack))
        totals, found = campaign.play(place.draw, list_hunts(place), options)
    return {
        **campaign.sum_up(totals, found, persons=sum(totals.person.values())),
        "on": options.on,
        "versions": {"sqlalchemy": sqlalchemy.__version__},
    }
