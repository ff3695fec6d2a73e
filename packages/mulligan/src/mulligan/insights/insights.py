"""What the command line and the pages ask about one store, by names as people type them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

from msgspec import Struct
from msgspec.structs import replace

from mulligan.insights.reader import StoreReader
from mulligan.redaction import Capture
from mulligan.redaction.fast import describe_form
from mulligan.redaction.redactor import hide_in_advice, hide_secrets
from mulligan.settings import Settings
from mulligan.stores.copying import Watch
from mulligan.stores.opening import open_store, strip_credentials
from mulligan.types.action import ActionQuery
from mulligan.types.call import OWN, Call, Failure, LogRow
from mulligan.types.effect import OUTSIDE, Effect, Mode, Outside, read_limit
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.types.failure import Advice
from mulligan.types.finding import FindingCount, Waiver
from mulligan.types.interfaces import CopiedTable, CopyRound, Health, KnownTool, Store
from mulligan.types.lesson import Alike, FailedCall, Suggestion
from mulligan.types.limits import Retention
from mulligan.types.log import LogQuery, Loss, PatternQuery, PatternSeen
from mulligan.types.values import from_us

if TYPE_CHECKING:
    from mulligan.insights.lessons import LessonList
    from mulligan.insights.open_actions import OpenList
    from mulligan.insights.overview import Figures, Progress
    from mulligan.insights.tasks import TaskList
    from mulligan.insights.texts import TextList


# Each question loads what answers it once it is asked: a command asks one, and a person waits.

CONTEXT_GOAL = 0.8
"""The target share of calls with agent and context."""

PAUSE = 0.5
"""Seconds between two looks for new rows."""

GRACE = timedelta(days=2)
"""How far beyond its retention a row may be before something is wrong: sweeping is hourly, and
where the log is in partitions a day goes as a whole."""

MOST_ACTIONS = 10_000
"""Of the journal, the newest, that are looked through for a tool that the log knows nothing of."""
MOST_SILENT = 10
"""Declared tools without a call that are named."""
MONTH = timedelta(days=30)
"""How long a tool is a tenant's after its last call, and how far back patterns are compared."""

_LITTLE_CONTEXT = (
    "Only {share:.0%} of the last day's calls name their agent and context "
    "(goal: {goal:.0%}). Wrap turns in `with m.turn(agent=…, context=…)`."
)


class Diagnosis(Struct, frozen=True, kw_only=True):
    """How a store is, what it lost, and how well its calls are labelled."""

    health: Health
    retention: Retention
    losses: tuple[Loss, ...]
    calls: float
    """In the last 24 hours."""
    failures: float
    with_context: float | None
    """Of the calls of the last 24 hours, as the application gave it."""
    derived_context: float | None
    """Of the same, derived from their turn; `None`: there were no calls."""
    capture: Capture
    redaction: str
    """Which form of it runs, and why."""
    problems: tuple[str, ...]
    """One sentence each; empty when nothing needs attention."""
    advice: tuple[str, ...]
    """What would make the figures better."""
    outside: tuple[FindingCount, ...]
    """Calls with an effect in those hours that belonged to no turn, by tool."""
    modes: Mapping[str, Mode]
    """How far an operator lets tools go, by name; "" is all of them."""
    waivers: tuple[Waiver, ...]
    """Rules whose findings count less than they say, by the settings."""
    tools: tuple[KnownTool, ...]
    """What was declared, and what that really promises."""

    @property
    def dropped(self) -> int:
        """Rows the log ever gave up."""
        return sum(loss.successes + loss.failures for loss in self.losses)


