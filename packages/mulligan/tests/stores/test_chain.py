from __future__ import annotations

import pytest

from mulligan.stores.crypto import GENESIS, ChainEntry, find_breaks, hash_entry


def chain(count: int) -> list[ChainEntry]:
    lines, previous = [], GENESIS
    for seq in range(1, count + 1):
        line = ChainEntry("w", seq, f"a{seq}", 1, "intent", 1000 + seq, f'{{"n":{seq}}}', b"")
        previous = hash_entry(previous, line)
        lines.append(line._replace(hash=previous))
    return lines


def broken_at(lines: list[ChainEntry], *, after: int = 0, previous: bytes = GENESIS) -> list[int]:
    return [seq for seq, _ in find_breaks(lines, after=after, previous=previous)]


def test_a_whole_chain_has_no_break() -> None:
    assert broken_at(chain(5)) == []
    assert broken_at([]) == []


@pytest.mark.parametrize(
    "change",
    [
        {"action": "b"},
        {"version": 2},
        {"state": "verified"},
        {"at_us": 0},
        {"body": "{}"},
        {"writer": "v"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_column_is_protected(change) -> None:
    lines = chain(5)
    lines[2] = lines[2]._replace(**change)

    assert broken_at(lines) == [3]


def test_a_changed_hash_shows_at_its_entry_and_the_next() -> None:
    lines = chain(5)
    lines[2] = lines[2]._replace(hash=bytes(32))

    assert broken_at(lines) == [3, 4]


def test_a_missing_entry_is_one_break_where_it_was() -> None:
    lines = chain(6)

    assert broken_at([*lines[:2], *lines[4:]]) == [3]
    assert broken_at(lines[1:]) == [1]


def test_hollow_entries_still_link() -> None:
    lines = [line._replace(body=None) if line.seq in (1, 3, 4) else line for line in chain(6)]
    changed = [line._replace(hash=bytes(32)) if line.seq == 4 else line for line in lines]

    assert broken_at(lines) == []
    assert broken_at(changed) == [5]


def test_a_chain_goes_on_from_its_anchor() -> None:
    lines = chain(6)

    assert broken_at(lines[3:], after=3, previous=lines[2].hash) == []
    assert broken_at(lines[3:], after=3, previous=lines[1].hash) == [4]
