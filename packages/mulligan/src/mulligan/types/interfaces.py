"""Everything that can be swapped, and the one file an implementer reads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct, field

from mulligan.types.action import Action, ActionQuery, Entry, Kept
from mulligan.types.call import Call, Failure, LogRow
from mulligan.types.events import Happened
from mulligan.types.failure import Decision
from mulligan.types.finding import Fact, FindingCount, Waiver
from mulligan.types.lesson import (
    Balances,
    Episode,
    EpisodeQuery,
    EpisodeSlot,
    ErrorRule,
    FailedCall,
    Lesson,
    LessonQuery,
    Suggestion,
    Use,
)
from mulligan.types.log import Batch, LogQuery, Loss, PatternQuery, PatternSeen, Rollup, Slot
from mulligan.types.turn import Turn

if TYPE_CHECKING:
    from mulligan.types.display import Question
    from mulligan.types.log import TextCounts
    from mulligan.types.notes import Ground, Notes, NotesState, Scorecard, TaskRun


class WriterSeen(Struct, frozen=True, kw_only=True):
    """A process that writes the journal, as the store has heard of it."""

    id: str
    pid: int
    """On its own machine."""
    here: bool
    """It is on the machine that asks."""
    life: str
    """`lives`, `silent` for longer than its lease, `gone`, or `revoked`: closed or given up."""
    silent: timedelta
    """Since it was last heard of."""
    lease: timedelta

    def is_waited_for(self) -> bool:
        """Whether what it is at work on is left to it."""
        return self.life in ("lives", "silent")


S = TypeVar("S", contravariant=True)
A = TypeVar("A")

LEASE = timedelta(seconds=30)
"""How long a writer may say nothing before it counts as gone, unless it asks for another time."""

Clock = Callable[[], datetime]
"""Now, as an aware datetime in UTC."""

Check = Callable[[S], Any]
"""A pure function from a subject to findings: it yields them, and nothing when content. One
finding, a sentence or `None` will do as well, and it may be async."""

Gather = Callable[[Turn, Sequence[Call]], Awaitable[Iterable[Fact]]]
"""Computes facts about a turn and its calls; async, as some are read. It leaves out the unknown."""

Subscriber = Callable[[Happened], None]
"""Gets every event. What it raises is counted and goes no further."""

Classify = Callable[[Call, BaseException], Failure]
"""Says which class of error an exception is."""

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""How alike a text is to each of some others, from 0 to 1. Embeddings fit in here."""

Suggest = Callable[[FailedCall], Iterable[Suggestion]]
"""Proposes corrections of a failed call: one source of several. Pure, and bounded in time."""


class Judge(Protocol):
    """Asks a model a question and returns a typed answer, or says it could not."""

    async def ask(self, question: Question[A]) -> A | None:
        """The answer, or `None`: the model was down, slow or not to be understood.

        `None` is never a pass, and nothing is raised but a cancellation. Whoever implements it
        bounds the time it takes, keeps secrets from the model, and tells what it took as one
        `JudgeAsked` for each question.
        """


class Damage(Struct, frozen=True, kw_only=True):
    """A place where the journal is not what its writer wrote."""

    writer: str
    seq: int
    """The first entry of that writer that is missing or does not fit."""
    what: str
    """One sentence for a person."""