class Insights(StoreReader):
    """Queries about a store, and decisions about its actions, lessons, tasks and rules.

    Limited to one tenant if the settings or the caller name one.
    """

    @classmethod
    def open(cls, settings: Settings, *, tolerate_damage: bool = False) -> Self:
        """Open the store that the settings name, as it is: nothing is created or migrated."""
        # Reading a store runs no code from a file in the current folder.
        settings = settings.drop_code()
        store = _open(settings, migrate=False, tolerate_damage=tolerate_damage)
        whole = cls(store, tenant=None, settings=settings)
        try:
            return whole.keep_to(settings.tenant) if settings.tenant else whole
        except MulliganError:
            # Without the hash secret, names cannot be looked up.
            store.close()
            raise

    def keep_to(self, tenant: str) -> Self:
        """The same queries limited to one tenant, by its name or its shown identity.

        An empty name means the rows without a tenant. Insights already limited to one tenant
        refuse another.
        """
        whose = self.names.find_tenant(tenant) or ""
        if self.tenant not in (None, whose):
            raise ConfigurationError("These insights are limited to another tenant.")
        return type(self)(
            self._whole,
            tenant=whose,
            settings=self.settings,
            clock=self.clock,
            tally=self.tally,
            declared=self.declared,
            foresee=self.foresee,
            read_now=self.read_now,
            check_edited=self.check_edited,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.store.close()

    @property
    def open_list(self) -> OpenList:
        """The actions that need attention."""
        from mulligan.insights.open_actions import OpenList

        return OpenList(self)

    @property
    def lesson_list(self) -> LessonList:
        """What was learned from failures."""
        from mulligan.insights.lessons import LessonList

        return LessonList(self)

    @property
    def task_list(self) -> TaskList:
        """What was learned about tasks."""
        from mulligan.insights.tasks import TaskList

        return TaskList(self.store.task_versions)

    @property
    def text_list(self) -> TextList:
        """Replies and drafts one by one."""
        from mulligan.insights.texts import TextList

        return TextList(self)

    def tools(self) -> Sequence[KnownTool]:
        """The declared tools, and what each declaration guarantees.

        A declaration does not name its tenant. So a tenant sees this process's declarations, and
        only the effects of other tools that it has called.
        """
        if self.tenant is None:
            return self.store.catalog.list_tools()
        declared = {(each.server, each.tool): each for each in self.declared()}
        now, label = self.clock(), self.names.find_label
        slots = self.store.log.sum_rollups(since=now - MONTH, until=now)
        called = {(slot.server, slot.tool) for slot in slots}
        return [
            # Of another process's declaration, only what its author shares with every tenant.
            declared.get((each.server, each.tool))
            or replace(each, promises=(), schema={}, error_rules=(), kinds={})
            for each in self.store.catalog.list_tools()
            if (each.server, each.tool) in declared or (each.server, label(each.tool)) in called
        ]

    def list_modes(self) -> dict[str, Mode]:
        """How far an operator lets tools go, by name; "" is all of them."""
        said = self.store.catalog.list_limits()
        return {tool: read_limit(mode) for tool, mode in said.items()}

    def set_mode(self, mode: Mode, *, tool: str = "") -> None:
        """Let every application of the store go no further than this, with one tool or with all.

        Running processes follow within a third of their lease. The stricter word counts: theirs,
        that of a tool's author, or this one. `auto` takes it back.
        """
        self._require_all("A mode")
        self._refuse_misspelt(tool)
        self.store.catalog.limit(tool, mode.value).result()

    def list_waivers(self) -> list[Waiver]:
        """What people say of rules, in the settings and on a page; the ended ones of pages not."""
        now = self.clock()
        said = [] if self.tenant is not None else self.store.catalog.list_waivers()
        waivers = [*self.settings.waivers, *(each for each in said if each.holds(now))]
        return [replace(each, reason=hide_secrets(each.reason)) for each in waivers]

    def waive(self, waiver: Waiver) -> None:
        """Have findings of a rule count as a person says, in every application of the store.

        Running processes follow within a third of their lease.
        """
        self._require_all("A waiver")
        if not waiver.holds(self.clock()):
            raise ConfigurationError(f"{waiver.until} is over: a waiver holds until a day to come.")
        self._refuse_misspelt(waiver.tool)
        waiver = replace(waiver, reason=hide_secrets(waiver.reason))
        self.store.catalog.waive(waiver).result()

    def end_waiver(self, rule: str, *, tool: str = "", agent: str = "") -> None:
        """End what was said of a rule on a page; what the settings say is ended there."""
        self._require_all("A waiver")
        for each in self.store.catalog.list_waivers():
            if (each.rule, each.tool, each.agent) == (rule, tool, agent):
                yesterday = self.clock().astimezone(UTC).date() - timedelta(days=1)
                self.store.catalog.waive(replace(each, until=yesterday)).result()
                return
        raise ConfigurationError(
            f"No page has a waiver of {rule}. One of the settings ends in the settings."
        )

    def _require_all(self, what: str) -> None:
        if self.tenant is not None:
            raise ConfigurationError(f"{what} holds for all tenants: set it without --tenant.")

    def _refuse_misspelt(self, tool: str) -> None:
        """Refuse the name of a tool that is not known, but nearly."""
        known = {each.tool for each in self.store.catalog.list_tools()}
        near = [] if not tool or tool in known else get_close_matches(tool, known, n=1)
        if near:
            raise ConfigurationError(f"No tool is called {tool!r}. Did you mean {near[0]!r}?")

    def figures(self, window: timedelta) -> Figures:
        """How calls went in a span of time up to now."""
        from mulligan.insights.overview import read_figures

        return read_figures(self, window)

    @property
    def progress(self) -> Progress:
        """How calls went over time, and what has become of the goals."""
        from mulligan.insights.overview import Progress

        return Progress(self)

    def patterns(self, window: timedelta, *, limit: int = 100) -> list[PatternSeen]:
        """Failures that are one and the same, the most frequent first."""
        from mulligan.learning.fingerprint import MOST_PATTERNS, classify_pattern, find_alike

        found = self._read_patterns(window, most=max(limit, MOST_PATTERNS))
        measure, known = (
            self.settings.memory.measure(),
            [classify_pattern(each.pattern) for each in found],
        )
        return [
            replace(seen, like=find_alike(pattern, known, similarity=measure))
            for seen, pattern in zip(found[:limit], known, strict=False)
        ]

    def _find_alike(
        self, tool: str, *, arguments: Mapping[str, object], error: str
    ) -> Alike | None:
        from mulligan.learning.classify import classify_text
        from mulligan.learning.fingerprint import (
            MOST_PATTERNS,
            build_pattern,
            classify_pattern,
            find_alike,
        )

        pattern = build_pattern(
            Call(id="", tool=tool, arguments=arguments),
            error=error,
            error_class=classify_text(error),
            # What tools' authors and this application say of errors, the tools first.
            rules=(
                *(rule for tool in self.list_callable() for rule in tool.error_rules),
                *self.settings.error_rules,
            ),
        )
        if self.tenant is not None and self.lesson_list.has_people():
            return None
        known = [
            classify_pattern(each.pattern)
            for each in self._read_patterns(MONTH, most=MOST_PATTERNS)
        ]
        return find_alike(pattern, known, similarity=self.settings.memory.measure())

    def suggest(
        self, tool: str, *, arguments: Mapping[str, object], error: str, server: str = ""
    ) -> tuple[Advice, tuple[Suggestion, ...], Alike | None]:
        """What to do about a failed call, by the schema its application declared.

        `server`: where the tool lives, for others of that name say nothing about it.
        For an unknown error, the most similar known pattern is there
        too; not where a tenant asks that names its people, as it may be another one's.
        """
        from mulligan.learning.classify import classify_text
        from mulligan.learning.decide import decide
        from mulligan.learning.suggest import suggest_corrections

        tools = self.list_callable()
        known = [t for t in tools if t.tool == tool and (not server or t.server == server)]
        effects = {each.effect for each in known}
        failed = FailedCall(
            call=Call(id="", tool=tool, arguments=arguments),
            effect=Effect.READ if effects == {Effect.READ} else Effect.UNDECLARED,
            schema=known[0].schema if known else {},
            tools=tuple(each.tool for each in tools),
            failure=Failure(error_class=classify_text(error)),
            error=error,
        )
        found = suggest_corrections(failed)
        like = self._find_alike(tool, arguments=arguments, error=error)
        told = tuple(
            replace(each, evidence=hide_secrets(each.evidence, arguments)) for each in found
        )
        return hide_in_advice(decide(failed, found), arguments), told, like

    def log(self, query: LogQuery) -> list[LogRow]:
        """Rows of the log."""
        return self.store.log.list_rows(self._find_names(query))

    def follow(self, query: LogQuery) -> Iterator[LogRow]:
        """The last rows that fit, then each new one as it is stored. Never ends by itself."""
        query = self._find_names(query)
        for row in reversed(self.store.log.list_rows(query)):
            query = replace(query, after=max(query.after, row.id))
            yield row
        query = replace(query, oldest_first=True, limit=500)
        while True:
            for row in self.store.log.list_rows(query):
                query = replace(query, after=row.id)
                yield row
            time.sleep(PAUSE)

    def diagnose(self, *, thorough: bool = True) -> Diagnosis:
        """Look at everything once; not thorough: without reading the store from end to end."""
        health = self.store.check_health(thorough=thorough)
        losses = tuple(self.store.log.list_losses())
        now = self.clock()
        slots = self.store.log.sum_rollups(since=now - timedelta(hours=24), until=now)
        counts = slots.values()
        calls = sum(c.calls for c in counts)
        share = sum(c.with_context for c in counts) / calls if calls else None
        derived = sum(c.derived for c in counts) / calls if calls else None
        problems = [*health.problems, *self._find_overdue(now)]
        if losses:
            problems.append(_describe_losses(losses))
        if health.open_actions:
            problems.append(f"{health.open_actions} actions are open: see `mulligan open`.")
        both = None if share is None or derived is None else share + derived
        little = both is not None and both < CONTEXT_GOAL
        advice = [_LITTLE_CONTEXT.format(share=both, goal=CONTEXT_GOAL)] if little else []
        found = self.store.log.list_finding_counts(since=now - timedelta(hours=24), until=now)
        outside = [each for each in found if each.rule == OUTSIDE]
        if outside:
            advice.append(_describe_outside(outside, self.settings.outside))
        advice += _describe_shadow(found)
        advice += self._find_misspelt({slot.tool for slot in slots if slot.server != OWN})
        advice += [
            f"The waiver of {each} has ended on {each.until}, and its findings count again: "
            "take it out of the settings."
            for each in self.settings.waivers
            if not each.holds(now)
        ]
        if self.settings.store.startswith("memory:") and health.kind == "memory":
            advice.append("The store is memory: all data is lost when the process ends.")
        if self.settings.redaction.capture is Capture.FULL:
            problems.append("capture is 'full': the log holds raw values. Not for production.")
        return Diagnosis(
            health=health,
            retention=self.settings.retention,
            losses=losses,
            calls=calls,
            failures=sum(c.failures for c in counts),
            with_context=share,
            derived_context=derived,
            capture=self.settings.redaction.capture,
            redaction=describe_form(fast=self.settings.redaction.fast),
            problems=tuple(problems),
            advice=tuple(advice),
            outside=tuple(outside),
            modes={} if self.tenant is not None else self.list_modes(),
            waivers=tuple(self.list_waivers()),
            tools=tuple(self.tools()),
        )

    def _find_misspelt(self, called: AbstractSet[str]) -> list[str]:
        """Declared tools that were never called, though others were: with a similar undeclared one
        that was, if there is one."""
        from mulligan.learning.closeness import find_typo

        tools = [each for each in self.tools() if each.effect != Effect.UNDECLARED]
        others = called - {each.tool for each in tools}
        silent = [each for each in tools if not self._is_called(each)] if called else []
        if silent:
            # A call that was held and never run is in no log.
            asked = self.store.journal.list_actions(ActionQuery(limit=MOST_ACTIONS))
            tried = {each.opening.tool for each in asked}
            silent = [each for each in silent if each.tool not in tried]
        near = {each.tool: find_typo(each.tool, others) for each in silent}
        found = [
            f"{tool} is declared but was never called; {other} is called but not declared. "
            f"If they are the same, fix the name in m.declare({tool!r}, …)."
            for tool, other in near.items()
            if other
        ]
        rest = sorted(tool for tool, other in near.items() if not other)
        if rest:
            more = f" and {len(rest) - MOST_SILENT} more" if len(rest) > MOST_SILENT else ""
            found.append(
                f"Neither log nor journal has a call of {', '.join(rest[:MOST_SILENT])}{more}, "
                f"which {'is' if len(rest) == 1 else 'are'} declared. If agents do call "
                f"{'it' if len(rest) == 1 else 'them'}, the names differ."
            )
        return found

    def _is_called(self, tool: KnownTool) -> bool:
        query = LogQuery(server=tool.server or None, tool=tool.tool, limit=1)
        return bool(self.store.log.list_rows(query))

    def _find_names(self, query: LogQuery) -> LogQuery:
        return replace(query, tenant=self.names.find_tenant(query.tenant))

    def _read_patterns(self, window: timedelta, *, most: int) -> list[PatternSeen]:
        now = self.clock()
        return self.store.log.list_patterns(PatternQuery(since=now - window, until=now, limit=most))

    def accept_damage(self, note: str) -> int:
        """Accept the damage of a journal and continue from what is left. How many were accepted."""
        if self.tenant is not None:
            raise ConfigurationError(
                "All tenants share the journal: accept damage without --tenant."
            )
        return self.store.journal.accept_damage(note)

    def _find_overdue(self, now: datetime) -> list[str]:
        limit = now - self.settings.retention.log - GRACE
        late = self.store.log.list_rows(LogQuery(until=limit, oldest_first=True, limit=1))
        if not late:
            return []
        oldest = from_us(late[0].at_us)
        kept_days = self.settings.retention.log.days
        return [
            f"The log has rows from {oldest:%Y-%m-%d}, past {kept_days} days: retention is late."
        ]


def migrate_store(settings: Settings) -> Health:
    """Create or upgrade the store. Its health afterwards."""
    store = _open(settings, migrate=True, tolerate_damage=True)
    try:
        return store.check_health()
    finally:
        store.close()


def back_up_store(settings: Settings, folder: Path) -> list[Path]:
    """Copy a store of files into a folder, from where it can be opened; what was made."""
    if not settings.store.startswith(("memory:", "sqlite:")):
        raise ConfigurationError(
            "Only a SQLite store can be copied as files. Back up Postgres with pg_dump or "
            "continuous archiving."
        )
    # Opened first, so that an unreadable store is reported before anything is written.
    with Insights.open(settings, tolerate_damage=True):
        from mulligan.stores.sqlite import read_path
        from mulligan.stores.sqlite.files import copy_files

        return copy_files(read_path(settings.store), folder)


class Copied(Struct, frozen=True, kw_only=True):
    """A copy of a store that was found to be equal."""

    source: str
    target: str
    rounds: int
    written: int
    tables: Mapping[str, CopiedTable]
    problems: tuple[str, ...]
    """What a check of the whole copy has found, one sentence each."""


def copy_store(
    settings: Settings, target: str, *, watch: Watch, on_round: Callable[[CopyRound], None]
) -> Copied:
    """Copy a store into an empty one, of files or of a server, until both are equal."""
    from mulligan.stores.copying import CopiedStore, copy_rows

    settings = replace(settings, row_security=False)
    for url in (settings.store, target):
        if not url.startswith(("sqlite:", "postgres:", "postgresql:", "postgresql+")):
            raise ConfigurationError(
                f"{strip_credentials(url)!r} cannot be copied: name sqlite:///file.db or "
                "postgresql://host/database."
            )
    # Opened without the key: nothing is signed there but what the source has signed.
    plain = replace(settings, store=target, vault_key=None)
    rounds: list[CopyRound] = []
    with (
        closing(_open(settings, migrate=False, tolerate_damage=False)) as source,
        closing(_open(plain, migrate=True, tolerate_damage=True)) as copy,
    ):
        both = cast("CopiedStore", source), cast("CopiedStore", copy)
        for done in copy_rows(*both, watch=watch):
            rounds.append(done)
            on_round(done)
    locked = replace(settings, store=target)
    with closing(_open(locked, migrate=False, tolerate_damage=True)) as copy:
        cast("CopiedStore", copy).set_marks()
        health = copy.check_health()
    return Copied(
        source=strip_credentials(settings.store),
        target=health.url,
        rounds=len(rounds),
        written=sum(each.written for each in rounds),
        tables=rounds[-1].tables,
        problems=health.problems,
    )


def _open(settings: Settings, *, migrate: bool, tolerate_damage: bool) -> Store:
    if settings.store.startswith("memory:"):
        raise ConfigurationError(
            "The store is memory:, the default, and ended with its process, so there is nothing "
            "to show. Name the application's store with --store URL or MULLIGAN_STORE."
        )
    return open_store(
        settings.store,
        migrate=migrate,
        vault_key=settings.vault_key,
        retention=settings.retention,
        tolerate_damage=tolerate_damage,
        row_security=settings.row_security,
    )


def _describe_shadow(found: Sequence[FindingCount]) -> Iterator[str]:
    would = Counter[str]()
    for each in found:
        area, _, what = each.rule.partition(".")
        if area == "shadow":
            would[what] += each.count
    if would:
        counts = ", ".join(f"{what} {count}" for what, count in would.most_common())
        yield (
            "Would have been done in the last day, had it not been for shadow mode: "
            f"{counts}. `mulligan view shadow`, a page of the dashboard, names the tools."
        )


def _describe_outside(calls: Sequence[FindingCount], rule: Outside) -> str:
    became = {
        Outside.TURN: "each was a turn of its own, checked without a message",
        Outside.RUN: "each was only made and logged, because of outside='run'",
        Outside.REFUSE: "each was refused, because of outside='refuse'",
    }[rule]
    by_tool = Counter[str]()
    for each in calls:
        by_tool[each.tool] += each.count
    names = ", ".join(f"{tool} {count}" for tool, count in by_tool.most_common(5))
    return (
        f"{by_tool.total()} calls with an effect were made outside any turn in the last day "
        f"({names}): {became}. Wrap them in `with m.turn(…)`, and hand work to threads with "
        "`turn.bind(function)`."
    )


def _describe_losses(losses: tuple[Loss, ...]) -> str:
    successes = sum(loss.successes for loss in losses)
    failures = sum(loss.failures for loss in losses)
    return (
        f"The log lost {successes + failures} rows ({failures} of failures), last on "
        f"{losses[-1].at:%Y-%m-%d %H:%M} UTC ({losses[-1].reason})."
    )


_CALL = {"name", "arguments"}


def read_arguments(written: str, *, tool: str) -> dict[str, object]:
    """The arguments in a JSON object, in one with slips, or in a call as models write them."""
    from mulligan.learning.model_output import read_calls
    from mulligan.learning.parsing import GarbledError, read_whole

    try:
        value = read_whole(written)
    except GarbledError:
        value = None
    if isinstance(value, dict) and not value.keys() >= _CALL:
        return value
    called = next(iter(read_calls(written, tools=(tool,))), None)
    if called is not None:
        return dict(called.arguments)
    raise ConfigurationError(
        f"{written[:80]!r} holds no arguments. Write a JSON object such as "
        f'\'{{"limit": "10"}}\', or the call as the model wrote it: {tool}(limit="10").'
    )
