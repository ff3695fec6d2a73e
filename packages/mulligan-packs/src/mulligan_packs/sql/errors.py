"""What the SQL pack raises. Each comes before anything was committed, so that nothing was done.

SqlPackError
├── OutdatedRowError      the row was changed since it was read; also a `ConflictError`
├── UndeclaredWriteError  a statement would change what the tool is not declared for
│   └── OutdatedTableError  the table, or how the connection treats it, is not what was read
├── VoidCallError         the call was given up meanwhile, and is on record as not made
└── NoTransactionError    something is committed past the transaction that has the mark
"""

from __future__ import annotations

from mulligan.types.errors import ConflictError, NothingDone


class SqlPackError(NothingDone):
    """A call was refused, and its transaction rolled back."""


class OutdatedRowError(SqlPackError, ConflictError):
    """A row is not as it was read before the call."""

    status = 412

    def __init__(self, row: str) -> None:
        super().__init__(
            f"{row} has been changed since it was read. Read it again, and decide anew."
        )


class UndeclaredWriteError(SqlPackError):
    """A statement would change more than an undo could put back."""

    # Its class is told by this, and not by what the message says of keys and rows.
    status = 403


class VoidCallError(SqlPackError):
    """A call that was looked for, and called off, cannot come late."""

    def __init__(self) -> None:
        super().__init__(
            "This call was looked for meanwhile and is on record as not made, so it was rolled "
            "back. Make it again if it is still wanted."
        )


class NoTransactionError(SqlPackError):
    """A mark and a change that are not committed together prove nothing."""

    status = 403

    def __init__(self, how: str) -> None:
        super().__init__(
            f"{how}, so what of it is there would be unknown. Have the tool commit it: with "
            "`engine.begin()`, or `Session(engine)` and `session.commit()` inside the tool, rather "
            "than a session that is committed after it."
        )
