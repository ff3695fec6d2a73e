"""Something that is to be as it is elsewhere: "the same participants as 'Kick-off'"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.lexicon import find_stems, split_words
from mulligan.checks.returned.records import Found, get_title_of
from mulligan.checks.returned.seen_values import SeenValues, ValueOrigin, fold_value, with_seen
from mulligan.checks.subject.concern import limit_to_parameters
from mulligan.checks.subject.subject import Argument, Subject, list_arguments
from mulligan.checks.subject.values import list_texts
from mulligan.core.call import Execution
from mulligan.core.display.quoted import quote_value
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn

_SHOWN = 60


def same_as_named(parameters: Mapping[str, Collection[str]]) -> Check[Subject]:
    """Flag values that are not those of the object whose values were asked for, by its name.

    Sure of a value that it does not have and nobody said, where that object was returned; and of
    any that nobody said, where nothing of that name ever was.
    """

    @limit_to_parameters(parameters, when=_is_asked)
    def check(subject: Subject) -> Iterator[Finding]:
        message = subject.turn.message
        asked = [
            (find_stems(found["what"]), found["one"] or found["two"] or found["three"])
            for found in choose_requests(message).same.finditer(message)
        ]
        for execution, seen in with_seen(subject) if asked else ():
            names = parameters.get(execution.call.tool, ())
            for what, title in asked:
                yield from _compare(execution, seen, names=names, what=what, title=title)

    return check


def _is_asked(turn: Turn) -> bool:
    return choose_requests(turn.message).same.search(turn.message) is not None


def _compare(
    execution: Execution, seen: SeenValues, *, names: Collection[str], what: set[str], title: str
) -> Iterator[Finding]:
    own = [name for name in names if what & find_stems(" ".join(split_words(name)))]
    models = [each for each in seen.list_records() if _is_called(each, title)]
    held = [values for model in models if (values := _read_field(model, what))]
    if not held and (models or seen.was_returned(title)):
        # It was met, but not what it has of that: then others may know.
        return
    for argument in list_arguments(execution, own):
        there = any(fold_value(argument.value) in each for each in held)
        if not there and seen.find_origin(argument.value) is not ValueOrigin.SAID:
            yield _build_finding(argument, title, looked=bool(held))


def _is_called(record: Found, title: str) -> bool:
    return fold_value(get_title_of(record)) == fold_value(title)


def _read_field(model: Found, what: set[str]) -> set[str]:
    """What a record holds under that name, each value folded."""
    return {
        fold_value(text)
        for name, held in model.items()
        if what & find_stems(" ".join(split_words(str(name))))
        for text in list_texts(held)
    }


def _build_finding(argument: Argument, title: str, *, looked: bool) -> Finding:
    shown = quote_value(title, most=_SHOWN)
    why = f"which {shown} does not have" if looked else f"and nobody has looked at {shown}"
    return argument.build_finding(
        "value.not_the_same",
        issue=f"{why}; the person asked for the same.",
        correction=f"Look {shown} up, and give {argument.label} as it is there.",
    )
