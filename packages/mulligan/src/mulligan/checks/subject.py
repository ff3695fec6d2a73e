"""What a check of actions looks at, and which calls it has looked at.

A check that had nothing to look at has not accepted anything. A check declares what it is about
(`concerns`), as all shipped ones do. For one that does not, reads are recorded: it gets calls that
report when one of their values is read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import cache, partial
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from mulligan.checks.spelled import write_signs
from mulligan.checks.tool_outputs import list_texts, read_whole
from mulligan.process.user_functions import await_value
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.display import show_name
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Fact, Finding, Severity
from mulligan.types.interfaces import Check, Gather
from mulligan.types.turn import Turn
from mulligan.types.values import hide_fields
from mulligan_dates.lexicon import join_words, load_words
from mulligan_dates.readings import find_zone, show_on_clock
from mulligan_dates.text import split_letters, split_name, split_words

_WHOLE = re.compile(r"(-?\d+)\.0+")
_LINK = re.compile(r"[a-z][a-z0-9+.-]*://(?:www\.)?([^/\s].*?)/?")

_BETWEEN = re.compile(r"[\s./()-]+")
SQUEEZED = 8
"""Characters from which a value is told apart from others without what stands between them."""

EXISTS = "id.exists"
"""The kind of fact: whether there is an object of that id, `yes` or `no`."""

LOCAL = r"\w.+%*~=&-"
"""Characters that an e-mail address has before its @, in practice."""

Parameters = Mapping[str, Collection[str]]
"""By tool: the names of its parameters that hold one kind of thing, such as ids."""


V = TypeVar("V")


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


@hide_fields("memo")
class ShownAttempt(Struct, frozen=True, kw_only=True):
    """An attempt as checks are shown it: in part, or with what was read of it."""

    turn: Turn
    executions: tuple[Execution, ...]
    earlier: tuple[Execution, ...]
    facts: tuple[Fact, ...]
    acted: frozenset[str] | None = None
    """Which calls were more than a look; `None`: any may be."""
    of_object: bool = False
    """Its date was read, and not given: only the clause about the object can speak against it."""
    memo: dict[object, Any] = field(default_factory=dict)
    """What checks have read of it, for the next one."""


def recall(subject: Subject, key: object, read: Callable[[], V]) -> V:
    """What `read` says of an attempt; one with a `memo` is read only once."""
    memo: dict[object, V] = getattr(subject, "memo", {})
    if key not in memo:
        memo[key] = read()
    return memo[key]


def may_change(subject: Subject, execution: Execution) -> bool:
    """Whether a call is more than a look around, for all that is known of it."""
    acted, call = getattr(subject, "acted", None), execution.call
    if acted is None or execution.outcome is Outcome.UNKNOWN:
        return True
    # A later try of a call is the call, also under the id of its first try.
    return call.id in acted or call.parent in acted


class Argument(NamedTuple):
    """One value that a call was given."""

    execution: Execution
    name: str
    """As it was given: for lookups, never for display."""
    value: str

    @property
    def label(self) -> str:
        """Its name, safe to print: names come from pages, forms and servers too."""
        return show_name(self.name)

    def build_finding(
        self, rule: str, *, issue: str, correction: str, severity: Severity = Severity.ERROR
    ) -> Finding:
        """A finding about this value; `issue` continues the sentence that names it."""
        call = self.execution.call
        return Finding(
            rule=rule,
            severity=severity,
            issue=f"{show_name(call.tool)} was given {self.label}={self.value!r}, {issue}",
            correction=correction,
            call=call.id,
        )


def list_effective_calls(subject: Subject) -> Iterator[Execution]:
    """The calls that changed something or may have: a failed call has nothing to undo."""
    return (e for e in subject.executions if e.outcome is not Outcome.FAILURE)


def is_under_way(subject: Subject) -> bool:
    """Whether a call has not run yet: then what is missing may still come."""
    return any(each.outcome is Outcome.UNKNOWN for each in subject.executions)


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
    """Not evidence: a tool that repeats its input has not returned it."""


class Heard:
    """Everything said or returned so far, to look a value up in; read when one is looked up."""

    def __init__(self, *sources: object) -> None:
        self._answers: list[HeardAnswer] = []
        self._unread: list[Callable[[], HeardAnswer]] = [partial(fold_source, s) for s in sources]

    def add(self, read: Callable[[], HeardAnswer]) -> None:
        """Add what is read and folded once it is asked for."""
        self._unread.append(read)

    def _read(self) -> list[HeardAnswer]:
        self._answers += [read() for read in self._unread]
        self._unread.clear()
        return self._answers

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
            has(each.texts) and not has(each.given) for each in self._read()
        )

    def _has(self, wanted: str, *, before: str, after: str) -> bool:
        whole = re.compile(rf"(?<!{before}){re.escape(wanted)}(?!{after})")

        def has(texts: list[str]) -> bool:
            return any(wanted in text and whole.search(text) for text in texts)

        return any(has(each.texts) and not has(each.given) for each in self._read())


def list_spellings(value: str) -> list[str]:
    """Ways to write one value: a whole number without its `.0`, a link without its scheme."""
    bare = value.casefold()
    if ".0" in bare and (whole := _WHOLE.fullmatch(bare)):
        return [bare, whole[1]]
    link = _LINK.fullmatch(bare) if "://" in bare else None
    return [bare, link[1]] if link else [bare]


def fold_texts(source: object) -> list[str]:
    """Every text of a value as it is looked up in."""
    return [text.casefold() for text in list_texts(source)]


def fold_source(source: object) -> HeardAnswer:
    """The texts of what was said or is known."""
    return HeardAnswer(fold_texts(source), [])


def fold_answer(subject: Subject, execution: Execution) -> HeardAnswer:
    """The texts that an agent read of a call."""
    return recall(subject, ("texts", id(execution)), partial(_fold_answer, subject, execution))


def _fold_answer(subject: Subject, execution: Execution) -> HeardAnswer:
    given = list(list_given(execution).values())
    failure = execution.failure
    # What it read is the result, or an error that may name the right value.
    if failure and failure.error:
        read = fold_texts(str(failure.error))
    else:
        read = [text.casefold() for text in _read_whole(subject, execution)[0]]
    return HeardAnswer(read, fold_texts(given))


def read_records(subject: Subject, execution: Execution) -> list[Mapping[str, object]]:
    """The records that a call returned."""
    return _read_whole(subject, execution)[1]


def _read_whole(
    subject: Subject, execution: Execution
) -> tuple[list[str], list[Mapping[str, object]]]:
    return recall(subject, ("whole", id(execution)), partial(read_whole, execution.result))


def list_given(execution: Execution) -> Mapping[str, object]:
    """What a call was given that its answer may repeat, without how much of it was asked for."""
    much, ids = load_words("kinds", "paging"), load_words("kinds", "id")
    given = ((set(split_name(str(n))), n, v) for n, v in execution.call.arguments.items())
    return {n: v for words, n, v in given if words & ids or not (words & much and _counts(v))}


def _counts(value: object) -> bool:
    """Whether a value says how much: a number, or one written out."""
    return isinstance(value, int | float) or (isinstance(value, str) and value.isdecimal())


def hear_said(subject: Subject) -> Heard:
    """What the person said, in this message or before it, and what the application knows."""
    heard = Heard()
    heard.add(partial(recall, subject, "said", partial(_fold_said, subject)))
    return heard


def _fold_said(subject: Subject) -> HeardAnswer:
    turn, computed = subject.turn, [fact.value for fact in subject.facts]
    message = turn.message if turn.vouched else ""
    spelled = [write_signs(text) for text in (message, *turn.history.said)]
    return fold_source([message, turn.known, computed, turn.history.said, spelled])


def find_agreed(turn: Turn) -> str:
    """What the agent proposed, if the person's message agrees to it; otherwise empty.

    A message that says anything beside yes adopts nothing.
    """
    return turn.history.proposal if turn.history.proposal and _agrees(turn) else ""


def _agrees(turn: Turn) -> bool:
    said = turn.message.strip()
    if not said or not turn.vouched or "?" in said:
        return False
    agrees = _compile_agreement()
    # Nothing may stand beside it: a message that says more than yes is a request of its own.
    rest = set(split_words(agrees.sub(" ", said.casefold())))
    return agrees.search(said) is not None and rest <= load_words("words", "courtesy")


@cache
def _compile_agreement() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('words', 'agree')})\b", re.IGNORECASE)


def weigh_unseen(turn: Turn) -> Severity:
    """The severity of an unseen value: a warning where the conversation was not read completely, or
    where the person says yes to something that was not read."""
    unheard = not turn.history.proposal and _agrees(turn)
    return Severity.WARNING if turn.history.is_partial or unheard else Severity.ERROR


S = TypeVar("S")

Concern = Callable[[Turn, Call], bool]
"""Whether a check has something to look at in a call of a turn."""


When = Callable[[Turn], object]
"""Whether a turn says what a check is about."""


class ConcernedCheck(Generic[S]):
    """A check that declares which calls it is about, so that others do not count as reviewed."""

    def __init__(self, check: Check[S], concerns: Concern, when: When | None = None) -> None:
        self._check = check
        self._when = when
        self.concerns = concerns
        functools.update_wrapper(self, check)

    def __call__(self, subject: Any) -> Any:
        """What the check finds; nothing in a turn that does not say what it is about."""
        return self._check(subject) if self._when is None or self._when(subject.turn) else ()


def limit_to_calls(
    concerns: Concern, *, when: When | None = None
) -> Callable[[Check[S]], Check[S]]:
    """Have a check say which calls it looks at, in turns that say what it is about.

    What a check that does not say so reads of a call is noted instead.
    """

    def is_about(turn: Turn, call: Call) -> bool:
        return concerns(turn, call) and (when is None or bool(when(turn)))

    return lambda check: ConcernedCheck(check, is_about if when else concerns, when)


def limit_to_tools(
    tools: Collection[str], *, when: When | None = None
) -> Callable[[Check[S]], Check[S]]:
    """Have a check be about calls of these tools, in turns that say what it is about."""
    return limit_to_calls(lambda _, call: call.tool in tools, when=when)


def limit_to_parameters(
    parameters: Parameters, *, when: When | None = None
) -> Callable[[Check[S]], Check[S]]:
    """Have a check be about calls that were given one of these parameters."""

    def is_given(_: Turn, call: Call) -> bool:
        given = (call.arguments.get(name) for name in parameters.get(call.tool, ()))
        return any(value not in (None, "") for value in given)

    return limit_to_calls(is_given, when=when)


def with_concern_of(check: Check[S], other: Check[S]) -> Check[S]:
    """A check that is about the same calls as the one it was made from."""
    concerns = getattr(other, "concerns", None)
    return check if concerns is None else ConcernedCheck(check, concerns)


def has_concern(check: Check[S], *, turn: Turn, call: Call) -> bool:
    """Whether a check declares that it looks at this call; an error counts as no."""
    concerns: Concern | None = getattr(check, "concerns", None)
    try:
        return concerns is not None and bool(concerns(turn, call))
    except Exception:  # noqa: BLE001 - a user's function may raise anything
        return False


def watch_checks(checks: Sequence[Check[S]], read: set[str]) -> list[Check[S]]:
    """The checks, where those that do not say what they look at have `read` told the id of each
    call that they read a value of."""
    return [check if hasattr(check, "concerns") else _watch(check, read) for check in checks]


def _watch(check: Check[S], read: set[str]) -> Check[S]:
    def look(subject: Any) -> Any:
        shown = tuple(_watch_execution(each, read) for each in subject.executions)
        return check(replace(subject, executions=shown))

    # Its findings and its faults go by the name of the check.
    functools.update_wrapper(look, check)
    look.__name__ = getattr(check, "__name__", type(check).__name__)
    look.__qualname__ = getattr(check, "__qualname__", look.__name__)
    return look


def peek_result(execution: Execution) -> object:
    """What a call returned, without recording a read: for code that only hands it on."""
    found: object = object.__getattribute__(execution, "result")
    return found


def _watch_execution(execution: Execution, read: set[str]) -> Execution:
    call = execution.call
    note = functools.partial(read.add, call.id)
    given = asdict(execution)
    given["call"] = replace(call, arguments=_WatchedArguments(call.arguments).watch(note))
    watched = _WatchedExecution(**given)
    watched.__dict__["_note"] = note
    return watched


class _WatchedExecution(Execution, frozen=True, dict=True):
    """An execution that records when its result is read."""

    _note = staticmethod(lambda: None)
    """A copy made by `replace` records nothing."""

    def __getattribute__(self, name: str) -> Any:
        if name == "result":
            self._note()
        return super().__getattribute__(name)

    def __eq__(self, other: object) -> bool:
        self._note()
        return super().__eq__(other)

    __hash__ = Execution.__hash__


class _WatchedArguments(dict[str, object]):
    """A call's arguments that record when a value is read.

    A name that is asked for and not there is no look, and neither is a list of the names.
    """

    _note: Callable[[], None] = staticmethod(lambda: None)
    """A copy, as by `copy.deepcopy`, records nothing."""

    def watch(self, note: Callable[[], None]) -> Self:
        """Call `note` on each read."""
        self._note = note
        return self

    def __reduce__(self) -> tuple[object, ...]:
        # Copied or pickled, it is a dict as any other.
        return dict, (dict(self),)

    def __getitem__(self, name: str) -> object:
        value = super().__getitem__(name)
        self._note()
        return value

    def get(self, name: str, default: Any = None) -> Any:
        if name in self:
            self._note()
        return super().get(name, default)

    def items(self) -> Any:
        self._note_all()
        return super().items()

    def values(self) -> Any:
        self._note_all()
        return super().values()

    def copy(self) -> dict[str, object]:
        return dict(self)

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __iter__(self) -> Iterator[str]:
        # Said here, so that `dict(arguments)` and `**arguments` read value by value.
        return super().__iter__()

    def __eq__(self, other: object) -> bool:
        self._note_all()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        self._note_all()
        return super().__repr__()

    def _note_all(self) -> None:
        if self:
            self._note()


_LATEST_CLOCK_ON_EARTH = timedelta(hours=12)
"""How far behind UTC a clock can be."""


def find_earliest_now(turn: Turn) -> datetime:
    """Now on the person's clock; where the zone is unknown, the least it can be."""
    local = show_on_clock(turn.now, turn.timezone)
    return local or turn.now.astimezone(UTC).replace(tzinfo=None) - _LATEST_CLOCK_ON_EARTH


