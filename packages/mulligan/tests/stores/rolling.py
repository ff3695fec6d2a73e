"""A process that writes to a store and opens it again and again, as a worker that is deployed does.

`rolling.py URL NAME SECONDS [yesterday] [tomorrow] [stays]`: a program of `yesterday` knows one
migration less, one of `tomorrow` one more; one that `stays` opens the store once. It prints the
names of what was acknowledged. Also for the code of an earlier commit, which is why it uses nothing
but what stores have had for long.
"""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from pathlib import Path

from mulligan.stores import migrations
from mulligan.stores.opening import open_store
from mulligan.types.log import Batch
from mulligan_testing.store_contract.contract import make_first_entry, make_log_row

MORE = """-- expand
alter table execution add column later text;
alter table action add column later bigint not null default 7;
create table tomorrow (id text primary key);
"""


def start_rolling(url: str, name: str, *more: str, seconds: float = 4) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, Path(__file__), url, name, str(seconds), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def know_one_less() -> None:
    """Be a program of the version before, as far as the schema goes."""
    known = migrations.load_migrations("postgres")
    migrations.load_migrations = lambda part: known[:-1]


def know_one_more() -> None:
    """Be a program of the next version, as far as the schema goes."""
    known = migrations.load_migrations("postgres")
    last = known[-1]
    more = migrations._read_migration(last.number + 1, MORE, needs_before=last.needs)
    migrations.load_migrations = lambda part: (*known, more)


def write(url: str, name: str, seconds: float, *, reopens: bool = True) -> None:
    store = open_store(url)
    number, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        number += 1
        if reopens and number % 25 == 0:
            store.close()
            store = open_store(url)
        action = f"{name}-{number}"
        store.journal.submit([make_first_entry(action)]).result()
        row = make_log_row()._replace(id=uuid.uuid4().hex, tool=name, agent=action)
        store.log.write(Batch(rows=[row]))
        print(action, flush=True)
    store.close()


if __name__ == "__main__":
    where, who, lasts, *how = sys.argv[1:]
    if "yesterday" in how:
        know_one_less()
    if "tomorrow" in how:
        know_one_more()
    write(where, who, float(lasts), reopens="stays" not in how)
