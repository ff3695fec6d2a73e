"""What was learned from failures, decisions about it, and whether it helps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from mulligan.insights.cache import LONG
from mulligan.insights.figures import Estimate, estimate_share
from mulligan.insights.filters import (
    SIZE,
    ActOrder,
    Paging,
    ViewFilter,
    ViewRequest,
    build_paging,
    cut_page,
    sort_out,
)
from mulligan.insights.reader import StoreReader
from mulligan.learning import lessons as life
from mulligan.learning.calibration import (
    Calibration,
    Lift,
    compute_difference,
    measure_calibration,
    measure_lift,
)
from mulligan.learning.consolidation import (
    MOST_LESSONS,
    Consolidated,
    Hashes,
    consolidate,
    count_people,
    hash_schemas,
    list_episodes,
    undo_consolidation,
)
from mulligan.learning.fingerprint import classify_pattern
from mulligan.learning.lesson_file import decode_lessons, encode_lessons
from mulligan.learning.lessons import SEED
from mulligan.learning.mining import load_seed_lessons
from mulligan.learning.pitfalls import find_met, render_pitfalls
from mulligan.redaction.redactor import hide_secrets
from mulligan.types.call import OWN
from mulligan.types.errors import ConfigurationError, StaleLessonError
from mulligan.types.interfaces import KnownTool, Log
from mulligan.types.lesson import (
    Balance,
    Ending,
    Episode,
    EpisodeQuery,
    EpisodeSlot,
    Group,
    Lesson,
    LessonQuery,
    LessonState,
    Use,
)
from mulligan.types.log import REPLY_SETTLED, LogQuery, PatternQuery, PatternSeen
from mulligan.types.reply import RATED, read_rating
from mulligan_dates.text import split_words

MOST_RACES = 5
"""How often a change is made again because another process made one first."""
WINDOW = timedelta(days=90)
"""How far back offers are looked at: as long as episodes are kept."""

BUILT_IN = SEED
"""Who put a lesson there that every memory begins with."""
RECENT = timedelta(days=30)
"""How far back failures are looked at for pitfalls."""
MOST_SEEN = 200
"""Patterns of one tool that are looked at, the most frequent."""

Decide = Callable[..., Lesson]
Fits = Callable[[EpisodeSlot], bool]
T = TypeVar("T")


class LessonSeen(Struct, frozen=True, kw_only=True):
    """A lesson's latest version, and the results of its uses."""

    lesson: Lesson
    balance: Balance


class LessonHistory(Struct, frozen=True, kw_only=True):
    """One lesson with all its versions, and the calls it touched."""

    versions: tuple[Lesson, ...]
    balance: Balance
    uses: tuple[Use, ...]
    """Oldest first; where there are many, perhaps only the newest. The balance counts them all."""
    rated_up: Estimate
    """The share of thumbs up for replies of the newest turns that it was used in."""

    @property
    def lesson(self) -> Lesson:
        """Its present state."""
        return self.versions[-1]


class Measured(Struct, frozen=True, kw_only=True):
    """Calibration of the probabilities, and the lift of memory."""

    calibration: Calibration
    lift: Lift | None
    """`None` while one of the groups is empty."""


