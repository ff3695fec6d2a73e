"""Suggests corrections of a failed call: every source is asked, each answer meets the same rules.

"Please look up the user first" and a tool called `look_up_user` belong together. Only tools that
read are suggested for a word in an error.

A suggested value is never another call's or another person's: it is in the request or in a
result of this turn. It is offered to the agent and not applied, since it changes the meaning.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, assert_never

from msgspec import Struct
from msgspec.structs import replace

from mulligan.learning.classify import find_likely_class
from mulligan.learning.closeness import match_spelling, measure_distance, pick_only
from mulligan.learning.coerce import (
    UNIT_KEY,
    build_pattern,
    changes_only_form,
    drops_zone,
    find_form,
    read_moment,
)
from mulligan.learning.conform import clean_name, conform, strip_debris, suggest_tool
from mulligan.learning.error_details import extract_message
from mulligan.learning.parsing import read_json
from mulligan.learning.protected_fields import find_locked_changes, keeps_said_numbers
from mulligan.learning.schema import TYPE_NAMES, read_schema
from mulligan.learning.validation_errors import Complaint, ComplaintKind, parse_complaints
from mulligan.learning.values import find_key, is_small, replace_value
from mulligan.types.effect import Effect
from mulligan.types.failure import ArgumentFault
from mulligan.types.interfaces import Suggest
from mulligan.types.lesson import Earlier, FailedCall, FirstCall, Kind, Origin, Patch, Suggestion
from mulligan_dates.text import (
    Path,
    fold_name,
    list_leaves,
    parse_numeral,
    read_number,
    split_name,
    stem,
)


def diff_arguments(before: Mapping[str, object], after: Mapping[str, object]) -> Patch:
    """The patch from one set of arguments to the other."""
    # 1, 1.0 and `True` differ for a tool.
    changes = {
        name: value
        for name, value in after.items()
        if name not in before
        or type(before[name]) is not type(value)
        or before[name] != value
        or repr(before[name]) != repr(value)
    }
    return Patch(changes=changes, drops=tuple(name for name in before if name not in after))


BY_KIND: Mapping[Kind, float] = {
    Kind.RENAME: 0.85,
    Kind.COERCE: 0.85,
    Kind.REFORMAT: 0.8,
    Kind.ENUM: 0.8,
    Kind.TOOL: 0.8,
    Kind.DEFAULT: 0.7,
    Kind.DROP: 0.7,
    Kind.CLAMP: 0.6,
    Kind.MENTIONED: 0.5,
    Kind.FOUND: 0.5,
    Kind.FIRST: 0.4,
    Kind.OTHER: 0.3,
}
BY_SOURCE: Mapping[Origin, float] = {
    Origin.SCHEMA: 1.0,
    Origin.TURN: 1.0,
    Origin.MEMORY: 0.9,
    Origin.JUDGE: 0.6,
}
"""The prior of each source. These are guesses, to be replaced by counts: hence `n` is 0."""


def estimate_prior(source: Origin, kinds: Sequence[Kind]) -> float:
    """The weakest change decides, and each further kind lowers it a little."""
    weakest = min((BY_KIND[kind] for kind in kinds), default=BY_KIND[Kind.OTHER])
    further = 0.95 ** max(0, len(set(kinds)) - 1)
    return round(weakest * further * BY_SOURCE[source], 3)


DEEPEST = 6

Part = dict[str, Any]
"""A part of a schema that gets another rule."""


def tighten_schema(
    tree: Mapping[str, Any], complaints: Sequence[Complaint], *, arguments: Mapping[str, object]
) -> Part | None:
    """The schema with each complaint as a rule; `None` when one cannot be placed in it."""
    strict = copy.deepcopy(dict(tree))
    strict.setdefault("type", "object")
    if strict.get("properties") is None:
        # The arguments are unknown, so those without a complaint may stay.
        strict["additionalProperties"] = True
    for complaint in complaints:
        name = _find_argument(complaint, strict, arguments)
        places = (
            _find_places(strict, name, about=complaint.about, arguments=arguments) if name else []
        )
        if not places:
            return None
        for part in places:
            _demand(part, name, complaint)
    return strict


def _find_argument(complaint: Complaint, tree: Part, arguments: Mapping[str, object]) -> str:
    """The argument a complaint is about: by its name, else by its value; empty if unknown."""
    steps = [step for step in complaint.subject.split(".") if not step.isdigit()]
    name = steps[-1] if steps else ""
    if complaint.about is ComplaintKind.MISSING or _is_known(name, tree, arguments):
        return name
    refused = pick_only(key for key, value in arguments.items() if str(value) == complaint.subject)
    if refused is None and complaint.about is ComplaintKind.FORM:
        refused = pick_only(
            key for key, value in arguments.items() if isinstance(value, str) and read_moment(value)
        )
    return refused or ""


def _is_known(name: str, tree: Part, arguments: Mapping[str, object]) -> bool:
    return (
        name in (tree.get("properties") or {}) or match_spelling(name, list(arguments)) is not None
    )


def _find_places(
    tree: Part, name: str, *, about: ComplaintKind, arguments: Mapping[str, object]
) -> list[Part]:
    """The object schemas that an argument belongs to."""
    if about is ComplaintKind.UNEXPECTED and tree.get("properties") is None:
        return []  # The expected value is unknown.
    if about is ComplaintKind.MISSING and not _is_known(name, tree, arguments):
        return _find_nested(tree, name, arguments, depth=0)
    return [tree]


def _find_nested(part: Part, name: str, value: object, *, depth: int) -> list[Part]:
    """Objects inside that lack the field and hold something which may be it."""
    found: list[Part] = []
    if depth > DEEPEST or not isinstance(value, Mapping):
        return found
    for key, held in value.items():
        items = held if isinstance(held, list) else [held]
        objects = [each for each in items if isinstance(each, Mapping)]
        if not objects:
            continue
        inner = part.setdefault("properties", {}).setdefault(key, {})
        place = inner.setdefault("items", {}) if isinstance(held, list) else inner
        if any(name not in each and match_spelling(name, list(each)) for each in objects):
            found.append(place)
        for each in objects:
            found += _find_nested(place, name, each, depth=depth + 1)
    return found


def _demand(part: Part, name: str, complaint: Complaint) -> None:
    """Write the complaint into the schema of the object that has the argument."""
    named: Part = part.setdefault("properties", {})
    if complaint.about is ComplaintKind.UNEXPECTED:
        part["additionalProperties"] = False
        named.pop(name, None)
        return
    rule: Part = named.setdefault(name, {})
    match complaint.about:
        case ComplaintKind.MISSING:
            part["required"] = [*dict.fromkeys([*(part.get("required") or ()), name])]
        case ComplaintKind.DOMAIN:
            rule["enum"] = list(complaint.wanted)
        case ComplaintKind.MOST:
            rule["maximum"] = parse_numeral(complaint.wanted[0])
        case ComplaintKind.LEAST:
            rule["minimum"] = parse_numeral(complaint.wanted[0])
        case ComplaintKind.TYPE:
            of_item = complaint.subject.split(".")[-1].isdigit()
            inside = rule.setdefault("items", {}) if of_item else rule
            inside["type"] = TYPE_NAMES.get(complaint.wanted[0], complaint.wanted[0])
        case ComplaintKind.FORM:
            form = find_form(complaint.wanted[0]) or ""
            rule |= {"pattern": build_pattern(form), "description": complaint.wanted[0]}
        case ComplaintKind.UNIT:
            rule.setdefault("type", "number")
            rule[UNIT_KEY] = complaint.wanted[0]
        case unreachable:
            assert_never(unreachable)


def from_schema(failed: FailedCall) -> Iterator[Suggestion]:
    """At most one suggestion: the call in its correct form, or the intended tool.

    An invalid schema raises a `NoSchemaError`.
    """
    arguments = dict(failed.call.arguments)
    tool = _find_tool(failed)
    if tool is not None:
        evidence = f"{failed.call.tool!r} is {tool!r}"
        yield build_suggestion(Origin.SCHEMA, Patch(tool=tool), (Kind.TOOL,), evidence)
        return
    cleaned = strip_debris(arguments)
    kinds = (Kind.REFORMAT,) if cleaned != arguments else ()
    schema = read_schema(failed.schema, tool=failed.call.tool) if failed.schema else None
    strict = tighten_schema(
        schema.tree if schema else {}, parse_complaints(failed.error), arguments=arguments
    )
    if strict is not None:
        schema = read_schema(strict, tool=failed.call.tool)
    elif not kinds:
        # Of something unknown. Where syntax was left in a value, that is what it is about.
        schema = None
    fixed = conform(cleaned, schema) if schema else None
    if fixed is not None and (fixed.unasked and failed.effect is not Effect.READ):
        return  # The call would do more than requested: the person must decide.
    # An argument too many is dropped only if arguments are what the error is about.
    shape = find_likely_class(failed.failure, failed.error).traits.advice is ArgumentFault.SHAPE
    now = fixed.arguments if fixed is not None else {}
    drops = all(name in arguments and arguments[name] == held for name, held in now.items())
    if fixed is not None and (shape or not drops):
        patch = diff_arguments(arguments, fixed.arguments)
        kinds = tuple(dict.fromkeys((*kinds, *fixed.kinds)))
        yield build_suggestion(Origin.SCHEMA, patch, kinds, "; ".join(fixed.notes))
    elif kinds and schema and schema.fits(cleaned):
        changed = ", ".join(name for name in arguments if arguments[name] != cleaned[name])
        evidence = f"syntax was left inside {changed}"
        patch = diff_arguments(arguments, cleaned)
        yield build_suggestion(Origin.SCHEMA, patch, kinds, evidence)


def _find_tool(failed: FailedCall) -> str | None:
    """The intended tool, if the name is unknown."""
    name = clean_name(failed.call.tool)
    if failed.tools:
        return None if failed.call.tool in failed.tools else suggest_tool(name, failed.tools)
    return name if name and name != failed.call.tool else None


def build_suggestion(
    source: Origin, patch: Patch, kinds: tuple[Kind, ...], evidence: str
) -> Suggestion:
    """A suggestion with the prior of its source."""
    return Suggestion(
        patch=patch,
        source=source,
        kinds=kinds,
        probability=estimate_prior(source, kinds),
        n=0,
        evidence=evidence[:500],
    )


MOST_TOOLS = 500


def from_tools(failed: FailedCall) -> Iterator[Suggestion]:
    """The only tool that reads and whose name is in the error's words."""
    if not find_likely_class(failed.failure, failed.error).traits.another_call_may_help:
        return
    said = {stem(word) for word in split_name(extract_message(failed.error)[:4_000])}
    scores = {}
    # A tool with an effect is never proposed for a word in an error.
    for tool in failed.reads[:MOST_TOOLS]:
        # All words of a short name, or two of a longer one.
        words = [stem(word) for word in split_name(tool)]
        heard = sum(word in said for word in words)
        told = words and tool != failed.call.tool and (heard >= 2 or heard == len(words))
        scores[tool] = heard / len(words) if told else 0.0
    best = max(scores.values(), default=0.0)
    first = pick_only(tool for tool, score in scores.items() if score == best) if best else None
    if first is not None:
        evidence = f"the error asks for what {first} does"
        patch = Patch(first=(FirstCall(tool=first),))
        yield build_suggestion(Origin.SCHEMA, patch, (Kind.FIRST,), evidence)


