"""Something done where only a question was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.lexicon import cut_ending, load_words, split_words
from mulligan.checks.language.quotations import drop_quotes
from mulligan.checks.language.requests import RequestPhrases
from mulligan.checks.standard.tools import ToolVerb
from mulligan.checks.subject.concern import limit_to_tools
from mulligan.checks.subject.subject import Subject, list_effective_calls
from mulligan.core.display.escape import show_name
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check

_SENTENCE = re.compile(r"[^.!?\n;]+[.!?]?")
_WORDS = re.compile(r"[a-z]+")
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
        message = subject.turn.message
        if not is_only_question(message):
            return
        said = {cut_ending(word) for word in re.findall(r"[a-z]+", message.casefold())}
        for execution in list_effective_calls(subject):
            tool = execution.call.tool
            if tool not in tools or cut_ending(next(iter(split_words(tool)), "")) in said:
                continue
            yield Finding(
                rule="request.only_asked",
                severity=severity,
                issue=f"{show_name(tool)} changes something, and the person only asked a question.",
                correction="Answer the question, and change nothing.",
                call=execution.call.id,
            )

    return check


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
    after = _WORDS.findall(sentence[begins.end() :].casefold())
    deeds = {word for deed in _CHANGING for word in load_words("deeds", deed)}
    orders = [
        word
        for before, word in pairwise(["", *after])
        if before in phrases.goes_on and word in deeds
    ]
    return not orders and (sentence.endswith("?") or not deeds.intersection(after))
