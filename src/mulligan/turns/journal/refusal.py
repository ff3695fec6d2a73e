"""A refusal: somebody's word that a call did nothing, held against what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mulligan.core.call import Execution, Failure
from mulligan.core.effect import EffectNote, read_effect_note
from mulligan.core.record import Record
from mulligan.turns.journal.landing import Landing, explain_blindness, is_probed_by_call, look
from mulligan.turns.tools.declaration import Declaration


async def verify_refusal(
    failed: Execution, *, records: Sequence[Record], declared: Declaration
) -> Execution:
    """Count a refusal as proof that nothing was done, unless a look does not agree.

    A request that a proxy or a client repeats by itself takes effect with the first, and the second
    is refused: by its own condition, as made already, or as gone.
    """
    failure = failed.failure
    if failure is None or failure.nothing_done or not failure.refused:
        return failed
    if not await _agrees(failure, records, declared):
        return failed
    return replace(failed, failure=replace(failure, nothing_done=True))


async def _agrees(failure: Failure, records: Sequence[Record], declared: Declaration) -> bool:
    """Whether nothing that anybody can see speaks against a refusal."""
    looked_at = [each for each in records if _is_looked_at(each, failure, declared)]
    if not looked_at:
        return True
    if declared.settles_within:
        # What a read shows may be from before the call: recovery looks once that is over.
        return False
    seen = [await look(record, declared) for record in looked_at]
    return all(each.landing is Landing.ABSENT for each in seen)


def _is_looked_at(record: Record, failure: Failure, declared: Declaration) -> bool:
    """Whether there is something to hold a refusal against.

    To look for a call itself may call it off, so that it could not be made again: that is done for
    a remote's answer, and not for the word of a tool's author.
    """
    by_remote = read_effect_note(failure.error) is EffectNote.REFUSED
    if is_probed_by_call(declared) and not by_remote:
        return False
    return not explain_blindness(record, declared)
