"""Calls that fail, with secrets in the agent's hands; and a search of the disk for them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mulligan.app.mulligan import Mulligan
from mulligan.cli.demo.telling import Teller
from mulligan.core.effect import Effect
from mulligan.core.happened.event import CallRepaired, CallRetried, Happened

PLANTED = {
    "an API key": "sk-live-51HxQe2eZvKYlo2C9bq",
    "a card number": "4242 4242 4242 4242",
    "a password in a URL": "s3cr3t-pa55",
    "what was asked for": "birthday dinner for Grandma",
}
"""What the demo passes to its tools, and looks for on the disk afterwards."""


async def look_around(m: Mulligan, tell: Teller) -> None:
    """What may be made again is, and what may not is not."""
    search = _SlowSearch()

    @m.tool(effect=Effect.READ)
    async def find_events(query: str, api_key: str, limit: int) -> list[dict[str, object]]:  # noqa: ARG001
        return search.find()

    @m.tool(effect=Effect.READ)
    async def quote_cake(card: str, servings: int) -> dict[str, object]:  # noqa: ARG001
        return {"price": 48.5, "currency": "EUR", "note": f"charge to {card}"}

    @m.tool
    async def share_calendar(url: str, people: int) -> None:  # noqa: ARG001
        raise ConnectionResetError(f"connection reset by {url}")

    tell.show_heading("Calls that fail, with secrets in the agent's hands")
    silence = m.subscribe(lambda event: _tell(tell, event))
    with m.turn("Plan Grandma's dinner", agent="planner", context="planning the family's week"):
        tell.say("find_events only reads, so it may be made again:")
        await find_events(PLANTED["what was asked for"], api_key=PLANTED["an API key"], limit=10)
        m.flush()
        silence()
        await quote_cake(card=PLANTED["a card number"], servings=12)
        tell.say("quote_cake works at once, with a card number in its arguments")
        try:
            await share_calendar(f"https://anna:{PLANTED['a password in a URL']}@cal.test/w", 4)
        except ConnectionResetError as error:
            tell.say(
                "share_calendar declares nothing, and its connection breaks: it may have landed, "
                f"so it is not made again. The agent gets its own {type(error).__name__}."
            )


class _SlowSearch:
    """Does not answer the first time."""

    def __init__(self) -> None:
        self._asked = 0

    def find(self) -> list[dict[str, object]]:
        self._asked += 1
        if self._asked == 1:
            raise TimeoutError("the calendar did not answer within 2.0 s")
        return [{"title": "Dinner", "day": "Friday"}]


def _tell(tell: Teller, event: Happened) -> None:
    match event:
        case CallRetried():
            wait = event.wait.total_seconds()
            tell.say(f"  failed ({event.error_class}); try {event.try_number} in {wait:.2f} s")
        case CallRepaired():
            tell.say(f"  worked on try {event.tries}", style="green")
        case _:
            pass


def count_secrets(files: Iterable[Path]) -> dict[str, int]:
    """How often each secret stands in the store's files, byte by byte."""
    written = [file.read_bytes() for file in files]
    return {
        what: sum(text.count(secret.encode()) for text in written)
        for what, secret in PLANTED.items()
    }
