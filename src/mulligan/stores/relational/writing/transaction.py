"""The transaction in which a group of works is done, as each work sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import NoReturn

from mulligan.core.errors import StoreError
from mulligan.stores.columns.encoding import EncodedEntry
from mulligan.stores.database.driver import Changed, Row, Session, UnreadableError
from mulligan.stores.keys.chain import ChainEntry, hash_entry, hash_plainly
from mulligan.stores.keys.signer import Signer
from mulligan.stores.relational.writing.account import Account
from mulligan.stores.relational.writing.head import Head


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
        required = self._required.copy()
        self._required.clear()
        for changed, otherwise in required:
            if not changed():
                otherwise()

    def go_back(self, head: Head) -> None:
        """Forget what was done since a writer's place was that: it is undone."""
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
        self._settle(self.head.account.add(table, seals))

    def drop(self, table: str, seals: Iterable[object]) -> None:
        """Rows with these signatures have gone from a table, or were not added after all."""
        if self.signer is not None:
            self._settle(self.head.account.take(table, seals))

    def drop_rows(self, table: str, rows: Iterable[Row]) -> None:
        """Rows, each as its signature and its columns, have gone from a table.

        One that is not what was signed stays on the account, so that its loss shows.
        """
        signer = self.signer
        if signer is not None:
            found = [seal for seal, *row in rows if signer.holds(seal, table, *row)]
            self.drop(table, found)

    def add_difference(self, table: str, difference: int) -> None:
        """Put a difference that a person has accepted on this writer's account."""
        self._settle(self.head.account.add_number(table, difference))

    def _settle(self, account: Account) -> None:
        self.head = replace(self.head, account=account)

    def append(self, draft: EncodedEntry) -> None:
        """Add an entry to the writer's chain."""
        entry = draft.entry
        line = ChainEntry(
            writer=self.head.writer,
            seq=self.head.seq + 1,
            action=entry.action,
            version=entry.version,
            state=str(entry.state),
            at_us=draft.at_us,
            body=draft.body,
            hash=b"",
        )
        hash_link = hash_plainly if self.signer is None else self.signer.hash_link
        line = line._replace(hash=hash_entry(self.head.hash, line, hash_link=hash_link))
        self.session.run_later("add_entry", **line._asdict())
        self.head = replace(self.head, seq=line.seq, hash=line.hash)


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
