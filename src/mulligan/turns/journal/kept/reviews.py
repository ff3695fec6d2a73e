"""What reviews of a turn came to, with what they quote: for the page of the turn, for a while.

Facts, findings and corrections quote arguments and the person's own words. So they are kept where
those are, less secrets and within bounds, and end as those do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from mulligan.codec.records import decode_record, encode_record
from mulligan.core.action import Kept
from mulligan.core.finding import Verdict
from mulligan.core.interfaces import Vault
from mulligan.core.runtime.dataclass import dataclass

MOST = 20
"""Facts and findings of one review, the first."""
LONGEST = 2_000
LONGEST_CORRECTION = 8_000
MOST_ATTEMPTS = 50
"""Of one turn, whose reviews are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFinding:
    """One thing that was found."""

    rule: str
    severity: str
    source: str
    issue: str
    correction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReview:
    """One review of one attempt."""

    attempt: int
    at: datetime
    late: bool
    """It was made after the turn had ended."""
    standing: str
    confidence: str
    """Empty: nobody has looked, or could say."""
    by: tuple[str, ...]
    facts: tuple[str, ...]
    findings: tuple[KeptFinding, ...]
    told: str
    """The correction that the attempt was begun with; empty: it was the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedAttempt:
    """An attempt that a review has just come to an end for."""

    turn: str
    number: int
    verdict: Verdict
    told: str = ""
    late: bool = False

    def has_something_to_say(self) -> bool:
        """Whether anybody looked, or there was anything to be seen."""
        return bool(self.verdict.by or self.verdict.findings or self.verdict.facts)


def keep_review(
    reviewed: ReviewedAttempt, *, at: datetime, until: datetime, scrub: Callable[[str], str]
) -> Kept:
    """A review as a value that ends."""
    verdict = reviewed.verdict

    def show(text: str | None, most: int = LONGEST) -> str:
        return scrub(text or "")[:most].encode("utf-8", "replace").decode()

    kept = KeptReview(
        attempt=reviewed.number,
        at=at,
        late=reviewed.late,
        standing=verdict.standing.value,
        confidence=verdict.confidence.value if verdict.confidence else "",
        by=verdict.by,
        facts=tuple(show(fact.about) for fact in verdict.facts[:MOST]),
        findings=tuple(
            KeptFinding(
                rule=show(each.rule),
                severity=each.severity.value,
                source=each.source.value,
                issue=show(each.describe()),
                correction=show(each.correction),
            )
            for each in verdict.findings[:MOST]
        ),
        told=show(reviewed.told, LONGEST_CORRECTION),
    )
    name = _name_review(reviewed.number, late=reviewed.late)
    value = encode_record(kept).encode()
    return Kept(owner=reviewed.turn, name=name, value=value, expires_at=until)


def load_reviews(vault: Vault, turn: str, *, attempts: int) -> Sequence[KeptReview]:
    """Every review of a turn that is still kept, in order; `attempts` are known to be there."""
    return sorted(_list_reviews(vault, turn, attempts=attempts), key=lambda each: each.at)


def _list_reviews(vault: Vault, turn: str, *, attempts: int) -> Iterator[KeptReview]:
    for number in range(1, MOST_ATTEMPTS + 1):
        found = [vault.get(turn, _name_review(number, late=late)) for late in (False, True)]
        if number > attempts and not any(found):
            return
        yield from (decode_record(KeptReview, each) for each in found if each is not None)


def _name_review(attempt: int, *, late: bool) -> str:
    return f"{'late ' if late else ''}review {attempt}"
