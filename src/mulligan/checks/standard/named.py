"""Another thing than the one that was named with its sort: "the 'random' channel"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.lexicon import has_picking_words, load_words, split_words
from mulligan.checks.language.quotations import drop_quotes
from mulligan.checks.returned.seen_values import fold_value, with_seen
from mulligan.checks.standard.kind import ParameterKind
from mulligan.checks.standard.tools import ToolKinds, ToolVerb
from mulligan.checks.subject.concern import limit_to_calls, limit_to_tools
from mulligan.checks.subject.subject import Argument, Subject, hear_said, list_arguments
from mulligan.core.call import Call
from mulligan.core.display.quoted import quote_value
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn

_QUOTED = r"['\"\u201c]([^'\"\u201d\n]{1,80})['\"\u201d]"
_SHOWN = 60


def names_as_said(tools: Mapping[str, ToolKinds]) -> Check[Subject]:
    """Flag a thing that was not named, where others of its sort were, in quotation marks.

    The sort is what the parameter is called: 'random' channel, for `channel`. Silent where one is
    picked otherwise (the largest, all, any), and as soon as the value was said anywhere.
    """

    def is_named(turn: Turn, call: Call) -> bool:
        kinds = tools.get(call.tool) if _names_things(turn.message) else None
        return kinds is not None and any(
            call.arguments.get(name) not in (None, "")
            for name, _ in _list_named(kinds, turn.message)
        )

    @limit_to_calls(is_named)
    def check(subject: Subject) -> Iterator[Finding]:
        message = subject.turn.message
        if not _names_things(message):
            return
        said = hear_said(subject)
        for execution, _ in with_seen(subject):
            if execution.call.tool not in tools:
                continue
            for name, named in _list_named(tools[execution.call.tool], message):
                for argument in list_arguments(execution, [name]):
                    if argument.value not in said and fold_value(argument.value) not in named:
                        yield _build_finding(argument, sorted(named))

    return check


def _names_things(message: str) -> bool:
    return re.search(_QUOTED, message) is not None and not has_picking_words(message)


def _list_named(kinds: ToolKinds, message: str) -> Iterator[tuple[str, set[str]]]:
    """The parameters whose sort was named, with the names that were said of it."""
    for name, chosen in kinds.chosen.items():
        if chosen.kind not in (ParameterKind.OTHER, ParameterKind.PERSON):
            continue
        sort = re.escape(split_words(name)[-1]) if split_words(name) else ""
        found = re.findall(rf"{_QUOTED}\s+{sort}\b|\b{sort}\s+{_QUOTED}", message, re.IGNORECASE)
        named = {fold_value(before or after) for before, after in found} if sort else set()
        if named:
            yield name, named


def made_anew(tools: Mapping[str, ToolKinds]) -> Check[Subject]:
    """Flag something that is made again under its own name, where it was to be added to or changed.

    Sure where a tool has returned one that has the same in the same field, and no word of the
    message asks for a new one.
    """
    makes = {name for name, each in tools.items() if each.verb is ToolVerb.MAKE}

    @limit_to_tools(makes, when=lambda turn: _asks_for_a_change(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        message = drop_quotes(subject.turn.message).casefold()
        makes_new = load_words("deeds", ToolVerb.MAKE) - load_words("deeds", "extend")
        makes_new |= load_words("words", "anew")
        if not _asks_for_a_change(message) or makes_new & set(re.findall(r"[a-z]+", message)):
            return
        for execution, seen in with_seen(subject):
            tool = execution.call.tool
            if tool not in makes or load_words("deeds", "anew").isdisjoint(split_words(tool)):
                continue
            names = tools[tool].list_parameters(ParameterKind.TEXT)
            for argument in list_arguments(execution, names):
                held = (each.get(argument.name) for each in seen.list_records())
                if fold_value(argument.value) in {fold_value(str(each)) for each in held if each}:
                    yield argument.build_finding(
                        "object.made_anew",
                        issue="and there is one of that name, which was to be changed.",
                        correction="Change the one that is there, and make no other.",
                    )

    return check


def _asks_for_a_change(message: str) -> bool:
    return choose_requests(message).changing.search(message) is not None


def _build_finding(argument: Argument, named: list[str]) -> Finding:
    spoken = ", ".join(quote_value(each, most=_SHOWN) for each in named[:3])
    return argument.build_finding(
        "object.not_as_said",
        issue=f"and the person spoke of {spoken}.",
        correction=f"Give {argument.label} as the person named it.",
    )
