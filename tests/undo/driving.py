"""One undo from its first look to its proof, as a rollback drives it, without a journal."""

from __future__ import annotations

from mulligan.core.record import Record
from mulligan.undo.assessment import Terms, Undone, assess_sight
from mulligan.undo.taking_back import look, prove, send, wait_to_settle


async def take_back(record: Record, terms: Terms) -> Undone:
    """Undo one effect, unless it is undone already or someone has changed it since."""
    first = await look(record, terms)
    judged = assess_sight(record, first, terms=terms)
    if judged is not None:
        return judged
    failure = await send(record, terms)
    await wait_to_settle(terms)
    return await prove(record, terms, first=first, failure=failure)
