"""One undo from its first look to its proof, as a rollback drives it, without a journal."""

from __future__ import annotations

from mulligan.runtime.assessment import Undone, UndoPolicy, assess_sight
from mulligan.runtime.undo import read_current, run_undo, verify, wait_to_settle
from mulligan.types.call import Record


async def take_back(record: Record, terms: UndoPolicy) -> Undone:
    """Undo one effect, unless it is undone already or someone has changed it since."""
    first = await read_current(record, terms)
    judged = assess_sight(record, first, terms=terms)
    if judged is not None:
        return judged
    failure = await run_undo(record, terms)
    await wait_to_settle(terms)
    return await verify(record, terms, first=first, failure=failure)
