"""The transaction of a group of works, and the writer's head and account that it moves.

The head is where a writer's chain ends. The account is what a writer has put into the signed
tables and taken out of them, as one number for each: the numbers of all writers add up to what
lies there. A row that was removed, restored or added without the key leaves a difference,
and no writer ever waits for another to count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import NoReturn

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.codec import decode_json, encode_sorted
from mulligan.stores.crypto import WRITER, ChainEntry, Signer, hash_entry, hash_plainly
from mulligan.stores.database import Changed, Row, Session, UnreadableError
from mulligan.stores.encoding import EncodedEntry
from mulligan.stores.watermarks import Watermark, sign_watermark
from mulligan.types.errors import StoreError

_MODULUS = 1 << 256

SIGNED: Mapping[str, tuple[str, ...]] = {
    "kept": ("owner", "name", "value", "locked", "checksum", "expires_us"),
    "tool": ("server", "name", "about"),
    "notes": ("tenant", "task", "version", "parent", "at_us", "model", "runs", "body"),
    "episode": ("id", "at_us", "tenant", "tool", "fingerprint", "ending", "body"),
    "lesson_version": ("lesson", "version", "body"),
    "lesson_use": ("lesson", "call", "at_us", "turn", "principal", "benefit", "body"),
}
"""The tables whose rows are signed one by one, and their columns in order, those of the key first.
A signature is of all of them; of `kept` the checksum stands for the value."""
_KEYS = {"kept": 2, "tool": 2, "notes": 3, "episode": 1, "lesson_version": 2, "lesson_use": 2}
"""How many columns of each are its key."""


class Account(Struct, frozen=True, kw_only=True):
    """One writer's share."""

    rows: Mapping[str, int] = field(default_factory=dict)
    """By table, the sum of the signatures it added less those it took away."""
    writers: int = 0
    """How many others there were when it began."""
    commits: int = 0
    """How often those had committed."""

    def encode(self) -> str:
        """As the writer's row has it."""
        rows = {table: f"{total:x}" for table, total in self.rows.items()}
        seen = {"writers": self.writers, "commits": self.commits}
        return encode_sorted({"rows": rows, **seen}).decode()

    def add(self, table: str, more: int) -> Account:
        """The account with so much more."""
        total = (self.rows.get(table, 0) + more) % _MODULUS
        return replace(self, rows={**self.rows, table: total})


def decode_account(text: str) -> Account:
    """An account from a row; of what makes no sense an empty one, whose seal will not hold."""
    try:
        found = decode_json(text)
        rows = {str(table): int(total, 16) for table, total in found["rows"].items()}
        return Account(rows=rows, writers=int(found["writers"]), commits=int(found["commits"]))
    except (ValueError, LookupError, TypeError, AttributeError):
        return Account()


def sum_seals(seals: Iterable[object]) -> int:
    """The signatures of some rows as one number; a row without one counts nothing."""
    return sum(int.from_bytes(seal) for seal in seals if isinstance(seal, bytes)) % _MODULUS


def add_accounts(accounts: Iterable[Account], table: str) -> int:
    """The sum of all writers' accounts of a table."""
    return sum(account.rows.get(table, 0) for account in accounts) % _MODULUS


def read_signed(session: Session, table: str, *, most: int, skip: int) -> list[Row]:
    """Some rows of a signed table in the order of its key: each as its signature and columns."""
    columns, order = ", ".join(SIGNED[table]), ", ".join(SIGNED[table][: _KEYS[table]])
    query = f"select seal, {columns} from {table} order by {order} limit :most offset :skip"  # noqa: S608 - our own names
    return session.fetch(session.learn(query), most=most, skip=skip)


def set_seal(session: Session, table: str, columns: Sequence[object], *, seal: bytes) -> None:
    """Sign a row that is in its table already."""
    key = SIGNED[table][: _KEYS[table]]
    which = " and ".join(f"{name} = :{name}" for name in key)
    update = f"update {table} set seal = :seal where {which}"  # noqa: S608 - our own names
    session.run(session.learn(update), seal=seal, **dict(zip(key, columns, strict=False)))


class Head(Struct, frozen=True, kw_only=True):
    """Where a writer's chain ends."""

    writer: str
    commits: int
    seq: int
    hash: bytes
    account: Account = field(default_factory=Account)

    def to_mark(self, signer: Signer | None) -> Watermark:
        """The same, for outside the database."""
        mark = Watermark(
            writer=self.writer, commits=self.commits, seq=self.seq, proof=self.hash[:24]
        )
        return mark if signer is None else sign_watermark(mark, signer)

    def to_row(self, signer: Signer | None) -> dict[str, object]:
        """Its columns; with a key, also the account, and the signature of all of it."""
        row: dict[str, object] = {"commits": self.commits, "seq": self.seq, "hash": self.hash}
        if signer is None:
            return row | {"account": "", "seal": None}
        account = self.account.encode()
        seal = signer.sign(WRITER, self.writer, *row.values(), account)
        return row | {"account": account, "seal": seal}

    def is_signed(self, signer: Signer | None, seal: object) -> bool:
        """Whether the row is what its writer signed; unknown without a signer."""
        if signer is None:
            return True
        parts = (self.writer, self.commits, self.seq, self.hash, self.account.encode())
        return signer.holds(seal, WRITER, *parts)


