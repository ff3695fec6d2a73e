"""What can be computed about any turn, and is told to any judge: nothing has to be read for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from mulligan.checks.dates import date_facts
from mulligan.checks.places import home_resolved
from mulligan.core.call import Call
from mulligan.core.display.size import SaidText, is_long
from mulligan.core.finding import Fact
from mulligan.core.turn import Turn

_home = home_resolved()


async def computed_facts(turn: Turn, calls: Sequence[Call]) -> Iterable[Fact]:
    """The weekday of every date, what the person's words can mean, and where home is."""
    long = is_long(SaidText(turn.message), [call.arguments for call in calls])
    said = await asyncio.to_thread(date_facts, turn, calls) if long else date_facts(turn, calls)
    return [*said, *await _home(turn, calls)]