class LessonList:
    """Questions about lessons, and what a person may decide."""

    def __init__(self, ask: StoreReader) -> None:
        self._ask = ask
        self._store = ask.store
        self._seeds = ask.settings.memory.seeds
        self._names = ask.names
        self._failures = ask.store.failures
        self._clock = ask.clock

    def list_lessons(self, query: LessonQuery) -> list[LessonSeen]:
        """Lessons that fit, each in its latest version, as it counts now.

        One that was learned on another schema of its tool than today's is no longer offered, and
        so a candidate, though that is put on record only by the next consolidation.
        """
        asked = self._find_names(query)
        found = self._failures.list_lessons(asked)
        if asked.state is LessonState.CANDIDATE:
            found += self._failures.list_lessons(replace(asked, state=LessonState.ACTIVE))
        known = hash_schemas(self._store.catalog.list_tools())
        standing = (_find_standing(lesson, known) for lesson in found)
        found = [each for each in standing if asked.state in (None, each.state)][: asked.limit]
        return self._weigh(found)

    def list_built_in(self, query: LessonQuery) -> list[LessonSeen]:
        """The lessons that every memory begins with, as far as they fit; none if switched off.

        They are about tools of any kind, so that nothing is left where one tool, agent or tenant
        is asked about.
        """
        narrow = any(each is not None for each in (query.tool, query.agent, query.tenant))
        words = query.text.casefold().split()
        fitting = [
            each
            for each in (load_seed_lessons() if self._seeds and not narrow else ())
            if query.state in (None, each.state)
            and (not query.ids or each.id in query.ids)
            and (not words or any(word in each.statement.casefold() for word in words))
        ]
        return self._weigh(fitting)

    def _weigh(self, found: Sequence[Lesson]) -> list[LessonSeen]:
        balances = self._failures.read_balances([each.id for each in found])
        return [LessonSeen(lesson=each, balance=balances.get(each.id, Balance())) for each in found]

    def read_history(self, lesson: str, *, newest: int | None = None) -> LessonHistory:
        """One lesson, by its id or the beginning of it, with its `newest` uses or all of them."""
        found = self._find_built_in(lesson) or self._find(lesson)
        uses = tuple(self._failures.list_uses(found.id, newest=newest))
        return LessonHistory(
            versions=tuple(self._failures.list_lesson_versions(found.id)) or (found,),
            balance=self._weigh([found])[0].balance,
            uses=uses,
            rated_up=estimate_ratings(self._store.log, uses),
        )

    def approve(self, lesson: str, *, by: str, note: str = "") -> Lesson:
        """Use a lesson from now on, whatever the evidence."""
        return self._record_decision(lesson, life.approve, by=by, note=note)

    def quarantine(self, lesson: str, *, by: str, note: str = "") -> Lesson:
        """Stop using it until it is approved."""
        return self._record_decision(lesson, life.quarantine, by=by, note=note)

    def revoke(self, lesson: str, *, by: str, note: str = "") -> LessonHistory:
        """Take it out for good. Every call it touched is in the answer."""
        return self.read_history(self._record_decision(lesson, life.revoke, by=by, note=note).id)

    def consolidate(self) -> Consolidated:
        """Draw lessons from everything that is remembered, now."""
        return consolidate(self._store, now=self._clock())

    def undo_consolidation(self, batch: str, *, by: str) -> list[Lesson]:
        """Undo a consolidation; the lessons that changed."""
        return undo_consolidation(self._failures, batch, now=self._clock(), by=by)

    def export(self, query: LessonQuery) -> Iterator[str]:
        """Lessons as JSON lines."""
        return encode_lessons(self._failures.list_lessons(self._find_names(query)))

    def add(self, lines: Iterable[str], *, tenant: str = "") -> list[Lesson]:
        """Take lessons of a file in as candidates: all of them or, with one sentence, none.

        One that is known here already is left as it is.
        """
        tools = {tool.tool for tool in self._store.catalog.list_tools()} or None
        whose = self._names.find_tenant(tenant) or ""
        read = decode_lessons(lines, at=self._clock(), tools=tools, tenant=whose)
        new = [lesson for lesson in read if not self._failures.list_lesson_versions(lesson.id)]
        self._failures.append(new)
        return new

    def describe_pitfalls(
        self,
        tools: Iterable[str] = (),
        *,
        words: str = "",
        agent: str | None = None,
        label: str = "",
        tokens: int,
        link: str = "",
        allows: Callable[[str, str], bool] | None = None,
    ) -> str:
        """What is known to go wrong, for a prompt or a tool's description: ask of one tenant alone.

        With some tools, their pitfalls; with `words`, those that share some with them, such as an
        error; with an agent, what has failed that agent, of these tools or of every one. `label`
        is what the log shows of an agent that is named by its identity. `allows`: whether the
        reader may know of a tool, by its server and name.
        """
        asked = LessonQuery(state=LessonState.ACTIVE, text=words, limit=MOST_LESSONS)
        wanted: Sequence[str | None] = list(dict.fromkeys(tools)) or [None]
        now, label_of = self._clock(), self._names.find_label
        lately = PatternQuery(since=now - RECENT, until=now, limit=MOST_SEEN)
        # Tools stand in the log under their label.
        named = [None if tool is None else label_of(tool) for tool in wanted]
        seen = [
            replace(each, pattern=classify_pattern(each.pattern))
            for tool in named
            for each in self._store.log.list_patterns(replace(lately, tool=tool))
        ]
        if allows is not None:
            # A pattern says nothing of servers: a name that a hidden tool has too is left out.
            slots = self._store.log.sum_rollups(since=lately.since, until=now)
            hidden = {slot.tool for slot in slots if not allows(slot.server, slot.tool)}
            seen = [each for each in seen if each.pattern.tool not in hidden]
        shown = None if agent is None else label or label_of(agent)
        own = [each for each in seen if shown is None or shown in each.agents]
        if words:
            looked_for = set(split_words(words))
            own = [
                each
                for each in own
                if looked_for.intersection(
                    split_words(f"{each.pattern.tool} {each.pattern.template}")
                )
            ]
        tools_now = self._store.catalog.list_tools()
        known = hash_schemas(tools_now)
        lessons = [
            lesson
            for tool in wanted
            for lesson in self._failures.list_lessons(replace(asked, tool=tool))
            if _find_standing(lesson, known).state is LessonState.ACTIVE
            and (allows is None or allows(lesson.server, lesson.tool))
        ]
        if agent is not None:
            # What has failed this agent, whoever has found out what helps.
            who = self._names.find_agent(agent)
            lessons = [each for each in lessons if who in each.agents or find_met(each, own)]
        return render_pitfalls(
            lessons,
            own,
            tokens=tokens,
            link=link,
            tools=tools_now,
            # Counted only where there is an error that could be quoted.
            quoting=bool(seen) and not self.has_people(),
            named=len(wanted) > 1 or wanted[0] is None,
        )

    def list_told_tools(self, tools: Sequence[str]) -> set[str]:
        """Those of some tools that have pitfalls, for any tenant."""
        if not tools:
            return set()
        (seen,) = self._ask.patterns_seen.list_spans(ViewFilter(), ends=[RECENT])
        known = self._store.catalog.list_tools()
        schemas = hash_schemas(known)
        failed = _group_by_tool(seen, lambda each: each.pattern.tool)
        active = LessonQuery(state=LessonState.ACTIVE, limit=MOST_LESSONS)
        lessons = _group_by_tool(self._failures.list_lessons(active), lambda each: each.tool)
        return {
            tool
            for tool in tools
            if _has_pitfalls(
                [
                    each
                    for each in lessons.get(tool, ())
                    if _find_standing(each, schemas).state is LessonState.ACTIVE
                ],
                failed.get(self._names.find_label(tool), []),
                tools=known,
            )
        }

    def has_people(self) -> bool:
        """Whether principals are named: then each sees only the errors of their own calls."""
        return any(count_people(self._failures, now=self._clock()).values())

    def list_changed_tools(self, since: datetime) -> list[str]:
        """Tools whose lessons have changed since then."""
        found = self._failures.list_lessons(LessonQuery(since=since, limit=MOST_LESSONS))
        return sorted({lesson.tool for lesson in found})

    def measure(
        self, episodes: Iterable[Episode] | None = None, *, fits: Fits = lambda _: True
    ) -> Measured:
        """The outcomes of given probabilities: all that are kept, or those of some."""
        looked_at = list_episodes(self._failures) if episodes is None else episodes
        offers = [episode.offer for episode in looked_at]
        forecasts = [
            (offer.probability, bool(offer.helped)) for offer in offers if offer and offer.taken
        ]
        counts = self._failures.count_episodes(since=(self._clock() - WINDOW).date())
        return Measured(
            calibration=measure_calibration(forecasts),
            lift=measure_lift({slot: n for slot, n in counts.items() if fits(slot)}),
        )

    def _find_names(self, query: LessonQuery) -> LessonQuery:
        return replace(
            query,
            tenant=self._names.find_tenant(query.tenant),
            agent=self._names.find_agent(query.agent),
        )

    def _record_decision(self, lesson: str, decide: Decide, *, by: str, note: str) -> Lesson:
        if self._find_built_in(lesson) is not None:
            raise ConfigurationError(
                f"Lesson {lesson} is built in and belongs to no store. The setting seeds=False "
                "leaves all of these out."
            )
        why = hide_secrets(note)
        for _ in range(MOST_RACES):
            decided = decide(self._find(lesson), by=by, at=self._clock(), why=why)
            try:
                self._failures.append([decided])
            except StaleLessonError:
                continue
            return decided
        raise ConfigurationError(f"Lesson {lesson} is being changed by others: try again.")

    def _find_built_in(self, lesson: str) -> Lesson | None:
        known = load_seed_lessons() if self._seeds and lesson.startswith(f"{SEED}-") else ()
        found = [each for each in known if each.id.startswith(lesson)]
        return found[0] if len(found) == 1 else None

    def _find(self, lesson: str) -> Lesson:
        exact = self._failures.list_lesson_versions(lesson)[-1:]
        if exact:
            return exact[0]
        every = self._failures.list_lessons(LessonQuery(limit=MOST_LESSONS))
        found = [each for each in every if lesson and each.id.startswith(lesson)]
        if len(found) == 1:
            return found[0]
        what = f"{len(found)} lessons start so" if found else "there is no such lesson"
        raise ConfigurationError(f"{lesson!r}: {what}. `mulligan lessons list` has them.")


