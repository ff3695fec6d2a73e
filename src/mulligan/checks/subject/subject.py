"""What a check of actions looks at, and how it finds its way around in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import NamedTuple, Protocol

from mulligan.checks.language.lexicon import join_words, load_words, split_words
from mulligan.checks.subject.values import list_records, list_texts
from mulligan.core.call import Execution, Outcome
from mulligan.core.display.escape import show_name
from mulligan.core.finding import Fact, Finding, Severity
from mulligan.core.runtime.late_pattern import compile_late
from mulligan.core.turn import Turn

_WHOLE = compile_late(r"(-?\d+)\.0+")
_LINK = compile_late(r"[a-z][a-z0-9+.-]*://(?:www\.)?([^/\s].*?)/?")

_LETTERS = compile_late(r"\w+")
_BETWEEN = compile_late(r"[\s./()-]+")
SQUEEZED = 8
"""Characters from which a value is told apart from others without what stands between them."""

EXISTS = "id.exists"
"""The kind of fact: whether there is an object of that id, `yes` or `no`."""

LOCAL = r"\w.+%*~=&-"
"""Signs that an address of e-mail has before its @, of those that anybody uses."""

Parameters = Mapping[str, Collection[str]]
"""By tool: the names of its parameters that hold one kind of thing, such as ids."""


class Subject(Protocol):
    """One attempt, or what is known of it so far."""

    @property
    def turn(self) -> Turn:
        """The request."""

    @property
    def executions(self) -> tuple[Execution, ...]:
        """The calls, in order; one that has not run yet is `UNKNOWN` and has no result."""

    @property
    def earlier(self) -> tuple[Execution, ...]:
        """Calls of the conversation, and of earlier attempts that were not undone: what they
        returned
        was seen too."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What was computed or read about the turn."""


class Argument(NamedTuple):
    """One value that a call was given."""

    execution: Execution
    name: str
    """As it was given: for who looks it up, never for who shows it."""
    value: str

    @property
    def label(self) -> str:
        """Its name for a sentence: names come from pages, forms and servers, too."""
        return show_name(self.name)

    def build_finding(
        self, rule: str, *, issue: str, correction: str, severity: Severity = Severity.ERROR
    ) -> Finding:
        """A finding about this value; `issue` goes on where naming it ends."""
        call = self.execution.call
        return Finding(
            rule=rule,
            severity=severity,
            issue=f"{show_name(call.tool)} was given {self.label}={self.value!r}, {issue}",
            correction=correction,
            call=call.id,
        )


def list_effective_calls(subject: Subject) -> Iterator[Execution]:
    """The calls that changed something or may: one that failed did nothing to take back."""
    return (e for e in subject.executions if e.outcome is not Outcome.FAILURE)


def list_arguments(execution: Execution, names: Collection[str]) -> Iterator[Argument]:
    """The values of the named parameters, each element of a list on its own."""
    for name in names:
        given = execution.call.arguments.get(name)
        for value in given if isinstance(given, list | tuple | set | frozenset) else (given,):
            if value not in (None, ""):
                yield Argument(execution, name, str(value))


def select_arguments(subject: Subject, parameters: Parameters) -> Iterator[Argument]:
    """The values of these parameters in every call that may have changed something."""
    for execution in list_effective_calls(subject):
        yield from list_arguments(execution, parameters.get(execution.call.tool, ()))


class HeardAnswer(NamedTuple):
    """The texts of an answer, and those that were given to get it, each as it is looked up in."""

    texts: list[str]
    given: list[str]
    """No evidence from this answer: a tool that repeats what it was told has not said it."""


class Heard:
    """Everything said or returned so far, to look a value up in."""

    def __init__(self, *sources: object) -> None:
        self._answers: list[HeardAnswer] = []
        for source in sources:
            self.add(source)

    def add(self, source: object) -> None:
        """Hear one more thing, however deeply it is nested."""
        self._answers.append(HeardAnswer(fold_texts(source), []))

    def add_answer(self, answer: HeardAnswer) -> None:
        """Hear what a call returned, less what it was given."""
        self._answers.append(answer)

    def __contains__(self, value: str) -> bool:
        spelled = list_spellings(value)
        return any(self._has(each, before=r"\w", after=r"\w") for each in spelled)

    def has_address(self, address: str) -> bool:
        """Whether an e-mail address was heard, and not only a longer one that it is a part of."""
        return self._has(address.casefold(), before=rf"[{LOCAL}]", after=r"[\w@-]|\.\w")

    def has_squeezed(self, value: str) -> bool:
        """Whether a long value was heard with other signs between its characters."""
        wanted = _BETWEEN.sub("", value.casefold())

        def has(texts: list[str]) -> bool:
            return any(wanted in _BETWEEN.sub("", text) for text in texts)

        return len(wanted) >= SQUEEZED and any(
            has(each.texts) and not has(each.given) for each in self._answers
        )

    def _has(self, wanted: str, *, before: str, after: str) -> bool:
        whole = re.compile(rf"(?<!{before}){re.escape(wanted)}(?!{after})")

        def has(texts: list[str]) -> bool:
            return any(wanted in text and whole.search(text) for text in texts)

        return any(has(each.texts) and not has(each.given) for each in self._answers)


