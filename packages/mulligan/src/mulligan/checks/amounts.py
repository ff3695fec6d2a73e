"""Amounts that follow from nothing said or returned, and the one with the most of something."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, combinations, islice
from math import isclose, isfinite
from typing import NamedTuple

from mulligan.checks.parameters import ParameterKind, ToolKinds, find_kind
from mulligan.checks.provenance import Returned, SeenValues, fold_value, with_seen
from mulligan.checks.quantities import parse_numeral, write_out
from mulligan.checks.subject import (
    Argument,
    Subject,
    find_agreed,
    limit_to_calls,
    limit_to_tools,
    list_arguments,
    weigh_unseen,
)
from mulligan.checks.tool_outputs import (
    list_parts,
    list_records,
    list_scalars,
    list_texts,
    read_structure,
)
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check
from mulligan.types.turn import Turn
from mulligan_dates.languages import choose_requests, is_understood
from mulligan_dates.lexicon import find_stems, join_words, load_words, names_any, says_any
from mulligan_dates.text import is_number, read_number, split_letters, split_name, stem
from mulligan_dates.tokens import drop_quotes

MOST_NUMBERS = 60
"""Numbers combined in pairs: with more, nearly every amount would follow."""
MOST_SHARES = 24
MOST_FEES = 10
"""Numbers of the message that may raise or lower a share."""
MOST_FACTORS = 12
"""Numbers of the message that are multiplied with each other."""
_LIKE = 0.006
"""How far an amount may be off by rounding: half a cent."""

_NUMBER = re.compile(
    r"(?<![\w.,])[-+]?(?:\d{1,3}(?:\.\d{3})+(?=,\d{1,2}\b)|\d{1,3}(?:[,' \u00a0]\d{3})+|\d+)"
    r"(?:[.,]\d+)?(?![\w]|[.,]\d)"
)
_PARTS = {
    "half": 1 / 2,
    "third": 1 / 3,
    "quarter": 1 / 4,
    "double": 2.0,
    "triple": 3.0,
}
_RATIO = re.compile(r"(?<![\d/:])(\d{1,2})[/:](\d{1,2})(?![\d/:])")
"""60/40: two shares of a whole."""
_WHOLE = 100.0
_DATED = re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}:\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")


def amounts_as_said(
    tools: Collection[ToolKinds], parameters: Mapping[str, Collection[str]]
) -> Check[Subject]:
    """Flag an amount that was neither said nor returned, and is not calculable.

    Certain only where the message asks for no calculation. Silent where there are very many
    numbers.
    """
    defaults = {each.tool: each.defaults for each in tools}

    acting = {each.tool for each in tools}

    def is_about(_turn: Turn, call: Call) -> bool:
        named = any(call.arguments.get(name) is not None for name in parameters.get(call.tool, ()))
        return named or (call.tool in acting and bool(_list_quantities(call)))

    @limit_to_calls(is_about)
    def check(subject: Subject) -> Iterator[Finding]:
        asked = any(is_about(subject.turn, each.call) for each in subject.executions)
        if not asked or not is_understood(subject.turn.message):
            return
        # Where it is to be calculated, it may follow in more steps than are tried.
        sure = not says_any(subject.turn.message, "words", "calculated")
        weight = weigh_unseen(subject.turn) if sure else Severity.WARNING
        said: Amounts | None = None
        for execution, seen in with_seen(subject):
            tool = execution.call.tool
            given = [*list_arguments(execution, parameters.get(tool, ()))]
            if tool in acting:
                given += [Argument(execution, *each) for each in _list_quantities(execution.call)]
            if given:
                said = said or Amounts(subject)
                odd = said.find_odd(given, seen, usual=defaults.get(tool, {}))
                for argument in odd:
                    yield argument.build_finding(
                        "amount.not_as_said",
                        severity=weight,
                        issue="an amount that was not said, not returned, and not calculable from "
                        "what was.",
                        correction=f"Look up the numbers behind {argument.label}, and calculate it "
                        "from them.",
                    )

    return check


def _list_quantities(call: Call) -> list[tuple[str, str]]:
    """How many of each line of an order is given, with the path to it: `items.quantity`."""
    return [
        (f"{name}.{key}", str(held))
        for name, value in call.arguments.items()
        if isinstance(value, list | dict)
        for record in list_records(value)
        for key, held in record.items()
        if is_number(held) and names_any(str(key), "kinds", "counted")
    ]


class Amounts:
    """The numbers of a turn, and what follows from them."""

    def __init__(self, subject: Subject) -> None:
        self._turn = turn = subject.turn
        written = (*turn.history.said, *turn.history.instructions, find_agreed(turn))
        told = [turn.message if turn.vouched else "", *list_texts(turn.known), *written]
        self.said = {number for text in told for number in find_numbers(text)}
        # The message first, then the newest of what was said: with very many, everything follows.
        near = (told[0], *reversed(told[1:]))
        self.near = list(dict.fromkeys(n for text in near for n in sorted(find_numbers(text))))[
            :MOST_NUMBERS
        ]
        shares = (share for text in near for share in sorted(find_shares(text)))
        self.shares = list(dict.fromkeys(shares))[:MOST_SHARES]
        self._facts = [number for fact in subject.facts for number in find_numbers(fact.value)]

    def find_odd(
        self, given: Sequence[Argument], seen: SeenValues, *, usual: Mapping[str, object]
    ) -> Iterator[Argument]:
        """The amounts of a call that follow neither from what was known nor from each other."""
        odd: list[tuple[Argument, float]] = []
        right: list[float] = []
        for argument in given:
            value, call = _read_amount(argument.value), argument.execution.call
            if value is None or _read_amount(usual.get(argument.name)) == value or value == 1:
                continue
            times = _find_times(call, self._turn)
            explained = self.explain(value, seen, times=times)
            if explained or _is_sum_of_given(value, call, seen):
                right.append(value)
            else:
                odd.append((argument, value))
        for argument, value in odd:
            # A total is what the other amounts of the call come to.
            if not (right and self.explain(value, seen, beside=right)):
                yield argument

    def explain(
        self,
        value: float,
        seen: SeenValues,
        *,
        times: Collection[int] = (),
        beside: Collection[float] = (),
    ) -> bool:
        """Whether an amount was said, returned, or follows from what was.

        `times`: how many of one period of time are in another. `beside`: other amounts that follow.
        """
        met = {number for each in seen.answers for number in _list_returned(each)}
        if _holds({*self.said, *self._facts, *met}, value):
            return True
        columns = _read_columns(seen)
        met_most = islice(chain(*columns.values()), MOST_NUMBERS)
        known = {*self.near, *self._facts, *beside, *met_most}
        if value == 0 or not known:
            return False
        return (
            _follows(value, known, said=self.near, shares=self.shares)
            or any(_is_like(value, n * k) or _is_like(value * k, n) for n in known for k in times)
            or any(_is_sum(value, column) for column in columns.values())
            or any(
                _is_like(value, each * part)
                for each in _list_lines(seen)
                for part in (1, *(p for s in self.shares for p in (s, 1 + s, 1 - s)))
            )
            or any(_is_like(value, n * each) for n in known for each in beside)
        )


_PERIODS: Mapping[tuple[str, str], tuple[int, ...]] = {
    ("day", "week"): (7, 5),
    ("day", "month"): (30, 31, 28),
    ("day", "year"): (365, 366),
    ("week", "month"): (4,),
    ("week", "quarter"): (13,),
    ("week", "year"): (52,),
    ("month", "quarter"): (3,),
    ("month", "year"): (12,),
    ("quarter", "year"): (4,),
}
"""How many of one period are in a longer one."""


def _find_times(call: Call, turn: Turn) -> list[int]:
    """How often what is due in one period is due in another: both were said, or the call names
    one."""
    told = (turn.message, *turn.history.said, *list_texts(dict(call.arguments)))
    words = {word for text in told for word in split_letters(text)}
    words.update(*map(split_name, (call.tool, *call.arguments)))
    named = {
        period for pair in _PERIODS for period in pair if words & load_words("periods", period)
    }
    return [times for pair, each in _PERIODS.items() if named.issuperset(pair) for times in each]


def _read_columns(seen: SeenValues) -> dict[str, list[float]]:
    """Numbers to calculate with, by their field: ids are left out."""
    columns: defaultdict[str, list[float]] = defaultdict(list)
    for answer in seen.answers:
        returned = _list_returned(answer)
        for name, held in ((n, h) for record in answer.records for n, h in record.items()):
            if find_kind(str(name)).kind is ParameterKind.ID or list_parts(held) is not None:
                continue
            number = _read_amount(held)
            if number is not None:
                columns[str(name)] += [number] if number in returned else []
            elif isinstance(held, str):
                columns[f"{name} as text"].extend(find_numbers(held) & returned)
        if isinstance(answer.structure, str | int | float):
            columns["text"].extend(returned)
    return {name: held for name, held in columns.items() if held}


def _list_lines(seen: SeenValues) -> Iterator[float]:
    """What lines come to, alone and all of one list: the product of price and quantity."""
    for answer in seen.answers:
        lines = [_read_fields(record) for record in islice(answer.records, MOST_NUMBERS)]
        lines = [line for line in lines if len(line) > 1]
        for one, other in combinations(lines[0] if lines else (), 2):
            found = [line[one] * line[other] for line in lines if {one, other} <= line.keys()]
            yield from (*found, sum(found))


def _read_fields(record: Mapping[str, object]) -> dict[str, float]:
    told = ((str(name), _read_amount(held)) for name, held in islice(record.items(), MOST_FACTORS))
    ids = (ParameterKind.ID,)
    return {n: held for n, held in told if held is not None and find_kind(n).kind not in ids}


def _list_returned(answer: Returned) -> set[float]:
    """The numbers that a call returned, without its own arguments; amounts in cents too."""
    met = set(_list_written_numbers(answer.structure))
    echoed = {
        number * unit
        for name, given in answer.given.items()
        for number in _list_written_numbers(given)
        for unit in ((1, 100, 0.01) if find_kind(name).kind is ParameterKind.AMOUNT else (1,))
    }
    return {number for number in met if not _holds(echoed, number)} if echoed else met


def find_numbers(text: str) -> set[float]:
    """Every number that a text may mean, dates and clock times left out."""
    spelled = _DATED.sub(" ", write_out(text.casefold()))
    found = {number for each in _NUMBER.finditer(spelled) for number in _read_numeral(each[0])}
    for sign, scale, bare, other in _compile_marked().findall(spelled):
        times = _load_times().get((scale or other).lower(), 1.0)
        found.update(number * times for number in _read_numeral(sign or bare))
    return found


@cache
def _compile_marked() -> re.Pattern[str]:
    """An amount with a sign before it, or a scale behind it."""
    return re.compile(
        r"(?:[$\u20ac\u00a3\u00a5]|\b(?:usd|eur|gbp|chf))\s?(\d[\d,.]*+)\s?([kKmM]\b)?"
        # Only at the first digit, or a long number would be read once for each digit.
        r"|(?<![\d,.])(\d[\d,.]*+)\s?((?:[kKmM]"
        rf"|{join_words('words', 'million')}|{join_words('words', 'thousand')})\b)",
        re.IGNORECASE,
    )


@cache
def _compile_share() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\d)(\d++(?:[.,]\d++)?+)\s?(?:%|(?:{join_words('words', 'percent')})\b)",
        re.IGNORECASE,
    )


@cache
def _load_times() -> Mapping[str, float]:
    """The factor of a scale: 1,000 for k."""
    thousands = dict.fromkeys({"k", *load_words("words", "thousand")}, 1e3)
    return thousands | dict.fromkeys({"m", *load_words("words", "million")}, 1e6)


def find_shares(text: str) -> set[float]:
    """The shares in a text: 19.5 % is 0.195."""
    found = {n / 100 for each in _compile_share().findall(text) for n in _read_numeral(each)}
    parts = [(float(one), float(other)) for one, other in _RATIO.findall(text)]
    found |= {n / _WHOLE for pair in parts for n in pair if sum(pair) == _WHOLE}
    words = set(split_letters(text))
    found |= {share for name, share in _PARTS.items() if words & load_words("words", name)}
    # A number of parts or months need not be said as a number.
    return found | (
        {1 / n for n in range(2, 13)} if words & load_words("words", "split") else set()
    )


def _follows(
    value: float, known: Collection[float], *, said: Collection[float], shares: Iterable[float]
) -> bool:
    """Whether it is a sum or difference of two, a multiple, or a share with or without a fee."""
    spoken = [0.0, *islice(said, MOST_FEES)]
    shares = list(shares)
    # 120 guests at 48.50 each, and 10 % on top.
    products = (one * other for one, other in combinations(islice(said, MOST_FACTORS), 2))
    if any(
        _is_like(value, p * (1 + s)) or _is_like(value, p * (1 - s))
        for p in products
        for s in shares
    ):
        return True
    for one in known:
        if any(
            _is_like(value, each)
            for other in known
            if other is not one
            for each in (one + other, abs(one - other))
        ):
            return True
        if any(n and (_is_like(value, one * n) or _is_like(value, one / n)) for n in said):
            return True
        for share in shares:
            parts = (one * share, one * (1 + share), one * (1 - share))
            if any(
                _is_like(value, part + fee) or _is_like(value, part - fee)
                for part in parts
                for fee in spoken
            ):
                return True
    return False


def _is_sum(value: float, column: list[float]) -> bool:
    """Whether it is the sum, the mean or a running sum of a column that was returned."""
    total = sum(column)
    sums = [total, total / len(column)]
    for number, held in enumerate(column):
        sums += [sum(column[: number + 1]), sum(column[number:]), total - held]
    return any(_is_like(value, each) for each in sums)


def _is_sum_of_given(value: float, call: Call, seen: SeenValues) -> bool:
    """Whether it is what the objects that a call is given come to: five receipts of a list."""
    given = set(map(fold_value, list_texts(dict(call.arguments))))
    columns: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for record in seen.list_records():
        for own in given.intersection(_list_ids(record)):
            # An object that was read again counts once.
            for name, held in record.items():
                if (number := _read_amount(held)) is not None:
                    columns[str(name)][own] = number
    return any(_is_like(value, sum(column.values())) for column in columns.values())


def _list_ids(record: Mapping[str, object]) -> list[str]:
    return [
        fold_value(str(held))
        for name, held in record.items()
        if isinstance(held, str | int) and find_kind(str(name)).kind is ParameterKind.ID
    ]


def _list_written_numbers(structure: object) -> Iterator[float]:
    for leaf in list_scalars(structure):
        if is_number(leaf) and isfinite(leaf):
            yield float(leaf)
        elif isinstance(leaf, str):
            yield from find_numbers(leaf)


def _read_numeral(text: str) -> tuple[float, ...]:
    """What a numeral can mean: `1.500` is two numbers."""
    return parse_numeral(text.strip(".,"))[0]


def _read_amount(value: object) -> float | None:
    return read_number(value.strip().lstrip("$\u20ac\u00a3") if isinstance(value, str) else value)


def _holds(known: Iterable[float], value: float) -> bool:
    return any(_is_like(abs(value), abs(each)) for each in known)


def _is_like(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=1e-9, abs_tol=_LIKE)


_SENTENCE = re.compile(r"[^.!?\n]+")
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"']{3,200}", re.IGNORECASE)
_LONGEST = 5_000
"""Characters of a text that the person pointed to."""
FEWEST_COUNTED = 2
"""How many things must have been counted: one alone proves nothing."""


class Extreme(NamedTuple):
    """What was asked for: the sort of thing, what is counted, and the action."""

    sort: str
    what: str
    most: bool
    sentence: frozenset[str]


def extreme_as_said(tools: Mapping[str, object]) -> Check[Subject]:
    """Flag a call on an object that does not have the most or fewest, where each was counted.

    A count is the length of a list that a tool named after what is counted returned for one thing,
    and for nothing else. The same sentence must ask for the call by its verb.
    """

    @limit_to_tools(tools, when=_may_ask)
    def check(subject: Subject) -> Iterator[Finding]:
        asked = read_extreme("\n".join([subject.turn.message, *_list_pointed(subject)]))
        if asked is None:
            return
        counts: dict[str, int] = {}
        for execution in subject.earlier:
            _count(execution, asked, counts)
        for execution in subject.executions:
            if execution.call.tool in tools and execution.outcome is not Outcome.FAILURE:
                yield from _compare(execution, asked, counts)
            _count(execution, asked, counts)

    return check


def _may_ask(turn: Turn) -> bool:
    asked = choose_requests(turn.message).extreme.search(turn.message)
    return bool(asked or _LINK.search(turn.message))


def _list_pointed(subject: Subject) -> Iterator[str]:
    """The texts that the person linked to: they count as the person's own request."""
    links = {fold_value(link.rstrip(".,;:!?)'\"")) for link in _LINK.findall(subject.turn.message)}
    for execution in (*subject.earlier, *subject.executions) if links else ():
        given = {fold_value(value) for value in list_texts(execution.call.arguments)}
        if given & links and isinstance(execution.result, str):
            yield execution.result[:_LONGEST]


