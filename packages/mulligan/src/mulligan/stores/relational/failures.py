"""The failure store over tables: episodes and their counts, lessons, their versions and uses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from itertools import count, islice
from types import MappingProxyType
from typing import Any, TypeVar

from mulligan.codec import to_record
from mulligan.stores.database import Pool, Row, UnreadableError
from mulligan.stores.encoding import (
    decode_word,
    encode_word,
    index_words,
    list_lesson_words,
    report_unreadable,
)
from mulligan.stores.relational.committer import JournalCommitter
from mulligan.stores.relational.transaction import SIGNED, Transaction, Work
from mulligan.types.display import escape
from mulligan.types.errors import StaleLessonError
from mulligan.types.failure import Decision
from mulligan.types.lesson import (
    Balance,
    Episode,
    EpisodeQuery,
    EpisodeSlot,
    Lesson,
    LessonQuery,
    Use,
    build_episode_slot,
)
from mulligan.types.values import to_us

W = TypeVar("W")


Ask = Callable[..., list[Row]]
"""Fetches rows of one list, at most so many (`most`) beyond those to `skip`, always in order."""


def list_readable(ask: Ask, *, read: Callable[[Any], W], limit: int) -> list[W]:
    """What can be read of a list."""
    try:
        return [read(row) for row in ask(most=limit, skip=0)]
    except UnreadableError:
        found = _read_one_by_one(ask, read=read)
        whole = (each for each in found if not isinstance(each, UnreadableError))
        return list(islice(whole, limit))


def list_unreadable(ask: Ask, *, read: Callable[[Any], W], limit: int) -> list[str]:
    """A sentence for each row of a list that cannot be read."""
    try:
        for row in ask(most=limit, skip=0):
            read(row)
    except UnreadableError:
        found = islice(_read_one_by_one(ask, read=read), limit)
        return [str(each) for each in found if isinstance(each, UnreadableError)]
    return []


def _read_one_by_one(ask: Ask, *, read: Callable[[Any], W]) -> Iterator[W | UnreadableError]:
    # Slow, and only for a damaged store: a text that is none spoils all rows fetched with it.
    for skip in count():
        try:
            rows = ask(most=1, skip=skip)
            if not rows:
                return
            found: W | UnreadableError = read(rows[0])
        except UnreadableError as error:
            found = error
        yield found


Values = Mapping[str, Any]
"""By the names that the queries have for them."""

_NONE: Values = MappingProxyType({})
_LISTED = ("id", "version", "tenant", "tool", "fingerprint", "state", "agents", "learned_us")
LATER = 2
"""Added to what is counted as repaired or not, where it was a later try of a call."""
_ALL = 2**31
_FORGOTTEN_AT_A_TIME = 500
_EPISODES_CHECKED = 2_000


class FailureTables:
    """Reads from a pool; everything written goes through the journal's group commit."""

    def __init__(self, pool: Pool, *, committer: JournalCommitter) -> None:
        self._pool = pool
        self._committer = committer

    def record(self, episodes: Sequence[Episode]) -> None:
        """Add episodes and count them; one whose id is there already is left alone."""
        # In one order everywhere, so that two writers never wait for each other in a circle.
        ordered = sorted(episodes, key=lambda episode: episode.id)
        rows = [(each, _encode_episode(each)) for each in ordered]
        self._write(lambda transaction: _record(transaction, rows))

    def list_episodes(self, query: EpisodeQuery) -> list[Episode]:
        """Episodes that fit, oldest first unless asked otherwise."""
        named = ("tenant", "tool", "fingerprint", "ending", *(["after"] if query.after else []))
        wanted = _encode_fields(query, *named)
        ask = self._make_ask("newest_episodes" if query.newest_first else "episodes", wanted)
        return list_readable(ask, read=partial(decode_word, Episode), limit=query.limit)

    def count_episodes(self, *, since: date) -> dict[EpisodeSlot, int]:
        """How many episodes there were of each kind, that day and later."""
        rows = self._pool.fetch("case_counts", since=since.isoformat())
        return {_decode_slot(row[:-1]): row[-1] for row in rows}

    def read_endings(self, tool: str, *, fingerprint: str, tenant: str = "") -> dict[Decision, int]:
        """What turned out to be right for failures of one pattern, and for how many."""
        names = {"tool": tool, "fingerprint": fingerprint, "tenant": tenant}
        pattern = {name: escape(value) for name, value in names.items()}
        with report_unreadable(f"What is known of failures of {tool}"):
            return {
                Decision(decision): int(sources)
                for decision, sources in self._pool.fetch("ending_counts", **pattern)
            }

    def append(self, lessons: Sequence[Lesson]) -> None:
        """Add versions of lessons, all or none, each numbered one above its last."""
        ordered = sorted(lessons, key=lambda lesson: (lesson.id, lesson.version))
        rows = [(each, _encode_lesson(each), encode_word(each)) for each in ordered]

        def add(transaction: Transaction) -> None:
            for lesson, columns, body in rows:
                _append(transaction, lesson, columns=columns, body=body)

        self._write(add)

    def list_lessons(self, query: LessonQuery) -> list[Lesson]:
        """The latest version of each lesson that fits: by tool, or the closest to a text first."""
        wanted = _encode_fields(query, "tenant", "tool", "fingerprint", "state")
        if query.agent is not None:
            wanted["of_agent"] = escape(query.agent)
        if query.ids:
            wanted["among"] = _encode_list({escape(lesson) for lesson in query.ids})
        if query.since is not None:
            wanted["learned_since"] = to_us(query.since, name="since")
        ask = self._make_ask("lessons", wanted)
        if query.text:
            words = _encode_list(index_words(query.text))
            near = _ALL if query.compared is None else query.compared
            ask = self._make_ask("lessons_sharing_words", wanted, words=words, near=near)
        return list_readable(ask, read=partial(decode_word, Lesson), limit=query.limit)

    def list_lesson_versions(self, lesson: str) -> list[Lesson]:
        """Every version of a lesson, oldest first."""
        return [
            decode_word(Lesson, row)
            for row in self._pool.fetch("lesson_history", lesson=escape(lesson))
        ]

    def use(self, uses: Sequence[Use]) -> None:
        """Add uses of lessons; a call that a lesson is known to have touched counts once."""
        rows = sorted(map(_encode_use, uses), key=lambda row: (row["lesson"], row["call"]))

        def add(transaction: Transaction) -> None:
            for row in rows:
                _add(transaction, "lesson_use", query="add_use", row=row)

        self._write(add)

    def list_uses(self, lesson: str, *, newest: int | None = None) -> list[Use]:
        """Every call a lesson touched, oldest first; or no more than the `newest`."""
        most = _ALL if newest is None else newest
        rows = self._pool.fetch("newest_uses", lesson=escape(lesson), most=most)
        return [decode_word(Use, row) for row in reversed(rows)]

    def read_balances(
        self, lessons: Collection[str], *, principal: str | None = None
    ) -> dict[str, Balance]:
        """What the uses of some lessons came to; a lesson without any is left out."""
        asked = {escape(lesson): lesson for lesson in lessons}
        whose = {"everyone": int(principal is None), "principal": escape(principal or "")}
        rows = self._pool.fetch("balances", lessons=_encode_list(asked), **whose)
        return {
            asked[lesson]: Balance(
                helped=int(helped), harmed=int(harmed), turns=turns, principals=people, uses=uses
            )
            for lesson, helped, harmed, turns, people, uses in rows
        }

    def prune(self, *, before: datetime) -> int:
        """Forget episodes older than that, a few in each transaction. Returns how many."""
        bound = {"before": to_us(before, name="before"), "most": _FORGOTTEN_AT_A_TIME}

        def forget(transaction: Transaction) -> int:
            gone = transaction.session.fetch("forget_episodes", **bound)
            transaction.drop_rows("episode", gone)
            return len(gone)

        forgotten = 0
        while some := self._write(forget):
            forgotten += some
        return forgotten

    def find_problems(self) -> list[str]:
        """A sentence for each lesson that cannot be read, and for each such recent episode."""
        episodes = self._make_ask("newest_episodes")
        return [
            *list_unreadable(
                self._make_ask("lessons"), read=partial(decode_word, Lesson), limit=_ALL
            ),
            *list_unreadable(episodes, read=partial(decode_word, Episode), limit=_EPISODES_CHECKED),
            *self._find_misplaced(),
        ]

    def _find_misplaced(self) -> list[str]:
        """A sentence for each lesson that is listed otherwise than its latest version says."""
        words: dict[str, set[str]] = {}
        try:
            for lesson, word in self._pool.fetch("all_words"):
                words.setdefault(lesson, set()).add(word)
            rows = self._pool.fetch("listed_lessons")
        except UnreadableError:
            # Said by whoever lists what cannot be read.
            return []
        misplaced = [
            listed[0]
            for *listed, latest, body in rows
            if body is None
            or not _is_listed(listed, latest=latest, body=body, words=words.get(listed[0], set()))
        ]
        unlisted = [lesson for (lesson,) in self._pool.fetch("unlisted_lessons")]
        return [
            f"Lesson {lesson} is listed otherwise than its latest version says: restore the store "
            "from a backup."
            for lesson in [*misplaced, *unlisted]
        ]

    def _make_ask(self, query: str, filters: Values = _NONE, **more: object) -> Ask:
        def ask(*, most: int, skip: int) -> list[Row]:
            values = {**filters, **more, "most": most, "skip": skip}
            return self._pool.read(
                lambda session: session.fetch_where(query, list(filters), **values)
            )

        return ask

    def _write(self, work: Work) -> Any:
        # No outside call waits for it: a power cut may take the last episode, but never an older.
        return self._committer.run(work, synced=False)


