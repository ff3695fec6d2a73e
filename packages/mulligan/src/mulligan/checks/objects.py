"""The object a call acts on, against what the person said of it.

A call that deletes by id shows only the id. What the object is comes from facts (`ids_read`), or
from what a tool returned earlier in the turn.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from msgspec.structs import replace

from mulligan.checks.ids import OBJECT
from mulligan.checks.parameters import ParameterKind, ToolKinds, ToolVerb
from mulligan.checks.provenance import SeenValues, ValueOrigin, fold_value, with_seen
from mulligan.checks.subject import (
    PERSON,
    Argument,
    Parameters,
    ShownAttempt,
    Subject,
    find_earliest_now,
    hear_said,
    limit_to_calls,
    limit_to_parameters,
    limit_to_tools,
    list_arguments,
    split_names,
)
from mulligan.checks.tool_outputs import Found, get_title_of, list_texts
from mulligan.types.call import Call, Execution
from mulligan.types.display import quote_value
from mulligan.types.finding import Finding
from mulligan.types.interfaces import Check
from mulligan.types.turn import Turn
from mulligan_dates.languages import choose_requests, is_understood
from mulligan_dates.lexicon import (
    ends_in,
    find_stems,
    has_picking_words,
    join_words,
    load_general_stems,
    load_words,
    names_any,
)
from mulligan_dates.readings import parse_local_moment
from mulligan_dates.text import split_letters, split_name, stem
from mulligan_dates.tokens import drop_quotes

_SERIES = re.compile(r"recur|rrule|repeat", re.IGNORECASE)


def still_to_come(parameters: Parameters, *, when: str) -> Check[Subject]:
    """Flag a call on an object in the past, where the person spoke of the future.

    `when` is the field that says when it is; of what lasts, its end. A series is left alone.
    """

    @limit_to_parameters(parameters, when=_speaks_of_what_is_to_come)
    def check(subject: Subject) -> Iterator[Finding]:
        today = find_earliest_now(subject.turn).date()
        for argument, known in _list_objects(subject, parameters):
            moment = parse_local_moment(known.get(when), zone=subject.turn.timezone)
            if moment is not None and moment.date() < today and not _recurs(known):
                yield argument.build_finding(
                    "object.in_the_past",
                    issue=f"which was on {moment} and is in the past.",
                    correction="Act only on what is in the future.",
                )

    return check


def on_objects(check: Check[Subject], parameters: Parameters, *, when: str) -> Check[Subject]:
    """Compare the date of each object with the person's words, by a check of dates in arguments.

    Calls that have a date of their own are left out: they may be there to move the object.
    """

    @limit_to_parameters(parameters)
    def check_objects(subject: Subject) -> Iterator[Finding]:
        for argument, known in _list_objects(subject, parameters):
            given, held = argument.execution.call.arguments, known.get(when)
            if held is None or _has_date(given, subject.turn):
                continue
            # What else is known of the object tells which clause is about it.
            call = replace(argument.execution.call, arguments={**given, when: held})
            shown = ShownAttempt(
                turn=subject.turn,
                executions=(replace(argument.execution, call=call),),
                facts=subject.facts,
                earlier=_list_before(subject, argument.execution),
                of_object=True,
            )
            for finding in check(shown):
                yield argument.build_finding(
                    finding.rule,
                    severity=finding.severity,
                    issue=f"whose {when} is {held}. {finding.issue}",
                    correction="Look it up, and act on one that fits.",
                )

    return check_objects


def owners_as_said(parameters: Parameters) -> Check[Subject]:
    """Flag a call on another owner's object, where the person named the owner: "Ann's tasks".

    Certain only for people in the directory (`people_named`), addresses of the same domain, and
    a thing that the parameter is named after: `task_id`.
    """

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        for argument, known in _list_objects(subject, parameters):
            owners = _find_owners(subject, of=argument.name)
            people = _find_colleagues(known, owners)
            if people and not people & owners:
                yield argument.build_finding(
                    "object.of_somebody_else",
                    issue=f"which belongs to {', '.join(sorted(people))}; "
                    f"the person spoke of {', '.join(sorted(owners))}.",
                    correction="Act only on objects of the owner that the person named.",
                )

    return check


def _list_objects(subject: Subject, parameters: Parameters) -> Iterator[tuple[Argument, Found]]:
    """Each object that a call names, with what is known of it: facts, or what was last returned."""
    for execution, seen in with_seen(subject):
        for argument in list_arguments(execution, parameters.get(execution.call.tool, ())):
            facts = {
                each.kind.removeprefix(OBJECT): each.value
                for each in subject.facts
                if each.subject == argument.value and each.kind.startswith(OBJECT)
            }
            yield argument, {**seen.find_record(argument.value, name=argument.name), **facts}


def _speaks_of_what_is_to_come(turn: Turn) -> bool:
    message = drop_quotes(turn.message)
    phrases = choose_requests(message)
    return bool(phrases.to_come.search(message)) and not phrases.over.search(message)


def _list_before(subject: Subject, execution: Execution) -> tuple[Execution, ...]:
    made = tuple(itertools.takewhile(lambda each: each is not execution, subject.executions))
    return (*subject.earlier, *made)


def _has_date(given: Mapping[str, object], turn: Turn) -> bool:
    return any(
        parse_local_moment(value, zone=turn.timezone) is not None for value in given.values()
    )


def _recurs(record: Mapping[str, object]) -> bool:
    """Whether an object is a series, which began in the past and is not over."""
    return any(_SERIES.search(str(name)) and held for name, held in record.items())


def _find_owners(subject: Subject, *, of: str) -> set[str]:
    """Addresses of the people whose things of that name the person spoke of."""
    message = drop_quotes(subject.turn.message).casefold()
    nouns = "|".join(map(re.escape, split_letters(of, shortest=3)))
    phrases = choose_requests(message)
    of_owner = phrases.of_owner
    if not nouns or not of_owner or phrases.mine.search(message):
        return set()
    return {
        fact.value.casefold()
        for fact in subject.facts
        if fact.kind == PERSON
        for name in split_names(fact.value)
        if re.search(rf"\b{re.escape(name)}{of_owner}(?:{nouns})", message)
    }


def _find_colleagues(record: Mapping[str, object], owners: set[str]) -> set[str]:
    """The addresses in a record of the same domain as the owners: others may be clients."""
    houses = tuple(owner[owner.index("@") :] for owner in owners)
    written = (text.casefold() for text in list_texts(record))
    return {text for text in written if "@" in text and text.endswith(houses)}


def ends_as_said(tools: Mapping[str, ToolKinds]) -> Check[Subject]:
    """Flag what goes out of, or into, another one than was said: "from checking into savings".

    The parameter says which end it is, and a tool must have returned both by their names.
    """
    chosen = {name: dict(_list_ends(each)) for name, each in tools.items()}
    ends = {name: each for name, each in chosen.items() if each}

    @limit_to_parameters(ends, when=lambda turn: is_understood(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        if not ends:
            return
        message = drop_quotes(subject.turn.message).casefold()
        rest = find_stems(_compile_end("into").sub(" ", _compile_end("out_of").sub(" ", message)))
        for execution, seen in with_seen(subject):
            for name, end in ends.get(execution.call.tool, {}).items():
                said = [found["words"] for found in _compile_end(end).finditer(message)]
                for argument in list_arguments(execution, [name]) if said else ():
                    yield from _compare_end(argument, said, seen, rest)

    return check


def _list_ends(kinds: ToolKinds) -> Iterator[tuple[str, str]]:
    """The parameters that say which thing something goes out of, or into."""
    for name, chosen in kinds.chosen.items():
        words = set(split_name(name))
        if chosen.kind in (ParameterKind.ID, ParameterKind.ADDRESS, ParameterKind.OTHER):
            if len(words) > 1 and words & load_words("orders", "source"):
                yield name, "out_of"
            elif len(words) > 1 and words & load_words("orders", "target"):
                yield name, "into"


@cache
def _compile_end(end: str) -> re.Pattern[str]:
    stops = "|".join((join_words("orders", "out_of"), join_words("orders", "into")))
    stops += "|" + join_words("sets", "stop")
    word = rf"(?!(?:{stops})\b)[^\W_]+"
    return re.compile(rf"\b(?:{join_words('orders', end)})\s+(?P<words>{word}(?:\s+{word}){{0,3}})")


def _compare_end(
    argument: Argument, said: list[str], seen: SeenValues, rest: set[str]
) -> Iterator[Finding]:
    titles: dict[str, str] = {}
    for record in seen.list_records():
        title = get_title_of(record)
        ids = [v for k, v in record.items() if ends_in(str(k), "kinds", "id", "account")]
        titles.update({fold_value(str(each)): title for each in ids[:1] if title})
    sort = load_general_stems() | set(map(stem, split_name(argument.name)))
    words = {held: find_stems(title) - sort for held, title in titles.items()}
    own = words.get(fold_value(argument.value))
    named = [held for each in said for held, its in words.items() if its & find_stems(each)]
    if own is None or own & rest or len(set(named)) != 1 or fold_value(argument.value) in named:
        return
    shown, wanted = (quote_value(titles[each]) for each in (fold_value(argument.value), named[0]))
    yield argument.build_finding(
        "object.not_as_said",
        issue=f"which is {shown}; the person spoke of {wanted}.",
        correction=f"Give the id of {wanted}.",
    )


_QUOTED = r"['\"\u201c]([^'\"\u201d\n]{1,80})['\"\u201d]"


def names_as_said(tools: Mapping[str, ToolKinds]) -> Check[Subject]:
    """Flag an object that was not named, where others of its sort were quoted by name.

    The sort is what the parameter is called: 'random' channel, for `channel`. Silent where one is
    picked otherwise (the largest, all, any), and as soon as the value was said anywhere.
    """

    def is_named(turn: Turn, call: Call) -> bool:
        kinds = tools.get(call.tool)
        return kinds is not None and any(
            call.arguments.get(name) not in (None, "")
            for name, _ in _list_named_sorts(kinds, turn.message)
        )

    @limit_to_calls(is_named, when=_names_things)
    def check(subject: Subject) -> Iterator[Finding]:
        message = subject.turn.message
        said = hear_said(subject)
        for execution, seen in with_seen(subject):
            if execution.call.tool not in tools:
                continue
            for name, named in _list_named_sorts(tools[execution.call.tool], message):
                for argument in list_arguments(execution, [name]):
                    if argument.value not in said and not _is_of_name(argument, named, seen):
                        yield _report_other_name(argument, sorted(named))

    return check


def _is_of_name(argument: Argument, named: Collection[str], seen: SeenValues) -> bool:
    """Whether a value is one of these names, or stands beside one in what was returned."""
    own = fold_value(argument.value)
    rows = ({fold_value(str(held)) for held in each.values()} for each in seen.list_records())
    return own in named or any(own in row and not row.isdisjoint(named) for row in rows)


def _names_things(turn: Turn) -> bool:
    return re.search(_QUOTED, turn.message) is not None and not has_picking_words(turn.message)


def _list_named_sorts(kinds: ToolKinds, message: str) -> Iterator[tuple[str, set[str]]]:
    """The parameters whose sort was named, with the names that were said of it."""
    for name, chosen in kinds.chosen.items():
        if chosen.kind not in (ParameterKind.OTHER, ParameterKind.PERSON):
            continue
        sort = re.escape(split_name(name)[-1]) if split_name(name) else ""
        found = re.findall(rf"{_QUOTED}\s+{sort}\b|\b{sort}\s+{_QUOTED}", message, re.IGNORECASE)
        named = {fold_value(before or after) for before, after in found} if sort else set()
        if named:
            yield name, named


def made_anew(tools: Mapping[str, ToolKinds]) -> Check[Subject]:
    """Flag something created under an existing name, where the existing one was to be changed.

    Sure where a tool has returned one that has the same in the same field, and no word of the
    message asks for a new one.
    """
    makes = {name for name, each in tools.items() if each.verb is ToolVerb.MAKE}

    @limit_to_tools(makes, when=_asks_for_a_change)
    def check(subject: Subject) -> Iterator[Finding]:
        for execution, seen in with_seen(subject):
            tool = execution.call.tool
            if tool not in makes or not names_any(tool, "deeds", "anew"):
                continue
            names = tools[tool].list_parameters(ParameterKind.TEXT)
            for argument in list_arguments(execution, names):
                held = (each.get(argument.name) for each in seen.list_records())
                if fold_value(argument.value) in {fold_value(str(each)) for each in held if each}:
                    yield argument.build_finding(
                        "object.made_anew",
                        issue="but one of that name exists, and the person asked to change it.",
                        correction="Change the existing one. Do not create another.",
                    )

    return check


def _asks_for_a_change(turn: Turn) -> bool:
    message = drop_quotes(turn.message).casefold()
    makes_new = load_words("deeds", ToolVerb.MAKE) - load_words("deeds", "extend")
    makes_new |= load_words("words", "anew")
    changes = choose_requests(message).changing.search(message)
    return bool(changes) and makes_new.isdisjoint(split_letters(message))


def _report_other_name(argument: Argument, named: list[str]) -> Finding:
    spoken = ", ".join(quote_value(each) for each in named[:3])
    return argument.build_finding(
        "object.not_as_said",
        issue=f"and the person spoke of {spoken}.",
        correction=f"Give {argument.label} as the person named it.",
    )


def same_as_named(parameters: Mapping[str, Collection[str]]) -> Check[Subject]:
    """Flag values that differ from those of the object that the person named.

    Certain of a value that was not said and that the object, as returned, does not have; and of
    any value that was not said, where no object of that name was returned.
    """

    @limit_to_parameters(parameters, when=_list_likened)
    def check(subject: Subject) -> Iterator[Finding]:
        asked = _list_likened(subject.turn)
        for execution, seen in with_seen(subject):
            names = parameters.get(execution.call.tool, ())
            for what, title in asked:
                yield from _compare_likeness(execution, seen, names=names, what=what, title=title)

    return check


def _list_likened(turn: Turn) -> list[tuple[set[str], str]]:
    """What is to be the same, and as in which object: "the same guests as 'Kick-off'"."""
    return [
        (find_stems(found["what"]), found["one"] or found["two"] or found["three"])
        for found in choose_requests(turn.message).same.finditer(turn.message)
    ]


def _compare_likeness(
    execution: Execution, seen: SeenValues, *, names: Collection[str], what: set[str], title: str
) -> Iterator[Finding]:
    own = [name for name in names if what & find_stems(" ".join(split_name(name)))]
    called = fold_value(title)
    models = [each for each in seen.list_records() if fold_value(get_title_of(each)) == called]
    held = [values for model in models if (values := _read_field(model, what))]
    if not held and (models or seen.was_returned(title)):
        # It was met, but not what it has of that: then others may know.
        return
    for argument in list_arguments(execution, own):
        there = any(fold_value(argument.value) in each for each in held)
        if not there and seen.find_origin(argument.value) is not ValueOrigin.SAID:
            yield _report_unlike(argument, title, looked=bool(held))


def _read_field(model: Found, what: set[str]) -> set[str]:
    """What a record holds under that name, each value folded."""
    return {
        fold_value(text)
        for name, held in model.items()
        if what & find_stems(" ".join(split_name(str(name))))
        for text in list_texts(held)
    }


def _report_unlike(argument: Argument, title: str, *, looked: bool) -> Finding:
    shown = quote_value(title)
    why = f"which {shown} does not have" if looked else f"and {shown} was never read"
    return argument.build_finding(
        "value.not_the_same",
        issue=f"{why}; the person asked for the same.",
        correction=f"Look {shown} up, and give {argument.label} as it is there.",
    )
