"""Critics of drafts: a judge, plain functions, and several of them as one."""

from __future__ import annotations

import logging
import statistics
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import cast

from mulligan.core.display.question import Question, split_pieces
from mulligan.core.display.quoted import Ours
from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Judge
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.text import Critique, Draft
from mulligan.core.waiting.awaiting import call_function
from mulligan.prompts.template import read_own_prompt
from mulligan.redaction.agent_text import hide_secrets

PROMPT = "critique_draft"
RUBRIC = "Accuracy, completeness, clarity."
TIMEOUT = timedelta(seconds=30)
"""For one critique, within the time of the whole draft: who wants a good answer waits longer than
who waits for a reply."""
ASKED = 2
"""An unreadable critique is asked for once more."""

_report = logging.getLogger("mulligan")

Critic = Callable[[str, Draft], Critique | Awaitable[Critique | None] | None]
"""Says how good a draft is as an answer to a question. `None`: it could not say."""

Combine = Callable[[Sequence[Critique]], Critique]


@dataclass(frozen=True, slots=True)
class JudgeCritic:
    """A critic that is a judge, asked with a rubric, or with a prompt of somebody's own."""

    judge: object = None
    """`None`: the application's."""
    rubric: str = RUBRIC
    own_prompt: str = ""
    timeout: timedelta = TIMEOUT

    async def __call__(self, question: str, draft: Draft) -> Critique | None:
        """What the judge says of the draft."""
        if not hasattr(self.judge, "ask"):
            raise ConfigurationError("This critic has no judge: use it in m.draft, or give it one.")
        return await cast("Judge", self.judge).ask(
            Question(
                prompt=PROMPT,
                own_prompt=self.own_prompt,
                values={"question": Ours(question), "rubric": Ours(self.rubric)},
                untrusted=split_pieces("draft", draft.text),
                answer=Critique,
                timeout=self.timeout,
                purpose="criticise a draft",
            )
        )


def judged_by(
    judge: object = None,
    *,
    rubric: str = RUBRIC,
    prompt: str | Path = "",
    timeout: timedelta = TIMEOUT,
) -> JudgeCritic:
    """A critic that is a model: a judge, or what `m.draft` makes one of; else the application's.

    The rubric says what to look at. A prompt, as text or as the path of a file, replaces it all:
    with `{{question}}` and `{{rubric}}` where they shall stand. The draft always follows, fenced.
    """
    own = read_own_prompt(prompt) if prompt else ""
    return JudgeCritic(judge=judge, rubric=rubric, own_prompt=own, timeout=timeout)


def combine_worst(critiques: Sequence[Critique]) -> Critique:
    """The strictest critic decides; what the others noticed is passed on too."""
    return _merge_critiques(critiques, score=min(critique.score for critique in critiques))


def combine_mean(critiques: Sequence[Critique]) -> Critique:
    """All critics weigh the same."""
    return _merge_critiques(
        critiques, score=statistics.fmean(critique.score for critique in critiques)
    )


async def criticise(
    critics: Sequence[Critic], *, question: str, draft: Draft, combine: Combine = combine_worst
) -> Critique | None:
    """One critique from all critics. `None` when one of them could not say, asked twice."""
    critiques: list[Critique] = []
    for critic in critics:
        critique = await _ask_critic(critic, question, draft)
        if critique is None:
            return None
        critiques.append(critique)
    combined = _validate_critique(combine(critiques)) if critiques else None
    return None if combined is None else _hide_in_critique(combined)


async def _ask_critic(critic: Critic, question: str, draft: Draft) -> Critique | None:
    for _ in range(ASKED):
        try:
            critique = await call_function(critic, question, draft)
        except Exception as error:  # noqa: BLE001 - whatever a critic raises, it has not answered
            _report.warning("A critic failed (%s).", type(error).__name__)
            continue
        if (read := _validate_critique(critique)) is not None:
            return read
    return None


def _validate_critique(said: object) -> Critique | None:
    return said if isinstance(said, Critique) and said.readable else None


def _hide_in_critique(critique: Critique) -> Critique:
    """As the writer is told of it, and whoever reads the log."""
    return replace(
        critique,
        issues=tuple(map(hide_secrets, critique.issues)),
        suggestion=hide_secrets(critique.suggestion),
    )


def _merge_critiques(critiques: Sequence[Critique], *, score: float) -> Critique:
    asked_for = {critique.needs_revision for critique in critiques}
    # One that wants a revision is heard; that none is needed, all must say.
    needs = True if True in asked_for else (False if asked_for == {False} else None)
    issues = (issue for critique in critiques for issue in critique.issues)
    by_score = sorted(critiques, key=lambda critique: critique.score)
    return Critique(
        score=score,
        issues=tuple(dict.fromkeys(issues)),
        suggestion="\n".join(c.suggestion for c in by_score if c.suggestion),
        needs_revision=needs,
    )
