"""English: the words, and nothing but the words."""

from __future__ import annotations

from mulligan.checks.language.english.clauses import CLAUSES
from mulligan.checks.language.english.feasts import ALIASES, FEASTS
from mulligan.checks.language.english.prose import PROSE
from mulligan.checks.language.english.requests import REQUESTS
from mulligan.checks.language.english.situations import HARMLESS, TWISTING
from mulligan.checks.language.senses import DayPart, Half, Limit, Side, Unit, Which
from mulligan.checks.language.spelling import with_slips
from mulligan.checks.language.tables import Table, Words, build_set, build_table, build_words
from mulligan.checks.language.zone_names import ZONES

_CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

ENGLISH = Words(
    name="English",
    code="en",
    rewrites=Table({}),
    cardinals={word: number for number, word in enumerate(_CARDINALS.split())}
    | {word: 10 * tens for tens, word in enumerate(_TENS.split(), start=2)},
    ordinals={word: number for number, word in enumerate(_ORDINALS.split(), start=1)}
    | {"thirtieth": 30},
    scales={"hundred": 100, "thousand": 1000},
    ordinal_endings=frozenset({"st", "nd", "rd", "th"}),
    weekdays=build_table(
        with_slips(
            {
                0: "monday | mon | monday's",
                1: "tuesday | tue | tues | tuesday's",
                2: "wednesday | wed | weds | wednesday's",
                3: "thursday | thu | thur | thurs | thursday's",
                4: "friday | fri | friday's",
                5: "saturday | sat | saturday's",
                6: "sunday | sun | sunday's",
            }
        )
    ),
    weekdays_repeated=Table({f"{name}s": number for number, name in enumerate(_DAY_NAMES)}),
    months=build_table(
        with_slips(
            {
                1: "january | jan",
                2: "february | feb",
                3: "march | mar",
                4: "april | apr",
                5: "may",
                6: "june | jun",
                7: "july | jul",
                8: "august | aug",
                9: "september | sep | sept",
                10: "october | oct",
                11: "november | nov",
                12: "december | dec",
            }
        )
    ),
    doubtful=frozenset({"sun", "sat", "wed", "mon", "may", "march", "mar", "dec", "jan", "august"}),
    units=build_table(
        {
            Unit.SECOND: "second | seconds | sec | secs",
            Unit.MINUTE: "minute | minutes | min | mins",
            Unit.HOUR: "hour | hours | hr | hrs",
            Unit.DAY: "day | days | day's",
            Unit.WEEK: "week | weeks | wk | wks | week's",
            Unit.WEEKEND: "weekend | weekends | week-end | week end",
            Unit.FORTNIGHT: "fortnight | fortnights | fortnight's",
            Unit.MONTH: "month | months | month's | mth | mths",
            Unit.QUARTER: "quarter | quarters | qtr",
            Unit.YEAR: "year | years | yr | yrs | year's",
            Unit.DECADE: "decade | decades",
            Unit.CENTURY: "century | centuries",
        }
    ),
    plurals=build_set(
        "seconds secs minutes mins hours hrs days weeks wks weekends fortnights months mths "
        "quarters years yrs decades centuries"
    ),
    short_units=build_table(
        {
            Unit.MINUTE: "'",
            Unit.HOUR: "h",
            Unit.MONTH: "mo | mos",
        }
    ),
    glued_units=build_table(
        {
            Unit.MINUTE: "m",
            Unit.DAY: "d",
            Unit.WEEK: "w",
            Unit.MONTH: "mon | mons",
            Unit.YEAR: "y",
        }
    ),
    one=build_words("a | an | another"),
    another=build_words("another"),
    vague_counts=build_table(
        {
            2: "a couple of | a couple | couple of | couple | a pair of",
            3: "a few | few",
        }
    ),
    fractions=build_table(
        {
            (1, 2): "half | a half | one half | ½",
            (1, 4): "quarter | a quarter | one quarter | ¼",
            (3, 4): "three quarters | three-quarters | ¾",
        }
    ),
    of_one=build_words("of an | of a | an | a | -"),
    and_more=build_table(
        {
            (1, 2): "and a half | and an half | and half | -and-a-half | ½",
            (1, 4): "and a quarter | and quarter | ¼",
            (3, 4): "and three quarters | ¾",
        }
    ),
    time_ending=build_words("time | ' time"),
    which=build_table(
        {
            Which.LAST: "last | previous",
            Which.PAST: "past | this past",
            Which.THIS: "this | current | the current | the same | same",
            Which.COMING: "coming | upcoming | this coming | this upcoming",
            Which.NEXT: "next | following | nxt",
        }
    ),
    which_after=build_table(
        {
            Which.LAST: "last",
            Which.PAST: "past | just gone",
            Which.COMING: "coming",
            Which.NEXT: "next",
        }
    ),
    from_end=build_table(
        {
            -1: "last | final",
            -2: "penultimate | next to last",
        }
    ),
    nth_from_end=build_words("last | to last | -to-last"),
    after_next=build_words("after next"),
    before_last=build_words("before last"),
    week_later=build_words("week"),
    days=build_table(
        with_slips(
            {
                -2: (
                    "day before yesterday | the day before yesterday | day before yest | "
                    "the day before yest"
                ),
                -1: "yesterday | yesterday's | yesterday's date | yday | yest",
                0: "today | today's | today's date",
                1: (
                    "tomorrow | tomorrow's | tomorrow's date | tomorrows | tmrw | tmr | tmw | "
                    "tmrrw | tommorow | tomoro | tomoz"
                ),
                2: "day after tomorrow | the day after tomorrow | overmorrow",
            }
        )
    ),
    nights=build_table(
        with_slips(
            {
                -2: "night before last | the night before last",
                -1: "last night",
                0: "tonight | tonite | this night",
            }
        )
    ),
    now=build_words(
        "now | right now | just now | at the moment | at the minute | at this moment | "
        "at this time | at present | at the present time | atm | as soon as possible | asap | "
        "current date | immediately | straight away | right away"
    ),
    this_time=build_words("this time"),
    parts=build_table(
        {
            DayPart.MORNING: "morning | mornings | mid-morning | midmorning | mid morning",
            DayPart.LUNCH: "lunch | lunchtime | lunch time",
            DayPart.AFTERNOON: "afternoon | mid-afternoon | midafternoon | mid afternoon",
            DayPart.EVENING: "evening",
            DayPart.NIGHT: "night | nighttime",
        }
    ),
    soft=build_words("early | late | later | earlier | mid"),
    noon=build_words(
        "noon | midday | mid day | mid-day | 12 noon | twelve noon | 12 midday | noontime | "
        "high noon | 12 o'clock noon | twelve o'clock noon"
    ),
    midnight=build_words("midnight | 12 midnight"),
    halves=build_table(
        {
            Half.AM: "am | a.m. | a.m | a m | a | in the am",
            Half.PM: "pm | p.m. | p.m | p m | p | in the pm",
        }
    ),
    oclock=build_words("o'clock | oclock | o clock"),
    hour_word=Table({}),
    roughly=build_words("ish | - ish"),
    minutes=build_words("minute | minutes | min | mins"),
    past=build_words("past | after"),
    to=build_words("to | before | till | til | 'til"),
    half_past=build_table(
        {
            30: "half past | half-past | half after",
            15: "quarter past | a quarter past | quarter after | a quarter after | quarter-past",
            -15: (
                "quarter to | a quarter to | quarter of | a quarter of | quarter till | "
                "a quarter till | quarter til | quarter 'til | quarter before | a quarter before | "
                "quarter-to"
            ),
        }
    ),
    half=build_table({30: "half"}),
    oh=build_words("oh | o | zero"),
    hour_mark=build_words("h"),
    hours_after=build_words("h | hrs | hours"),
    more=build_words("more"),
    about=build_words(
        "about | around | approximately | approx | approx. | roughly | circa | ca. | ~ | exactly | "
        "precisely"
    ),
    at=build_words("at | @"),
    before_hour=build_words(
        "at | @ | around | about | approximately | circa | ~ | by | before | after | until | "
        "till | til"
    ),
    before_day=build_words("on | the"),
    before_month=build_words(
        "in | of | since | until | till | by | from | to | for | through | during | and | between"
    ),
    before_year=build_words(
        "in | of | year | since | until | till | by | from | for | between | and | to"
    ),
    glue=build_words(
        "on | at | the | of | in | in the | for | from | by | during | around | about | circa | "
        "ca. | approximately | approx | approx. | roughly | exactly | precisely | sharp | "
        "on the dot | early | late | later | earlier | sometime | some time | anytime | any time | "
        "first thing | last thing | all day | over | t | , | @ | ( | ) | - | ~ | / | ∙ | ·"
    ),
    on=build_words("on | by | until | till"),
    the=build_words("the"),
    of=build_words("of | in"),
    of_year=build_words("in | of | of year | in the year | of the year"),
    and_=build_words("and"),
    in_=build_words("in | after"),
    ago_first=Table({}),
    within=build_words("within | within the next | within the"),
    lasting=build_words("for"),
    to_last=build_words("last | lasts"),
    before_verb=build_words(
        "it | to | will | should | must | can | could | would | might | may | shall | it'll | "
        "they | them | that | which | not | don't | doesn't | won't | usually | only | typically | "
        "and | always | 'll"
    ),
    causing=build_words("make | let | have | want | need | keep | makes | making"),
    parts_repeated=build_table(
        {
            DayPart.MORNING: "mornings",
            DayPart.AFTERNOON: "afternoons",
            DayPart.EVENING: "evenings",
            DayPart.NIGHT: "nights",
        }
    ),
    less_than=build_words(
        "less than | under | fewer than | no more than | not more than | at most | up to"
    ),
    more_than=build_words("more than | over | at least | no less than | not less than"),
    starting=build_words("starting | starting from | starting on | beginning | beginning on"),
    lasting_from=build_words("starting | starting from | starting on | beginning | from"),
    ago=build_words("ago"),
    back=build_words("ago | back | earlier | before now | in the past"),
    forth=build_words(
        "from now | from right now | hence | later | from today | henceforth | in the future"
    ),
    back_alone=build_words("before"),
    forth_alone=build_words("out | away"),
    plus=build_table({1: "+ | plus", -1: "- | minus"}),
    back_from=build_words("before | prior to"),
    forth_from=build_words("after | from | since | following"),
    weeks_on=build_words("on"),
    edges=build_table(
        {
            Side.START: "beginning of | start of | the beginning of | the start of",
            Side.MIDDLE: "middle of | mid | mid - | the middle of",
            Side.END: "end of | the end of",
        }
    ),
    edge_names=build_table(
        {
            (Side.END, Unit.DAY): "eod",
            (Side.END, Unit.WEEK): "eow",
            (Side.END, Unit.MONTH): "eom",
            (Side.START, Unit.MONTH): "bom",
            (Side.END, Unit.YEAR): "eoy",
        }
    ),
    week_of=build_words("week of | week beginning | week commencing | w/c | week starting"),
    limits=build_table(
        {
            Limit.SINCE: "since",
            Limit.UNTIL: "until | till | by | untill | up to | no later than | not later than",
            Limit.BEFORE: "before | prior to | earlier than",
            Limit.AFTER: "after | later than",
        }
    ),
    range_openings=build_words("from | starting | beginning"),
    through=build_words(
        "to | until | till | untill | through | thru | - | \N{EN DASH} | \N{EM DASH} | ~ | up to"
    ),
    between=build_words("between | in between"),
    between_and=build_words("and | but before | - | to"),
    quarter_letters=frozenset({"q"}),
    zones=ZONES,
    repeating=build_words("every | each | every other"),
    twisting=TWISTING,
    eras=frozenset({"bc", "bce", "ce", "ad", "be"}),
    decade_endings=frozenset({"s", "'s"}),
    ahead=build_words(
        "book | schedule | reschedule | cancel | postpone | move | arrange | reserve | plan | "
        "remind | invite | set up | set | block | push | delete my | clear my | remove my | "
        "cancel my | call off | organise | organize"
    ),
    behind=build_words(
        "was | were | did | had | happened | went | sent | received | came | wrote | said | ago | "
        "missed | since | last | previous | past"
    ),
    looking_back=build_words(
        "yesterday | earlier | already | log | record | backdate | been | done | made | met | "
        "ran | ate | paid | spent | bought | took | left | got | gave | saw | told | held"
    ),
    past_endings=("ed",),
    from_=build_words("from | since | of"),
    moving=build_words(
        "move | reschedule | postpone | push | shift | delay | change | bring forward | put off"
    ),
    possessives=("'s",),
    negations=build_words(
        "not | except | but | avoid | without | other than | don't | can't | cannot | won't | "
        "isn't | doesn't | unavailable | instead of | rather than | unless | besides | never"
    ),
    was=build_words("was | were"),
    past_verbs=build_words(
        "was | were | did | had | happened | went | sent | received | came | wrote"
    ),
    or_=build_words("or | and"),
    inexact=build_words(
        "around | about | approximately | approx | roughly | circa | ca | ~ | ish | by | before | "
        "after | until | till | til | between | earliest | latest | from | since | or"
    ),
    following=build_words("following | next day | next morning | next evening | previous day"),
    leaning=build_words("later | earlier | back | after | before | + | -"),
    neighbours=build_words("next | following | previous"),
    beside=build_words("after | before"),
    overnight=build_words("night | nights"),
    elsewhere=build_words(
        "before that | after that | by that | since then | before then | by then | until then | "
        "till then | after then | around then | beforehand | afterwards | that day | that week | "
        "same day | the same day | another day | other day | any day | any time | some day | "
        "whenever | daily | weekly | biweekly | fortnightly | monthly | quarterly | yearly | "
        "annually | nightly | recurring"
    ),
    corrections=build_words(
        "no | actually | i mean | sorry | scratch that | rather | make that | correction | wait"
    ),
    harmless=HARMLESS,
    feasts=FEASTS,
    feast_aliases=ALIASES,
    clauses=CLAUSES,
    requests=REQUESTS,
    prose=PROSE,
)
