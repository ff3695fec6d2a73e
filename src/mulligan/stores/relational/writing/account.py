"""What a writer has put into the signed tables and taken out of them, as one number for each.

The numbers of all writers add up to what lies there. A row that anybody removed, put back or added
without the key leaves a difference, and no writer ever waits for another to count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from mulligan.codec.json_text import decode_json, encode_sorted
from mulligan.core.runtime.dataclass import dataclass

_MODULUS = 1 << 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One writer's share."""

    rows: Mapping[str, int] = field(default_factory=dict)
    """By table, the sum of the signatures it added less those it took away."""
    writers: int = 0
    """How many others there were when it began."""
    commits: int = 0
    """How often those had committed."""

    def add(self, table: str, seals: Iterable[object]) -> Account:
        """The account with rows more."""
        return self.add_number(table, sum_seals(seals))

    def take(self, table: str, seals: Iterable[object]) -> Account:
        """The account with rows less."""
        return self.add_number(table, -sum_seals(seals))

    def encode(self) -> str:
        """As the writer's row has it."""
        rows = {table: f"{total:x}" for table, total in self.rows.items()}
        seen = {"writers": self.writers, "commits": self.commits}
        return encode_sorted({"rows": rows, **seen}).decode()

    def add_number(self, table: str, more: int) -> Account:
        """The account with so much more."""
        total = (self.rows.get(table, 0) + more) % _MODULUS
        return replace(self, rows={**self.rows, table: total})


_EMPTY = Account()


def decode_account(text: str) -> Account:
    """An account from a row; of what makes no sense an empty one, whose seal will not hold."""
    if not text:
        return _EMPTY
    try:
        found = decode_json(text)
        rows = {str(table): int(total, 16) for table, total in found["rows"].items()}
        return Account(rows=rows, writers=int(found["writers"]), commits=int(found["commits"]))
    except (ValueError, LookupError, TypeError, AttributeError):
        return _EMPTY


def sum_seals(seals: Iterable[object]) -> int:
    """The signatures of some rows as one number; a row without one counts nothing."""
    return sum(int.from_bytes(seal) for seal in seals if isinstance(seal, bytes)) % _MODULUS


def add_accounts(accounts: Iterable[Account], table: str) -> int:
    """What all writers together say of a table."""
    return sum(account.rows.get(table, 0) for account in accounts) % _MODULUS
