"""Whether words around a call make it, or only talk about it: refuse, quote, ask, give an example.

What stands by itself is a call, unless the words that lead to it say otherwise. Inside a sentence
it is one only where the sentence says so: whoever is in doubt can ask, and no call is taken back.
"""

from __future__ import annotations

import re

LONGEST = 400
"""Characters before or after a call that are looked at."""

_FLAGS = re.IGNORECASE
_AROUND = re.compile(
    r"</?[A-Za-z?!][^<>]{0,60}>|```\w{0,20}|\bprint\s{0,2}(?=\()|\b(?:await|return)\b"
    r"|[\w.]{1,60}\s{0,2}=(?=\s{0,3}$)"
    r"|(?:^|\n)[ \t]{0,8}(?:\d{1,3}[.)]|[-*+•])(?=\s)"
)
"""What is no talk: tags, fences, `print(`, an assignment, the sign of a list's item."""
_LETTERS = re.compile(r"[^\W\d_]{2,}|\bI\b")
_WORDS = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_SENTENCE_END = re.compile(r"[.!?](?=[\s\"'\u201d)]|$)|\n\s{0,20}\n")
_NEGATED = re.compile(
    r"\b(?:not|never|no|nor|neither|none|without|cannot|avoid\w{0,3}|refus\w{0,4}|declin\w{0,3}|"
    r"reject\w{0,3}|ignor\w{0,3}|forbidden|prohibited|unsafe|wrong|instead of|rather than|"
    r"nicht|kein\w{0,2}|nie|niemals|pas|jamais|nunca|jamás|non)\b|n['\u2019]t\b",
    _FLAGS,
)
_TURNED = re.compile(
    r"\b(?:so|but|therefore|thus|hence|then|however|now|yet|instead(?! of)|rather(?! than))\b"
    r"|[,;:]\s{0,3}(?:I|we|let|please)\b|[\"'`)\]]\s{1,3}(?:I|we)\b",
    _FLAGS,
)
"""Where a sentence turns to what is done all the same."""
_SUPPOSED = re.compile(
    r"\b(?:if|unless|once you|in case|would you|shall (?:i|we)|should (?:i|we)|may i|can i|could i|"
    r"do you want|(?:would|could|should|might) have|wenn|falls|soll ich|examples?|e\.g|"
    r"for instance|such as|sample|illustrat\w{0,5}|hypothetical\w{0,2}|imagine|suppose|"
    r"placeholder|definitions?|defined|lambda|signature|schema|beispiel\w{0,2}|exemple|ejemplo|alternativ\w{0,4}|otherwise|"
    r"already|previously|earlier|another (?:option|way))\b|^\W{0,5}or\b",
    _FLAGS,
)
"""What is asked, supposed, shown, or over and done."""
_SUPPOSED_INLINE = re.compile(r"\b(?:would|could|might|may|can|i called|i ran|i used)\b", _FLAGS)
_REPORTED = re.compile(
    r"\b(?:wrote|written|said|says|sent|reads)\b|\b(?:ask|want|tell|told|request|instruct|demand|"
    r"tri|suggest|propos)\w{0,3}(?: (?:me|us|that|i|you)){0,2}(?: to)? "
    r"(?:call|run|execute|use|invoke)\b",
    _FLAGS,
)
_CODE_BLOCK = re.compile(
    r"^\s{0,20}(?:async )?(?:def|for|while|if|elif|else|try|except|with|class)\b[^\n]{0,200}:"
    r"\s{0,5}$"
)
_COMMENT = re.compile(r"^\s*+#|\s#(?=[\sA-Za-z_])|(?:^|\s)//")
_TURN_AFTER = re.compile(r"\b(?:and|so|because|since|while|to|for|then|instead)\b", _FLAGS)
_POINTS_ON = re.compile(r"\b(?:this|these|following|below)\b", _FLAGS)
_GOES_ON = re.compile(
    r"\s{0,3}(?:$|[.;,:!)\]}#*`|\"'\u201d\u2014\u2013-]|//"
    r"|(?:and|then|to|so|for|now|first|next|in order)\b)",
    _FLAGS,
)
"""How a line goes on after a call that is made; `delete(…) removes it` is talk about one."""
_MAKING = re.compile(
    r"call(?:s|ing)?|run(?:ning)?|us(?:e|ing)|invok(?:e|ing)|execut(?:e|ing)|try(?:ing)?|"
    r"mak(?:e|ing)|perform(?:ing)?|issu(?:e|ing)|is|be|now|then|next|first|finally|here",
    _FLAGS,
)
_FILLING = re.compile(
    r"the|this|that|an?|my|following|function|tool|method|api|command|with|by|via|on|to|again|it|"
    r"new|one|call|as",
    _FLAGS,
)
MOST_OF_NEXT = 3
"""Words before the next call that are about that one."""