class Journal(Protocol):
    """The durable truth about effects: small, synchronous, never dropped.

    Every process that writes is a writer of its own, and the writer of an open action's last entry
    is at work on it. A writer that was closed, has ended or was silent for its lease is gone: then
    another may go on. Who comes back is *revoked*: told before it acts, and a new writer.
    """

    def submit(self, entries: Sequence[Entry], *, keep: Sequence[Kept] = ()) -> Future[None]:
        """Write entries and kept values in one transaction, all or none.

        The future is done when they are written, and synced if one of them is an `INTENT` or an
        `UNDOING`: what an outside call waits for. It fails with `IllegalTransitionError`,
        `StaleEntryError` (the version is not one more than the action's, or once: this process
        moved it last as a writer that is revoked), another `JournalError` (a detail that is not
        JSON, an opening that is missing or repeated), `NaiveTimeError`, or a `StoreError`; a call
        that fails leaves others alone, also those it was grouped with.
        An action's first entry carries its `opening`. Entries of one call are in order. An entry
        that settles its action lets the values kept for it end `Retention.kept` (seven days
        unless told otherwise) after the entry's time, except those that have an end of their own.
        """

    def find_action(self, action: str) -> Action | None:
        """An action in its present state."""

    def list_open_actions(
        self, *, tenant: str | None = None, after: str = "", limit: int = 100
    ) -> list[Action]:
        """Those not settled, the oldest id above `after` first; what is unreadable is left out."""

    def list_actions(self, query: ActionQuery) -> list[Action]:
        """Actions as a query wants them, settled or not, from the newest id down."""

    def list_entries(self, action: str) -> list[Entry]:
        """Every entry of an action, oldest first; none once it is pruned."""

    def identify_writer(self) -> str:
        """Who this process is in the journal; a child of a fork is another process."""

    def beat(self) -> None:
        """Say that this process is alive, by the store's own clock; a revoked one stays revoked."""

    def holds_lease(self, action: str | None = None) -> bool:
        """Whether this process may still act: asked right before an outside call.

        Local, unless it was silent for almost its lease: then it beats. Once revoked, no, until
        something is written as a new writer; of an `action` that it last moved before that, never.
        """

    def find_dead_writers(self, writers: Collection[str]) -> set[str]:
        """Those that will write no more: closed, dead, never heard of, or silent and so revoked."""

    def verify(self) -> list[Damage]:
        """Hold every writer's chain of hashes, and its high-water mark, against what is there."""

    def accept_damage(self, note: str) -> int:
        """Go on from what is left, with the note as an entry. Returns how many damages it took."""

    def prune(self, *, settled_before: datetime) -> int:
        """Forget settled actions that changed last before then, with the values kept for them.

        Returns how many; the chains stay verifiable.
        """


