"""One undo from its first look to its proof, as a rollback drives it, without a journal."""

from __future__ import annotations

from mulligan.runtime.assessment import Undone, UndoPolicy, assess_current
from mulligan.runtime.undo import read_current, run_undo, verify, wait_to_settle
from mulligan.types.call import Record


async def take_back(record: Record, policy: UndoPolicy) -> Undone:
    """Undo one effect, unless it is undone already or someone has changed it since."""
    first = await read_current(record, policy)
    judged = assess_current(record, first, policy=policy)
    if judged is not None:
        return judged
    failure = await run_undo(record, policy)
    await wait_to_settle(policy)
    return await verify(record, policy, first=first, failure=failure)