def read_extreme(message: str) -> Extreme | None:
    """The only one that a message asks for by a number, if there is just one such sentence."""
    found = [
        Extreme(
            sort=stem(asked["sort"].casefold()),
            what=stem(asked["what"].casefold()),
            most=asked["most"] is not None,
            sentence=frozenset(find_stems(sentence)),
        )
        for sentence in _SENTENCE.findall(drop_quotes(message))
        for asked in choose_requests(message).extreme.finditer(sentence)
    ]
    return found[0] if len(set(found)) == 1 else None


def _count(execution: Execution, asked: Extreme, counts: dict[str, int]) -> None:
    """Remember how many a tool returned for one thing."""
    call = execution.call
    returned = read_structure(execution.result)
    counted = {stem(word) for word in split_name(call.tool)}
    if execution.outcome is not Outcome.SUCCESS or asked.what not in counted:
        return
    if isinstance(returned, list | tuple) and len(call.arguments) == 1:
        ((name, value),) = call.arguments.items()
        if asked.sort in map(stem, split_name(name)) and isinstance(value, str):
            counts[fold_value(value)] = len(returned)


def _compare(execution: Execution, asked: Extreme, counts: Mapping[str, int]) -> Iterator[Finding]:
    call = execution.call
    verb = stem(next(iter(split_name(call.tool)), ""))
    if len(counts) < FEWEST_COUNTED or verb not in asked.sentence:
        return
    best = max(counts.values()) if asked.most else min(counts.values())
    for name, value in call.arguments.items():
        number = counts.get(fold_value(value)) if isinstance(value, str) else None
        if asked.sort in map(stem, split_name(name)) and number not in (None, best):
            yield Argument(execution, name, str(value)).build_finding(
                "object.not_the_extreme",
                issue=f"which has {number}; of {len(counts)} that were read, another has {best}.",
                correction=f"Take the one with {best}.",
            )