def has_words(text: str) -> bool:
    """Whether there is talk in a text between calls, and not only what holds code together."""
    return _LETTERS.search(_AROUND.sub(" ", text[-LONGEST:])) is not None


def is_made(before: str, after: str, *, followed: bool) -> bool:
    """Whether a call is made; `before` and `after` reach to the calls or the text's ends beside it.

    `followed`: `after` ends where another call begins.
    """
    line = before[before.rfind("\n") + 1 :][-LONGEST:]
    rest = after[:LONGEST].split("\n", 1)[0]
    if is_quoted(line) or _is_asked(rest):
        return False
    plain = _AROUND.sub(" ", line)
    if not _LETTERS.search(plain):
        lead = _find_lead(before[: len(before) - len(line)])
        return not denies(lead) and _goes_on(line, rest, followed=followed)
    if plain.rstrip(" `*\"'[({").endswith(":"):
        return not denies(_take_sentence(plain)) and _goes_on(line, rest, followed=followed)
    sentence = _take_sentence(plain)
    return (
        _announces(sentence)
        and not denies(sentence)
        and not _SUPPOSED_INLINE.search(sentence)
        and not _refuses(rest, followed=followed)
    )


def is_quoted(line: str) -> bool:
    """Whether the place after this piece of a line is in a comment, a quotation or a citation."""
    if line.lstrip()[:1] == ">" or _COMMENT.search(line) or line.rfind("<!--") > line.rfind("-->"):
        return True
    for opening, closing in (('"', '"'), ("“", "”"), ("«", "»"), ("„", "“")):
        start = line.rfind(opening)
        inside = start >= 0 and (
            line.count('"') % 2 == 1 if opening == closing else closing not in line[start:]
        )
        if inside and _LETTERS.search(line[start:]):
            return True
    return False


def denies(sentence: str) -> bool:
    """Whether a sentence that leads to a call says that it is not made."""
    if _CODE_BLOCK.match(sentence) or _SUPPOSED.search(sentence):
        return True
    for said in (_NEGATED, _REPORTED):
        found = [each.end() for each in said.finditer(sentence)]
        if found and not _TURNED.search(sentence, found[-1]):
            return True
    return False


def _find_lead(before: str) -> str:
    """The last sentence before a line, if it leads on to it; else empty."""
    for line in reversed(before[-LONGEST:].split("\n")):
        plain = _AROUND.sub(" ", line).strip(" \t>*_[]({`,")
        if not _LETTERS.search(plain):
            continue
        sentence = _take_sentence(plain.rstrip(".!?"))
        open_ended = not plain.endswith((".", "!", "?", ")", ";"))
        return sentence if open_ended or _POINTS_ON.search(sentence) else ""
    return ""


def _take_sentence(text: str) -> str:
    """What stands after the last sentence that has ended."""
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    return text[ends[-1] :] if ends else text


def _announces(sentence: str) -> bool:
    """Whether the last words before a call say that it is made."""
    for word in reversed(_WORDS.findall(sentence)[-6:]):
        if _MAKING.fullmatch(word):
            return True
        if not _FILLING.fullmatch(word):
            return False
    return False


def _goes_on(line: str, rest: str, *, followed: bool) -> bool:
    """Whether what follows on the line leaves the call what it is."""
    if not _LETTERS.search(_AROUND.sub(" ", rest)) or line.rstrip().endswith(("(", "[", "{")):
        return True
    return _GOES_ON.match(rest) is not None and not _refuses(rest, followed=followed)


def _refuses(rest: str, *, followed: bool) -> bool:
    """Whether the sentence goes on to say that the call is not made: `which I refuse`."""
    ended = _SENTENCE_END.search(rest)
    sentence = rest[: ended.start()] if ended else rest
    if _COMMENT.search(sentence[:4]):
        return False
    turn = _TURN_AFTER.search(sentence)
    said = sentence[: turn.start()] if turn else sentence
    found = _NEGATED.search(said)
    if found is None:
        return False
    of_next = followed and not ended and not turn
    return not of_next or len(_WORDS.findall(said[found.start() :])) > MOST_OF_NEXT


def _is_asked(rest: str) -> bool:
    """Whether the sentence is a question: `Should I call it(…)?`"""
    ended = _SENTENCE_END.search(rest)
    return rest.lstrip(" `\"')”")[:1] == "?" or (ended is not None and ended.group() == "?")