def _add(transaction: Transaction, table: str, *, query: str, row: Values) -> int:
    """Add a row, if there is none with its key, and have it signed: its columns in their order."""
    seal = transaction.sign_row(table, *(row[column] for column in SIGNED[table]))
    added = transaction.session.run(query, seal=seal, **row)
    if not added:
        transaction.drop(table, [seal])
    return added


def _record(transaction: Transaction, rows: Sequence[tuple[Episode, Values]]) -> None:
    session = transaction.session
    new = [each for each, row in rows if _add(transaction, "episode", query="add_episode", row=row)]
    slots = Counter(_encode_slot(build_episode_slot(each)) for each in new)
    named = ("tool", "fingerprint", "tenant", "principal", "decision")
    ended = (each for each in new if each.decision is not None)
    endings = Counter(tuple(_encode_fields(each, *named).items()) for each in ended)
    for slot, episodes in sorted(slots.items()):
        session.run("count_cases", episodes=episodes, **dict(slot))
    for ending, episodes in sorted(endings.items()):
        session.run("count_endings", episodes=episodes, **dict(ending))


def _append(transaction: Transaction, lesson: Lesson, *, columns: Values, body: str) -> None:
    session = transaction.session
    step = "start_lesson" if lesson.version == 1 else "move_lesson"
    words = list_lesson_words(lesson)
    if not session.run(step, words=len(words), **columns):
        raise StaleLessonError(
            f"Version {lesson.version} of lesson {lesson.id} is not the next one: read the lesson "
            "again, and append under the number after the last."
        )
    version = {"lesson": columns["id"], "version": lesson.version, "body": body}
    _add(transaction, "lesson_version", query="add_version", row=version)
    session.run("forget_words", lesson=columns["id"])
    session.run("add_words", lesson=columns["id"], words=_encode_list(words))


