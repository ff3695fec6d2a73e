"""Suggestions from the other tools: a call to make first, if the error asks for it in its name.

"Please log in first" and a tool called `log_in` belong together. It is only offered: whether the
other call may be made is for its own declaration to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.core.failures.suggestion import FailedCall, FirstCall, Kind, Origin, Patch, Suggestion
from mulligan.learning.errors.messages import extract_message
from mulligan.learning.errors.wording import find_likely_class
from mulligan.learning.repair.priors import estimate_prior
from mulligan.learning.values.closeness import pick_only, tokenize
from mulligan.learning.values.stems import stem

MOST_TOOLS = 500


def from_tools(failed: FailedCall) -> Iterator[Suggestion]:
    """The one tool whose name the error spells out."""
    if not find_likely_class(failed.failure, failed.error).traits.another_call_may_help:
        return
    said = {stem(word) for word in tokenize(extract_message(failed.error)[:4_000])}
    scores = {tool: _score_name(tool, said) for tool in failed.tools[:MOST_TOOLS]}
    scores.pop(failed.call.tool, None)
    best = max(scores.values(), default=0.0)
    first = pick_only(tool for tool, score in scores.items() if score == best) if best else None
    if first is None:
        return
    yield Suggestion(
        patch=Patch(first=(FirstCall(tool=first),)),
        source=Origin.SCHEMA,
        kinds=(Kind.FIRST,),
        probability=estimate_prior(Origin.SCHEMA, (Kind.FIRST,)),
        n=0,
        evidence=f"the error asks for what {first} does",
    )


def _score_name(tool: str, said: set[str]) -> float:
    """How much of a tool's name an error says: all of a short one, two words of a longer one."""
    words = [stem(word) for word in tokenize(tool)]
    heard = sum(word in said for word in words)
    return heard / len(words) if words and (heard >= 2 or heard == len(words)) else 0.0
