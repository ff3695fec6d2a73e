"""Text for a person: replies and drafts with every try, critiques, ratings."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr, replace

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
    """The characters of a text alone: a user's class may claim anything about itself."""
    return str.__str__(text)


def list_passages(context: object) -> tuple[Any, ...]:
    """A context as passages: one text is one. What is none is left to be refused."""
    if isinstance(context, str | Mapping) or not isinstance(context, Iterable):
        return (context,)
    return tuple(context)


class Reply(Struct, frozen=True, kw_only=True):
    """Text about to be sent, with the context it must rest on."""

    text: str
    query: str = ""
    context: tuple[str, ...] = ()
    """Retrieved passages and tool results: what the text may claim. One text is one passage."""

    def __post_init__(self) -> None:
        force_setattr(self, "context", list_passages(self.context))


class Written(Struct, frozen=True, kw_only=True):
    """What a writer wrote, and what it took."""

    text: str
    tokens: int = 0
    money: float = 0.0
    """In whatever unit the budget is."""


class OnFail(StrEnum):
    """What happens to a reply that fails a check."""

    RETRY = "retry"
    """It is written again; at the bound it is sent, marked."""
    REPAIR = "repair"
    """It is fixed by rule, then as `RETRY`."""
    HOLD = "hold"
    """It is written again; at the bound it is kept back for a person, and the fallback is sent."""
    FALLBACK = "fallback"
    """It is written again; at the bound the fallback is sent instead."""
    SEND = "send"
    """It is sent, marked, and not written again for this."""

    @property
    def withholds(self) -> bool:
        """Whether what fails it is never sent."""
        return self in (OnFail.HOLD, OnFail.FALLBACK)


def read_on_fail(said: object, *, name: str) -> OnFail:
    """The policy of that name, or a sentence about what there is."""
    for policy in OnFail:
        if said == policy:
            return policy
    raise ConfigurationError(f"{name} has on_fail = {said!r}. There are: {', '.join(OnFail)}.")


class TextCheck(Struct, frozen=True, kw_only=True):
    """A check of replies that can also tell a writer what it asks for."""

    name: str
    look: Callable[[Reply], Iterable[Finding]]
    asks: str
    """A sentence for a prompt, in the imperative: writer and checker agree by it."""
    fix: Callable[[str], str] | None = None
    """Puts right by rule what it finds. `None`: only a writer can."""
    unless: Callable[[Reply], bool] | None = None
    """For which replies it asks for nothing, such as the answer to a greeting."""
    skips: Callable[[Reply], Iterable[str]] | None = None
    """What it cannot look at in a reply, a sentence each. `None`: it looks at everything."""
    early: bool = False
    """Whether it can decide on the way: what is wrong in a beginning stays wrong, and what is
    right in it too, however the text goes on."""
    on_fail: OnFail = OnFail.RETRY

    def __post_init__(self) -> None:
        force_setattr(self, "on_fail", read_on_fail(self.on_fail, name=self.name))
        if self.on_fail is OnFail.REPAIR and self.fix is None:
            raise ConfigurationError(
                f"{self.name} cannot repair a reply by rule as it is set up: choose another "
                "on_fail, or see its settings for a fix."
            )

    def if_failed(self, on_fail: OnFail | str) -> TextCheck:
        """The same check, with another policy: `avoids(words=[…]).if_failed("hold")`."""
        return replace(self, on_fail=on_fail)

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

    def __str__(self) -> str:
        """The score and the issues."""
        return f"{self.score:g}/10" + (f": {'; '.join(self.issues)}" if self.issues else "")

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
    withheld: OnFail | None = None
    """Not sent, because of a check that says so (`HOLD`, `FALLBACK`): the text is the fallback."""
    kept_back: Reply | None = None
    """What was not sent. It waits for nobody: have a held tool send it, or drop it."""
    checks_run: tuple[str, ...]
    not_looked_at: tuple[str, ...] = ()
    """What the checks could not look at, such as number words of a language that they do not know.
    With any of it, an accepted reply has low confidence."""
    judge_asked: int = 0
    judge_recalled: int = 0
    limit: str = ""
    """Which limit ended it before it was good: `time`, `tokens` or `money`; empty: none did."""
    tokens: int = 0
    """Of the writer and of the judge, as far as they report it; so is the money."""
    money: float = 0.0
    seconds: float = 0.0
    id: str = ""
    """Of its row in the log, for `m.rate` and `mulligan show`; empty outside an application."""

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.reply.text

    def __str__(self) -> str:
        """What the person reads."""
        return self.text

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
            "not_looked_at": list(self.not_looked_at),
            "judge": {"asked": self.judge_asked, "recalled": self.judge_recalled},
            "standing": self.standing.value,
            "confidence": self.confidence.value if self.confidence else None,
            "bound_reached": self.bound_reached,
            "withheld": self.withheld.value if self.withheld else None,
            "limit": self.limit,
            "tokens": self.tokens,
            "money": self.money,
            "seconds": self.seconds,
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
    """Why, as a person wrote it, less secrets."""
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
