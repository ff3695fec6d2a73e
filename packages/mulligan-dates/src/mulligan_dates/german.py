"""German: the words, how they inflect and join, and nothing but the words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mulligan_dates.tables import (
    ZONES,
    ClauseWords,
    DayPart,
    Half,
    Limit,
    ProsePhrases,
    RequestPhrases,
    Side,
    Table,
    Unit,
    Which,
    Words,
    build_dates,
    build_set,
    build_table,
    build_weekdays,
    build_words,
    find_any,
    with_slips,
)

_MOVING = (
    "verschieb | verschiebe | verschieben | verschiebst | verschoben | verleg | verlege | "
    "verlegen | verlegst | verlegt | verschiebt | tausch | tausche | tauschen | ändere | ändern"
)
_DOING = (
    "trag | trage | tragen | eintragen | einzutragen | leg | lege | legen | anlegen | anzulegen | "
    "plan | plane | planen | einplanen | buch | buche | buchen | reservier | reserviere | "
    "reservieren | erstell | erstelle | erstellen | mach | mache | machen | setz | setze | "
    "setzen | ansetzen | anzusetzen | vereinbar | vereinbare | vereinbaren | organisier | "
    "organisiere | organisieren | erinner | erinnere | erinnern | lad | lade | einladen | "
    "blocke | blocken | blockier | blockiere | blockieren | schick | schicke | schicken | send | "
    "sende | senden | schreib | schreibe | schreiben | bestell | bestelle | bestellen | kauf | "
    "kaufe | kaufen | ruf | rufe | anrufen | storniere | stornieren | sag | sage | absagen | "
    "abzusagen | lösch | lösche | löschen | entfern | entferne | entfernen | streich | streiche | "
    "streichen | notier | notiere | notieren | stell | stelle | stellen | überweis | überweise | "
    "überweisen | zahl | zahle | bezahle | bezahlen | teil | teile | teilen | füg | füge | "
    "hinzufügen | nimm | gib | hol | hole | bring | bringe | melde | anmelden | reich | reiche | "
    "verlänger | verlängere | verlängern | starte | starten | öffne | schließe | aufnehmen"
)

CLAUSES = ClauseWords(
    doing=build_words(f"{_DOING} | {_MOVING}"),
    moving=build_words(_MOVING),
    asking=build_words(
        "was | wann | wer | wen | wem | wo | wohin | wie | warum | welche | welcher | welches | "
        "welchen | zeig | zeige | zeigen | such | suche | suchen | find | finde | finden | prüf | "
        "prüfe | prüfen | schau | schaue | sieh | liste | nenne | lies | überprüfe | habe ich | "
        "hab ich | bin ich | gibt es | ist | sind | war | hat | haben wir | zähle | fasse"
    ),
    conditions=build_words("wenn | falls | sofern | solange | sobald | außer wenn | ob"),
    inversions=build_words("sollte | sollten"),
    consequences=build_words("dann | sonst | ansonsten | andernfalls"),
    joints=build_words(
        "und | dann | aber | also | sonst | ansonsten | oder | sondern | , | ; | : | - | "
        "\N{EN DASH} | \N{EM DASH}"
    ),
    either=build_words("oder | entweder"),
    courtesies=build_words(
        "bitte | kannst du | könntest du | würdest du | könnten sie | können sie | kannst du mir | "
        "kann ich | ich möchte | ich will | ich würde gern | ich würde gerne | ich brauche | wir "
        "brauchen | wir müssen | ich muss | du sollst | mal | doch | auch | und | dann | also | "
        "hallo | hi | ok | okay | ja | jetzt | hilf mir | es wäre gut"
    ),
    subjects=build_words(
        "ich | wir | er | sie | es | du | ihr | man | das | dies | dort | da | der | die | wer"
    ),
    telling=build_words(
        "ist | sind | war | waren | hat | hatte | habe | haben | bin | wird | werden | muss | "
        "müssen | soll | sollen | kann | kommt | kommen | geht | gehen | beginnt | beginnen | "
        "endet | fängt | passt | klappt | fährt | fliegt | findet | trifft | arbeitet"
    ),
    before_nouns=build_words(
        "der | die | das | den | dem | des | ein | eine | einen | einem | einer | mein | meine | "
        "meinen | meinem | meiner | unser | unsere | unseren | unserem | dein | deine | deinen | "
        "ihr | ihre | ihren | sein | seine | seinen | kein | keine | keinen | jeder | jede | "
        "jeden | zum | zur | vom | beim | im | ins | mit | für | ohne | neue | neuen | neuer | "
        "nächste | nächsten | letzte | letzten | diese | diesen | dieser"
    ),
    targets=build_words("auf | zu | zum | bis | in"),
    dues=build_words("frist | abgabe | termin | beginn | start | ende | deadline | fällig"),
    not_refusing=build_words(
        "nicht vergessen | vergiss nicht | nicht nur | warum nicht | wenn nicht | falls nicht | "
        "nicht vor | nicht früher | nicht später | nicht sicher | weiß nicht | kann es nicht "
        "erwarten | noch nicht | nicht getroffen"
    ),
    unsure_refusals=build_words("aber | ohne | nie | niemals | kein | keine | keinen"),
    refused_after=build_words(
        "passt nicht | passt mir nicht | passt uns nicht | passt leider nicht | geht nicht | "
        "geht leider nicht | klappt nicht | klappt leider nicht | kann ich nicht | können wir "
        "nicht | kann ich leider nicht | bin ich nicht | fällt aus | ist nicht | ist belegt | "
        "ist voll | ist unmöglich | habe ich keine zeit"
    ),
    empty=build_set(
        "der die das den dem des ein eine einen einem einer und oder aber mit von vom für auf zum "
        "zur bei beim aus nach vor dass daran dazu dort dann auch noch schon bitte mal doch nur "
        "kann kannst können könntest könnte würde würdest soll sollte muss müssen möchte will ich "
        "wir ihr sie man mir mich dir dich uns euch ihm ihn ihnen sein seine seinen mein meine "
        "meinen unser unsere nicht kein keine keinen ist sind war waren wird werden hat habe haben "
        "hatte alle alles jede jeden termin termine besprechung treffen kalender aufgabe aufgaben "
        "erinnerung neu neue neuen neuer gleich zeit tag datum woche monat stattdessen weil seit "
        "bis während über unter wieder nur gerade etwas stunde stunden minute minuten uhr frei"
    ),
)


FEASTS = build_table(
    {
        "new year": "neujahr | neujahrstag",
        "epiphany": "dreikönigstag | heilige drei könige",
        "candlemas": "lichtmess | mariä lichtmess",
        "valentine": "valentinstag",
        "women": "weltfrauentag | frauentag",
        "workers": "tag der arbeit | maifeiertag",
        "halloween": "halloween",
        "all saints": "allerheiligen",
        "all souls": "allerseelen",
        "st nicholas": "nikolaus | nikolaustag",
        "german unity": "tag der deutschen einheit | einheitstag",
        "reformation": "reformationstag",
        "martinmas": "martinstag | sankt martin",
        "mourning sunday": "volkstrauertag",
        "repentance": "buß- und bettag | buss- und bettag | buß und bettag",
        "sunday of the dead": "totensonntag | ewigkeitssonntag",
        "first advent": "ersteradvent",
        "second advent": "zweiteradvent",
        "third advent": "dritteradvent",
        "fourth advent": "vierteradvent",
        "christmas eve": "heiligabend | heiliger abend | heiligen abend",
        "christmas": "weihnachten | christtag",
        "boxing day": "stephanstag | stefanitag",
        "new year's eve": "silvester | sylvester",
        "women's carnival": "weiberfastnacht | altweiber | altweiberfastnacht",
        "shrove monday": "rosenmontag",
        "shrove tuesday": "faschingsdienstag | fastnachtsdienstag | veilchendienstag",
        "ash wednesday": "aschermittwoch",
        "palm sunday": "palmsonntag",
        "maundy thursday": "gründonnerstag",
        "good friday": "karfreitag",
        "holy saturday": "karsamstag",
        "easter": "ostersonntag | ostern",
        "easter monday": "ostermontag",
        "ascension": "christi himmelfahrt | himmelfahrt | vatertag",
        "pentecost": "pfingsten | pfingstsonntag",
        "whit monday": "pfingstmontag",
        "corpus christi": "fronleichnam",
        "second sunday in may": "muttertag",
        "assumption": "mariä himmelfahrt | maria himmelfahrt",
        "black friday": "black friday",
        "cyber monday": "cyber monday",
    }
)
"""As `calendar.find_feast` knows them."""

ALIASES: dict[str, str] = {}
"""What people call the holidays of countries, and the name these have in the library."""


_ENDINGS = ("e", "en", "er", "es", "em")
_ONES = "ein zwei drei vier fünf sechs sieben acht neun"
_SMALL = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn"
)
_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
_IRREGULAR = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}
_LAST_WITH_T = 19
_WRITTEN_OUT = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"))

WEEKDAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag sonnabend"
PARTS = {
    "morgen": "vormittag",
    "früh": "früh",
    "vormittag": "vormittag",
    "mittag": "mittag",
    "nachmittag": "nachmittag",
    "abend": "abend",
    "nacht": "nacht",
}
"""What can stand behind a day in one word, and as which part of it that is read."""
_LONG_WEEKENDS = (("oster", "ostern"), ("pfingst", "pfingsten"))
_BEFORE_MORNING = "am den der zum heute gestern vorgestern nächsten jeden jedem guten diesen dieser"


def inflect(*stems: str) -> str:
    """Every form of these words, as a table takes them: nächste, nächsten, …"""
    return " | ".join(stem + ending for stem in stems for ending in _ENDINGS)


def list_cardinals() -> dict[str, int]:
    """Null to neunundneunzig, each in one word."""
    found = {word: number for number, word in enumerate(_SMALL.split())}
    for tens, word in enumerate(_TENS.split(), start=2):
        found[word] = 10 * tens
        for one, unit in enumerate(_ONES.split(), start=1):
            found[f"{unit}und{word}"] = 10 * tens + one
    return found


def list_ordinals() -> dict[str, int]:
    """Erste to neunundneunzigste, in every form."""
    found: dict[str, int] = {}
    for word, number in list_cardinals().items():
        stem = _IRREGULAR.get(number, word + ("t" if number <= _LAST_WITH_T else "st"))
        if number:
            found |= {stem + ending: number for ending in _ENDINGS}
    return found


def list_rewrites(*spelt: str) -> dict[str, tuple[str, ...]]:
    """Words in one that are read as several, and words that are read as others."""
    found: dict[str, tuple[str, ...]] = {}
    for day in WEEKDAYS.split():
        found |= {day + part: (day, read) for part, read in PARTS.items()}
        found[f"{day} morgen"] = (day, PARTS["morgen"])
    for word in _BEFORE_MORNING.split():
        # Morgen is tomorrow, and behind these it is the morning.
        found[f"{word} morgen"] = (word, PARTS["morgen"])
    found |= {
        "viertelstunde": ("viertel", "stunde"),
        "dreiviertelstunde": ("dreiviertel", "stunde"),
        "halbstunde": ("halbe", "stunde"),
        "ein uhr": ("eins", "uhr"),
        "drei viertel": ("dreiviertel",),
    }
    for day in ("weihnachtstag", "weihnachtsfeiertag"):
        found |= {f"{first} {day}": ("christtag",) for first in ("erster", "ersten", "erste")}
        found |= {
            f"{second} {day}": ("stephanstag",) for second in ("zweiter", "zweiten", "zweite")
        }
    # The figure before it tells no language, so that this word must.
    found["advent"] = ("advent",)
    for number, stem in enumerate(("erst", "zweit", "dritt", "viert"), start=1):
        told = (f"{number}.", f"{stem}er", f"{stem}en", f"{stem}e")
        found |= {f"{which} advent": (f"{stem}eradvent",) for which in told}
    found |= {f"{start}wochenende": (feast, "wochenende") for start, feast in _LONG_WEEKENDS}
    for month in _MONTHS:
        found[f"{month}woche"] = ("woche", "im", month)
    found |= {plain: (word,) for word in spelt for plain in _write_out(word)}
    return found


def _write_out(word: str) -> Iterator[str]:
    """As it is typed where the keyboard has no such letters: naechsten."""
    plain = word
    for letter, written in _WRITTEN_OUT:
        plain = plain.replace(letter, written)
    if plain != word:
        yield plain


_MONTHS = (
    "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober",
    "november", "dezember",
)  # fmt: skip
_WEEKDAYS = (
    ("montag", "Mo"),
    ("dienstag", "Di"),
    ("mittwoch", "Mi"),
    ("donnerstag", "Do"),
    ("freitag", "Fr"),
    ("samstag|sonnabend", "Sa"),
    ("sonntag", "So"),
)

PROSE = ProsePhrases(
    months=_MONTHS,
    dates=build_dates(_MONTHS, ordinal=r"\.", before="(?:der|den|dem|am) "),
    # Short forms are words where a sentence begins: "So", "Do".
    weekdays=build_weekdays([(full, rf"{short}(?=\.)") for full, short in _WEEKDAYS]),
    tying=build_set(
        "ist war sind sei wäre wird fällt fiel liegt lag auf am an ein einen eine der die das den "
        "dem dies dieser es tatsächlich eigentlich wirklich schon auch richtig tag datum wochentag "
        "also"
    ),
    denying=build_set("nicht nie kein keinen keine"),
    placing=build_set(
        "verschoben verlegt gelegt gebucht geplant eingetragen angelegt gesetzt benutzt verwendet "
        "gewählt genommen"
    ),
    leading=build_set("auf am an für den dem der einen es tatsächlich"),
    wanting=build_set(
        "wollte will wollten bat bittet sagte sagt soll sollte muss musste meinte meint verlangte "
        "wünschte braucht erwartet gewünscht wenn falls würde könnte bitte"
    ),
    clause_end=re.compile(
        r"[.;,!?](?!\s?\d)|\b(?:aber|und|während|obwohl|statt|anstatt|sondern)\b", re.IGNORECASE
    ),
    no_such_id=re.compile(
        r"\b(?:existiert|gibt es) (?:so )?nicht\b|\bnicht gefunden\b|\bungültig\w*|\berfunden\w*"
        r"|\bunbekannt\w*|\bfalsches? format\b|\bkeine (?:gültige|echte)\b",
        re.IGNORECASE,
    ),
    use=(
        r"\b(?:verwende|nutze|benutze|nimm|mit|auf)\b"
        r"(?:\s+(?:die|das|den|id|richtige|echte|wert))*[\s:'\"`(]+"
    ),
)


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
    shifted=re.compile(
        r"(?P<by>\bum\s+)?\b(?P<long>(?:\d{1,3}|(?:eine[rn]?\s+halbe[rn]?|eine[rn]?|anderthalb|"
        r"zwei|drei|vier|zehn|fünfzehn|zwanzig|dreißig)\s)\s?(?:stunden?|minuten?|std|min))\b"
        r"(?(by)|(?=\s+(?:später|früher)\b))"
        r"(?:\s+(?:(?P<later>später|nach\s+hinten)|(?P<sooner>früher|nach\s+vorne?))\b)?",
        re.IGNORECASE,
    ),
    fillers=build_set("bitte der die das den dem ein eine einen zu zum am um für mir und danke"),
)


TWISTING = build_set(
    "orthodoxe orthodoxes chinesisches chinesische jüdische islamische persische weißer blauer "
    "schwarzer grüner super"
)
"""Before the name of a day they make it another day."""

HARMLESS = build_set(
    "der die das den dem des ist war sein am im an in auf für um von vom zu zum ein eine und oder "
    "bitte ich wir es wird soll sollte kann könnte dass dann so als mit weil aber bis ab sind "
    "hat hatte da dort gegen etwa ungefähr circa genau punkt möglich auch noch nach vor seit wenn "
    "wo während nicht ok okay danke vielleicht nur schon mein meine mir mich uhr"
)
"""May stand in a phrase about time without changing it."""


_NOTHING: Table[None] = Table({})
_TO_COME = inflect("nächst", "übernächst", "kommend")
_SPELT = (
    *(each.strip() for each in _TO_COME.split("|")),
    *build_set("übermorgen fünf zwölf fünfzehn früh märz für spätestens dreißig jänner"),
    *build_set("täglich wöchentlich verlängere lösche prüfe"),
)
_DAY_NAMES = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")

GERMAN = Words(
    name="German",
    code="de",
    rewrites=Table(list_rewrites(*_SPELT)),
    cardinals=list_cardinals(),
    ordinals=list_ordinals(),
    scales={"hundert": 100, "tausend": 1000},
    ordinal_endings=frozenset({"te", "ten", "ter", "sten"}),
    weekdays=build_table(
        with_slips(
            {
                0: "montag | mo",
                1: "dienstag | di",
                2: "mittwoch | mi",
                3: "donnerstag | do",
                4: "freitag | fr",
                5: "samstag | sonnabend | sa",
                6: "sonntag",
            }
        )
    ),
    weekdays_repeated=Table({f"{name}s": number for number, name in enumerate(_DAY_NAMES)}),
    months=build_table(
        with_slips(
            {
                1: "januar | jan | jänner",
                2: "februar | feb | feber",
                3: "märz | mär",
                4: "april | apr",
                5: "mai",
                6: "juni | jun",
                7: "juli | jul",
                8: "august | aug",
                9: "september | sep | sept",
                10: "oktober | okt",
                11: "november | nov",
                12: "dezember | dez",
            }
        )
    ),
    doubtful=frozenset({"mo", "di", "mi", "do", "fr", "sa", "mai", "august", "mär", "jan"}),
    units=build_table(
        {
            Unit.SECOND: "sekunde | sekunden | sek",
            Unit.MINUTE: "minute | minuten | min",
            Unit.HOUR: "stunde | stunden | std",
            Unit.DAY: "tag | tage | tagen | tages",
            Unit.WEEK: "woche | wochen",
            Unit.WEEKEND: "wochenende | wochenenden | wochenendes",
            Unit.MONTH: "monat | monate | monaten | monats",
            Unit.QUARTER: "quartal | quartale | quartalen | quartals",
            Unit.YEAR: "jahr | jahre | jahren | jahres",
            Unit.DECADE: "jahrzehnt | jahrzehnte | jahrzehnten",
            Unit.CENTURY: "jahrhundert | jahrhunderte | jahrhunderten",
        }
    ),
    plurals=build_set(
        "sekunden minuten stunden tage tagen wochen wochenenden monate monaten quartale quartalen "
        "jahre jahren jahrzehnte jahrzehnten jahrhunderte jahrhunderten"
    ),
    short_units=build_table({Unit.HOUR: "h"}),
    glued_units=build_table({Unit.MINUTE: "min", Unit.DAY: "d"}),
    one=build_words("ein | eine | einen | einem | einer | eines"),
    another=build_words("weitere | weiteren | weiterer"),
    vague_counts=build_table({2: "ein paar | paar", 3: "einige | einigen | mehrere | mehreren"}),
    fractions=build_table(
        {
            (1, 2): "halbe | halben | eine halbe | einer halben | einem halben | ein halbes | ½",
            (1, 4): "viertel | eine viertel | einer viertel | ¼",
            (3, 4): "dreiviertel | eine dreiviertel | einer dreiviertel | ¾",
            (3, 2): "anderthalb | eineinhalb",
            (5, 2): "zweieinhalb",
            (7, 2): "dreieinhalb",
            (9, 2): "viereinhalb",
        }
    ),
    of_one=_NOTHING,
    and_more=build_table({(1, 2): "½", (1, 4): "¼", (3, 4): "¾"}),
    time_ending=_NOTHING,
    which=build_table(
        {
            Which.BEFORE_LAST: inflect("vorletzt", "vorvorig"),
            Which.LAST: inflect("letzt", "vorig"),
            Which.PAST: inflect("vergangen"),
            Which.THIS: inflect("dies", "selb") + " | " + inflect("aktuell", "laufend"),
            Which.COMING: inflect("kommend"),
            Which.NEXT: inflect("nächst", "folgend"),
            Which.AFTER_NEXT: inflect("übernächst"),
        }
    ),
    which_after=build_table({Which.NEXT: inflect("nächst"), Which.COMING: inflect("kommend")}),
    from_end=build_table({-1: inflect("letzt"), -2: inflect("vorletzt", "zweitletzt")}),
    nth_from_end=build_words(inflect("letzt")),
    after_next=_NOTHING,
    before_last=_NOTHING,
    week_later=_NOTHING,
    days=build_table(
        with_slips(
            {-2: "vorgestern", -1: "gestern", 0: "heute", 1: "morgen", 2: "übermorgen"},
        )
    ),
    nights=build_table({-1: "letzte nacht | gestern nacht", 0: "heute nacht"}),
    now=build_words("jetzt | sofort | gerade | im moment | momentan"),
    soon=build_words(
        "so bald wie möglich | so schnell wie möglich | umgehend | asap | schnellstmöglich"
    ),
    this_time=build_words("um diese zeit | um diese uhrzeit"),
    parts=build_table(
        {
            DayPart.MORNING: (
                "vormittag | vormittags | morgens | früh | frühmorgens | in der früh | am vormittag"
            ),
            DayPart.LUNCH: "mittag | mittags | mittagszeit",
            DayPart.AFTERNOON: "nachmittag | nachmittags",
            DayPart.EVENING: "abend | abends",
            DayPart.NIGHT: "nacht | nachts",
        }
    ),
    soft=build_words("später | früher | anfang | mitte | ende"),
    noon=build_words("12 uhr mittags | zwölf uhr mittags"),
    midnight=build_words("mitternacht"),
    halves=build_table({Half.PM: "pm | p.m."}),
    oclock=build_words("uhr"),
    hour_word=build_words("uhr"),
    roughly=_NOTHING,
    minutes=build_words("minute | minuten | min"),
    past=build_words("nach"),
    to=build_words("vor"),
    half_past=build_table(
        {
            15: "viertel nach",
            -15: "viertel vor | dreiviertel",
            -45: "viertel",
        }
    ),
    half=build_table({-30: "halb"}),
    oh=build_words("null"),
    hour_mark=build_words("h"),
    hours_after=build_words("uhr | h"),
    more=build_words("weitere | weiteren"),
    about=build_words("etwa | ungefähr | circa | ca. | rund | genau | gut | knapp"),
    at=build_words("um"),
    before_hour=build_words("um | gegen | ab | bis | vor | nach | punkt | etwa | circa | ca."),
    before_day=build_words("am | den | der | dem | vom | zum"),
    before_month=build_words("im | in | seit | bis | ab | von | für | während | und | zwischen"),
    before_year=build_words("jahr | jahre | seit | bis | ab | von | und | zwischen"),
    calendar_week=build_words("kw | kalenderwoche"),
    eight_days=True,
    numbered=build_words(
        "abschnitt | kapitel | absatz | paragraph | artikel | seite | version | raum | zimmer | "
        "abbildung | nummer | nr. | § | verhältnis"
    ),
    glue=build_words(
        "am | an | um | im | in | den | dem | der | des | die | das | vom | beim | zum | für | "
        "gegen | etwa | ungefähr | circa | ca. | genau | punkt | ganztägig | gleich | , | ( | ) | "
        "- | ~ | / | ∙ | ·"
    ),
    on=build_words("am | an | bis | ab"),
    the=build_words("der | die | das | den | dem | des | am | zum | vom"),
    of=build_words("im | des | der | in | vom | von"),
    of_year=build_words("im jahr | im jahre | des jahres | in"),
    and_=build_words("und"),
    in_=build_words("in"),
    ago_first=build_words("vor"),
    within=build_words("innerhalb von | innerhalb | binnen"),
    lasting=build_words("für | lang"),
    to_last=_NOTHING,
    before_verb=_NOTHING,
    causing=_NOTHING,
    parts_repeated=Table({}),
    less_than=build_words("weniger als | unter | höchstens | maximal | bis zu"),
    more_than=build_words("mehr als | über | mindestens | länger als"),
    starting=build_words("ab | beginnend | beginnend mit"),
    lasting_from=build_words("ab | von"),
    ago=_NOTHING,
    back=build_words("früher | zuvor | vorher"),
    forth=build_words("später"),
    back_alone=_NOTHING,
    forth_alone=_NOTHING,
    plus=build_table({1: "+ | plus", -1: "- | minus"}),
    back_from=build_words("vor | vor dem | vor der"),
    forth_from=build_words("nach | nach dem | nach der"),
    weeks_on=_NOTHING,
    edges=build_table(
        {
            Side.START: "anfang | beginn | zu beginn",
            Side.MIDDLE: "mitte",
            Side.END: "ende",
        }
    ),
    edge_names=build_table(
        {
            (Side.START, Unit.WEEK): "wochenanfang | wochenbeginn",
            (Side.MIDDLE, Unit.WEEK): "wochenmitte",
            (Side.START, Unit.MONTH): "monatsanfang | monatsbeginn",
            (Side.MIDDLE, Unit.MONTH): "monatsmitte",
            (Side.END, Unit.MONTH): "monatsende",
            (Side.END, Unit.QUARTER): "quartalsende",
            (Side.START, Unit.YEAR): "jahresanfang | jahresbeginn",
            (Side.MIDDLE, Unit.YEAR): "jahresmitte",
            (Side.END, Unit.YEAR): "jahresende",
        }
    ),
    soft_edges=Table({}),
    week_of=build_words("woche vom | woche ab"),
    limits=build_table(
        {
            Limit.SINCE: "seit | seit dem",
            Limit.UNTIL: "bis | bis zum | bis spätestens | spätestens | spätestens am | bis zu",
            Limit.BEFORE: "vor | vor dem",
            Limit.AFTER: "nach | nach dem",
        }
    ),
    range_openings=build_words("von | vom | ab"),
    through=build_words("bis | bis zum | bis zu | - | \N{EN DASH} | \N{EM DASH} | ~"),
    between=build_words("zwischen"),
    between_and=build_words("und | -"),
    quarter_letters=frozenset({"q"}),
    zones=ZONES,
    repeating=build_words("jeder | jede | jedes | jeden | jedem | alle | allen"),
    twisting=TWISTING,
    eras=frozenset({"v", "n"}),
    decade_endings=frozenset({"er", "ern"}),
    ahead=build_words(
        "buch | buche | buchen | plan | plane | planen | verschieb | verschiebe | verschieben | "
        "verleg | verlege | verlegen | reserviere | reservieren | erinnere | lade | blockiere | "
        "blocke | storniere | lösche | eintragen | trag | trage | leg | lege | setz | setze | "
        "ansetzen | absagen | vereinbare"
    ),
    behind=build_words(
        "war | waren | hatte | hatten | ging | kam | schrieb | sagte | verpasst | seit | letzte | "
        "letzten | letzter | vorige | vorigen | vergangene | vergangenen | gestern | vorgestern"
    ),
    looking_back=build_words(
        "früher | schon | bereits | war | gewesen | gemacht | getroffen | bezahlt | gekauft | "
        "gegessen | gelaufen | gearbeitet | gehabt | nachtragen | protokolliere | notiere"
    ),
    past_endings=(),
    from_=build_words("von | vom | seit"),
    moving=build_words(
        "verschieb | verschiebe | verschieben | verleg | verlege | verlegen | ändere | ändern | "
        "tausche | tauschen | mach | mache"
    ),
    possessives=(),
    negations=build_words(
        "nicht | kein | keine | keinen | außer | ohne | statt | anstatt | anstelle | nie | niemals"
    ),
    was=build_words("war | waren"),
    past_verbs=build_words("war | waren | hatte | hatten | ging | kam | schrieb | verpasst"),
    or_=build_words("oder | und"),
    inexact=build_words(
        "gegen | etwa | ungefähr | circa | ca | ~ | vor | nach | bis | ab | zwischen | "
        "frühestens | spätestens | von | seit | oder"
    ),
    following=build_words(
        "folgend | folgende | folgenden | folgender | nächsten tag | nächsten vormittag | "
        "nächster tag | darauffolgenden"
    ),
    leaning=build_words("später | früher | danach | davor | zuvor | vorher | + | -"),
    neighbours=build_words("nächsten | folgenden | vorigen | nächster"),
    beside=build_words("danach | davor | darauf | zuvor"),
    overnight=build_words("nacht | nächte | nächten"),
    elsewhere=build_words(
        "davor | danach | bis dahin | seitdem | vorher | nachher | hinterher | an dem tag | "
        "an diesem tag | am selben tag | am gleichen tag | an einem anderen tag | anderen tag | "
        "anderer tag | irgendwann | irgendeinen tag | freien tag | freier tag | demnächst | bald | "
        "jederzeit | täglich | wöchentlich | monatlich | jährlich | vierteljährlich | werktags | "
        "wochentags | vor einiger zeit | vor kurzem | neulich | kürzlich"
    ),
    corrections=build_words(
        "nein | eigentlich | ich meine | sorry | entschuldigung | quatsch | vielmehr | korrektur"
    ),
    harmless=HARMLESS,
    feasts=FEASTS,
    feast_aliases=ALIASES,
    clauses=CLAUSES,
    requests=REQUESTS,
    prose=PROSE,
)