def list_spellings(value: str) -> list[str]:
    """Ways to write one value: a whole number without its `.0`, a link without its scheme."""
    bare = value.casefold()
    if whole := _WHOLE.fullmatch(bare):
        return [bare, whole[1]]
    link = _LINK.fullmatch(bare)
    return [bare, link[1]] if link else [bare]


def fold_texts(source: object) -> list[str]:
    """Every text of a value as it is looked up in."""
    return [text.casefold() for text in list_texts(source)]


def fold_answer(subject: Subject, execution: Execution) -> HeardAnswer:
    """The texts that an agent read of a call; a subject with a `memo` is asked only once."""
    memo: dict[object, HeardAnswer] = getattr(subject, "memo", {})
    key = "texts", id(execution)
    if key not in memo:
        given = list(list_given(execution).values())
        memo[key] = HeardAnswer(fold_texts(_read_answer(execution)), fold_texts(given))
    return memo[key]


def read_records(subject: Subject, execution: Execution) -> tuple[Mapping[str, object], ...]:
    """The records that a call returned; a subject with a `memo` is asked only once."""
    memo: dict[object, tuple[Mapping[str, object], ...]] = getattr(subject, "memo", {})
    key = "records", id(execution)
    if key not in memo:
        memo[key] = tuple(list_records(execution.result))
    return memo[key]


def list_given(execution: Execution) -> Mapping[str, object]:
    """What a call was given that its answer may repeat, without how much of it was asked for."""
    much, ids = load_words("kinds", "paging"), load_words("kinds", "id")
    given = ((set(split_words(str(n))), n, v) for n, v in execution.call.arguments.items())
    return {n: v for words, n, v in given if words & ids or not (words & much and _counts(v))}


def _counts(value: object) -> bool:
    """Whether a value says how much: a number, or one written out."""
    return isinstance(value, int | float) or (isinstance(value, str) and value.isdecimal())


def hear_said(subject: Subject) -> Heard:
    """What the person said, in this message or before it, and what the application knows."""
    turn, computed = subject.turn, [fact.value for fact in subject.facts]
    return Heard(turn.message if turn.vouched else "", turn.known, computed, turn.history.said)


def with_heard(subject: Subject) -> Iterator[tuple[Execution, Heard]]:
    """Each call that may have changed something, with what was heard before it was made."""
    heard = hear_said(subject)
    heard.add([find_agreed(subject.turn), subject.turn.history.instructions])
    for execution in subject.earlier:
        heard.add_answer(fold_answer(subject, execution))
    for execution in subject.executions:
        if execution.outcome is not Outcome.FAILURE:
            yield execution, heard
        heard.add_answer(fold_answer(subject, execution))


def find_agreed(turn: Turn) -> str:
    """What the agent proposed, where the person's message agrees to it; empty where it does not.

    A message that says anything beside yes adopts nothing.
    """
    return turn.history.proposal if turn.history.proposal and _agrees(turn) else ""


def _agrees(turn: Turn) -> bool:
    said = turn.message.strip()
    if not said or not turn.vouched or "?" in said:
        return False
    agrees = _compile_agreement()
    # Nothing may stand beside it: who says more than yes asks for something of their own.
    rest = set(_LETTERS.findall(agrees.sub(" ", said.casefold())))
    return agrees.search(said) is not None and rest <= load_words("words", "courtesy")


@cache
def _compile_agreement() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('words', 'agree')})\b", re.IGNORECASE)


def weigh_unseen(turn: Turn) -> Severity:
    """How sure it is that a value came from nowhere: not, where not all was read that was said, or
    where the person says yes to something that nobody here has heard."""
    unheard = not turn.history.proposal and _agrees(turn)
    return Severity.WARNING if turn.history.is_partial or unheard else Severity.ERROR


def _read_answer(execution: Execution) -> object:
    """What the agent read: the result, or an error that may name the right value."""
    failure = execution.failure
    return str(failure.error) if failure and failure.error else execution.result