def _group_by_tool(found: Iterable[T], tool_of: Callable[[T], str]) -> dict[str, list[T]]:
    groups: dict[str, list[T]] = {}
    for each in found:
        groups.setdefault(tool_of(each), []).append(each)
    return groups


def _has_pitfalls(
    lessons: Sequence[Lesson], seen: Sequence[PatternSeen], *, tools: Sequence[KnownTool]
) -> bool:
    """Whether there is a line to tell; most often the first lesson is one: the rest is spared."""
    first = any(render_pitfalls([each], tokens=1, tools=tools) for each in lessons)
    return first or bool(render_pitfalls(lessons, seen, tokens=1, tools=tools, quoting=False))


def _find_standing(lesson: Lesson, schemas: Hashes) -> Lesson:
    """A lesson's current standing: after a schema change it is a candidate again."""
    now = schemas.get((lesson.server, lesson.tool), "")
    changed = bool(lesson.schema_hash) and now not in ("", lesson.schema_hash)
    if lesson.state is not LessonState.ACTIVE or not changed:
        return lesson
    return replace(lesson, state=LessonState.CANDIDATE, why="the tool's schema has changed")


class LessonsView(Struct, frozen=True, kw_only=True):
    """What was learned from failures."""

    asked: ViewFilter
    paging: Paging
    states: Mapping[str, int]
    rows: tuple[LessonSeen, ...]


