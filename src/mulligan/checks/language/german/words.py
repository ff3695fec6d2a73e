"""German: the words, and nothing but the words."""

from __future__ import annotations

from mulligan.checks.language.german.clauses import CLAUSES
from mulligan.checks.language.german.feasts import ALIASES, FEASTS
from mulligan.checks.language.german.forms import (
    inflect,
    list_cardinals,
    list_ordinals,
    list_rewrites,
)
from mulligan.checks.language.german.prose import PROSE
from mulligan.checks.language.german.requests import REQUESTS
from mulligan.checks.language.german.situations import HARMLESS, TWISTING
from mulligan.checks.language.senses import DayPart, Half, Limit, Side, Unit, Which
from mulligan.checks.language.spelling import with_slips
from mulligan.checks.language.tables import Table, Words, build_set, build_table, build_words
from mulligan.checks.language.zone_names import ZONES

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
    now=build_words(
        "jetzt | sofort | gerade | im moment | momentan | so bald wie möglich | umgehend | "
        "so schnell wie möglich | asap"
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
    edge_names=Table({}),
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
