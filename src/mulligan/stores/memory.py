"""A store in dictionaries, which lives as long as its process: for tests and first tries."""

from __future__ import annotations

import os
import secrets
import threading
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from copy import deepcopy
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import reduce
from itertools import islice

from mulligan.stores.encoding import (
    build_pattern,
    decode_entry,
    decode_episode,
    decode_lesson,
    decode_use,
    encode_entry,
    encode_word,
    index_words,
    list_lesson_words,
    make_stale_error,
    matches_query,
)
from mulligan.stores.opening import Options, make_refusal
from mulligan.stores.process import renew_after_fork
from mulligan.types.action import SETTLED, Action, ActionQuery, Entry, Kept, check_entry
from mulligan.types.call import LogRow
from mulligan.types.errors import MulliganError, StaleNotesError, StoreUnavailableError
from mulligan.types.failure import Decision
from mulligan.types.finding import FindingCount, FindingRow, Severity
from mulligan.types.interfaces import Clock, Damage, Health, KnownTool, Store
from mulligan.types.lesson import (
    Balance,
    Episode,
    EpisodeQuery,
    EpisodeSlot,
    Lesson,
    LessonQuery,
    Use,
    build_episode_slot,
    compute_balance,
    count_sources,
)
from mulligan.types.log import (
    HOUR_US,
    Batch,
    LogQuery,
    Loss,
    PatternCount,
    PatternQuery,
    PatternSeen,
    PatternSlot,
    Rollup,
    Slot,
    TextCounts,
    add_failures,
    add_texts,
    add_up,
    count_patterns,
    list_first_tries,
    list_rated,
    roll_up,
    roll_up_texts,
    roll_up_thumbs,
    roll_up_tries,
)
from mulligan.types.notes import (
    ON_TOP,
    Ground,
    Notes,
    NotesState,
    Scorecard,
    TaskRun,
    add_rating,
    add_run,
    change_state,
    check_move,
    check_notes,
    check_run,
    check_score,
    find_needed_versions,
    may_enter,
)
from mulligan.types.values import from_us, require_aware, to_us


def open_store(url: str, options: Options) -> Store:
    """Open `memory:`, each time another one."""
    if url != "memory:":
        raise make_refusal(url)

    return MemoryStore(options)