class LessonPage(Struct, frozen=True, kw_only=True):
    """One lesson with all its versions, and the calls it touched."""

    lesson: Lesson
    balance: Balance
    built_in: bool
    versions: tuple[Lesson, ...]
    """The newest first."""
    paging: Paging
    """Of the calls that it touched."""
    uses: tuple[Use, ...]
    """The newest first."""
    rated_up: Estimate
    """The share of thumbs up for replies of the newest turns that it was used in."""
    choices: tuple[str, ...]
    """What a person may do now."""


MOST_SHOWN = 10_000
"""Lessons that a page counts."""
CHOICES: Mapping[LessonState, tuple[str, ...]] = {
    LessonState.CANDIDATE: ("approve", "quarantine", "revoke"),
    LessonState.ACTIVE: ("quarantine", "revoke"),
    LessonState.QUARANTINED: ("approve", "revoke"),
    LessonState.RETIRED: ("approve",),
}


def read_lessons(ask: StoreReader, asked: ViewRequest) -> LessonsView:
    """Lessons, those that await approval first."""
    whose, listed, order = asked.filter, LessonList(ask), list(LessonState)
    query = LessonQuery(
        tool=whose.tool_name, tenant=whose.tenant, agent=whose.agent, limit=MOST_SHOWN
    )
    found = ask.cache.keep(
        ("lessons", query),
        lambda: sorted(
            listed.list_lessons(query) + listed.list_built_in(query),
            key=lambda seen: (order.index(seen.lesson.state), -seen.balance.helped),
        ),
    )
    states, paging, rows = sort_out(found, lambda seen: seen.lesson.state.value, asked=asked)
    return LessonsView(asked=whose, paging=paging, states=states, rows=tuple(rows))


