"""What a server's refusal says of the effect of a request, and what it does not.

Of a request that a proxy or a client repeats by itself the first takes effect, and the second is
answered: refused by its own condition (412), as made already (409), as gone (404, 410).
"""

from __future__ import annotations

import httpx
from msgspec import Struct

from mulligan.types.effect import EffectNote
from mulligan.types.errors import ConflictError

REFUSED = frozenset({400, 401, 403, 405, 413, 415, 422, 428})
"""By these a server refuses a request for what it is. Some do so after the effect: as taken."""
MISSED = frozenset({404, 410})
"""By these it says that nothing is there."""
DECLARED = (
    "the statuses in refused=… meaning that nothing was done, also where a request is repeated on "
    "its way, so that its second is refused after the first took effect"
)


class Refusals(Struct, frozen=True, kw_only=True):
    """What statuses say of a call whose only request they were the answer to."""

    declared: frozenset[int] | None
    """The user's own word on which of them mean that nothing was done."""
    looks: bool
    """A call that was refused can be looked for."""

    def judge(self, status: int) -> EffectNote | None:
        """What is known of the effect of a request that was answered with a status."""
        if self.declared is not None:
            return EffectNote.NOTHING_DONE if status in self.declared else None
        claims = self.looks and status in REFUSED | MISSED
        return EffectNote.REFUSED if claims else None


def require_done(answer: httpx.Response) -> None:
    """Whether an undo was accepted. Refused, it may have worked all the same: a read tells."""
    if answer.status_code in (409, 412):
        raise ConflictError(f"The server says that it was changed since ({answer.status_code}).")
    answer.raise_for_status()