class KnownTool(Struct, frozen=True, kw_only=True):
    """A tool as its application declared it, for processes without its code."""

    tool: str
    server: str = ""
    effect: str
    repeat: str
    mode: str
    callbacks: tuple[str, ...] = ()
    """What it can do about its own calls: `before`, `undo`, `read`, `probe`, `version`, …"""
    promises: tuple[str, ...] = ()
    """What that really promises, a sentence each."""
    schema: Mapping[str, object] = field(default_factory=dict)
    """The JSON Schema of its arguments."""
    error_rules: tuple[ErrorRule, ...] = ()
    """What its author says of its errors."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """By parameter: what it holds, why, and which checks look, where checks choose themselves."""


class Catalog(Protocol):
    """The tools that applications have declared, by server and name, and how far an operator lets
    them go; the last word counts."""

    def remember(self, tools: Sequence[KnownTool]) -> Future[None]:
        """Write down what was declared, without waiting for the disk."""

    def list_tools(self) -> list[KnownTool]:
        """Every tool ever declared, in the order of server and name."""

    def limit(self, tool: str, mode: str) -> Future[None]:
        """Write down how far an operator lets a tool go; an empty name is all of them."""

    def list_limits(self) -> dict[str, str]:
        """The modes that an operator has set, by tool. Every process asks three times a lease."""

    def waive(self, waiver: Waiver) -> Future[None]:
        """Write down what a person says of a rule, a tool and an agent; the last word counts."""

    def list_waivers(self) -> list[Waiver]:
        """What people have said of rules, the ended ones too."""


class Vault(Protocol):
    """Raw values apart from everything else: owner-only, expiring, encrypted when a key is set."""

    def put(self, kept: Kept) -> None:
        """Keep a value; the same owner and name replaces it.

        Without the key of a vault that has locked values it is a `StoreError`.
        """

    def get(self, owner: str, name: str) -> bytes | None:
        """A kept value, or `None` when there is none or it has expired, shredded or not."""

    def expire(self, owner: str, *, at: datetime) -> None:
        """Let everything of an owner end at the given time."""

    def shred(self, *, now: datetime) -> int:
        """Delete what has expired, so that it is gone from the disk too. Returns how many."""


class Log(Protocol):
    """Telemetry about every call: batched, may lose rows, and says how many."""

    def write(self, batch: Batch) -> None:
        """Store a batch in one transaction; add its roll-ups and patterns to those of their hours.

        A row whose id is there already is left alone and never counted twice: the roll-ups of its
        batch are made anew from the others. Later tries are held against those before them
        (`roll_up_tries`), texts are counted as `text_rollup` says. A loss or finding that is
        there already is the same one. Text the database cannot hold costs a character, no row.
        """

    def list_rows(self, query: LogQuery) -> list[LogRow]:
        """Rows that fit, newest first unless asked otherwise."""

    def read_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        """The hourly counts from `since` to `until`, both hours included."""

    def sum_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        """The counts of all those hours together, each slot in hour 0."""

    def read_texts(self, *, since: datetime, until: datetime) -> TextCounts:
        """The counts of rows of replies, drafts and tasks, hour by hour, both hours included."""

    def list_patterns(self, query: PatternQuery) -> list[PatternSeen]:
        """What failed alike in some hours, the most frequent first."""

    def list_losses(self) -> list[Loss]:
        """Every loss on record, oldest first."""

    def list_finding_counts(
        self, *, since: datetime, until: datetime, tenant: str | None = None
    ) -> list[FindingCount]:
        """How often each rule spoke up from `since` to `until`, by tool and agent, most first.

        `tenant`: about whose calls; an empty one is a tenant of its own, and `None` is any.
        """

    def prune(self, *, before: datetime) -> int:
        """Delete rows, counts, losses and findings older than that. Returns how many rows."""


class TaskVersions(Protocol):
    """What was learned about tasks, version by version, and the evidence for each.

    A version never changes; `types.notes.check_notes` and `check_run` say what is refused. Every
    method that writes does so in one step, also when other processes write at the same time.
    """

    def append(self, notes: Notes) -> None:
        """Add a version, one above the last, from 0 on; else `StaleNotesError`: read again."""

    def list_versions(
        self, task: str, *, tenant: str = "", limit: int | None = None
    ) -> list[Notes]:
        """The versions of a task, the newest first."""

    def count(self, ground: Ground, *, run: TaskRun) -> int:
        """Add a run to its version's scorecard, a new one on trial; how many runs there are now."""

    def list_scorecards(self, ground: Ground) -> list[Scorecard]:
        """The scorecards of a ground, by version."""

    def list_runs(self, ground: Ground, *, limit: int) -> list[TaskRun]:
        """The latest runs on a ground, the newest first; at least the last 40 until pruned."""

    def move(
        self, ground: Ground, *, version: int, state: NotesState, was: NotesState | None
    ) -> bool:
        """Change where a version stands, if it still stands where it `was`; else do nothing.

        `None`: it has no scorecard yet. When one becomes champion or is pinned, the version that
        was either goes on trial; but while one is pinned, no other becomes champion. What a
        champion showed before is no evidence once it loses that place. Version 0 is never retired
        nor crowned: to ask for either is a `ConfigurationError`.
        """

    def rate(self, run: str, *, score: float, tenant: str = "") -> bool:
        """Let a person's decision be the score of a run, by its id. False: it is not kept any
        more."""

    def clear(self, task: str, *, tenant: str = "") -> int:
        """Forget a task with its versions, evidence and runs. Returns how many versions went."""

    def list_grounds(self, task: str | None = None) -> list[Ground]:
        """Where runs were counted: of one task, of every tenant, or of all tasks."""

    def prune(self, *, before: datetime) -> int:
        """Forget runs and versions older than that, with the scorecards of those versions.

        What `types.notes.find_needed_versions` names stays. Returns how many versions went.
        """


class FailureStore(Protocol):
    """How failures ended, and lessons drawn from them. Only added to, each write in one step."""

    def record(self, episodes: Sequence[Episode]) -> None:
        """Add episodes and count them; one whose id is there already is left alone."""

    def list_episodes(self, query: EpisodeQuery) -> list[Episode]:
        """Episodes that fit and can be read, in order; the store's health names the others."""

    def count_episodes(self, *, since: date) -> dict[EpisodeSlot, int]:
        """How many episodes there were of each kind, that day and later."""

    def read_endings(self, tool: str, *, fingerprint: str, tenant: str = "") -> dict[Decision, int]:
        """What was right for failures of one pattern, and for how many, by `count_sources`."""

    def append(self, lessons: Sequence[Lesson]) -> None:
        """Add versions of lessons, all or none, each numbered one above its last; the first is 1.

        `StaleLessonError`: a number is taken, or one before it is missing.
        """

    def list_lessons(self, query: LessonQuery) -> list[Lesson]:
        """The latest of each readable lesson that fits: by tool, or the closest to a text first."""

    def list_lesson_versions(self, lesson: str) -> list[Lesson]:
        """Every version of a lesson, oldest first."""

    def use(self, uses: Sequence[Use]) -> None:
        """Add uses of lessons; a call that a lesson is known to have touched counts once."""

    def list_uses(self, lesson: str, *, newest: int | None = None) -> list[Use]:
        """Every call a lesson touched, oldest first; or no more than the `newest`."""

    def read_balances(self, lessons: Collection[str], *, principal: str | None = None) -> Balances:
        """The results of some lessons' uses, all or one person's; a lesson without is left out."""

    def prune(self, *, before: datetime) -> int:
        """Forget episodes older than that; lessons, uses and counts stay. Returns how many."""


