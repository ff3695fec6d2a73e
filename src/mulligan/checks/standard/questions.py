"""Something done where only a question was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from mulligan.checks.concern import limit_to_tools
from mulligan.checks.languages import detect_language
from mulligan.checks.quotes import drop_quotes
from mulligan.checks.standard.vocabulary.words import cut_ending, load_words, split_words
from mulligan.checks.subject import Subject, list_effective_calls
from mulligan.core.escape import show_name
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check

_SENTENCE = re.compile(r"[^.!?\n;]+[.!?]?")
_LEAD = re.compile(
    r"^\W*(?:(?:hi|hey|hello|please|ok|okay|so|and|also|then)\b[\s,]*)*", re.IGNORECASE
)
_ASKS = re.compile(
    r"(?:what|which|who|whose|whom|when|where|why|how|is|are|was|were|do|does|did|have|has|am"
    r"|show|list|tell|give me|let me know|find out|look up|summari[sz]e|display|count)\b",
    re.IGNORECASE,
)
"""How a sentence begins that only wants to know."""
_POLITE = re.compile(
    r"(?:can|could|would|will) you (?:please )?"
    r"(?:show|list|tell|give me|find out|look up|summari[sz]e|say)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[a-z]+")
_GOES_ON = {"and", "then", "also", "please", "to"}
_LONGEST = 1_000
_ENGLISH = "en"
"""How a question begins is told of this language alone."""


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
    if len(message) > _LONGEST or detect_language(message) != _ENGLISH:
        return False
    found = [each.strip() for each in _SENTENCE.findall(drop_quotes(message))]
    asked = [bare for each in found if re.search(r"\w", bare := _LEAD.sub("", each))]
    return bool(asked) and all(map(_is_question, asked))


def _is_question(sentence: str) -> bool:
    """Whether a sentence wants to know, and goes on to ask for nothing: "list them and mail it"."""
    begins = _ASKS.match(sentence) or _POLITE.match(sentence)
    if begins is None:
        return False
    after = _WORDS.findall(sentence[begins.end() :].casefold())
    deeds = {word for deed in ("make", "remove", "change") for word in load_words("deeds", deed)}
    orders = [
        word for before, word in pairwise(["", *after]) if before in _GOES_ON and word in deeds
    ]
    return not orders and (sentence.endswith("?") or not deeds.intersection(after))
