"""Replies, drafts and runs one by one: what was written, what was found, what people said of it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from mulligan.core.call import OWN, LogRow
from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Store
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.ids import RANDOM_BITS, make_uuid7
from mulligan.core.storage.log_query import Batch, LogQuery
from mulligan.core.storage.rating import RATED, Rating, build_rating_row, read_rating
from mulligan.core.storage.text_rollup import ENDS, REPLY_SETTLED, TASK_RAN
from mulligan.runtime.turn import NAME, RecordedReply, unpack_reply

if TYPE_CHECKING:
    from mulligan.evaluation.cases import Case

MOST_STEPS = 1_000

Scrub = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStory:
    """One reply, draft or run of a task, and all that happened to it."""

    settled: LogRow
    steps: tuple[LogRow, ...]
    """In their order."""
    written: RecordedReply | None
    """Every try, as long as it is kept, less secrets; `None`: it is not kept any more."""
    ratings: tuple[Rating, ...]


class TextList:
    """Looks replies, drafts and runs up, and takes down what people say of them."""

    def __init__(self, store: Store, *, scrub: Scrub) -> None:
        self._store = store
        self._scrub = scrub

    def find(self, id_or_prefix: str) -> LogRow | None:
        """The row that a reply, a draft or a run ended with; `None`: there is none of that id."""
        prefix = id_or_prefix.replace("-", "").lower()
        rows = self._store.log.list_rows(LogQuery(id_prefix=prefix, server=OWN, limit=MOST_STEPS))
        ends = [row for row in rows if row.tool in ENDS]
        return ends[0] if len(ends) == 1 else None

    def read_story(self, settled: LogRow) -> TextStory:
        """Everything that is known of it."""
        # Steps are made within the time of the whole, a rating may come at any time after.
        rows = self._store.log.list_rows(
            LogQuery(server=OWN, turn=settled.turn, after=settled.id, oldest_first=True,
                     limit=MOST_STEPS)
        )  # fmt: skip
        thumbs = self._store.log.list_rows(LogQuery(server=OWN, tool=RATED, limit=MOST_STEPS))
        return TextStory(
            settled=settled,
            steps=tuple(row for row in rows if row.parent == settled.id and row.tool != RATED),
            written=self._read_written(settled),
            ratings=tuple(read_rating(row) for row in thumbs if row.parent == settled.id),
        )

    def list_cases(self, *, limit: int | None = None) -> tuple[Case, ...]:
        """The latest replies that are still kept, the newest first, as cases with all their tries.

        For trying other checks on what was really written.
        """
        from mulligan.evaluation.cases import Case

        cases: dict[str, Case] = {}
        query = LogQuery(server=OWN, tool=REPLY_SETTLED, limit=limit or MOST_STEPS)
        for row in self._store.log.list_rows(query):
            owner = row.turn or row.id
            kept = None if owner in cases else self._store.vault.get(owner, NAME)
            if kept is not None:
                told = unpack_reply(kept)
                cases[owner] = Case(
                    id=owner, question=told.query, context=told.context, recorded=told.tries
                )
        return tuple(cases.values())

    def rate(self, id_or_prefix: str, *, up: bool, note: str = "") -> Rating:
        """Take down a thumb, and its note less secrets."""
        found = self.find(id_or_prefix)
        of = id_or_prefix if found is None else found.id
        tenant = None if found is None else found.tenant
        if found is None or found.tool == TASK_RAN:
            scored = self._score_run(of, up=up)
            tenant = scored if tenant is None else tenant
        if tenant is None:
            raise ConfigurationError(
                f"There is no reply, draft or run {id_or_prefix!r}. "
                f"`mulligan log --tool {REPLY_SETTLED}` lists those there are."
            )
        return self._write(Rating(of=of, up=up, note=self._scrub(note)), tenant)

    def _score_run(self, run: str, *, up: bool) -> str | None:
        """Let a thumb be a run's score, while it is kept. Whose it is; `None`: it is not there."""
        archive = self._store.archive
        tenants = dict.fromkeys(ground.tenant for ground in archive.list_grounds())
        return next(
            (each for each in tenants if archive.rate(run, score=float(up), tenant=each)), None
        )

    def _write(self, rating: Rating, tenant: str) -> Rating:
        at_us = time.time_ns() // 1000
        name = make_uuid7(at_us, secrets.randbits(RANDOM_BITS))
        row = build_rating_row(rating, row_id=name, at_us=at_us, tenant=tenant)
        self._store.log.write(Batch(rows=[row]))
        return rating

    def _read_written(self, settled: LogRow) -> RecordedReply | None:
        kept = self._store.vault.get(settled.turn or settled.id, NAME)
        if kept is None:
            return None
        told = unpack_reply(kept)
        return RecordedReply(
            query=self._scrub(told.query),
            context=tuple(map(self._scrub, told.context)),
            tries=tuple(map(self._scrub, told.tries)),
        )