class MemoryVault:
    """Raw values that expire, under the journal's lock."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self.lock = threading.RLock()
        self._kept: dict[tuple[str, str], Kept] = {}

    def put(self, kept: Kept) -> None:
        """Keep a value; the same owner and name replaces it."""
        if kept.expires_at is not None:
            to_us(kept.expires_at, name="expires_at")
        with self.lock:
            self._kept[kept.owner, kept.name] = kept

    def get(self, owner: str, name: str) -> bytes | None:
        """A kept value, or `None` when there is none or it has expired."""
        with self.lock:
            kept = self._kept.get((owner, name))
        if kept is None or (kept.expires_at is not None and kept.expires_at <= self._clock()):
            return None
        return kept.value

    def expire(self, owner: str, *, at: datetime) -> None:
        """Let everything of an owner end at the given time."""
        to_us(at, name="at")
        with self.lock:
            for key, kept in self._kept.items():
                if kept.owner == owner:
                    self._kept[key] = replace(kept, expires_at=at)

    def expire_after_settlement(self, owner: str, *, at: datetime) -> None:
        """Start the retention of what was kept until its action is settled."""
        with self.lock:
            for key, kept in self._kept.items():
                if kept.owner == owner and kept.expires_at is None:
                    self._kept[key] = replace(kept, expires_at=at)

    def shred(self, *, now: datetime) -> int:
        """Delete what has expired."""
        to_us(now, name="now")
        with self.lock:
            expired = [
                key
                for key, kept in self._kept.items()
                if kept.expires_at is not None and kept.expires_at <= now
            ]
            for key in expired:
                del self._kept[key]
        return len(expired)

    def forget(self, owner: str) -> None:
        """Delete everything of an owner."""
        with self.lock:
            for key in [key for key in self._kept if key[0] == owner]:
                del self._kept[key]


class MemoryJournal:
    """Entries and actions. Nothing can damage them, so no chain guards them."""

    def __init__(self, vault: MemoryVault, *, kept_for: timedelta) -> None:
        self._vault = vault
        self._kept_for = kept_for
        self._actions: dict[str, Action] = {}
        self._entries: dict[str, list[Entry]] = {}
        self.closed = False

    def submit(self, entries: Sequence[Entry], *, keep: Sequence[Kept] = ()) -> Future[None]:
        """Write entries and kept values, all or none."""
        done: Future[None] = Future()
        try:
            with self._vault.lock:
                self._record(entries, keep)
        except MulliganError as error:
            done.set_exception(error)
        else:
            done.set_result(None)
        return done

    def find_action(self, action: str) -> Action | None:
        """An action as it stands now."""
        return self._actions.get(action)

    def list_open_actions(
        self, *, tenant: str | None = None, after: str = "", limit: int = 100
    ) -> list[Action]:
        """Actions that are not settled, oldest first, those with an id above `after`."""
        with self._vault.lock:
            fitting = [
                action
                for name, action in sorted(self._actions.items())
                if not action.settled
                and name > after
                and (tenant is None or action.opening.tenant == tenant)
            ]
        return fitting[:limit]

    def list_actions(self, query: ActionQuery) -> list[Action]:
        """Actions as a query wants them, the newest first."""
        with self._vault.lock:
            newest = sorted(self._actions.values(), key=lambda each: each.id, reverse=True)
        return list(islice(filter(query.fits, newest), query.limit))

    def list_entries(self, action: str) -> list[Entry]:
        """Every entry of an action, oldest first."""
        with self._vault.lock:
            return list(self._entries.get(action, ()))

    def identify_writer(self) -> str:
        """This process: a copy of it after a fork is another."""
        return f"memory-{os.getpid()}"

    def beat(self) -> None:
        """Nobody else can see it, so there is nothing to say."""

    def holds_lease(self, action: str | None = None) -> bool:  # noqa: ARG002 - all are ours
        """Nobody else can go on with anything here."""
        return True

    def find_dead_writers(self, writers: Collection[str]) -> set[str]:
        """Everybody but this process: what a fork copied is gone with the copy."""
        return set(writers) if self.closed else set(writers) - {self.identify_writer()}

    def verify(self) -> list[Damage]:
        """Nothing is ever damaged here."""
        return []

    def accept_damage(self, note: str) -> int:  # noqa: ARG002 - there is nothing to note
        """There is none to accept."""
        return 0

    def prune(self, *, settled_before: datetime) -> int:
        """Forget settled actions that changed last before then."""
        to_us(settled_before, name="settled_before")
        with self._vault.lock:
            old = [
                action.id
                for action in self._actions.values()
                if action.settled and action.changed_at < settled_before
            ]
            for action in old:
                del self._actions[action], self._entries[action]
                self._vault.forget(action)
        return len(old)

    def _record(self, entries: Sequence[Entry], keep: Sequence[Kept]) -> None:
        if self.closed:
            raise StoreUnavailableError("The store is closed: open it again.")
        moved: dict[str, Action] = {}
        for entry in entries:
            now = moved.get(entry.action) or self._actions.get(entry.action)
            moved[entry.action] = _advance_action(now, entry, writer=self.identify_writer())
        # Everything fits: from here on nothing can fail.
        for value in keep:
            self._vault.put(value)
        for entry in entries:
            self._entries.setdefault(entry.action, []).append(_as_stored(entry))
            if entry.state in SETTLED:
                self._vault.expire_after_settlement(entry.action, at=entry.at + self._kept_for)
        self._actions.update(moved)


def _advance_action(now: Action | None, entry: Entry, *, writer: str) -> Action:
    check_entry(entry, state=now.state if now else None, version=now.version if now else 0)
    stored = _as_stored(entry)
    opening = now.opening if now else entry.opening
    assert opening is not None  # noqa: S101 - check_entry has seen to it
    return Action(
        id=entry.action,
        opening=opening,
        state=entry.state,
        version=entry.version,
        opened_at=now.opened_at if now else stored.at,
        changed_at=stored.at,
        writer=writer,
        detail=stored.detail,
    )


def _as_stored(entry: Entry) -> Entry:
    """The entry as another store would give it back: in UTC, its detail through JSON."""
    made = encode_entry(entry)
    return decode_entry((entry.action, entry.version, entry.state, made.at_us, made.body))


class MemoryLog:
    """Rows, roll-ups and losses. Compressing them would only cost time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[str, LogRow] = {}
        self._rollups: dict[Slot, Rollup] = {}
        self._patterns: dict[PatternSlot, PatternCount] = {}
        self._texts: TextCounts = {}
        self._losses: dict[Loss, None] = {}
        self._findings: dict[str, FindingRow] = {}

    def write(self, batch: Batch) -> None:
        """Store a batch. A row whose id is there already is left alone."""
        for loss in batch.losses:
            to_us(loss.at, name="The time of a loss")
        with self._lock:
            new = {row.id: row for row in batch.rows if row.id not in self._rows}
            repeated = len(new) != len(batch.rows)
            self._rows |= new
            if batch.rollups:
                self._add(roll_up(new.values()) if repeated else batch.rollups)
                self._add(
                    roll_up_tries(new.values(), self._find_tries(list_first_tries(new.values())))
                )
            self._add_texts(list(new.values()))
            for pattern, failures in count_patterns(new.values(), batch.patterns).items():
                known = self._patterns.get(pattern)
                self._patterns[pattern] = add_failures(known, failures) if known else failures
            self._losses |= dict.fromkeys(batch.losses)
            for row in batch.findings:
                self._findings.setdefault(row.id, row)

    def list_rows(self, query: LogQuery) -> list[LogRow]:
        """Rows that fit, newest first unless asked otherwise."""
        with self._lock:
            ids = sorted(self._rows, reverse=not query.oldest_first)
            fitting = [self._rows[name] for name in ids if matches_query(self._rows[name], query)]
        return fitting[: query.limit]

    def read_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        """The hourly counts from `since` to `until`, both hours included."""
        first = to_us(since, name="since") // HOUR_US
        last = to_us(until, name="until") // HOUR_US
        with self._lock:
            return {
                slot: deepcopy(counts)
                for slot, counts in self._rollups.items()
                if first <= slot.hour <= last
            }

    def sum_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        """The counts of all those hours together, each slot in hour 0."""
        return add_up(self.read_rollups(since=since, until=until))

    def read_texts(self, *, since: datetime, until: datetime) -> TextCounts:
        """The hourly counts of replies, drafts and tasks, both hours included."""
        first = to_us(since, name="since") // HOUR_US
        last = to_us(until, name="until") // HOUR_US
        with self._lock:
            return {slot: n for slot, n in self._texts.items() if first <= slot.hour <= last and n}

    def list_patterns(self, query: PatternQuery) -> list[PatternSeen]:
        """What failed alike in some hours, the most frequent first."""
        first = to_us(query.since, name="since") // HOUR_US
        last = to_us(query.until, name="until") // HOUR_US
        groups: dict[tuple[str, str], list[tuple[str, PatternCount]]] = {}
        with self._lock:
            for slot, count in self._patterns.items():
                whose = query.tenant in (None, slot.tenant) and query.tool in (None, slot.tool)
                if whose and first <= slot.hour <= last:
                    group = groups.setdefault((slot.tool, slot.fingerprint), [])
                    group.append((slot.agent, count))
        found = [
            build_pattern(
                *pattern,
                counted=reduce(add_failures, (count for _, count in group)),
                agents=(agent for agent, _ in group),
            )
            for pattern, group in sorted(groups.items())
        ]
        return sorted(found, key=lambda each: -each.pattern.count)[: query.limit]

    def list_losses(self) -> list[Loss]:
        """Every loss on record, oldest first."""
        with self._lock:
            return sorted(self._losses, key=lambda loss: (loss.at, loss.reason))

    def list_finding_counts(
        self, *, since: datetime, until: datetime, tenant: str | None = None
    ) -> list[FindingCount]:
        """How often each rule spoke up, by tool and agent, most first."""
        first, last = to_us(since, name="since"), to_us(until, name="until")
        with self._lock:
            seen = Counter(
                (row.rule, row.severity, row.server, row.tool, row.agent)
                for row in self._findings.values()
                if first <= row.at_us <= last and tenant in (None, row.tenant)
            )
        return [
            FindingCount(
                rule=rule,
                severity=Severity(severity),
                server=server,
                tool=tool,
                agent=agent,
                count=count,
            )
            for (rule, severity, server, tool, agent), count in sorted(
                seen.items(), key=lambda each: (-each[1], each[0])
            )
        ]

    def prune(self, *, before: datetime) -> int:
        """Delete rows, roll-ups, losses and findings older than that. Returns how many rows."""
        before_us = to_us(before, name="before")
        with self._lock:
            old = [row.id for row in self._rows.values() if row.at_us < before_us]
            for name in old:
                del self._rows[name]
            hour = before_us // HOUR_US
            self._rollups = {s: counts for s, counts in self._rollups.items() if s.hour >= hour}
            self._patterns = {s: count for s, count in self._patterns.items() if s.hour >= hour}
            self._texts = {slot: n for slot, n in self._texts.items() if slot.hour >= hour}
            self._losses = {loss: None for loss in self._losses if loss.at >= before}
            self._findings = {
                name: row for name, row in self._findings.items() if row.at_us >= before_us
            }
        return len(old)

    def compress(self, *, before: datetime) -> int:
        """There is nothing to gain in memory."""
        to_us(before, name="before")
        return 0

    def count(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def reset_after_fork(self) -> None:
        """In a child: a lock another thread held is nobody's now."""
        self._lock = threading.Lock()

    def _add(self, rollups: Mapping[Slot, Rollup]) -> None:
        for slot, counts in rollups.items():
            self._rollups.setdefault(slot, Rollup()).add(counts)

    def _add_texts(self, rows: list[LogRow]) -> None:
        add_texts(self._texts, roll_up_texts(rows))
        if rated := list_rated(rows):
            known = [row for row in self._rows.values() if rated & {row.id, row.parent}]
            add_texts(self._texts, roll_up_thumbs(rows, known))

    def _find_tries(self, firsts: set[str]) -> list[LogRow]:
        if not firsts:
            return []
        return [row for row in self._rows.values() if firsts & {row.id, row.parent}]


class MemoryCasebook:
    """Everything under one lock, and read through its own text, so that nothing stays shared."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._episodes: dict[str, Episode] = {}
        self._counts: Counter[EpisodeSlot] = Counter()
        self._endings: dict[tuple[str, str, str, Decision], Counter[str]] = {}
        """Episodes by who they happened to, by pattern and decision."""
        self._lessons: dict[str, list[Lesson]] = {}
        self._uses: dict[str, dict[str, Use]] = {}

    def record(self, episodes: Sequence[Episode]) -> None:
        """Add episodes and count them; one whose id is there already is left alone."""
        copies = [decode_episode((each.id, encode_word(each))) for each in episodes]
        with self._lock:
            for each in copies:
                if each.id in self._episodes:
                    continue
                self._episodes[each.id] = each
                self._counts[build_episode_slot(each)] += 1
                if each.decision is not None:
                    pattern = (each.tool, each.fingerprint, each.tenant)
                    people = self._endings.setdefault((*pattern, each.decision), Counter())
                    people[each.principal] += 1

    def list_episodes(self, query: EpisodeQuery) -> list[Episode]:
        """Episodes that fit, oldest first unless asked otherwise."""
        with self._lock:
            found = sorted(self._episodes.items(), reverse=query.newest_first)
        fitting = [each for name, each in found if name > query.after and _fits(each, query)]
        return fitting[: query.limit]

    def count_episodes(self, *, since: date) -> dict[EpisodeSlot, int]:
        """How many episodes there were of each kind, that day and later."""
        with self._lock:
            return {slot: seen for slot, seen in self._counts.items() if slot.day >= since}

    def read_endings(self, tool: str, *, fingerprint: str, tenant: str = "") -> dict[Decision, int]:
        """What turned out to be right for failures of one pattern, and for how many."""
        with self._lock:
            counted = {
                decision: count_sources(self._endings[key].elements())
                for decision in Decision
                if (key := (tool, fingerprint, tenant, decision)) in self._endings
            }
        return {decision: seen for decision, seen in counted.items() if seen}

    def append(self, lessons: Sequence[Lesson]) -> None:
        """Add versions of lessons, all or none, each numbered one above its last."""
        copies = [decode_lesson((each.id, encode_word(each))) for each in lessons]
        with self._lock:
            added: dict[str, list[Lesson]] = {}
            for each in sorted(copies, key=lambda lesson: (lesson.id, lesson.version)):
                versions = added.setdefault(each.id, [*self._lessons.get(each.id, ())])
                if each.version != len(versions) + 1:
                    raise make_stale_error(each)
                versions.append(each)
            self._lessons |= added

    def list_lessons(self, query: LessonQuery) -> list[Lesson]:
        """The latest version of each lesson that fits: by tool, or the closest to a text first."""
        if query.since is not None:
            require_aware(query.since, name="since")
        with self._lock:
            latest = [versions[-1] for versions in self._lessons.values()]
        found = [lesson for lesson in latest if _is_wanted(lesson, query)]
        found.sort(key=lambda lesson: (lesson.tool, lesson.id))
        if query.text:
            found = _sort_closest(found, index_words(query.text))
        return found[: query.limit]

    def list_lesson_versions(self, lesson: str) -> list[Lesson]:
        """Every version of a lesson, oldest first."""
        with self._lock:
            return list(self._lessons.get(lesson, ()))

    def use(self, uses: Sequence[Use]) -> None:
        """Add uses of lessons; a call that a lesson is known to have touched counts once."""
        copies = [decode_use((each.lesson, encode_word(each))) for each in uses]
        with self._lock:
            for each in copies:
                self._uses.setdefault(each.lesson, {}).setdefault(each.call, each)

    def list_uses(self, lesson: str, *, newest: int | None = None) -> list[Use]:
        """Every call a lesson touched, oldest first; or no more than the `newest`."""
        with self._lock:
            found = list(self._uses.get(lesson, {}).values())
        found.sort(key=lambda use: (use.at, use.call))
        return found if newest is None else found[max(0, len(found) - newest) :]

    def read_balances(
        self, lessons: Collection[str], *, principal: str | None = None
    ) -> dict[str, Balance]:
        """What the uses of some lessons came to; a lesson without any is left out."""
        with self._lock:
            touched = {name: list(self._uses.get(name, {}).values()) for name in lessons}
        found = {
            name: [use for use in uses if principal in (None, use.principal)]
            for name, uses in touched.items()
        }
        return {name: compute_balance(uses) for name, uses in found.items() if uses}

    def prune(self, *, before: datetime) -> int:
        """Forget episodes older than that; lessons, uses and counts stay. Returns how many."""
        require_aware(before, name="before")
        with self._lock:
            kept = {name: each for name, each in self._episodes.items() if each.at >= before}
            forgotten = len(self._episodes) - len(kept)
            self._episodes = kept
        return forgotten

    def reset_after_fork(self) -> None:
        """In a child: a lock another thread held is nobody's now."""
        self._lock = threading.Lock()


def _fits(episode: Episode, query: EpisodeQuery) -> bool:
    return all(
        wanted is None or wanted == found
        for wanted, found in (
            (query.tenant, episode.tenant),
            (query.tool, episode.tool),
            (query.fingerprint, episode.fingerprint),
            (query.ending, episode.ending),
        )
    )


def _is_wanted(lesson: Lesson, query: LessonQuery) -> bool:
    if query.ids and lesson.id not in query.ids:
        return False
    if query.since is not None and lesson.learned_at < query.since:
        return False
    if query.agent is not None and query.agent not in lesson.agents:
        return False
    return all(
        wanted is None or wanted == found
        for wanted, found in (
            (query.tenant, lesson.tenant),
            (query.tool, lesson.tool),
            (query.fingerprint, lesson.fingerprint),
            (query.state, lesson.state),
        )
    )


def _sort_closest(lessons: Iterable[Lesson], words: frozenset[str]) -> list[Lesson]:
    """Those that share a word, most shared words first, then those that say little else."""
    compared = [(lesson, list_lesson_words(lesson)) for lesson in lessons]
    close = [(-len(own & words), len(own), lesson) for lesson, own in compared if own & words]
    return [lesson for *_, lesson in sorted(close, key=lambda each: each[:2])]


RUNS_KEPT = 40


class MemoryArchive:
    """Versions, scorecards and the latest runs, under one lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._notes: dict[tuple[str, str], list[Notes]] = {}
        self._cards: dict[Ground, dict[int, Scorecard]] = {}
        self._runs: dict[Ground, deque[TaskRun]] = {}
        self._seen: dict[Ground, int] = {}

    def append(self, notes: Notes) -> None:
        """Add a version, numbered one above the last."""
        check_notes(notes)
        at = from_us(to_us(notes.at, name="The time of notes"))
        with self._lock:
            versions = self._notes.setdefault((notes.tenant, notes.task), [])
            following = versions[-1].version + 1 if versions else 0
            if notes.version != following:
                raise StaleNotesError(
                    f"Version {notes.version} of task {notes.task} is not the next one, which is "
                    f"{following}: read its versions again, and append under that number."
                )
            versions.append(replace(notes, at=at))

    def list_versions(
        self, task: str, *, tenant: str = "", limit: int | None = None
    ) -> list[Notes]:
        """The versions of a task, the newest first."""
        with self._lock:
            return self._notes.get((tenant, task), [])[::-1][:limit]

    def count(self, ground: Ground, *, run: TaskRun) -> int:
        """Add a run to its version's scorecard, and keep it among the latest."""
        check_run(ground, run)
        run = replace(run, at=from_us(to_us(run.at, name="The time of a run")))
        with self._lock:
            cards = self._cards.setdefault(ground, {})
            card = cards.get(run.version) or Scorecard(version=run.version)
            cards[run.version] = add_run(card, run)
            self._runs.setdefault(ground, deque(maxlen=RUNS_KEPT)).append(run)
            self._seen[ground] = self._seen.get(ground, 0) + 1
            return self._seen[ground]

    def list_scorecards(self, ground: Ground) -> list[Scorecard]:
        """The scorecards of a ground, by version."""
        with self._lock:
            return [card for _, card in sorted(self._cards.get(ground, {}).items())]

    def list_runs(self, ground: Ground, *, limit: int) -> list[TaskRun]:
        """The latest runs on a ground, the newest first."""
        with self._lock:
            return list(self._runs.get(ground, ()))[::-1][:limit]

    def move(
        self, ground: Ground, *, version: int, state: NotesState, was: NotesState | None
    ) -> bool:
        """Change where a version stands, if it still stands where it `was`."""
        check_move(version, state)
        with self._lock:
            cards = self._cards.setdefault(ground, {})
            card = cards.get(version)
            top = next((card for card in cards.values() if card.state in ON_TOP), None)
            pinned = top.version if top and top.state is NotesState.PINNED else None
            stands = card.state if card else None
            if stands is not was or not may_enter(state, version=version, pinned=pinned):
                return False
            if state in ON_TOP and top is not None:
                cards[top.version] = change_state(top, NotesState.TRIAL)
            cards[version] = change_state(card or Scorecard(version=version), state)
            return True

    def rate(self, run: str, *, score: float, tenant: str = "") -> bool:
        """Let a person's word be the score of a run that is still kept."""
        check_score(score)
        with self._lock:
            for ground, runs in self._runs.items():
                for at, each in enumerate(runs):
                    if run and each.id == run and ground.tenant == tenant:
                        card = self._cards[ground][each.version]
                        self._cards[ground][each.version] = add_rating(card, each, score=score)
                        runs[at] = replace(each, score=score)
                        return True
        return False

    def clear(self, task: str, *, tenant: str = "") -> int:
        """Forget a task: its versions, its evidence and its runs."""
        with self._lock:
            for ground in [g for g in self._cards if (g.task, g.tenant) == (task, tenant)]:
                for kept in (self._cards, self._runs, self._seen):
                    kept.pop(ground, None)
            return len(self._notes.pop((tenant, task), ()))

    def list_grounds(self, task: str | None = None) -> list[Ground]:
        """Where runs were counted."""
        with self._lock:
            return [ground for ground in self._cards if task in (None, ground.task)]

    def prune(self, *, before: datetime) -> int:
        """Forget old runs, and old versions that nothing rests on."""
        limit = from_us(to_us(before, name="The time to prune before"))
        with self._lock:
            for runs in self._runs.values():
                while runs and runs[0].at < limit:
                    runs.popleft()
            return sum(self._forget(tenant, task, limit) for tenant, task in list(self._notes))

    def _forget(self, tenant: str, task: str, limit: datetime) -> int:
        versions = self._notes[tenant, task]
        grounds = [
            cards
            for ground, cards in self._cards.items()
            if (ground.tenant, ground.task) == (tenant, task)
        ]
        in_play = {
            card.version
            for cards in grounds
            for card in cards.values()
            if card.state is not NotesState.RETIRED
        }
        needed = find_needed_versions({n.version: n.parent for n in versions}, in_play=in_play)
        gone = {n.version for n in versions if n.at < limit} - needed
        self._notes[tenant, task] = [n for n in versions if n.version not in gone]
        for cards in grounds:
            for version in gone & cards.keys():
                del cards[version]
        return len(gone)

    def reset_after_fork(self) -> None:
        """In a child: a lock another thread held is nobody's now."""
        self._lock = threading.Lock()


class MemoryCatalog:
    """The tools that were declared, by server and name."""

    def __init__(self) -> None:
        self._tools: dict[tuple[str, str], KnownTool] = {}

    def remember(self, tools: Sequence[KnownTool]) -> Future[None]:
        """Keep what was declared."""
        self._tools.update({(each.server, each.tool): each for each in tools})
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def list_tools(self) -> list[KnownTool]:
        """Every tool ever declared."""
        return [tool for _, tool in sorted(self._tools.items())]


class MemoryStore:
    """Keeps to the same rules as the others. Nothing reaches a disk, so nothing is encrypted."""

    def __init__(self, options: Options) -> None:
        self._vault = MemoryVault(clock=options.clock)
        self._journal = MemoryJournal(self._vault, kept_for=options.retention.kept)
        self._log = MemoryLog()
        self._catalog = MemoryCatalog()
        self._archive = MemoryArchive()
        self._casebook = MemoryCasebook()
        self._secret = secrets.token_bytes(32)
        renew_after_fork(self)

    @property
    def journal(self) -> MemoryJournal:
        """The truth about effects."""
        return self._journal

    @property
    def vault(self) -> MemoryVault:
        """Raw values that expire."""
        return self._vault

    @property
    def log(self) -> MemoryLog:
        """Telemetry about every call."""
        return self._log

    @property
    def catalog(self) -> MemoryCatalog:
        """The tools that were declared."""
        return self._catalog

    @property
    def archive(self) -> MemoryArchive:
        """What was learned about tasks."""
        return self._archive

    @property
    def casebook(self) -> MemoryCasebook:
        """How failures ended, and the lessons drawn from them."""
        return self._casebook

    def load_secret(self) -> bytes:
        """32 random bytes, the same as long as the store lives."""
        return self._secret

    def check_health(self, *, thorough: bool = True) -> Health:  # noqa: ARG002 - all of it is quick
        """Look at everything without changing anything."""
        return Health(
            url="memory:",
            kind="memory",
            version="",
            schemas={},
            rows=self._log.count(),
            open_actions=len(self._journal.list_open_actions(limit=2**31)),
            size_bytes=0,
        )

    def close(self) -> None:
        """Take nothing more. What was there can be read until the process ends."""
        self._journal.closed = True

    def reset_after_fork(self) -> None:
        """In a child: a copy of its own."""
        self._vault.lock = threading.RLock()
        self._log.reset_after_fork()
        self._archive.reset_after_fork()
        self._casebook.reset_after_fork()
