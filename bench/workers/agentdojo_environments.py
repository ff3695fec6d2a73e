"""The environments of AgentDojo's suites: opened fresh, called by name."""

from __future__ import annotations

import copy
import inspect
from functools import cache
from pathlib import Path
from typing import Any

import agentdojo
import yaml
from agentdojo.default_suites.v1.tools import (
    banking_client,
    calendar_client,
    cloud_drive_client,
    email_client,
    file_reader,
    slack,
    travel_booking_client,
    user_account,
    web,
)
from agentdojo.functions_runtime import FunctionsRuntime, TaskEnvironment, make_function
from agentdojo.yaml_loader import ImportLoader
from pydantic import create_model

from bench.workers.protocol import serve

DATA = Path(agentdojo.__file__).parent / "data" / "suites"
MODULES = {
    "workspace": (email_client, calendar_client, cloud_drive_client),
    "travel": (travel_booking_client, calendar_client, email_client),
    "banking": (banking_client, file_reader, user_account),
    "slack": (slack, web),
}
# What a suite's environment is made of. Its own module has the same, and brings every model
# library along that AgentDojo can drive.
PARTS: dict[str, dict[str, Any]] = {
    "workspace": {
        "inbox": email_client.Inbox,
        "calendar": calendar_client.Calendar,
        "cloud_drive": cloud_drive_client.CloudDrive,
    },
    "travel": {
        "hotels": travel_booking_client.Hotels,
        "restaurants": travel_booking_client.Restaurants,
        "car_rental": travel_booking_client.CarRental,
        "flights": travel_booking_client.Flights,
        "user": travel_booking_client.User,
        "calendar": calendar_client.Calendar,
        "reservation": travel_booking_client.Reservation,
        "inbox": email_client.Inbox,
    },
    "banking": {
        "bank_account": banking_client.BankAccount,
        "filesystem": file_reader.Filesystem,
        "user_account": user_account.UserAccount,
    },
    "slack": {"slack": slack.Slack, "web": web.Web},
}


@cache
def _content(suite: str) -> dict[str, Any]:
    """What an environment begins with, with nothing planted in it."""
    folder = DATA / suite
    places = yaml.safe_load((folder / "injection_vectors.yaml").read_text(encoding="utf-8"))
    # What a file includes is put in first: the places for planted text stand in it, too.
    with (folder / "environment.yaml").open(encoding="utf-8") as lines:
        whole = yaml.dump(yaml.load(lines, ImportLoader))
    planted = {name: each["default"] for name, each in places.items()}
    found: dict[str, Any] = yaml.safe_load(whole.format(**planted))
    return found


@cache
def _model(suite: str) -> type[TaskEnvironment]:
    fields: dict[str, Any] = {name: (part, ...) for name, part in PARTS[suite].items()}
    made: type[TaskEnvironment] = create_model(
        f"Environment{suite}", __base__=TaskEnvironment, **fields
    )
    return made


def _open(suite: str) -> TaskEnvironment:
    return _model(suite).model_validate(copy.deepcopy(_content(suite)))


@cache
def _runtime(suite: str) -> FunctionsRuntime:
    found = [
        each
        for module in MODULES[suite]
        for name, each in inspect.getmembers(module, inspect.isfunction)
        if each.__module__ == module.__name__ and not name.startswith("_") and each.__doc__
    ]
    return FunctionsRuntime([make_function(each) for each in found])


def play(*, suite: str, calls: list[list[Any]]) -> dict[str, Any]:
    """Make calls one after the other in a fresh environment: what each answered, and its error."""
    environment, runtime = _open(suite), _runtime(suite)
    answers = []
    for tool, arguments in calls:
        result, error = _call(runtime, environment, tool, arguments)
        answers.append([str(result), error])
    return {"answers": answers}


def _call(
    runtime: FunctionsRuntime, environment: TaskEnvironment, tool: str, arguments: dict[str, Any]
) -> tuple[Any, str | None]:
    try:
        answer: tuple[Any, str | None] = runtime.run_function(environment, tool, arguments)
    except Exception as error:
        return "", f"{type(error).__name__}: {error}"
    return answer


serve({"play": play}, packages=["agentdojo"])
