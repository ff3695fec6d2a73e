"""How often a reflector's proposals helped, over all tasks it wrote for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mulligan.core.interfaces import Archive
from mulligan.core.notes import Ground
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.tasks.belief import NOBODY, ReflectorRecord, weigh

MOST_GROUNDS = 20
"""Other grounds that are asked, the latest: a reflector may have got better."""
LEAST_SPREAD = 0.008
"""However many tasks agree, the next may be another kind of task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectorSummary:
    """What a reflector's proposals came to, in words for people."""

    by: str
    proposals: int
    """That were scored at least once."""
    helped: int
    """Of those, the ones that are more probably better than what they were built on."""
    record: ReflectorRecord


def read_record(archive: Archive, by: str, *, apart_from: Ground) -> ReflectorRecord:
    """What the tenant's other tasks say of a reflector: the prior of its next proposal."""
    others = [
        ground
        for ground in archive.list_grounds()
        if ground.tenant == apart_from.tenant and ground.task != apart_from.task
    ]
    told = (_judge_on(archive, ground, by) for ground in others[-MOST_GROUNDS:])
    return combine(record for record, _, _ in told if record is not None)


def summarize(archive: Archive, *, tenant: str = "") -> list[ReflectorSummary]:
    """Every reflector that proposed something for a tenant, the most trusted first."""
    grounds = [ground for ground in archive.list_grounds() if ground.tenant == tenant]
    names = {by for ground in grounds for by in _list_reflectors(archive, ground)}
    found = []
    for by in sorted(names):
        told = [_judge_on(archive, ground, by) for ground in grounds]
        found.append(
            ReflectorSummary(
                by=by,
                proposals=sum(proposals for _, proposals, _ in told),
                helped=sum(helped for _, _, helped in told),
                record=combine(record for record, _, _ in told if record is not None),
            )
        )
    return sorted(found, key=lambda each: each.record.trust, reverse=True)


def combine(records: Iterable[ReflectorRecord]) -> ReflectorRecord:
    """Several tasks' word on one reflector: each counts by how sure it is beyond the prior."""
    usual = 1.0 / NOBODY.spread**2
    precision, pull = usual, NOBODY.mean * usual
    for record in records:
        own = 1.0 / record.spread**2
        # One that is unlike most is known less exactly than the prior, and is no less known.
        beyond = own > usual
        precision += own - usual if beyond else own
        pull += own * record.mean - (NOBODY.mean * usual if beyond else 0.0)
    spread = max(LEAST_SPREAD, precision**-0.5)
    return ReflectorRecord(mean=pull / precision, spread=spread)


def _judge_on(archive: Archive, ground: Ground, by: str) -> tuple[ReflectorRecord | None, int, int]:
    """One ground's word: the record, how many proposals were scored, how many of them helped."""
    versions = archive.list_versions(ground.task, tenant=ground.tenant)
    theirs = {notes.version for notes in versions if notes.by == by and notes.version}
    cards = {card.version: card for card in archive.list_scorecards(ground)}
    scored = [v for v in theirs if v in cards and cards[v].scored]
    if not scored:
        return None, 0, 0
    parents = {notes.version: notes.parent for notes in versions}
    seen = {v: card for v, card in cards.items() if v in theirs or v == 0}
    beliefs = weigh(seen, parents)
    helped = 0
    for version in scored:
        parent = parents.get(version) or 0
        if version in beliefs.places:
            beside = parent if parent in beliefs.places else 0
            helped += beliefs.compare(version, beside) > 0.5
    return beliefs.judge_reflector(), len(scored), helped


def _list_reflectors(archive: Archive, ground: Ground) -> Iterator[str]:
    for notes in archive.list_versions(ground.task, tenant=ground.tenant):
        if notes.version and notes.by:
            yield notes.by
