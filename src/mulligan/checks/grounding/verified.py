"""Claims of a reply verified by a judge, one by one, each with the passage that decides it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from mulligan.checks.grounding.coverage import measure_coverage
from mulligan.checks.grounding.source import join_words, read_source
from mulligan.checks.text.fold import fold
from mulligan.core.display.question import Question, split_pieces
from mulligan.core.display.quoted import Ours, Quoted
from mulligan.core.display.size import is_long
from mulligan.core.finding import Finding, Severity, Source
from mulligan.core.interfaces import Judge
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.text import Claim, Reply, Support
from mulligan.core.waiting.awaiting import call_aside

PROMPT = "verify_claims"
REMEMBERED = 256
"""Answers that are kept for equal claims and context."""
MOST_PIECES = 12
"""Of a context; those nearest to the reply come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a judge answers: every claim it found in a reply. One that says nothing of claims has
    not answered."""

    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The claims of a reply with their support."""

    claims: tuple[Claim, ...]
    recalled: bool
    """Answered before, for equal claims and context."""

    @property
    def confirmed(self) -> bool:
        """Whether the judge spoke for the reply: there were claims, and each is supported."""
        supported = all(claim.support is Support.SUPPORTED for claim in self.claims)
        return bool(self.claims) and supported


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """That the claims of a reply are to be verified, and by whom."""

    severity: Severity = Severity.ERROR
    """Of a claim that the context does not support."""
    judge: object = ""
    """A judge of its own: a model, its name such as `anthropic:…`, an agent or a function; else the
    application's."""
    prompt: str = ""
    """In place of ours: a text, or the path of a file."""


class Verifier:
    """Asks a judge about a reply's claims, and never twice about the same."""

    def __init__(
        self,
        judge: Judge,
        *,
        severity: Severity = Severity.ERROR,
        remembered: int = REMEMBERED,
        own_prompt: str = "",
    ) -> None:
        self._own_prompt = own_prompt
        self._judge = judge
        self._severity = severity
        self._remembered = remembered
        self._answers: OrderedDict[tuple[object, ...], tuple[Claim, ...]] = OrderedDict()

    async def verify(self, reply: Reply) -> Verified | None:
        """What the judge says of each claim. `None`: it could not say, and is asked again later."""
        # All that the judge is asked with: an answer to another question is another answer.
        key = (" ".join(reply.text.split()), reply.query, reply.context)
        if (known := self._answers.get(key)) is not None:
            self._answers.move_to_end(key)
            return Verified(claims=known, recalled=True)
        question: Question[Claims]
        if is_long(reply.text, reply.context):
            question = await call_aside(_build_question, reply)
        else:
            question = _build_question(reply)
        answer = await self._judge.ask(replace(question, own_prompt=self._own_prompt))
        if answer is None:
            return None
        claims = tuple(_verify_passage(claim, reply.context) for claim in answer.claims)
        self._answers[key] = claims
        if len(self._answers) > self._remembered:
            self._answers.popitem(last=False)
        return Verified(claims=claims, recalled=False)

    def list_findings(self, claims: tuple[Claim, ...]) -> Iterator[Finding]:
        """What does not stand: an error for each unsupported claim, a warning where unsure."""
        for claim in claims:
            if claim.support is Support.UNSUPPORTED:
                yield Finding(
                    rule="grounding.unsupported_claim",
                    severity=self._severity,
                    issue=f"The context does not support this: {_quote_claim(claim)}",
                    correction=_describe_fix(claim),
                    source=Source.JUDGE,
                    quote=claim.text,
                )
            elif claim.support is Support.CANNOT_TELL:
                yield Finding(
                    rule="grounding.unclear_claim",
                    severity=Severity.WARNING,
                    issue=f"The context does not settle this: {_quote_claim(claim)}",
                    source=Source.JUDGE,
                    quote=claim.text,
                )


def _quote_claim(claim: Claim) -> Ours:
    return Quoted(claim.text, "a judge").as_line()


def _describe_fix(claim: Claim) -> str:
    if claim.passage:
        passage = Quoted(claim.passage, "the context").as_line()
        return f"Say what the context says ({passage}), or leave it out."
    return "Leave it out, or say only what the context says."


def _verify_passage(claim: Claim, context: tuple[str, ...]) -> Claim:
    """A judge that cites what is not there has not shown anything."""
    cited = join_words(fold(claim.passage))
    if cited.strip() and cited in read_source(context).running:
        return claim
    shown = claim.support is not Support.SUPPORTED
    return replace(claim, support=claim.support if shown else Support.CANNOT_TELL, passage="")


def _build_question(reply: Reply) -> Question[Claims]:
    return Question(
        prompt=PROMPT,
        values={"question": Ours(reply.query or "(none)")},
        untrusted={**split_pieces("reply", reply.text), **_choose_passages(reply)},
        answer=Claims,
        purpose="verify the claims of a reply",
    )


def _choose_passages(reply: Reply) -> Mapping[str, str]:
    """The context in pieces, in its own order; of a large one those nearest to the reply."""
    pieces = [piece for passage in reply.context for piece in split_pieces("", passage).values()]
    if len(pieces) > MOST_PIECES:
        near = sorted(pieces, key=lambda piece: measure_coverage(piece, context=(reply.text,)))
        chosen = set(near[-MOST_PIECES:])
        pieces = [piece for piece in pieces if piece in chosen]
    return _label_pieces("context", pieces)


def _label_pieces(name: str, pieces: list[str]) -> dict[str, str]:
    return {f"{name} {number}": piece for number, piece in enumerate(pieces, start=1)}