def read_lesson(ask: StoreReader, asked: ViewRequest) -> LessonPage:
    """One lesson, with its evidence; of the calls it touched no more than a page needs."""
    history = LessonList(ask).read_history(
        asked.id, newest=max(asked.page * SIZE, MOST_RATED_TURNS)
    )
    built_in = history.lesson.id.startswith(f"{BUILT_IN}-")
    paging = build_paging(history.balance.uses, number=asked.page)
    return LessonPage(
        lesson=history.lesson,
        balance=history.balance,
        built_in=built_in,
        versions=history.versions[::-1],
        paging=paging,
        uses=history.uses[::-1][(paging.number - 1) * paging.size : paging.number * paging.size],
        rated_up=history.rated_up,
        choices=() if built_in else CHOICES[history.lesson.state],
    )


def decide_lesson(ask: StoreReader, order: ActOrder) -> LessonPage:
    """Approve, quarantine or revoke; the log records who did."""
    listed, note = LessonList(ask), order.words.get("note", "")
    acts: dict[str, Callable[..., object]] = {
        "approve": listed.approve,
        "quarantine": listed.quarantine,
        "revoke": listed.revoke,
    }
    ask.acts.record(
        lambda: acts[order.act](order.id, by=order.by, note=note),
        by=order.by,
        what=f"{order.act} lesson {order.id}",
    )
    ask.cache.forget()
    return read_lesson(ask, ViewRequest(id=order.id))


MOST_RATED_TURNS = 100
"""The newest turns that are looked at."""
MOST_RATED_ROWS = 5_000
"""Rows of these turns, and thumbs for their replies."""


def estimate_ratings(log: Log, uses: Sequence[Use]) -> Estimate:
    """The share of thumbs up for replies of the newest turns that a lesson was used in."""
    newest = dict.fromkeys(use.turn for use in reversed(uses) if use.turn)
    turns = tuple(newest)[:MOST_RATED_TURNS]
    if not turns:
        return Estimate(figure=None, n=0)
    rows = log.list_rows(LogQuery(turns=turns, limit=MOST_RATED_ROWS))
    replies = tuple(row.id for row in rows if row.server == OWN and row.tool == REPLY_SETTLED)
    if not replies:
        return Estimate(figure=None, n=0)
    given = LogQuery(
        server=OWN, tool=RATED, parents=replies, oldest_first=True, limit=MOST_RATED_ROWS
    )
    # Of several thumbs for one reply the last one counts.
    thumbs = {each.of: each.up for each in map(read_rating, log.list_rows(given))}
    return estimate_share(sum(thumbs.values()), len(thumbs))


MOST_EPISODES = 5_000
"""The newest failures: enough to tell by, and no more however many there are."""
ENOUGH = 5
"""Failures on each side, below which nothing is said."""


