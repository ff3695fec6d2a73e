"""Flip bits in a store's files, in every kind of page, and count the answers that are wrong.

The long form: `python -m tests.stores.flips 500`.
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import apsw

from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.errors import StoreError
from mulligan.types.interfaces import Store
from mulligan_testing.store_contract.contract import NOW, make_first_entry, make_id, make_next_entry
from tests.stores.damage import fast_folder, reopen

PAGE = 4096
HEADER = 100
ACTIONS = 150
SETTLED = 30


@dataclass(frozen=True)
class Sound:
    """A store as it was before anything was flipped, and everything it answered."""

    content: dict[str, bytes]
    names: tuple[str, ...]
    answers: object


def make_sound(folder: Path, *, closed: bool) -> Sound:
    """Write a journal with every kind of page in it. Left open, its end lies in the log ahead."""
    store = open_store(f"sqlite:///{folder}/family.db")
    names = tuple(make_id() for _ in range(ACTIONS))
    for number, name in enumerate(names):
        _write_action(store, name, number)
    # Retention leaves pages that are free.
    store.journal.prune(settled_before=NOW + timedelta(days=1))
    if not closed:
        for name in names[-20:]:
            store.journal.submit([make_next_entry(name, State.UNKNOWN, version=3)]).result()
            store.vault.put(Kept(owner=name, name="after", value=name.encode()))
    answers = ask_everything(store, names)
    if closed:
        store.close()
    content = {
        file.name: file.read_bytes() for file in folder.iterdir() if not file.name.endswith("-shm")
    }
    store.close()
    return Sound(content=content, names=names, answers=answers)


def _write_action(store: Store, name: str, number: int) -> None:
    kept = [
        Kept(owner=name, name="before", value=f"before {number} ".encode() * (number % 7)),
        Kept(owner=name, name="result", value=f"result {number} ".encode() * (number * 9)),
    ]
    store.journal.submit([make_first_entry(name)], keep=kept).result()
    state = State.NOT_EXECUTED if number < SETTLED else State.UNKNOWN
    entry = make_next_entry(name, state, version=2)
    store.journal.submit([entry]).result()


def ask_everything(store: Store, names: tuple[str, ...]) -> object:
    """Every question that the journal and the vault answer."""
    journal = store.journal
    actions = [journal.find_action(name) for name in names]
    writers = {action.writer for action in actions if action}
    return (
        actions,
        [journal.list_entries(name) for name in names],
        journal.list_open_actions(limit=1000),
        journal.list_open_actions(limit=1000, tenant="home", after=names[60]),
        [store.vault.get(name, kept) for name in names for kept in ("before", "result", "after")],
        len(writers),
        journal.verify(),
    )


def map_pages(file: bytes, folder: Path) -> dict[str, list[int]]:
    """The pages of a database by their kind: number of the first byte of each."""
    path = folder / "map.db"
    path.write_bytes(file)
    connection = apsw.Connection(str(path))
    listed = connection.execute("select name from sqlite_schema where type = 'table'")
    tables = {name for (name,) in listed}
    kinds: dict[str, list[int]] = defaultdict(list)
    used = set()
    for name, number, kind in connection.execute("select name, pageno, pagetype from dbstat"):
        used.add(number)
        what = kind if kind == "overflow" else f"{'table' if name in tables else 'index'} {kind}"
        kinds[what].append((number - 1) * PAGE)
    kinds["freelist"] = [at for at in range(0, len(file), PAGE) if at // PAGE + 1 not in used]
    kinds["header"] = [0]
    connection.close()
    path.unlink()
    return {kind: pages for kind, pages in kinds.items() if pages}


def choose_bits(sound: Sound, folder: Path, count: int) -> Iterator[tuple[str, str, int]]:
    """Kinds of page, files and bits, the kinds in turn."""
    chance = random.Random(20261116)
    kinds = map_pages(sound.content["family.db"], folder)
    ahead = len(sound.content.get("family.db-wal", b""))
    for number in range(count):
        kind = [*kinds, *(["log ahead"] if ahead else [])][number % (len(kinds) + bool(ahead))]
        if kind == "log ahead":
            yield kind, "family.db-wal", chance.randrange(ahead * 8)
            continue
        size = HEADER if kind == "header" else PAGE
        yield kind, "family.db", chance.choice(kinds[kind]) * 8 + chance.randrange(size * 8)


def is_silent(sound: Sound, folder: Path, *, name: str, bit: int) -> bool | None:
    """Whether a wrong answer is given after a flip; `None` when the damage is noticed."""
    for old in folder.iterdir():
        old.unlink()
    changed = bytearray(sound.content[name])
    changed[bit // 8] ^= 1 << bit % 8
    for file, content in (sound.content | {name: bytes(changed)}).items():
        (folder / file).write_bytes(content)
    store = None
    try:
        store = reopen(f"sqlite:///{folder}/family.db")
        return ask_everything(store, sound.names) != sound.answers
    except StoreError:
        # Refused, at opening or by a question: that is what it takes to notice.
        return None
    finally:
        if store is not None:
            # What is damaged may be noticed while it is closed, too.
            with suppress(StoreError):
                store.close()


def count_flips(count: int, *, closed: bool) -> Counter[tuple[str, str]]:
    """What became of so many flips, by kind of page: noticed, harmless or silent."""
    found: Counter[tuple[str, str]] = Counter()
    with fast_folder() as made, fast_folder() as folder:
        sound = make_sound(made, closed=closed)
        for kind, name, bit in choose_bits(sound, folder, count):
            silent = is_silent(sound, folder, name=name, bit=bit)
            found[kind, "noticed" if silent is None else "silent" if silent else "harmless"] += 1
            if silent:
                print(f"SILENT: bit {bit} of {name} ({kind}, closed={closed})")
    return found


def main() -> None:
    """Print what became of the flips."""
    count = int(sys.argv[1])
    for closed in (True, False):
        found = count_flips(count // 2, closed=closed)
        print("closed" if closed else "left open")
        for (kind, what), times in sorted(found.items()):
            print(f"  {kind:16} {what:10} {times}")


if __name__ == "__main__":
    main()