def _is_listed(listed: Sequence[object], *, latest: int, body: str, words: set[str]) -> bool:
    try:
        lesson = decode_word(Lesson, (str(listed[0]), body))
    except UnreadableError:
        # Said by whoever lists what cannot be read.
        return True
    said = _encode_lesson(lesson)
    expected = [*(said[name] for name in _LISTED), len(words)]
    return listed == expected and latest == listed[1] and words == set(list_lesson_words(lesson))


def _encode_list(texts: Collection[str]) -> str:
    return json.dumps(sorted(texts))


def _encode_fields(record: object, *names: str) -> dict[str, Any]:
    """The named fields as the tables hold them; what is `None` was not asked for."""
    values = {name: getattr(record, name) for name in names}
    return {name: escape(str(value)) for name, value in values.items() if value is not None}


def _encode_episode(episode: Episode) -> Values:
    return _encode_fields(episode, "id", "tenant", "tool", "fingerprint", "ending") | {
        "at_us": to_us(episode.at, name="The time of an episode"),
        "body": encode_word(episode),
    }


def _encode_lesson(lesson: Lesson) -> Values:
    return _encode_fields(lesson, "id", "tenant", "tool", "fingerprint", "state") | {
        "version": lesson.version,
        "agents": _encode_list({escape(agent) for agent in lesson.agents}),
        "learned_us": to_us(lesson.learned_at, name="The time of a lesson"),
    }


def _encode_use(use: Use) -> Values:
    return _encode_fields(use, "lesson", "call", "principal", "benefit") | {
        "at_us": to_us(use.at, name="The time of a use"),
        "turn": None if use.turn is None else escape(use.turn),
        "body": encode_word(use),
    }


def _encode_slot(slot: EpisodeSlot) -> tuple[tuple[str, object], ...]:
    return (
        ("day", slot.day.isoformat()),
        ("tenant", escape(slot.tenant)),
        ("principal", escape(slot.principal)),
        ("tool", escape(slot.tool)),
        ("error_class", str(slot.error_class)),
        ("source", str(slot.source or "")),
        ("kinds", slot.kinds),
        ("side", str(slot.group or "")),
        ("taken", int(slot.taken)),
        ("helped", int(slot.helped)),
        ("repaired", int(slot.repaired) + LATER * int(slot.later)),
    )


def _decode_slot(row: Row) -> EpisodeSlot:
    *said, repaired = row
    # Where nothing was offered, there is neither a source nor a side.
    said[5], said[7] = said[5] or None, said[7] or None
    with report_unreadable(f"A count of failures of {row[3]}"):
        found = [*said, bool(repaired % LATER), repaired >= LATER]
        return to_record(EpisodeSlot, found, strict=False)
