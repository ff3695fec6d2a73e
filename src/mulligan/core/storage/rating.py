"""Thumbs: what a person says of a reply, a draft or a run, as a row of the log."""

from __future__ import annotations

import json
from datetime import datetime

from mulligan.core.call import OWN, LogRow, Outcome
from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.instants import from_us

RATED = "text.rated"
"""The row of a rating; its parent is what was rated."""
LONGEST_NOTE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One thumb, up or down."""

    of: str
    """The id of what was rated."""
    up: bool
    note: str = ""
    """Why, in a person's words, less secrets."""
    at: datetime | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.of, str) or not self.of:
            raise ConfigurationError("A rating needs the id of what it is for: m.rate(done.id, …).")
        if not isinstance(self.up, bool):
            raise ConfigurationError(f"up is {self.up!r}; say up=True or up=False.")


def build_rating_row(rating: Rating, *, row_id: str, at_us: int, tenant: str) -> LogRow:
    """A rating as the log keeps it."""
    return LogRow(
        id=row_id,
        at_us=at_us,
        tenant=tenant,
        agent="",
        server=OWN,
        tool=RATED,
        parameters=json.dumps({"up": rating.up, "note": rating.note[:LONGEST_NOTE]}),
        context="",
        outcome=Outcome.SUCCESS.value,
        duration_us=0,
        error_class=None,
        error_type=None,
        error_message=None,
        error_code=None,
        error_at=None,
        result=None,
        try_number=1,
        parent=rating.of,
        turn=None,
        weight=1.0,
    )


def read_rating(row: LogRow) -> Rating:
    """The rating that a row keeps."""
    said = json.loads(row.parameters)
    return Rating(
        of=row.parent or row.id,
        up=bool(said.get("up")),
        note=str(said.get("note", "")),
        at=from_us(row.at_us),
    )
