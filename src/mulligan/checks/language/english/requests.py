"""What checks listen for in English requests."""

from __future__ import annotations

import re

from mulligan.checks.language.requests import RequestPhrases, find_any
from mulligan.checks.language.tables import build_set

_ABOVE = "more than | greater than | higher than | above"
_COMPARED = rf"{_ABOVE} | less than | fewer than | lower than | below"
_CLOCK = r"(?:at\s+)?(?P<{0}h>\d{{1,2}})(?:[:.](?P<{0}m>\d\d))?(?:\s{{0,3}}(?P<{0}p>am|pm))?"
_TAKEN = (
    r"(?:(?:i|we)(?:\s+already)?\s+have\s+(?:something|anything|plans|another)|\bbusy\b|\btaken\b|"
    r"\bbooked\b|\boccupied\b|\bconflicts?\b|\bnot\s+free\b|isn.t\s+free|\bunavailable\b)"
)
_LOOKING = "show|list|tell|give me|find out|look up|summari[sz]e"

REQUESTS = RequestPhrases(
    several=find_any(
        r"twice | thrice | again | times | copy | copies | duplicates? | identical | repeat\w*"
    ),
    free=find_any(
        r"free | available | availability | open slot | not busy | no conflict\w* | i can do | "
        "we can do | they can do | he can do | she can do | i can make | we can make | "
        "they can make | he can make | she can make"
    ),
    ahead=find_any(
        "future | upcoming | tomorrow | tonight | next | deadline | due | book | schedule | "
        "reschedule | postpone | plan | remind"
    ),
    back=find_any(
        r"yesterday | ago | past | previous | last | earlier | already | was | were | did | had | "
        r"backdate\w* | since"
    ),
    to_come=find_any("future | upcoming | cancel | reschedule | postpone"),
    over=find_any("past | over | old | previous | expired | overdue | finished"),
    mine=find_any("my | mine | our | ours"),
    of_owner=r"['\u2019]s\s+(?:(?!and\b|or\b|to\b|the\b|an?\b)[\w-]+\s+){0,3}",
    compared=find_any(_COMPARED),
    comparison=re.compile(
        rf"(?P<words>{find_any(_COMPARED).pattern}) (?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?)"
        r"(?=\s*(?:[,;?!)](?!\d)|\.\s|\.?$)"
        r"|\s+(?:at|in|on|since|any|during|then|this|last|between|ever)\b)",
        re.IGNORECASE,
    ),
    above=frozenset(each.strip() for each in _ABOVE.split("|")),
    condition=find_any("if"),
    two_ways=find_any("otherwise | else | unless | if not | either way | or if"),
    rank=re.compile(
        r"\b(?:(?P<first>first)|(?P<last>last))\s+(?:meeting|event|appointment|call)\s+"
        r"(?:on\b|of\s+the\s+day\b|today\b|tomorrow\b|(?:this|next|coming)\b)",
        re.IGNORECASE,
    ),
    narrowed=find_any("with | about | called | named | before | after | except | but"),
    home=find_any("home | my house | our house | my place | our place"),
    only_home=re.compile(
        r"(?:(?:my|our|the)\s+)?(?:home|house|place)(?:\s+address)?", re.IGNORECASE
    ),
    home_business=re.compile(r"\b[Hh]ome\s+(?!Office\b|Address\b|Sweet\b)[A-Z]\w+|\bHome[A-Z]\w+"),
    changing=re.compile(
        r"\b(append|add\b[^.!?\n]{0,80}\bto|edit|update|change|extend|modify|revise|continue)\b",
        re.IGNORECASE,
    ),
    lead=re.compile(
        r"^\W*(?:(?:hi|hey|hello|please|ok|okay|so|and|also|then)\b[\s,]*)*", re.IGNORECASE
    ),
    asks=re.compile(
        r"(?:what|which|who|whose|whom|when|where|why|how|is|are|was|were|do|does|did|have|has|am"
        rf"|{_LOOKING}|let me know|display|count"
        rf"|(?:can|could|would|will) you (?:please )?(?:{_LOOKING}|say))\b",
        re.IGNORECASE,
    ),
    goes_on=build_set("and then also please to"),
    extreme=re.compile(
        r"\b(?P<sort>[^\W\d_]{3,})\s+(?:that\s+has|which\s+has|with|having)\s+(?:the\s+)?"
        r"(?:(?P<most>most|(?:largest|biggest|highest|greatest)\s+number\s+of)"
        r"|fewest|least|(?:smallest|lowest)\s+number\s+of)\s+(?P<what>[^\W\d_]{3,})",
        re.IGNORECASE,
    ),
    either=re.compile(
        rf"\b{_CLOCK.format('a')}(?:\s?,)?\s++(?:or|else|otherwise)\s++{_CLOCK.format('b')}(?:\s?,)?\s++"
        rf"(?:if|in\s+case|when)\b[^.!?\n]{{0,60}}?{_TAKEN}",
        re.IGNORECASE,
    ),
    same=re.compile(
        r"\bsame\s+(?P<what>[^\W\d_]+(?:\s+[^\W\d_]+)?)\s+as\s+"
        r"(?:(?:in|for|of|at|the|my|our)\s+){0,3}"
        r"(?:'(?P<one>[^'\n]{1,200})'|\"(?P<two>[^\"\n]{1,200})\""
        r"|\u201c(?P<three>[^\u201d\n]{1,200})\u201d)",
        re.IGNORECASE,
    ),
    fillers=build_set("please the a an to on at for my our me and thanks"),
)
