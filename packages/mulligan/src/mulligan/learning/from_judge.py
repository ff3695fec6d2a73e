"""Suggestions from a judge that reads the error, the schema and what is written about the tool.

It is asked only where a tool opts in. Its proposal is one more source under the same rules as all
others, so it can change no more than they can."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from mulligan.learning.closeness import stem_words
from mulligan.learning.protected_fields import says_same, stands_in
from mulligan.learning.suggest import estimate_prior
from mulligan.types.display import NAME, Ours, Question, Quoted, quote_name, split_pieces
from mulligan.types.lesson import FailedCall, Kind, Origin, Patch, Suggestion
from mulligan_dates.text import list_leaves, split_words

PROMPT = "suggest_call"
MOST_PIECES = 6
"""Passages of a tool's documentation; the nearest to the error."""
MOST_EARLIER = 5
MOST_CHANGES = 20
MOST_TEXT = 20_000
LONGEST_WORD = 64
_SPACE = re.compile(r"\s")

Show = Callable[[object], object]
"""A value without secrets, in JSON's own types."""


class ProposedChange(Struct, frozen=True, kw_only=True):
    """A new value of one argument."""

    argument: str
    value: str
    """As JSON."""


class Proposal(Struct, frozen=True, kw_only=True):
    """A judge's changes to a failed call; empty, if it knows none."""

    changes: tuple[ProposedChange, ...] = ()
    drops: tuple[str, ...] = ()
    why: str = ""


def ask_to_repair(
    failed: FailedCall, *, documents: Sequence[str], show: Show
) -> Question[Proposal]:
    """The question which change would let a failed call succeed."""
    earlier = {
        f"result of {made.tool}, called before": _encode_json(made.result, show)
        for made in failed.earlier[-MOST_EARLIER:]
        if not made.failed
    }
    return Question(
        prompt=PROMPT,
        values={
            "message": Ours("\n".join(failed.said) or "Not known."),
            "tool": Ours(quote_name(failed.call.tool)),
        },
        untrusted={
            "error": failed.error[:MOST_TEXT],
            "arguments": _encode_json(failed.call.arguments, show),
            **split_pieces(_encode_json(failed.schema, lambda value: value), name="schema"),
            **_retrieve_pieces(failed, documents),
            **earlier,
        },
        answer=Proposal,
        purpose="repair a failed call",
        tenant=failed.call.tenant,
    )


def from_proposal(proposal: Proposal, failed: FailedCall, *, show: Show) -> Iterator[Suggestion]:
    """A judge's proposal as a suggestion that the rules have yet to check."""
    before = failed.call.arguments
    properties = failed.schema.get("properties")
    declared = properties if isinstance(properties, Mapping) else None
    changes: dict[str, object] = {}
    for change in proposal.changes[:MOST_CHANGES]:
        name = change.argument
        known = NAME.fullmatch(name) if declared is None or name in before else name in declared
        stood = before.get(name)
        if not known or _encode_json(stood, show) != _encode_json(stood, lambda same: same):
            return  # It is not an argument, or the judge was not shown its value.
        try:
            value = json.loads(change.value)
        except (ValueError, RecursionError):
            return
        if not _is_known(value, failed):
            return
        changes[name] = value
    drops = tuple(name for name in proposal.drops[:MOST_CHANGES] if name in before)
    if not changes and not drops:
        return
    # Compared by value: what a judge calls a change of form may be another value.
    said = [value for _, value in list_leaves(before, most=500)]
    new = [value for _, value in list_leaves(changes, most=500)]
    same = all(any(says_same(old, value) for old in said) for value in new)
    kinds = (Kind.REFORMAT if same else Kind.OTHER,)
    yield Suggestion(
        patch=Patch(changes=changes, drops=drops),
        source=Origin.JUDGE,
        kinds=kinds,
        probability=estimate_prior(Origin.JUDGE, kinds),
        n=0,
        evidence=f"a judge proposed it; {Quoted(proposal.why, 'a judge')}"
        if proposal.why.strip()
        else "a judge proposed it",
    )


def _is_known(value: object, failed: FailedCall) -> bool:
    """Whether each text in it is one word, or stands in turn or schema: no sentence is new.

    Single numbers and words carry little, and protected fields have stricter rules.
    """
    texts = [text for _, text in list_leaves({"": value}, most=500) if isinstance(text, str)]
    return all(
        (len(text) <= LONGEST_WORD and not _SPACE.search(text)) or _stands(text, failed)
        for text in texts
    )


def _stands(text: str, failed: FailedCall) -> bool:
    sources = (failed.call.arguments, failed.schema, *(each.result for each in failed.earlier))
    held = (old for source in sources for _, old in list_leaves({"": source}, most=2_000))
    if stands_in(failed.said, text) or any(says_same(old, text) for old in held):
        return True
    # In another form: every word of it comes from the person or the original arguments.
    given = [str(old) for _, old in list_leaves(failed.call.arguments, most=500)]
    words = {word for own in (*failed.said, *given) for word in split_words(own)}
    return words.issuperset(split_words(text))


def _retrieve_pieces(failed: FailedCall, documents: Sequence[str]) -> dict[str, str]:
    """The passages of the tool's documentation that share the most words with the error."""
    pieces = [
        piece
        for text in documents
        for piece in split_pieces(text[: MOST_TEXT * 10], name="").values()
    ]
    if len(pieces) > MOST_PIECES:
        asked = stem_words(f"{failed.error[:MOST_TEXT]} {' '.join(failed.call.arguments)}")
        ranked = sorted(pieces, key=lambda piece: len(asked & stem_words(piece)), reverse=True)
        chosen = set(ranked[:MOST_PIECES])
        pieces = [piece for piece in pieces if piece in chosen]
    return {f"document {number}": piece for number, piece in enumerate(pieces, start=1)}


def _encode_json(value: object, show: Show) -> str:
    try:
        return json.dumps(show(value), ensure_ascii=False)[:MOST_TEXT]
    except (TypeError, ValueError, RecursionError):
        return "<cannot be shown>"
