"""The life of a lesson: what its uses came to says where it stands, and a person's word above it.

CANDIDATE ── proven, or a person's word ──▶ ACTIVE
    ▲                                         │
    └────────── the schema changed ───────────┤
QUARANTINED ◀── net harm, or a doubt ─────────┤  (from CANDIDATE too)
RETIRED     ◀── revoked, or long unneeded ────┘
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

from mulligan.core.failures.lesson import Balance, Lesson, LessonState
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.lessons.calibration.intervals import compute_wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeRules:
    """Every number of the life cycle."""

    uses: int = 3
    """Verified uses that prove a lesson …"""
    turns: int = 2
    """… from so many turns and, where people or tenants are named …"""
    principals: int = 3
    """… from so many people …"""
    share: int = 3
    """… and from more than one in so many of those that are known …"""
    most_people: int = 20
    """… of whom never more than this are asked for."""
    harms: int = 2
    """So many harms quarantine it, unless the good outweighs them by far …"""
    surely: float = 0.8
    """… which is when this share of its sources were helped, at the lower end of what is sure."""
    quiet: timedelta = timedelta(days=180)
    """Unneeded for so long, it is retired."""


RULES = LifeRules()
EVIDENCE = "evidence"
"""Who put a lesson where it stands, if nobody did."""
SEED = "seed"
"""Who wrote the curated lessons, which belong to nobody."""


def judge_life(
    lesson: Lesson,
    balance: Balance,
    *,
    now: datetime,
    schema_hash: str = "",
    people: int | None = None,
    last_needed: datetime | None = None,
    rules: LifeRules = RULES,
) -> Lesson | None:
    """The next version of a lesson by what its uses came to; `None` when it stays where it is.

    `balance` counts from `find_count_start`. `schema_hash` is the tool's now, empty when unknown.
    `people`: how many its tenant is known to have; `None` where an application names nobody.
    """
    if not lesson.state.living:
        return None
    named = people is not None
    if balance.harmed >= rules.harms and not _is_redeemed(balance, named=named, rules=rules):
        why = f"it harmed {balance.harmed} times and helped {balance.helped} times"
        return _move_lesson(lesson, LessonState.QUARANTINED, why=why, now=now)
    if lesson.schema_hash and schema_hash not in ("", lesson.schema_hash):
        why = "the tool's schema has changed"
        fresh = replace(lesson, schema_hash=schema_hash)
        return _move_lesson(fresh, LessonState.CANDIDATE, why=why, now=now)
    if now - (last_needed or lesson.learned_at) > rules.quiet:
        why = f"nothing has needed it for {rules.quiet.days} days"
        return _move_lesson(lesson, LessonState.RETIRED, why=why, now=now)
    if lesson.state is LessonState.CANDIDATE and is_proven(
        balance, people=people, met=lesson.met, rules=rules
    ):
        return _move_lesson(
            lesson, LessonState.ACTIVE, why=_describe_proof(balance, named=named), now=now
        )
    return None


def is_proven(
    balance: Balance, *, people: int | None = None, met: int = 0, rules: LifeRules = RULES
) -> bool:
    """Whether enough verified uses by enough sources speak for a lesson."""
    # Where people are named, one of them does not speak for the others.
    by_people = people is not None or balance.principals > 0
    enough = has_enough_people(balance, people=people or 0, met=met, rules=rules)
    spread = balance.turns >= rules.turns and (enough or not by_people)
    named = people is not None
    harmless = balance.harmed == 0 or _is_redeemed(balance, named=named, rules=rules)
    return balance.helped >= rules.uses and spread and harmless


def has_enough_people(
    balance: Balance, *, people: int, met: int = 0, rules: LifeRules = RULES
) -> bool:
    """Whether those who vouch for a lesson are more than a few who agreed to, of all there are.

    `people` are all that the tenant is known to have, `met` those who had such a failure: most of
    them must have mended it so.
    """
    share = min(people // rules.share + 1, rules.most_people)
    return balance.principals >= max(rules.principals, share) and 2 * balance.principals > met


def find_count_start(history: Sequence[Lesson]) -> datetime | None:
    """Since when uses count: a changed schema and a person's word both start anew."""
    start = None
    for before, after in pairwise(history):
        by_person = after.by != EVIDENCE and after.state is not before.state
        if by_person or (before.schema_hash and after.schema_hash != before.schema_hash):
            start = after.learned_at
    return start


def approve(lesson: Lesson, *, by: str, at: datetime, why: str = "") -> Lesson:
    """The next version of a lesson that a person vouches for."""
    return _move_lesson(lesson, LessonState.ACTIVE, why=why or "a person's word", now=at, by=by)


def quarantine(lesson: Lesson, *, by: str, at: datetime, why: str = "") -> Lesson:
    """The next version of a lesson that a person doubts."""
    return _move_lesson(
        lesson, LessonState.QUARANTINED, why=why or "a person's doubt", now=at, by=by
    )


def revoke(lesson: Lesson, *, by: str, at: datetime, why: str = "") -> Lesson:
    """The last version of a lesson: it is not learned anew."""
    return _move_lesson(lesson, LessonState.RETIRED, why=why or "revoked", now=at, by=by)


def _is_redeemed(balance: Balance, *, named: bool, rules: LifeRules) -> bool:
    """Whether the good outweighs the harm. A source counts once: none can buy a lesson free."""
    sources = balance.principals if named else balance.turns
    return compute_wilson(sources, sources + balance.harmed)[0] >= rules.surely


def _describe_proof(balance: Balance, *, named: bool) -> str:
    spread = f"{balance.principals} people" if named else f"{balance.turns} turns"
    return f"it helped {balance.helped} times, in {spread}"


def _move_lesson(
    lesson: Lesson, state: LessonState, *, why: str, now: datetime, by: str = EVIDENCE
) -> Lesson:
    return replace(
        lesson, version=lesson.version + 1, state=state, why=why, by=by, learned_at=now, batch=""
    )
