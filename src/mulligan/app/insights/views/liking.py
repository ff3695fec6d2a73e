"""What people thought of replies, of turns that are named: thumbs, as far as they gave any."""

from __future__ import annotations

from collections.abc import Sequence

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.core.call import OWN
from mulligan.core.failures.lesson import Use
from mulligan.core.interfaces import Log
from mulligan.core.storage.log_query import LogQuery
from mulligan.core.storage.rating import RATED, read_rating
from mulligan.core.storage.text_rollup import REPLY_SETTLED

MOST_TURNS = 100
"""The newest turns that are looked at."""
MOST_ROWS = 5_000
"""Rows of these turns, and thumbs for their replies."""


def estimate_liking(log: Log, uses: Sequence[Use]) -> Estimate:
    """The share of thumbs up for replies of the newest turns that a lesson was used in."""
    newest = dict.fromkeys(use.turn for use in reversed(uses) if use.turn)
    turns = tuple(newest)[:MOST_TURNS]
    if not turns:
        return Estimate(figure=None, n=0)
    rows = log.list_rows(LogQuery(turns=turns, limit=MOST_ROWS))
    replies = tuple(row.id for row in rows if row.server == OWN and row.tool == REPLY_SETTLED)
    if not replies:
        return Estimate(figure=None, n=0)
    given = LogQuery(server=OWN, tool=RATED, parents=replies, oldest_first=True, limit=MOST_ROWS)
    # Of several thumbs for one reply the last one counts.
    thumbs = {each.of: each.up for each in map(read_rating, log.list_rows(given))}
    return estimate_share(sum(thumbs.values()), len(thumbs))
