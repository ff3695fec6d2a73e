"""Text on its way to a person: replies and drafts with every try, critiques, ratings."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import force_setattr

from mulligan.types.call import OWN, LogRow, Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Confidence, Finding, Standing, Verdict
from mulligan.types.values import from_us
from mulligan_dates.text import is_number

BEST_SCORE = 10.0
RATE_TARGET = (0.20, 0.40)
"""The share of replies that healthy checks have written again."""
ITERATIONS_TARGET = (1.5, 2.5)
"""Replies written for one, on average."""


def read_plain(text: str) -> str:
    """The characters of a text alone: a class of somebody's own may answer anything of itself."""
    return str.__str__(text)


class Reply(Struct, frozen=True, kw_only=True):
    """Text about to be sent, with the context it must rest on."""

    text: str
    query: str = ""
    context: tuple[str, ...] = ()
    """Retrieved passages and tool results: what the text may claim. One text is one passage."""

    def __post_init__(self) -> None:
        given: object = self.context
        passages = (given,) if isinstance(given, str) else tuple(self.context)
        force_setattr(self, "context", passages)


class Written(Struct, frozen=True, kw_only=True):
    """What a writer wrote, and what it took."""

    text: str
    tokens: int = 0
    money: float = 0.0
    """In whatever unit the budget is."""


class TextCheck(Struct, frozen=True, kw_only=True):
    """A check of replies that can also tell a writer what it asks for."""

    name: str
    look: Callable[[Reply], Iterable[Finding]]
    asks: str
    """A sentence for a prompt, in the imperative: writer and checker agree by it."""
    mend: Callable[[str], str] | None = None
    """Puts right by rule what it finds. `None`: only a writer can."""
    unless: Callable[[Reply], bool] | None = None
    """For which replies it asks for nothing, such as the answer to a greeting."""

    def __call__(self, reply: Reply) -> Iterable[Finding]:
        """What it finds in a reply that it is meant for."""
        if self.unless is not None and self.unless(reply):
            return ()
        return self.look(reply)


class Support(StrEnum):
    """What the context says about a claim."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    CANNOT_TELL = "cannot_tell"


class Claim(Struct, frozen=True, kw_only=True):
    """One claim of a reply, and what the context says about it."""

    text: str
    support: Support
    passage: str = ""
    """The words of the context that decide it."""


class Draft(Struct, frozen=True, kw_only=True):
    """An answer in progress."""

    text: str
    number: int
    """1 for the first, then one more for each revision."""
    with_tools: bool = True
    """False: its writer ran out of tool steps, and wrote it without them."""


class Critique(Struct, frozen=True, kw_only=True):
    """What a critic says of a draft."""

    score: float
    """0 to 10."""
    issues: tuple[str, ...] = ()
    suggestion: str = ""
    needs_revision: bool | None = None
    """`None`: the critic did not say, and the score decides."""

    @property
    def readable(self) -> bool:
        """Whether it says what a critique must: garbage is no critique, and never a pass."""
        return is_number(self.score) and math.isfinite(self.score) and 0 <= self.score <= BEST_SCORE

    def accepts(self, *, at: float) -> bool:
        """Whether the draft is good enough."""
        return self.score >= at or self.needs_revision is False


class Iteration(Struct, frozen=True, kw_only=True):
    """One try of a reply, and what was found in it."""

    reply: Reply
    verdict: Verdict
    feedback: str = ""
    """What the next try was told; empty for the last one."""


class Replied(Struct, frozen=True, kw_only=True):
    """The reply that goes out, and how it came to be."""

    reply: Reply
    standing: Standing
    confidence: Confidence | None
    findings: tuple[Finding, ...]
    """What is still wrong with it; empty when nothing is."""
    iterations: tuple[Iteration, ...]
    bound_reached: bool
    """Sent although it was rejected: marked, and worth a look by a person."""
    checks_run: tuple[str, ...]
    judge_asked: int = 0
    judge_recalled: int = 0
    limit: str = ""
    """Which limit ended it before it was good: `time`, `tokens` or `money`; empty: none did."""
    tokens: int = 0
    money: float = 0.0
    id: str = ""
    """Of its row in the log, for `m.rate` and `mulligan show`; empty outside an application."""

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.reply.text

    @property
    def metadata(self) -> Mapping[str, object]:
        """What travels with the reply, ready for JSON."""
        return {
            "iteration_count": len(self.iterations),
            "reflection_feedback": "\n\n".join(i.feedback for i in self.iterations if i.feedback),
            "findings": [
                [
                    {
                        "rule": each.rule,
                        "severity": each.severity.value,
                        "issue": each.issue,
                        "quote": each.quote,
                    }
                    for each in i.verdict.findings
                ]
                for i in self.iterations
            ],
            "checks_run": list(self.checks_run),
            "judge": {"asked": self.judge_asked, "recalled": self.judge_recalled},
            "standing": self.standing.value,
            "confidence": self.confidence.value if self.confidence else None,
            "bound_reached": self.bound_reached,
            "limit": self.limit,
        }


RATED = "text.rated"
"""The row of a rating; its parent is what was rated."""
LONGEST_NOTE = 2_000


class Rating(Struct, frozen=True, kw_only=True):
    """One thumb, up or down."""

    of: str
    """The id of what was rated."""
    up: bool
    note: str = ""
    """Why, in a person's words, less secrets."""
    at: datetime | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.of, str) or not self.of:
            raise ConfigurationError("A rating needs the id of what it is for: m.rate(done.id, …).")
        if not isinstance(self.up, bool):
            raise ConfigurationError(f"up is {self.up!r}; say up=True or up=False.")


def build_rating_row(rating: Rating, *, row_id: str, at_us: int, tenant: str) -> LogRow:
    """A rating as the log keeps it."""
    return LogRow(
        id=row_id,
        at_us=at_us,
        tenant=tenant,
        agent="",
        server=OWN,
        tool=RATED,
        parameters=json.dumps({"up": rating.up, "note": rating.note[:LONGEST_NOTE]}),
        context="",
        outcome=Outcome.SUCCESS.value,
        duration_us=0,
        parent=rating.of,
    )


def read_rating(row: LogRow) -> Rating:
    """The rating that a row keeps."""
    said = json.loads(row.parameters)
    return Rating(
        of=row.parent or row.id,
        up=bool(said.get("up")),
        note=str(said.get("note", "")),
        at=from_us(row.at_us),
    )