def require_zone(name: str | None) -> ZoneInfo | None:
    """The zone of that name; `None` when none is given. An unknown name is refused.

    With a mistyped zone no date would be checked, silently.
    """
    if name is not None and not isinstance(name, str):
        raise ConfigurationError(
            f"The time zone is {name!r}, not the name of one. Pass timezone={str(name)!r}."
        )
    if not name:
        return None
    zone = find_zone(name)
    if zone is None:
        raise ConfigurationError(f"Unknown time zone {name!r}. {_suggest_zone(name)}")
    return zone


def _suggest_zone(name: str) -> str:
    known = available_timezones()
    if not known:
        return "This machine has no time zones: pip install tzdata."
    near = get_close_matches(name, known, n=1)
    meant = f"Did you mean {near[0]!r}? " if near else "Give one such as 'Europe/Berlin'. "
    return f"{meant}Leave it out if it is not known."


PERSON = "person.address"
"""The kind of fact: a name that the person used, and an address the directory has for it."""


def people_named(
    directory: Callable[[], Iterable[str] | Awaitable[Iterable[str]]],
) -> Gather:
    """Resolve names in the message to the addresses that a directory has for them.

    A name of two people gives both, without choosing.
    """

    async def gather(turn: Turn, _calls: Sequence[Call]) -> Iterable[Fact]:
        spoken = set(split_letters(turn.message, shortest=2))
        return [
            Fact(
                kind=PERSON,
                subject=name,
                value=address,
                about=f"The directory has {address} for {name!r}.",
            )
            for address in await await_value(directory())
            for name in split_names(address)
            if name in spoken
        ]

    return gather


def split_names(address: str) -> list[str]:
    """The words before the @: likely the person's name."""
    return split_letters(address.partition("@")[0], shortest=2)
