"""What every contender is given. Drawn anew for each block, so that no cache of values can help."""

from __future__ import annotations

import json
import random
from typing import Any

AGENT = "planner"
CONTEXT = "planning the week"

_TEXT = (
    "dinner lunch review call with Ana Ben Chloé Dmitri about the budget plan garden school "
    "project move from Friday to Monday please keep usual table near window bring slides and "
    "ask whether they can join later because train arrives at noon thanks a lot see you soon"
)
_WORDS = _TEXT.split()
_CITIES = ("Lisbon", "Porto", "Berlin", "Lyon", "Ghent", "Turin", "Malmö", "Graz")
_TAGS = ("food", "family", "work", "travel", "school", "garden")
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def call_arguments(n: int, *, seed: int) -> list[dict[str, Any]]:
    """Arguments for `n` calls of the tool: seven of them, about 200 bytes as JSON."""
    chance = random.Random(f"call {seed}")
    return [_arguments(chance) for _ in range(n)]


async def plan_event(
    event_id: str,
    *,
    title: str,
    note: str,
    amount: float,
    urgent: bool,
    tags: list[str],
    place: dict[str, Any],
) -> dict[str, Any]:
    """The tool: it does nothing, so that what is measured is what surrounds it."""
    seats = place["seats"] if urgent else len(tags)
    return {"id": event_id, "title": title, "seats": seats, "cost": amount, "noted": len(note)}


def mixed_payloads(n: int, *, size: int, seed: int) -> list[dict[str, Any]]:
    """Nested values of about `size` bytes as JSON: prose, ids, numbers, links, some secrets."""
    chance = random.Random(f"mixed {size} {seed}")
    return [_mixed(chance, size) for _ in range(n)]


def _arguments(chance: random.Random) -> dict[str, Any]:
    return {
        "event_id": f"evt_{_token(chance, 12)}",
        "title": _prose(chance, 4),
        "note": _prose(chance, 7),
        "amount": round(chance.uniform(1, 900), 2),
        "urgent": chance.random() < 0.2,
        "tags": chance.sample(_TAGS, k=2),
        "place": {
            "city": chance.choice(_CITIES),
            "zip": str(chance.randrange(10_000, 99_999)),
            "seats": chance.randrange(1, 12),
        },
    }


def _mixed(chance: random.Random, size: int) -> dict[str, Any]:
    records = [_record(chance)]
    written = len(json.dumps(records[0]))
    while written < size - 100:
        # One text in five is long: a page that was fetched, a file that was read.
        record = _page(chance, size) if chance.random() < 0.2 else _record(chance)
        records.append(record)
        written += len(json.dumps(record))
    return records[0] if len(records) == 1 else {"query": _prose(chance, 3), "items": records}


def _record(chance: random.Random) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": f"rec_{_token(chance, 10)}",
        "title": _prose(chance, 3),
        "note": _prose(chance, 6),
        "score": round(chance.random(), 3),
        "done": chance.random() < 0.5,
        "links": [f"https://example.com/{_token(chance, 6)}?page={chance.randrange(9)}"],
    }
    match chance.randrange(12):
        case 0:
            record["api_key"] = f"sk-{_token(chance, 32)}"
        case 1:
            record["headers"] = {"Authorization": f"Bearer {_token(chance, 24)}"}
        case 2:
            record["note"] += f" password: {_token(chance, 10)}"
    return record


def _page(chance: random.Random, size: int) -> dict[str, Any]:
    return {"url": f"https://example.com/{_token(chance, 6)}", "text": _prose(chance, size // 40)}


def _prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=words))


def _token(chance: random.Random, length: int) -> str:
    return "".join(chance.choices(_LETTERS, k=length))
