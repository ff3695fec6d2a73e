"""Calls that have nothing to do with what was asked: no word in common, or values out of thin air.

Words are a weak witness of meaning. This is a warning for the agent, never a reason to stop a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mulligan.core.finding import Finding, Severity
from mulligan.learning.shape.schema import Schema
from mulligan.learning.values.closeness import fold, tokenize
from mulligan.learning.values.leaves import list_leaves
from mulligan.learning.values.stems import stem
from mulligan.learning.values.vocabulary import list_words

MOST_WORDS = 2_000
STOP_WORDS = list_words("""
    a an the of to in on at for from by with and or not no is are was were be been do does did can
    could will would should may might must have has had i me my you your we our they their he she it
    its this that these those what which who whom whose when where why how many much long far some
    any all each every more most other such only own same so than too very just about into over
    after before between during out up down off then once here there please tell give show find get
    want need know like make let help using use used based given specific certain particular value
    values number list name type data information details result results function calculate retrieve
    return returns default optional integer string boolean float array
""")
"""Words that any question and any description may have."""


def check_relevance(
    schema: Schema,
    *,
    tool: str,
    description: str,
    arguments: Mapping[str, object],
    said: Sequence[str],
) -> Finding | None:
    """A warning if neither the tool's words nor the call's values come from what was said."""
    question = " ".join(said)
    asked = _list_content(question)
    if not asked:
        return None
    offered = _list_content(" ".join((tool, description, *schema.properties)))
    shared = asked & offered
    made_up = _measure_made_up(schema, arguments, fold(question))
    if (shared or not made_up) and not (made_up > 0.5 and len(shared) < 2):
        return None
    return Finding(
        rule="call.irrelevant",
        severity=Severity.WARNING,
        issue=f"{tool} shares {len(shared)} words with the question, and {made_up:.0%} of what it "
        "needs was never said.",
        correction="Call a tool that answers the question, or say that none does.",
    )


def _list_content(text: str) -> set[str]:
    words = {stem(word) for word in tokenize(text)[:MOST_WORDS] if word not in STOP_WORDS}
    return {word for word in words if len(word) > 2}


def _measure_made_up(schema: Schema, arguments: Mapping[str, object], question: str) -> float:
    """The share of required arguments of which nothing stands in the question."""
    needed = [name for name in schema.required if name in arguments] or list(arguments)
    if not needed:
        return 1.0
    invented = [name for name in needed if not _is_grounded(arguments[name], question)]
    return len(invented) / len(needed)


def _is_grounded(value: object, question: str) -> bool:
    held = [each for _, each in list_leaves(value, most=100) if each is not None]
    if not held or all(isinstance(each, bool) for each in held):
        return True
    return any(_stands(each, question) for each in held)


def _stands(value: object, question: str) -> bool:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    words = [fold(word) for word in tokenize(str(value)) if len(word) > 1 or word.isdigit()]
    return fold(str(value)) in question or any(
        stem(word) in question for word in words if len(word) > 2
    )