MOST_TEXT = 200_000
"""Characters of one result, and of the person's words, that are looked at."""
MOST_VALUES = 5_000

_WORD = re.compile(r"[#@]?[\w](?:[\w.@+&'/:-]*[\w])?")


class Value(Struct, frozen=True):
    """A value and the name it stood under."""

    key: str
    text: str


class Knowledge:
    """The turn's values, collected once."""

    def __init__(self, said: Sequence[str], earlier: Sequence[Earlier]) -> None:
        self._said = said
        self._earlier = earlier

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The person's words, each once, in order."""
        text = "\n".join(self._said)[:MOST_TEXT]
        return tuple(dict.fromkeys(found.group() for found in _WORD.finditer(text)))

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Every value of the results so far, and every key that is itself a value."""
        found: dict[Value, None] = {}
        for made in self._earlier:
            if not made.failed and len(found) < MOST_VALUES:
                found |= dict.fromkeys(_list_values(made.result))
        return tuple(found)

    @cached_property
    def tried(self) -> frozenset[str]:
        """The argument values of failed calls."""
        failed = (made.arguments for made in self._earlier if made.failed)
        return frozenset(
            fold_name(str(value)) for held in failed for _, value in list_leaves(held, most=200)
        )

    @cached_property
    def _folded_words(self) -> tuple[str, ...]:
        return tuple(fold_name(text[:MOST_TEXT]) for text in self._said)

    @cached_property
    def _folded(self) -> str:
        """The request and all results as one searchable text."""
        parts: list[str] = []
        for made in self._earlier:
            if not made.failed:
                text = made.result if isinstance(made.result, str) else repr(made.result)
                parts.append(text[:MOST_TEXT])
                parts += [str(value)[:1_000] for _, value in list_leaves(made.arguments, most=200)]
        return "\n".join((*self._folded_words, *map(fold_name, parts)))

    @cached_property
    def incomplete(self) -> bool:
        """Whether a result was truncated, so that its values are not all known."""
        results = (made.result for made in self._earlier if not made.failed)
        return any(
            len(held) > MOST_TEXT or (held[:1] in ("{", "[") and parse_result(held) is held)
            for held in results
            if isinstance(held, str)
        )

    def was_said(self, value: object) -> bool:
        """Whether the person gave this value, in whatever form."""
        folded = fold_name(str(value))
        return bool(folded) and any(folded in text for text in self._folded_words)

    def was_seen(self, value: object) -> bool:
        """Whether the person said it, or an earlier call returned it or succeeded with it."""
        folded = fold_name(str(value))
        return bool(folded) and folded in self._folded


def parse_result(result: object) -> object:
    """A result parsed from JSON text; else the result itself."""
    if isinstance(result, str) and result[:1] in "{[" and len(result) <= MOST_TEXT:
        strict, value = read_json(result)
        return value if strict else result
    return result


def _list_values(result: object) -> Iterator[Value]:
    held = parse_result(result)
    if isinstance(held, str):
        for found in _WORD.finditer(held[:20_000]):
            if any(sign.isdigit() for sign in found.group()):
                yield Value("", found.group())
        return
    for path, value in list_leaves(held, most=MOST_VALUES):
        for at, step in enumerate(path):
            if isinstance(step, str) and any(sign.isdigit() for sign in step):
                yield Value(find_key(path[:at]), step)
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield Value(find_key(path), str(value))


def find_records(held: object, name: str) -> Iterator[Mapping[str, object]]:
    """The objects in a result that bear a name: in a field, or as the key they stand under."""
    waiting: list[tuple[str, object]] = [("", held)]
    seen = 0
    while waiting and seen < MOST_VALUES:
        key, value = waiting.pop()
        seen += 1
        if isinstance(value, Mapping):
            if key == name or name in (each for each in value.values() if isinstance(each, str)):
                yield value
            waiting.extend((str(inner), each) for inner, each in value.items())
        elif isinstance(value, list | tuple):
            waiting.extend(("", each) for each in value)


LONGEST_VALUE = 80
SHORTEST = 3
"""Letters and digits that a value needs to be specific."""
MOST_CULPRITS = 12
POINTERS = frozenset({"id", "ids", "number", "code", "email", "name", "key", "uuid", "slug", "zip"})
"""Words in the name of an argument that points at something."""


class Culprit(Struct, frozen=True):
    """An argument that may have caused the failure."""

    path: Path
    value: str

    @property
    def key(self) -> str:
        """Its name there."""
        return find_key(self.path)


def from_turn(failed: FailedCall) -> Iterator[Suggestion]:
    """The only argument that refers to nothing, with the only value of this turn it may mean."""
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
    patch = diff_arguments(failed.call.arguments, after)
    evidence = f"{culprit.key}: {culprit.value!r} {why} {value!r}"
    yield build_suggestion(Origin.TURN, patch, (kind,), evidence)


def find_culprits(failed: FailedCall, known: Knowledge) -> list[Culprit]:
    """The arguments the error is about: quoted by it, else named by it, else never seen before."""
    found = [
        Culprit(path, value)
        for path, value in list_leaves(failed.call.arguments, most=200)
        if isinstance(value, str) and value.strip() and len(value) <= LONGEST_VALUE
    ]
    said = extract_message(failed.error)[:4_000]
    quoted = [each for each in found if len(each.value) > 2 and each.value in said]
    words = set(split_name(said))
    named = [each for each in found if set(split_name(each.key)) & words - POINTERS]
    unseen = [each for each in found if points(each.key) and not known.was_seen(each.value)]
    return (quoted or named or unseen or [each for each in found if points(each.key)])[
        :MOST_CULPRITS
    ]


def points(key: str) -> bool:
    """Whether an argument of this name refers to something that must exist."""
    return bool(POINTERS & set(split_name(key)))


def _find_meant(culprit: Culprit, known: Knowledge, *, reads: bool) -> tuple[str | None, Kind, str]:
    """The person's values outrank those of results; a typo outranks a guess.

    A guess is made only for a call that changes nothing, where a wrong lookup does no harm.
    """
    said = known.was_said(culprit.value)
    near = None if said else pick_only(_find_near(culprit, known.words, known))
    if near is not None and fold_name(near) not in fold_name(culprit.value):
        return near, Kind.MENTIONED, "is a typo away from what the person said:"
    # What stood under a name that means the same thing: `order_id` and `orders`.
    mine = _list_things(culprit.key) - POINTERS
    own = [
        each.text
        for each in known.values
        if (mine and mine <= _list_things(each.key) and _has_digit(each.text))
        or (not mine and fold_name(culprit.key) == fold_name(each.key))
    ]
    near = pick_only(_find_near(culprit, own, known))
    if near is not None:
        return near, Kind.FOUND, "is a typo away from a value of this turn:"
    other = pick_only(_find_alternatives(culprit, known)) if said and reads else None
    if other is not None:
        return other, Kind.MENTIONED, "was not found; the person also gave"
    if reads and len(fold_name(culprit.value)) < SHORTEST:
        return pick_only(own), Kind.FOUND, "is a placeholder; the only value of this turn is"
    return None, Kind.OTHER, ""


def _find_near(culprit: Culprit, candidates: Sequence[str], known: Knowledge) -> Iterator[str]:
    """Similar untried values: one typo away, or two in a long one."""
    folded = fold_name(culprit.value)
    most = 1 if len(folded) < 9 else 2
    for each in candidates if len(folded) >= SHORTEST else ():
        other = fold_name(each)
        fresh = other != folded and other not in known.tried and len(other) >= SHORTEST
        if (
            fresh
            and _has_digit(other) == _has_digit(folded)
            and measure_distance(folded, other, most=most) <= most
        ):
            yield each


def _find_alternatives(culprit: Culprit, known: Knowledge) -> Iterator[str]:
    """Other untried words of the person with the same pattern."""
    look = describe_shape(culprit.value)
    for word in known.words:
        same = fold_name(word) == fold_name(culprit.value)
        if (
            not same
            and _has_digit(word)
            and describe_shape(word) == look
            and fold_name(word) not in known.tried
        ):
            yield word


def describe_shape(text: str) -> str:
    """The pattern of a value: runs of letters, single digits. `Ann17` is like `Bo23`."""
    return re.sub(r"[^\W\d_]+", "A", re.sub(r"\d", "9", text))


def _has_digit(text: str) -> bool:
    return any(sign.isdigit() for sign in text)


def _list_things(key: str) -> set[str]:
    """The words of a name, each in the singular."""
    return {w[:-1] if len(w) > 3 and w.endswith("s") else w for w in split_name(key)}


SOURCES: tuple[Suggest, ...] = (from_schema, from_turn, from_tools)
"""The sources that need no memory and no model; both are further sources of the same type."""

MOST = 5
_GROUPED = re.compile(r"\d[.,]\d{3}(?!\d)")
SHAPE_ONLY = frozenset(
    {Kind.COERCE, Kind.RENAME, Kind.CLAMP, Kind.ENUM, Kind.DEFAULT, Kind.DROP, Kind.REFORMAT}
)
"""The changes that may be applied automatically; the agent decides about all others."""
PAGES = frozenset(
    tuple(name.split())
    for name in """
    limit | max limit | page limit | result limit | results limit | row limit | top k | topk | k
    page size | pagesize | per page | results per page | batch size | max results | maxresults
    max items | max rows | max hits | num results | number of results | n results | result count
    """.replace("\n", "|").split("|")
    if name.split()
)
"""Names of arguments for the size of an answer."""


def suggest_corrections(
    failed: FailedCall, *, sources: Sequence[Suggest] = SOURCES
) -> tuple[Suggestion, ...]:
    """Corrections of a failed call, the likeliest first, without duplicates.

    None repeats the failed call, and none changes a number that the person said. Only a lesson may
    change a locked field, with values from the call, its error and its turn, and that one is only
    offered. Arguments that are too large or too deep are left alone.
    """
    if not is_small(failed.call.arguments):
        return ()
    best: dict[str, Suggestion] = {}
    for source in sources:
        for each in _filter_suggestions(failed, source):
            after = each.patch.apply(failed.call.arguments)
            key = repr((each.patch.tool, each.patch.first, sorted(after.items())))
            known = best.get(key, each)
            # Of duplicates the likelier; if one may be applied, both may.
            likelier = each if each.probability > known.probability else known
            best[key] = replace(likelier, automatic=each.automatic or known.automatic)
    order = list(Origin)
    ranked = sorted(best.values(), key=lambda s: (-s.probability, order.index(s.source)))
    return tuple(ranked[:MOST])


def _filter_suggestions(failed: FailedCall, source: Suggest) -> Iterator[Suggestion]:
    before = dict(failed.call.arguments)
    for each in source(failed):
        after = each.patch.apply(before)
        if not is_small(after):
            continue
        same = repr(after) == repr(before) and not (each.patch.tool or each.patch.first)
        locked = find_locked_changes(before, after, said=failed.said)
        spoken = keeps_said_numbers(before, after, said=failed.said)
        if same or not spoken or (locked and each.lesson is None):
            continue
        yield replace(each, automatic=not locked and each.proven and _is_automatic(failed, each))


def _is_automatic(failed: FailedCall, suggestion: Suggestion) -> bool:
    """Whether only the form changes, by the source's own statement and by the values."""
    patch = suggestion.patch
    if patch.tool or patch.first or not set(suggestion.kinds) <= SHAPE_ONLY or not failed.schema:
        return False
    after = patch.apply(failed.call.arguments)
    schema = read_schema(failed.schema, tool=failed.call.tool)
    if not schema.fits(after):
        return False
    if Kind.CLAMP in suggestion.kinds and not _clamps_pages(failed, after):
        return False
    if suggestion.source is Origin.SCHEMA and Kind.ENUM not in suggestion.kinds:
        # An ambiguous number, or a time that lost its zone.
        given = failed.call.arguments.items()
        texts = {name: value for name, value in given if isinstance(value, str)}
        changed = [(v, str(after.get(k))) for k, v in texts.items() if after.get(k) != v]
        return not any(_GROUPED.search(v) or drops_zone(v, now) for v, now in changed)
    # A memory or a judge may claim anything, and similar is not the same: another name is
    # another person. Each value must keep its meaning under its own name.
    rules = schema.properties.items()
    defaults = {name: rule["default"] for name, rule in rules if "default" in dict(rule or {})}
    return changes_only_form(failed.call.arguments, after, defaults=defaults)


def _clamps_pages(failed: FailedCall, after: Mapping[str, object]) -> bool:
    """Whether the change only clamps the page size of a read.

    Any other number (people, doses, seats) is part of the request.
    """
    given = {read_number(value) for _, value in list_leaves(failed.call.arguments)}
    fitted = [
        path
        for path, value in list_leaves(after, most=2_000)
        if (number := read_number(value)) is not None and number not in given
    ]
    paged = all(split_name(str(path[-1])) in PAGES for path in fitted if path)
    return failed.effect is Effect.READ and paged