class Health(Struct, frozen=True, kw_only=True):
    """How a store is."""

    url: str
    """Without credentials."""
    kind: str
    version: str
    """Of the database engine."""
    schemas: Mapping[str, int]
    """Schema version by part: journal, log."""
    rows: int | None
    """Of the log; `None`: not counted."""
    open_actions: int
    size_bytes: int
    problems: tuple[str, ...] = ()
    """One sentence each; empty when all is well."""
    caveats: tuple[str, ...] = ()
    """What the system it runs on cannot do for it, a sentence each. No action is needed."""
    writers: tuple[WriterSeen, ...] = ()
    """Processes that were heard of in the last days, the latest first."""


class Store(Protocol):
    """Opens and closes the others. After a fork, parent and child both go on with it."""

    @property
    def journal(self) -> Journal:
        """The truth about effects."""

    @property
    def vault(self) -> Vault:
        """Raw values that expire."""

    @property
    def log(self) -> Log:
        """Telemetry about every call."""

    @property
    def catalog(self) -> Catalog:
        """The tools that were declared."""

    @property
    def task_versions(self) -> TaskVersions:
        """What was learned about tasks."""

    @property
    def failures(self) -> FailureStore:
        """How failures ended, and the lessons drawn from them."""

    def load_secret(self) -> bytes:
        """32 random bytes, made once and the same ever after: the key of redaction's hashes."""

    def check_health(self, *, thorough: bool = True) -> Health:
        """Look at all, or else at what takes as long however much there is; change nothing."""

    def close(self) -> None:
        """Finish what was submitted; what comes later fails with `StoreUnavailableError`."""


class LeaderLocks(Protocol):
    """What a store may have as `leader_locks`: work that one process has at a time."""

    def claim(self, duty: str, *, every: timedelta) -> bool:
        """Take a duty on, unless a live process has it or it was done within `every`.

        Both by the store's own clock and leases: a process that is gone has no duties.
        """

    def finish(self, duty: str, *, done: bool) -> None:
        """Give a duty back. One that is not `done` may be taken on at once."""


Listen = Callable[[Callable[[], None]], Callable[[], None]]
"""What a store may have as `listen`: it calls the function, from a thread of its own, when another
process has written something to take up. The answer ends it. It may call for nothing, and, where a
connection was lost, late."""


class CopiedTable(Struct, frozen=True, kw_only=True):
    """A table of the source, at the moment of a round."""

    rows: int
    sha256: str
    """Of all its rows, in the order of their keys."""


class CopyRound(Struct, frozen=True, kw_only=True):
    """One comparison of everything."""

    number: int
    written: int
    deleted: int
    tables: Mapping[str, CopiedTable]

    @property
    def equal(self) -> bool:
        """Whether the copy was already what the source is, row by row."""
        return not self.written and not self.deleted


class Vacuumed(Struct, frozen=True, kw_only=True):
    """Which files or tables were written anew, by name."""

    parts: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    """Those that were not, and why."""


class Vacuum(Protocol):
    """What a store may have as `vacuum`."""

    def __call__(self, *, most_bytes: int | None) -> Vacuumed:
        """Write anew what rows were deleted from, so that no piece of them is left in it.

        Others wait meanwhile, so what is larger than `most_bytes` is left as it is.
        """


@contextmanager
def run_as_leader(store: object, duty: str, *, every: timedelta) -> Iterator[bool]:
    """Whether a duty is ours to do now, in here; in a store that shares nothing, always."""
    leader_locks: LeaderLocks | None = getattr(store, "leader_locks", None)
    if leader_locks is None:
        yield True
        return
    if not leader_locks.claim(duty, every=every):
        yield False
        return
    done = False
    try:
        yield True
        done = True
    finally:
        leader_locks.finish(duty, done=done)
