"""The chain of hashes that makes a lost or changed entry visible: pure functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from mulligan.codec.json_text import encode_json

GENESIS = bytes(32)
"""What a writer's first entry links to."""

HashLink = Callable[[bytes], bytes]
"""Hashes one link of a chain: with a key, if the store has one."""


def hash_plainly(content: bytes) -> bytes:
    """The hash of a link in a store without a key."""
    return hashlib.sha256(content).digest()


class ChainEntry(NamedTuple):
    """An entry in its writer's chain, in the order of the table's columns."""

    writer: str
    seq: int
    action: str
    version: int
    state: str
    at_us: int
    body: str | None
    """`None`: hollow. Retention took the content and left the link."""
    hash: bytes
    emptied: bytes | None = None
    """What retention signs where there is a key, so that nobody else empties an entry."""


class Break(NamedTuple):
    """Where a chain does not hold."""

    seq: int
    what: str


def hash_entry(previous: bytes, line: ChainEntry, *, hash_link: HashLink = hash_plainly) -> bytes:
    """The hash of an entry: over the hash before it and everything it says."""
    # An array of JSON values is unambiguous: no two different lines give the same bytes.
    return hash_link(previous + encode_json(line[:7]))


def find_breaks(
    lines: Iterable[ChainEntry],
    *,
    after: int,
    previous: bytes,
    hash_link: HashLink | None = hash_plainly,
) -> Iterator[Break]:
    """Every place where lines in order do not follow on `after` and `previous`.

    After a break the chain is taken up again at the hash as it is stored, so that one damage is
    one break. A hollow line can only be checked by the line that follows it. Without a
    `hash_link`, because the key is not here, only what is missing shows.
    """
    expected = after + 1
    for line in lines:
        if line.seq != expected:
            lost = line.seq - expected
            yield Break(
                expected,
                f"{_format_entries(lost)} before entry {line.seq} {_choose_verb(lost)} missing",
            )
        elif (
            line.body is not None and hash_link and not follows(previous, line, hash_link=hash_link)
        ):
            yield Break(line.seq, f"entry {line.seq} is not what was written")
        expected = line.seq + 1
        previous = line.hash


def follows(previous: bytes, line: ChainEntry, *, hash_link: HashLink = hash_plainly) -> bool:
    """Whether a line is what was written after the one with that hash."""
    try:
        return hash_entry(previous, line, hash_link=hash_link) == line.hash
    except TypeError:
        # A changed bit can make bytes of a text, which no entry holds.
        return False


def _format_entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _choose_verb(count: int) -> str:
    return "is" if count == 1 else "are"
