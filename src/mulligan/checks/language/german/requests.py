"""What checks listen for in German requests."""

from __future__ import annotations

import re

from mulligan.checks.language.german.forms import inflect
from mulligan.checks.language.requests import RequestPhrases, find_any
from mulligan.checks.language.tables import build_set

_ABOVE = "mehr als | größer als | höher als"
_COMPARED = f"{_ABOVE} | weniger als | kleiner als | niedriger als"
_CLOCK = r"(?:(?:um|auf)\s+)?(?P<{0}h>\d{{1,2}})(?:[:.](?P<{0}m>\d\d))?(?:\s+Uhr)?(?P<{0}p>(?!))?"
_TAKEN = (
    r"(?:\b(?:ich|wir)\b[^.!?\n]{0,20}?\b(?:schon|bereits)\s+(?:etwas|was)\b|\bbelegt\b|"
    r"\bvergeben\b|\bbesetzt\b|\bnicht\s+frei\b|\bnicht\s+geht\b)"
)

REQUESTS = RequestPhrases(
    several=find_any(
        r"(?:zwei|drei|vier|mehr|noch|aber)mals? | wieder | erneut | kopien? | doppelt\w* | "
        r"identisch\w* | wiederhol\w*"
    ),
    free=find_any(f"frei | {inflect('frei')} | verfügbar | {inflect('verfügbar')} | zeit | lücke"),
    ahead=find_any(
        f"{inflect('künftig', 'zukünftig', 'nächst', 'kommend')} | morgen | übermorgen | "
        "heute abend | demnächst | frist | fällig | buche? | buchen | plane? | planen | "
        "reserviere | erinner | erinnere | verschiebe? | vereinbare?"
    ),
    back=find_any(
        f"{inflect('letzt', 'vorig', 'vergangen')} | gestern | vorgestern | vor | früher | schon | "
        "bereits | war | waren | hatte | hatten | habe | haben | wurde | nachtragen | nach | seit"
    ),
    to_come=find_any(
        f"{inflect('künftig', 'zukünftig', 'kommend')} | absagen | stornier | storniere | "
        "stornieren | verschieb | verschiebe | verschieben | verleg | verlege | verlegen"
        r" | sage?\b[^.!?\n]{1,80}\bab"
    ),
    over=find_any(f"{inflect('alt', 'vergangen', 'vorig', 'abgelaufen', 'erledigt')} | überfällig"),
    mine=find_any(f"mein | unser | {inflect('mein', 'unser')} | unsre"),
    compared=find_any(_COMPARED),
    comparison=re.compile(
        rf"(?P<words>{find_any(_COMPARED).pattern}) (?P<number>\d+)"
        r"(?=\s*(?:[,;?!)](?!\d)|\.\s|\.?$)"
        r"|\s+(?:am|an|im|in|seit|dann|diese[mnrs]?|letzte[mnrs]?|zwischen|je|war|waren|ist|sind|"
        r"hat|hatte|hatten|wird|werden)\b)",
        re.IGNORECASE,
    ),
    above=frozenset(each.strip() for each in _ABOVE.split("|")),
    condition=find_any("wenn | falls | sofern"),
    two_ways=find_any("sonst | ansonsten | andernfalls | anderenfalls | außer | wenn nicht"),
    rank=re.compile(
        r"\b(?:(?P<first>erste[nrs]?)|(?P<last>letzte[nrs]?))\s+"
        r"(?:termin|treffen|besprechung|meeting|ereignis)\s+"
        r"(?:am|des\s+tages|heute|morgen|von\s+(?:heute|morgen)|diese[nrs]?|nächste[nrs]?)\b",
        re.IGNORECASE,
    ),
    narrowed=find_any("mit | über | namens | vor | nach | außer | aber | zum | zur"),
    home=find_any(
        "nach hause | zu hause | zuhause | daheim | heim | meine wohnung | meiner wohnung | "
        "unsere wohnung | unserer wohnung | bei mir | bei uns | zu mir | zu uns"
    ),
    only_home=re.compile(
        r"(?:nach\s+|zu\s+)?(?:hause|zuhause|daheim)|(?:meine|unsere)\s+(?:wohnung|adresse)",
        re.IGNORECASE,
    ),
    either=re.compile(
        rf"\b{_CLOCK.format('a')}(?:\s?,)?\s++(?:oder|sonst|ansonsten)\s++"
        rf"{_CLOCK.format('b')}(?:\s?,)?\s++"
        rf"(?:wenn|falls|sofern)\b[^.!?\n]{{0,60}}?{_TAKEN}",
        re.IGNORECASE,
    ),
    fillers=build_set("bitte der die das den dem ein eine einen zu zum am um für mir und danke"),
)
