"""What was asked, against what was done: a quotation, a condition, a question, nothing twice."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise

from msgspec import Struct

from mulligan.checks.parameters import ToolKinds, ToolVerb
from mulligan.checks.subject import (
    Parameters,
    Subject,
    is_under_way,
    limit_to_calls,
    limit_to_parameters,
    limit_to_tools,
    list_effective_calls,
    select_arguments,
)
from mulligan.checks.tool_outputs import list_numbers, list_texts
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.display import show_name
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check
from mulligan.types.turn import Turn
from mulligan_dates.languages import choose_requests, is_understood
from mulligan_dates.lexicon import join_words, load_words, says_any
from mulligan_dates.tables import RequestPhrases
from mulligan_dates.text import split_letters, split_name, split_words, stem
from mulligan_dates.tokens import drop_quotes, find_quotes, has_quotes

_NAMED = re.compile(r"\S[^\s./\\_]*+[./\\_]\S++")
"""A file, a link or another name: quoted to identify a thing, not as wording."""
_APOSTROPHE = re.compile("['\u2019]")

NEAR_QUOTE = 0.6
"""The share of words in common from which a text is meant to be the quoted one."""
LONGEST_QUOTE = 1_000
"""Words from which texts are not compared any more: that takes the square of their number."""
CHANGED_WORDS = 2
"""Words added, dropped or replaced from which it is more than a slip put right."""


def quotes_kept(parameters: Parameters) -> Check[Subject]:
    """Flag a text that is nearly what the person put in quotation marks, but not quite.

    Text around the quoted words, such as a greeting, is fine; so is a word spelled right.
    """

    @limit_to_parameters(parameters, when=lambda turn: has_quotes(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        quoted = list(find_quotes(subject.turn.message))
        for argument in select_arguments(subject, parameters):
            wanted = find_changed_quote(argument.value, quoted)
            if wanted is not None:
                yield argument.build_finding(
                    "text.quote_changed",
                    issue=f"but the person's own words were {wanted!r}.",
                    correction=f"Give {argument.label} in the person's own words.",
                )

    return check


def find_changed_quote(text: str, quoted: list[str]) -> str | None:
    """The quotation that a text changes; `None` if it has one whole, or is none of them."""
    written = _split_quote(text)
    changed: str | None = None
    for quote in quoted:
        words = _split_quote(quote)
        if not words or _NAMED.fullmatch(quote.strip()):
            continue
        if f" {' '.join(words)} " in f" {' '.join(written)} ":
            return None
        if max(len(words), len(written)) > LONGEST_QUOTE:
            continue
        match = SequenceMatcher(a=words, b=written, autojunk=False)
        same = sum(block.size for block in match.get_matching_blocks())
        moved = max(len(words), len(written)) - same
        if moved >= CHANGED_WORDS and same >= NEAR_QUOTE * max(len(words), len(written)):
            changed = quote
    return changed


def _split_quote(text: str) -> list[str]:
    return split_words(_APOSTROPHE.sub("", text))


class Threshold(Struct, frozen=True, kw_only=True):
    """The condition a request hangs on: some number above or below a bound."""

    words: str
    bound: float
    above: bool

    def holds(self, number: float) -> bool:
        """Whether a number meets it."""
        return number > self.bound if self.above else number < self.bound


def condition_met(*tools: str) -> Check[Subject]:
    """Flag a call of these tools if the message has one condition, and nothing read meets it.

    It stays silent where the message has two ways to go, more than one comparison or a unit; as
    long as no number was read; and as soon as any number read, of whatever it is, meets it.
    """

    @limit_to_tools(tools, when=lambda turn: parse_condition(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        condition = parse_condition(subject.turn.message)
        if condition is None:
            return
        read = [number for e in subject.earlier for number in list_numbers(e.result)]
        for execution in subject.executions:
            acted = execution.call.tool in tools and execution.outcome is not Outcome.FAILURE
            if acted and read and not any(map(condition.holds, read)):
                yield Finding(
                    rule="condition.not_met",
                    severity=Severity.ERROR,
                    issue=f"{show_name(execution.call.tool)} was called, but of "
                    f"{len(read)} numbers read none is {condition.words}.",
                    correction="Do nothing if the condition is not met, and say so.",
                    call=execution.call.id,
                )
            read += list_numbers(execution.result)

    return check


def parse_condition(message: str) -> Threshold | None:
    """The one comparison that a request hangs on, or `None`."""
    bare = drop_quotes(message)
    phrases = choose_requests(bare)
    found = phrases.comparison.search(bare)
    if not found or len(phrases.compared.findall(bare)) != 1:
        return None
    if not phrases.condition.search(bare) or phrases.two_ways.search(bare):
        return None
    return Threshold(
        words=found.group(),
        bound=float(found["number"].replace(",", "")),
        above=found["words"].casefold() in phrases.above,
    )


def made_once(*tools: str) -> Check[Subject]:
    """Flag a repeated call of a tool that makes or sends something.

    If the message has a word that could ask for several, it is only a warning.
    """

    @limit_to_tools(tools)
    def check(subject: Subject) -> Iterator[Finding]:
        message = drop_quotes(subject.turn.message)
        several = choose_requests(message).several.search(message)
        made: list[Call] = []
        for execution in list_effective_calls(subject):
            call = execution.call
            if call.tool not in tools:
                continue
            if any(is_same_call(call, other) for other in made):
                yield Finding(
                    rule="call.repeated",
                    severity=Severity.WARNING if several else Severity.ERROR,
                    issue=f"{show_name(call.tool)} was called more than once with "
                    "the same arguments.",
                    correction="Make this call only once.",
                    call=call.id,
                )
            made.append(call)

    return check


def is_same_call(one: Call, other: Call) -> bool:
    """Whether two calls are of one tool, with equal arguments."""
    return (one.tool, one.server) == (other.tool, other.server) and (
        dict(one.arguments) == dict(other.arguments)
    )


MOST_CALLS = 500
"""Calls that are compared with each other, the latest."""
STUCK = 5
"""Identical calls with identical answers, or errors, that are a finding."""


def left_undone(*tools: str) -> Check[Subject]:
    """Warn of a call that failed and was not made good: by itself, or on the same object.

    One that was made again and again with the same answer, or error, is said to be stuck; also one
    that only reads. Where the answer changes, such as the state of a job, it is waited for.
    """

    # It looks at failures: no call that did something counts as reviewed for it.
    @limit_to_calls(lambda *_: False)
    def check(subject: Subject) -> Iterator[Finding]:
        made = [e for e in subject.executions if e.call.tool in tools][-MOST_CALLS:]
        told = list(_list_stuck(subject.executions[-MOST_CALLS:]))
        for stuck in told:
            yield Finding(
                rule="call.stuck",
                severity=Severity.WARNING,
                issue=f"{show_name(stuck.tool)} was called at least {STUCK} times with the same "
                "arguments, and always with the same answer.",
                correction="Do something else, or tell the person that it was not done.",
                call=stuck.id,
            )
        for number, execution in enumerate(made):
            call = execution.call
            if execution.outcome is not Outcome.FAILURE or any(is_same_call(call, c) for c in told):
                continue
            later = [each for each in made[number + 1 :] if each.outcome is not Outcome.FAILURE]
            if any(_shares_value(call, each.call) for each in later):
                continue
            told.append(call)
            yield Finding(
                rule="call.left_undone",
                severity=Severity.WARNING,
                issue=f"{show_name(call.tool)} failed, and no later call did what it was for.",
                correction="Do something else, or tell the person that it was not done.",
                call=call.id,
            )

    return check


def _list_stuck(made: Sequence[Execution]) -> Iterator[Call]:
    """The first of each call that was made `STUCK` times, and never with another answer."""
    if len(made) < STUCK:
        return
    groups: dict[tuple[str, str, str], list[Execution]] = {}
    for each in made:
        call = each.call
        key = call.tool, call.server, str(dict(call.arguments))
        groups.setdefault(key, []).append(each)
    for group in groups.values():
        if len(group) >= STUCK and all(_is_same_answer(each, group[0]) for each in group):
            yield group[0].call


def _is_same_answer(one: Execution, other: Execution) -> bool:
    if one.outcome is not other.outcome:
        return False
    if one.failure is not None and other.failure is not None:
        return str(one.failure.error) == str(other.failure.error)
    return one.result is other.result or str(one.result) == str(other.result)


def _shares_value(one: Call, other: Call) -> bool:
    """Whether two calls are about the same thing: a text of some length is in both."""
    mine, theirs = (
        {text for text in list_texts(list(call.arguments.values())) if len(text) >= SHORTEST_SHARED}
        for call in (one, other)
    )
    return not mine.isdisjoint(theirs) or (one.tool == other.tool and not mine)


SHORTEST_SHARED = 3

_SENTENCE = re.compile(r"[^.!?\n;]+[.!?]?")
_LONGEST = 1_000
_CHANGING = (ToolVerb.MAKE, ToolVerb.REMOVE, ToolVerb.CHANGE)


def only_asked(
    tools: Mapping[str, object], *, severity: Severity = Severity.WARNING
) -> Check[Subject]:
    """Flag a call that changes something, where every sentence of the person's is a question.

    Silent as soon as one sentence may ask for something to be done, or a word of the message is
    the tool's own verb. A warning, unless told otherwise.
    """

    @limit_to_tools(tools, when=lambda turn: is_only_question(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        said = {stem(word) for word in split_letters(subject.turn.message)}
        for execution in list_effective_calls(subject):
            tool = execution.call.tool
            if tool not in tools or stem(next(iter(split_name(tool)), "")) in said:
                continue
            yield Finding(
                rule="request.only_asked",
                severity=severity,
                issue=f"{show_name(tool)} changes something, and the person only asked a question.",
                correction="Answer the question, and change nothing.",
                call=execution.call.id,
            )

    return check


def asked_and_done(tools: Mapping[str, ToolKinds]) -> Check[Subject]:
    """Warn of what was asked for and not done, and of a removal that nobody asked for.

    Asked for is what a sentence orders by a verb, in a message without conditions and choices. A
    new thing may stand for a changed one and the other way round; a message counts as sent only by
    a tool that sends.
    """

    # It looks at the whole: no call counts as reviewed for it.
    @limit_to_calls(lambda *_: False)
    def check(subject: Subject) -> Iterator[Finding]:
        done = [each for each in list_effective_calls(subject) if each.call.tool in tools]
        orders = _find_orders(subject.turn.message) if done else {}
        if not orders or not is_understood(subject.turn.message):
            return
        made = [each.call for each in (*subject.earlier, *subject.executions)]
        for deed, verb in orders.items() if not is_under_way(subject) else ():
            if not any(_may_do(each, deed, verb, tools) for each in made):
                yield _report_not_done(done[-1].call, verb)
        removed = [each.call for each in done if tools[each.call.tool].verb is ToolVerb.REMOVE]
        said = _stem_said(subject.turn) if removed else set[str]()
        # Something new is ordered, and no word asks for anything to go or to change.
        new_alone = not orders.keys().isdisjoint(("make", "send")) and said.isdisjoint(_stem_ends())
        for call in removed:
            own = {stem(word) for word in split_name(call.tool)[:1]}
            kept = "keep" in orders and said.isdisjoint(_stem_ends_alone() | own)
            if new_alone or kept:
                yield _report_not_asked(call)

    return check


def not_the_opposite(tools: Mapping[str, ToolKinds]) -> Check[Subject]:
    """Flag a call that undoes what was ordered: it buys where "sell" was said.

    Silent where its own verb was said too, where a call did what was said, and where a condition
    or a choice is left. Verbs that undo each other stand in pairs.
    """

    @limit_to_tools(tools, when=lambda turn: _find_opposites(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        opposites = _find_opposites(subject.turn.message)
        spoken = (subject.turn.message, *subject.turn.history.said)
        said = {word for text in spoken for word in _stem_phrases(text)}
        done = [each for each in list_effective_calls(subject) if each.call.tool in tools]
        made = {e for each in (*subject.earlier, *done) for e in _stem_phrases(each.call.tool)}
        for execution in done:
            for own in _stem_phrases(execution.call.tool):
                verb = opposites.get(own, "")
                if verb and own not in said and stem(verb) not in made:
                    shown = show_name(execution.call.tool)
                    yield Finding(
                        rule="request.opposite",
                        severity=Severity.ERROR,
                        issue=f"The person asked to {verb} something; {shown} does the opposite.",
                        correction=f"Use the tool that can {verb} it.",
                        call=execution.call.id,
                    )

    return check


def not_forbidden(tools: Collection[str]) -> Check[Subject]:
    """Flag a call that the person ruled out: "write the mail, but don't send it yet".

    Silent where a condition stands beside it, and where its verb was said otherwise too.
    """

    @limit_to_tools(tools, when=lambda turn: _find_forbidden(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        forbidden = _find_forbidden(subject.turn.message)
        for execution in list_effective_calls(subject):
            call = execution.call
            own = {stem(word) for word in split_name(call.tool)[:1]}
            if call.tool in tools and (_ANY in forbidden or not own.isdisjoint(forbidden)):
                yield Finding(
                    rule="request.forbidden",
                    severity=Severity.ERROR,
                    issue=f"{show_name(call.tool)} was called, and the person said not to.",
                    correction="Leave it undone, and tell the person what is ready.",
                    call=call.id,
                )

    return check


_ANY = ""
"""In the place of a verb: nothing at all is to be changed."""


def _find_forbidden(message: str) -> frozenset[str]:
    """The stems of the verbs that a message rules out, and says in no other place."""
    if len(message) > _LONGEST:
        return frozenset()
    bare = drop_quotes(message).casefold().replace("\u2019", "'")
    found = list(_compile_forbidden().finditer(bare))
    if not found or says_any(bare, "orders", "depends"):
        return frozenset()
    said = [stem(word) for word in split_letters(bare)]
    verbs = {stem(each["verb"]): each["any"] for each in found}
    once = {verb for verb in verbs if said.count(verb) == 1}
    changes = set(map(stem, load_words("orders", "touches")))
    nothing = any(each and verb in changes for verb, each in verbs.items())
    return frozenset(once | {_ANY} if nothing else once)


@cache
def _compile_forbidden() -> re.Pattern[str]:
    it, anything = join_words("orders", "it"), join_words("orders", "any")
    return re.compile(
        rf"(?<!\w)(?<!{')(?<!'.join(f'{w} ' for w in sorted(load_words('orders', 'who')))})"
        rf"(?:{join_words('orders', 'not')})\s+(?P<verb>[^\W\d_]+)\s+(?:(?P<any>{anything})|{it})"
        rf"(?:\s+(?:{join_words('orders', 'yet')}))?(?=\s*(?:$|[.!;,\n]))"
    )


def _find_opposites(message: str) -> dict[str, str]:
    """By the stem of what would undo it, each verb that a sentence orders."""
    pairs = _load_opposites()
    return {stem(pairs[e]): e for e in _compile_opposites().findall(_read_clear(message))}


def _read_clear(message: str) -> str:
    """A message without its quotations; empty where a condition, choice or question is left."""
    bare = drop_quotes(message).casefold()
    unclear = len(bare) > _LONGEST or "?" in bare or says_any(bare, "orders", "open")
    return "" if unclear else bare


@cache
def _load_opposites() -> Mapping[str, str]:
    told = (each.replace("_", " ").split("|") for each in load_words("orders", "opposites"))
    return {verb: other for pair in told for verb, other in (pair, reversed(pair))}


@cache
def _compile_opposites() -> re.Pattern[str]:
    verbs = "|".join(sorted(map(re.escape, _load_opposites()), key=len, reverse=True))
    before = join_words("orders", "before")
    return re.compile(rf"(?:^|[.!;:,\n]\s*|\b(?:{before})\s)\s*({verbs})(?=\s+[^\W_])")


def _stem_phrases(text: str) -> set[str]:
    """The words of a text, alone and in twos, without their endings."""
    words = split_name(text) if " " not in text else split_letters(text)
    return {*map(stem, words), *(stem(f"{one} {other}") for one, other in pairwise(words))}


def _find_orders(message: str) -> dict[str, str]:
    """By what is to be done, the verb that orders it."""
    found: dict[str, str] = {}
    for verb, back in _compile_orders().findall(_read_clear(message)):
        deed = next(each for each in _ORDERED if verb in load_words("orders", each))
        if not back:
            found.setdefault(deed, verb)
    return found


_ORDERED = ("remove", "send", "make", "change", "keep")


@cache
def _compile_orders() -> re.Pattern[str]:
    verbs = "|".join(join_words("orders", each) for each in _ORDERED)
    return re.compile(
        rf"(?:^|[.!;:,\n]\s*|\b(?:{join_words('orders', 'before')})\s)\s*({verbs})"
        # What is sent back is returned.
        rf"(?=\s+(?:(?:{join_words('orders', 'behind')})\b|\S+@)(?:[^.!;,\n]*?\s(back)\b)?)"
    )


def _may_do(call: Call, deed: str, verb: str, tools: Mapping[str, ToolKinds]) -> bool:
    """Whether a call, also one that failed, may be what a verb orders."""
    kinds = tools.get(call.tool)
    words = {*split_name(call.tool), *(w for name in call.arguments for w in split_name(name))}
    if verb in words or any(
        word.startswith(verb)
        for text in list_texts(list(call.arguments.values()))
        for word in split_letters(text)
    ):
        return True
    match deed:
        case "keep":
            return True
        case "send":
            # A payment goes to somebody too, and is no mail.
            sends = "mails" if verb in load_words("fields", "before_address") else "sends"
            return not words.isdisjoint(load_words("orders", sends))
        case "remove":
            return kinds is not None and kinds.verb is ToolVerb.REMOVE
        case _:
            return kinds is not None and kinds.verb in (ToolVerb.MAKE, ToolVerb.CHANGE)


def _stem_said(turn: Turn) -> set[str]:
    spoken = (turn.message, *turn.history.said)
    return {stem(word) for text in spoken for word in split_letters(text)}


@cache
def _stem_ends_alone() -> frozenset[str]:
    """Words with which something is to go, without those with which it is only set aside."""
    ends = load_words("orders", "ends") | load_words("deeds", ToolVerb.REMOVE)
    return frozenset(map(stem, ends - load_words("orders", "keep")))


@cache
def _stem_ends() -> frozenset[str]:
    """Words after which something may have to go."""
    ends = (load_words("deeds", each) for each in (ToolVerb.REMOVE, ToolVerb.CHANGE))
    return frozenset(map(stem, load_words("orders", "ends").union(*ends)))


def _report_not_done(call: Call, verb: str) -> Finding:
    return Finding(
        rule="request.not_done",
        severity=Severity.WARNING,
        issue=f"The person asked to {verb} something, and no call did that.",
        correction="Do it, or tell the person that it was not done.",
        call=call.id,
    )


def _report_not_asked(call: Call) -> Finding:
    return Finding(
        rule="request.not_asked",
        severity=Severity.WARNING,
        issue=f"{show_name(call.tool)} removes something, and no word of the person's asks for it.",
        correction="Remove only what the person wants to be gone.",
        call=call.id,
    )


def is_only_question(message: str) -> bool:
    """Whether every sentence of a message only wants to know something."""
    if len(message) > _LONGEST:
        return False
    phrases = choose_requests(message)
    found = [each.strip() for each in _SENTENCE.findall(drop_quotes(message))]
    asked = [bare for each in found if re.search(r"\w", bare := phrases.lead.sub("", each))]
    return bool(asked) and all(_is_question(each, phrases) for each in asked)


def _is_question(sentence: str, phrases: RequestPhrases) -> bool:
    """Whether a sentence wants to know, and goes on to ask for nothing: "list them and mail it"."""
    begins = phrases.asks.match(sentence)
    if begins is None:
        return False
    after = split_letters(sentence[begins.end() :])
    deeds = {word for deed in _CHANGING for word in load_words("deeds", deed)}
    orders = [
        word
        for before, word in pairwise(["", *after])
        if before in phrases.goes_on and word in deeds
    ]
    return not orders and (sentence.endswith("?") or not deeds.intersection(after))