class LessonWorth(Struct, frozen=True, kw_only=True):
    """What one lesson is worth."""

    lesson: str
    tool: str
    statement: str
    state: str
    treated: int
    treated_repaired: int
    control: int
    control_repaired: int
    lift: float | None
    """`None`: not enough data."""
    low: float | None = None
    high: float | None = None
    helped: int
    """Uses of it that were verified to help."""
    harmed: int


class WorthView(Struct, frozen=True, kw_only=True):
    """Whether learning helped."""

    asked: ViewFilter
    lift: Lift | None
    """`None`: one of the groups is empty."""
    enough: bool
    """Whether both groups are large enough to say anything."""
    calibration: Calibration
    paging: Paging
    """Of the lessons that were offered for one of these failures."""
    lessons: tuple[LessonWorth, ...]
    """The one that was offered most often first."""
    failures: int
    """The newest ones, by which lessons and probabilities were weighed."""


Cases = Counter[tuple[Group | None, bool]]
"""How many failures there were that one lesson was offered for, or would have been: by their group,
and whether they were repaired."""


def read_worth(ask: StoreReader, asked: ViewRequest) -> WorthView:
    """Whether learning helped; of the lessons only those are read that the page shows."""
    whose, listed = asked.filter, LessonList(ask)
    measured, failures, cases = ask.cache.keep(
        ("worth", whose.tool, whose.tenant), lambda: _weigh_failures(ask, whose), life=LONG
    )
    lift = measured.lift
    paging, shown = cut_page(list(cases), number=asked.page, size=asked.size)
    query = LessonQuery(ids=tuple(shown), limit=len(shown))
    known = [*listed.list_lessons(query), *listed.list_built_in(query)] if shown else []
    rows = {seen.lesson.id: _build_row(seen, cases[seen.lesson.id]) for seen in known}
    return WorthView(
        asked=whose,
        lift=lift,
        enough=lift is not None and min(lift.treated, lift.control) >= ENOUGH,
        calibration=measured.calibration,
        paging=paging,
        lessons=tuple(rows[each] for each in shown if each in rows),
        failures=failures,
    )


def _weigh_failures(
    ask: StoreReader, asked: ViewFilter
) -> tuple[Measured, int, Mapping[str, Cases]]:
    """What the newest failures say: of all, how many, and by lesson, the most offered first."""
    tool, tenant = asked.tool_name, asked.tenant
    query = EpisodeQuery(tool=tool, tenant=tenant, newest_first=True, limit=MOST_EPISODES)
    episodes = ask.store.failures.list_episodes(query)
    cases: dict[str, Cases] = {}
    for each in episodes:
        if each.group is not None and each.offer is not None and each.offer.lesson:
            repaired = each.ending is Ending.REPAIRED
            cases.setdefault(each.offer.lesson, Counter())[each.group, repaired] += 1
    ordered = sorted(cases.items(), key=lambda each: (-each[1].total(), each[0]))
    measured = LessonList(ask).measure(
        episodes, fits=lambda slot: tool in (None, slot.tool) and tenant in (None, slot.tenant)
    )
    return measured, len(episodes), dict(ordered)


def _build_row(seen: LessonSeen, cases: Cases) -> LessonWorth:
    treated, control = (
        (cases[group, True], cases[group, True] + cases[group, False])
        for group in (Group.TREATED, Group.CONTROL)
    )
    enough = min(treated[1], control[1]) >= ENOUGH
    lift, low, high = compute_difference(treated, control) if enough else (None, None, None)
    return LessonWorth(
        lesson=seen.lesson.id,
        tool=seen.lesson.tool,
        statement=seen.lesson.statement,
        state=seen.lesson.state.value,
        treated=treated[1],
        treated_repaired=treated[0],
        control=control[1],
        control_repaired=control[0],
        lift=lift,
        low=low,
        high=high,
        helped=seen.balance.helped,
        harmed=seen.balance.harmed,
    )