def decode_head(row: Row) -> tuple[Head, object]:
    """A head and its signature from the columns id, commits, seq, hash, account, seal."""
    writer, commits, seq, found, account, seal = row
    hash_ = bytes(found) if isinstance(found, (bytes, memoryview)) else b""
    head = Head(
        writer=writer, commits=commits, seq=seq, hash=hash_, account=decode_account(account)
    )
    return head, seal


def list_before(head: Head, signer: Signer | None) -> dict[str, object]:
    """What a writer's row has to be for it to be moved on."""
    return {f"was_{name}": value for name, value in head.to_row(signer).items()}


def move_head(
    session: Session, head: Head, *, signer: Signer | None, was: Mapping[str, object]
) -> Changed:
    """Advance a writer's row, if it is unchanged and the lease still holds."""
    return session.run_later("move_head", writer=head.writer, **head.to_row(signer), **was)


class Transaction:
    """A group's transaction as one work in it sees it."""

    def __init__(self, session: Session, head: Head, signer: Signer | None = None) -> None:
        self.session = session
        self.head = head
        self.signer = signer
        """Signs what is written; `None` in a store without a key."""
        self._required: list[tuple[Changed, Refuse]] = []

    def require(self, changed: Changed, otherwise: Refuse) -> None:
        """Have a statement change a row, or none of the work be done. It is asked in the end."""
        self._required.append((changed, otherwise))

    def settle(self) -> None:
        """Ask whether all is so."""
        for changed, otherwise in self._required:
            if not changed():
                otherwise()
        self._required.clear()

    def go_back(self, head: Head) -> None:
        """Discard the changes since a writer's earlier place: they were rolled back."""
        self.head = head
        self._required.clear()

    def sign_row(self, table: str, *columns: object) -> bytes | None:
        """The signature of a row that is about to be added to a table, on this writer's account."""
        if self.signer is None:
            return None
        seal = self.signer.sign(table, *columns)
        self.add_seals(table, [seal])
        return seal

    def add_seals(self, table: str, seals: Iterable[object]) -> None:
        """Rows with these signatures have come into a table."""
        self.add_to_account(table, sum_seals(seals))

    def drop(self, table: str, seals: Iterable[object]) -> None:
        """Rows with these signatures have gone from a table, or were not added after all."""
        if self.signer is not None:
            self.add_to_account(table, -sum_seals(seals))

    def drop_rows(self, table: str, rows: Iterable[Row]) -> None:
        """Rows, each as its signature and its columns, have gone from a table.

        One that is not what was signed stays on the account, so that its loss shows.
        """
        signer = self.signer
        if signer is not None:
            found = [seal for seal, *row in rows if signer.holds(seal, table, *row)]
            self.drop(table, found)

    def add_to_account(self, table: str, number: int) -> None:
        """Put a sum of signatures on this writer's account, or take it off where it is negative."""
        self.head = replace(self.head, account=self.head.account.add(table, number))

    def append(self, draft: EncodedEntry) -> None:
        """Add an entry to the writer's chain."""
        entry, head = draft.entry, self.head
        named = (entry.action, entry.version, str(entry.state))
        line = ChainEntry(head.writer, head.seq + 1, *named, draft.at_us, draft.body, b"")
        hash_link = hash_plainly if self.signer is None else self.signer.hash_link
        linked = hash_entry(head.hash, line, hash_link=hash_link)
        self.session.run_later("add_entry", **line._asdict() | {"hash": linked})
        self.head = replace(head, seq=line.seq, hash=linked)


Refuse = Callable[[], NoReturn]
Work = Callable[[Transaction], object]


class NothingDoneError(Exception):
    """Every work of a group failed, so that its transaction is undone."""

    def __init__(self, outcomes: Sequence[object]) -> None:
        super().__init__("every work failed")
        self.outcomes = outcomes


class ApartError(Exception):
    """A work failed among others, so that each has to be done by itself."""


@contextmanager
def fail_together() -> Iterator[None]:
    """Works that are done as one. Trouble with the store itself fails them all in any case."""
    try:
        yield
    except UnreadableError as error:
        raise ApartError from error
    except StoreError:
        raise
    except Exception as error:
        raise ApartError from error


def attempt_all(transaction: Transaction, works: Sequence[Work]) -> list[object]:
    """Do the works of a group: what each came to, its own failure included."""
    alone = len(works) == 1
    outcomes = [attempt(transaction, work, alone=alone) for work in works]
    if all(isinstance(outcome, BaseException) for outcome in outcomes):
        raise NothingDoneError(outcomes)
    return outcomes


def attempt(transaction: Transaction, work: Work, *, alone: bool = False) -> object:
    """Do one work so that it can fail alone; only trouble with the store itself fails them all."""
    before = transaction.head
    # With nothing beside it that could be kept, it needs no part of the transaction for itself.
    part = nullcontext() if alone else transaction.session.begin_savepoint()
    try:
        with part:
            outcome = work(transaction)
            transaction.settle()
            return outcome
    except UnreadableError as error:
        transaction.go_back(before)
        return error
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 - it is handed to the one who submitted the work
        transaction.go_back(before)
        return error
