"""Suggestions from this very turn: the value that was meant, if only one can have been.

Never the value of another call or another person: what is offered stood in the person's words or in
a result of this turn. It is offered to the agent and not applied, for it says something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mulligan.core.effect import Effect
from mulligan.core.failures.suggestion import FailedCall, Kind, Origin, Suggestion
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.errors.messages import extract_message
from mulligan.learning.errors.wording import find_likely_class
from mulligan.learning.repair.knowledge import Knowledge, Value
from mulligan.learning.repair.patches import diff_arguments
from mulligan.learning.repair.priors import estimate_prior
from mulligan.learning.values.closeness import fold, measure_distance, pick_only, tokenize
from mulligan.learning.values.leaves import Path, find_key, list_leaves
from mulligan.learning.values.replace import replace_value

LONGEST_VALUE = 80
SHORTEST = 3
"""Letters and digits below which a value says nothing."""
MOST_CULPRITS = 12
POINTERS = frozenset({"id", "ids", "number", "code", "email", "name", "key", "uuid", "slug", "zip"})
"""Words in the name of an argument that points at something."""


@dataclass(frozen=True, slots=True)
class Culprit:
    """An argument that the failure may be about."""

    path: Path
    value: str

    @property
    def key(self) -> str:
        """The name it stands under."""
        return find_key(self.path)


def from_turn(failed: FailedCall) -> Iterator[Suggestion]:
    """The one argument that points at nothing, with the one value of this turn it may mean."""
    if not find_likely_class(failed.failure, failed.error).traits.another_value_may_help:
        return
    known = Knowledge(failed.said, failed.earlier)
    offers = [
        (culprit, value, kind, why)
        for culprit in find_culprits(failed, known)
        for value, kind, why in [_find_meant(culprit, known, reads=failed.effect is Effect.READ)]
        if value is not None
    ]
    if len(offers) != 1:
        return
    culprit, value, kind, why = offers[0]
    after = replace_value(failed.call.arguments, at=culprit.path, value=value)
    yield Suggestion(
        patch=diff_arguments(failed.call.arguments, after),
        source=Origin.TURN,
        kinds=(kind,),
        probability=estimate_prior(Origin.TURN, (kind,)),
        n=0,
        evidence=f"{culprit.key}: {culprit.value!r} {why} {value!r}",
    )


def find_culprits(failed: FailedCall, known: Knowledge) -> list[Culprit]:
    """The arguments the error is about: quoted by it, else named by it, else never seen before."""
    found = [
        Culprit(path, value)
        for path, value in list_leaves(failed.call.arguments, most=200)
        if isinstance(value, str) and value.strip() and len(value) <= LONGEST_VALUE
    ]
    said = extract_message(failed.error)[:4_000]
    quoted = [each for each in found if len(each.value) > 2 and each.value in said]
    words = set(tokenize(said))
    named = [each for each in found if set(tokenize(each.key)) & words - POINTERS]
    unseen = [each for each in found if points(each.key) and not known.was_seen(each.value)]
    return (quoted or named or unseen or [each for each in found if points(each.key)])[
        :MOST_CULPRITS
    ]


def points(key: str) -> bool:
    """Whether an argument of this name points at something that must exist."""
    return bool(POINTERS & set(tokenize(key)))


def _find_meant(culprit: Culprit, known: Knowledge, *, reads: bool) -> tuple[str | None, Kind, str]:
    """What the person said outranks what a result holds; a slip of the pen outranks a guess.

    A guess is made only for a call that changes nothing: to look under another name does no harm.
    """
    said = known.was_said(culprit.value)
    near = None if said else pick_only(_find_near(culprit, known.words, known))
    if near is not None and fold(near) not in fold(culprit.value):
        return near, Kind.MENTIONED, "is a slip away from what the person said:"
    own = [each.text for each in known.values if _is_under(culprit.key, each)]
    near = pick_only(_find_near(culprit, own, known))
    if near is not None:
        return near, Kind.FOUND, "is a slip away from a value of this turn:"
    other = pick_only(_find_alternatives(culprit, known)) if said and reads else None
    if other is not None:
        return other, Kind.MENTIONED, "led nowhere; the person also gave"
    if reads and len(fold(culprit.value)) < SHORTEST:
        return pick_only(own), Kind.FOUND, "is no value; the only one of this turn is"
    return None, Kind.OTHER, ""


def _find_near(culprit: Culprit, candidates: Sequence[str], known: Knowledge) -> Iterator[str]:
    """Values of the same make, one slip away or two in a long one, that were not tried yet."""
    folded = fold(culprit.value)
    most = 1 if len(folded) < 9 else 2
    for each in candidates if len(folded) >= SHORTEST else ():
        other = fold(each)
        fresh = other != folded and other not in known.tried and len(other) >= SHORTEST
        if (
            fresh
            and _has_digit(other) == _has_digit(folded)
            and measure_distance(folded, other, most=most) <= most
        ):
            yield each


def _find_alternatives(culprit: Culprit, known: Knowledge) -> Iterator[str]:
    """Other words of the person's with the same look, that were not tried yet."""
    look = describe_shape(culprit.value)
    for word in known.words:
        same = fold(word) == fold(culprit.value)
        if (
            not same
            and _has_digit(word)
            and describe_shape(word) == look
            and fold(word) not in known.tried
        ):
            yield word


def describe_shape(text: str) -> str:
    """The look of a value: letters in runs, each digit for itself. `Ann17` looks like `Bo23`."""
    return re.sub(r"[^\W\d_]+", "A", re.sub(r"\d", "9", text))


def _has_digit(text: str) -> bool:
    return any(sign.isdigit() for sign in text)


def _is_under(key: str, value: Value) -> bool:
    """Whether a value stood under a name that means the same thing: `order_id` and `orders`."""
    mine = {_singularize(word) for word in tokenize(key)} - POINTERS
    theirs = {_singularize(word) for word in tokenize(value.key)}
    if not mine:
        return fold(key) == fold(value.key)
    return mine <= theirs and _has_digit(value.text)


def _singularize(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
