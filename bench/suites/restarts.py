"""Workers on Postgres whose server is killed and started again under them."""

from __future__ import annotations

import argparse
from typing import Any

import psycopg

from bench.crash.workers import scratch
from bench.missing import MissingError
from bench.scale import restarting
from bench.scale.restarting import Load
from mulligan_testing.postgres import start_server

Result = dict[str, Any]

PROMISES = ("lost", "untrue", "doubled", "stale_writes_accepted", "forgotten")
MEANINGS = {
    "restarts": "hard restarts of the server",
    "seconds_away": "seconds it was away, in all",
    "actions": "actions on record",
    "effects": "effects",
    "undone": "of them undone",
    "turns_refused": "turns that the store refused or left to recovery",
    "for_a_person": "actions put before a person",
    "lost": "effects or actions without the other",
    "untrue": "effects that stand, and were called undone",
    "doubled": "effects or undos beyond one for a call",
    "stale_writes_accepted": "entries of a writer that another had taken over from",
    "forgotten": "actions that nobody looks after",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--restarts", type=int, default=50, metavar="N", help="50")
    parser.add_argument("--workers", type=int, default=4, metavar="N", help="4")
    parser.add_argument("--actions", type=int, default=5_000, metavar="N", help="each; 5,000")
    parser.add_argument("--seconds", type=float, default=3_600.0, help="after so many, hurry")


def run(options: argparse.Namespace) -> Result:
    with scratch() as folder:
        try:
            server = start_server()
        except (ImportError, RuntimeError) as error:
            raise MissingError(f"There is no Postgres to kill: {error}") from error
        try:
            with server.create_database() as url:
                load = Load(
                    url=url, folder=folder, workers=options.workers, actions=options.actions
                )
                found = restarting.run(
                    server, load, restarts=options.restarts, most_seconds=options.seconds
                )
        finally:
            server.stop()
    versions = {"psycopg": psycopg.__version__}
    asked = {"asked": options.restarts, "workers": options.workers}
    return {"n": found["restarts"], **asked, **found, "versions": versions}


def failed(result: Result) -> str:
    """Why a result is no proof: workers that did not get to work."""
    fewer = result["restarts"] < result["asked"]
    return f"only {result['restarts']} of {result['asked']} restarts" if fewer else ""
