"""Everything that can be wrong with a SQLite store, a sentence each."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path

from mulligan.core.display.escape import quote_name
from mulligan.core.interfaces import LEASE
from mulligan.stores.database.driver import Session
from mulligan.stores.disk.file_lock import CAN_LOCK
from mulligan.stores.disk.mark import MarkFile
from mulligan.stores.disk.private_file import HAS_MODES
from mulligan.stores.process.presence import find_presence_caveats
from mulligan.stores.relational.casebook import CasebookTables
from mulligan.stores.relational.journal import JournalTables
from mulligan.stores.relational.vault import VaultTables
from mulligan.stores.sqlite import files
from mulligan.stores.sqlite.tally import count_lost


def find_problems(
    journal: JournalTables,
    *,
    vault: VaultTables,
    casebook: CasebookTables,
    sessions: Mapping[Path, Session],
    marks: tuple[MarkFile, MarkFile],
    signed: bool,
    thorough: bool,
) -> Iterator[str]:
    """Look at the files themselves, then at what the journal and the casebook say.

    Not thorough: read no page of them but those that say how they end.
    """
    sound = True
    for path, session in sessions.items():
        broken = files.check_structure(session, path) if thorough else None
        if broken:
            sound = False
            yield broken
        if HAS_MODES and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield f"{path} can be read by others: run `chmod 600 {path}`."
        for kind, name, _ in session.fetch("planted") if not broken else ():
            yield (
                f"{path} has a {kind}, {quote_name(name)}, that Mulligan did not make: somebody "
                "else has written to this file. It is not run. See who, then remove it "
                f"(`drop {kind}`), or restore a backup."
            )
        for file in files.list_damaged_files(path):
            yield f"{file} was damaged and set aside: rescue what you need of it, then delete it."
    if sound:
        yield from _find_shortened(list(sessions.values())[-1], marks[1])
        yield from (damage.what for damage in (journal.verify() if thorough else ()))
        yield from _find_unmarked(journal, marks[0], signed=signed)
        if thorough:
            yield from vault.find_problems()
            yield from casebook.find_problems()
    yield from (mark.trouble for mark in marks if mark.trouble)


def find_caveats(lease: timedelta = LEASE) -> Iterator[str]:
    """What this system cannot do for files and their writers."""
    if not CAN_LOCK:
        yield (
            "This Python has no file locks (no fcntl), so of two processes that open the store at "
            "the same moment one may lose its mark, and a loss of its last entries would go "
            "unnoticed."
        )
    if not HAS_MODES:
        yield (
            "This system has no files for their owner alone, so the folder's permissions decide "
            "who can read the store."
        )
    yield from find_presence_caveats(lease)


def _find_shortened(log: Session, marks: MarkFile) -> Iterator[str]:
    lost = count_lost(log, marks)
    if lost:
        yield (
            f"The log lost {lost} rows (damage): its file is shorter than its mark. The next "
            "application that opens the store will count them."
        )


def _find_unmarked(journal: JournalTables, marks: MarkFile, *, signed: bool) -> Iterator[str]:
    """Writers whose mark is gone, or, where the store has a key, is signed by nobody.

    That is a problem but no damage. A power cut can take the mark file, which is never synced,
    and leave a sound journal; to refuse it then would be a false alarm, and to write new marks
    without a word would hide that for a while nothing guarded the end of the journal.
    """
    # The marks last: a writer has one before it has written anything.
    wrote = [head for head in journal.read_heads() if head.seq or head.commits]
    found = marks.read()
    good = {mark.writer for mark in found.found.values() if mark.signed or not signed}
    without = [head for head in wrote if head.writer not in good]
    if without:
        kind = "signed mark" if signed else "mark"
        yield (
            f"{len(without)} of the journal's writers have no {kind}, so a loss of what they "
            "wrote last would go unnoticed: look at the open actions, then take the journal as it "
            "is with `mulligan doctor --accept-damage NOTE`."
        )
    elif found.torn:
        yield (
            f"{found.torn} records of the journal's mark file cannot be read: take the journal "
            "as it is with `mulligan doctor --accept-damage NOTE`."
        )
