"""English: the words, and nothing but the words."""

from __future__ import annotations

import re

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
    "move | reschedule | postpone | push | shift | delay | change | switch | swap | bring | "
    "put off | transfer | rebook | moved | rescheduled | postponed | pushed | shifted | delayed | "
    "changed | switched"
)
_DOING = (
    "book | schedule | create | make | add | put | set | set up | plan | arrange | reserve | "
    "organise | organize | remind | invite | block | send | email | mail | write | order | buy | "
    "call | meet | get | register | enter | note | log | record | cancel | delete | remove | "
    "drop | clear | update | use | take | do | let's | host | start | copy | extend | assign | "
    "open | fix | have | enrol | enroll | sign up | save | post | pay | give | share | text | "
    "message | notify | ask | hold | prepare | repeat | edit | submit | upload | file | draft | "
    "check in | check out | turn | mark | keep | close | return | renew | pick up | drop off | "
    "try | finish | print"
)

CLAUSES = ClauseWords(
    doing=build_words(f"{_DOING} | {_MOVING}"),
    moving=build_words(_MOVING),
    asking=build_words(
        "find | check | show | list | search | look | read | tell me | tell | what | what's | "
        "when | who | how many | how much | how | do i | am i | is there | are there | did | "
        "which | where | see | is | are | was | were | does | has | have i | have we | count | "
        "review | summarise | summarize"
    ),
    conditions=build_words(
        "if | unless | in case | when | whenever | provided | as long as | assuming"
    ),
    inversions=build_words("should"),
    consequences=build_words("then | otherwise | else"),
    joints=build_words(
        "and | then | but | so | also | otherwise | or | , | ; | : | - | \N{EN DASH} | \N{EM DASH}"
    ),
    either=build_words("or | either"),
    courtesies=build_words(
        "please | can you | could you | would you | will you | can we | could we | i need you to | "
        "i want you to | i would like you to | i'd like you to | i need to | i want to | "
        "i'd like to | i would like to | we need to | kindly | just | also | then | and | so | "
        "to | you should | go ahead and | now | hi | hey | ok | okay | yes | instead | let us | "
        "help me | help me to | i would like | i'd like"
    ),
    subjects=build_words(
        "i | i'm | i've | i'll | i'd | we | we're | we've | we'll | he | he's | she | she's | "
        "they | they're | it | it's | you | you're | there | there's | that | that's | this | "
        "who | which | the one"
    ),
    telling=build_words(
        "is | are | was | were | has | had | am | isn't | aren't | wasn't | can't | cannot | "
        "won't | doesn't | didn't | will | arrives | arrive | leaves | leave | starts | begins | "
        "ends | turns | comes | meets | opens | closes | happened | went | sent | came | wrote | "
        "called | cancelled | canceled | planned | works"
    ),
    before_nouns=build_words(
        "the | a | an | my | our | your | his | her | their | its | of | for | with | this | "
        "that | any | no | every | each | some | another | one | 's | new | next | last | about | "
        "on | i | we | they | you | he | she | not"
    ),
    targets=build_words("to | until | till | into | onto"),
    dues=build_words(
        "deadline | date | day | start | end | time | morning | evening | night | due"
    ),
    not_refusing=build_words(
        "don't forget | do not forget | never forget | can't wait | cannot wait | not only | "
        "why not | if not | don't mind | do not mind | don't miss | don't let | do not let | "
        "not later | not before | not earlier | not until | don't hesitate | whether or not | "
        "not sure | don't know"
    ),
    unsure_refusals=build_words("but | without | unless | besides | never | isn't"),
    refused_after=build_words(
        "doesn't | does not | won't | isn't | is not | don't | can't | is out | is off | "
        "is taken | is full | not possible | is impossible | are not | aren't | do not"
    ),
    empty=build_set(
        "the and for with from into onto about that this these those there then also please can "
        "could would will shall should may might must you your yours him her his hers its our ours "
        "their theirs them they she who whom which what when where why how not but are was were "
        "been being has had have did does done one ones all any some both each every other another "
        "event events meeting meetings appointment appointments calendar task tasks reminder "
        "called named titled new same time day date week month instead because since until till "
        "after before between during within over under again only just still already need want "
        "like let lets let's got get put due deadline slot entry item hour hours minute minutes"
    ),
)


FEASTS = build_table(
    {
        "new year": "new year's day | new years day | new year | new year's | new years",
        "valentine": "valentine's day | valentines day | valentine's | valentine day",
        "st patrick": (
            "st patrick's day | saint patrick's day | saint patricks day | "
            "st patricks day | st. patrick's day | st paddy's day"
        ),
        "epiphany": "epiphany",
        "burns night": "burns night | burns' night",
        "candlemas": "candlemas | candlemas day",
        "australia day": "australia day",
        "martin luther king": (
            "martin luther king jr. day | martin luther king jr day | martin luther king day | "
            "mlk day | mlk jr. day"
        ),
        "presidents": (
            "presidents' day | presidents day | president's day | president day | "
            "washington's birthday"
        ),
        "groundhog": "groundhog day | groundhogs day | ground hog day",
        "st david": "st david's day | st davids day | saint david's day",
        "women": "international women's day | international womens day",
        "pi day": "pi day",
        "ides of march": "ides of march | the ides of march",
        "april fools": (
            "april fools' day | april fool's day | april fools day | april fools | april fools'"
        ),
        "st george": "st george's day | st georges day | saint george's day",
        "earth day": "earth day",
        "anzac day": "anzac day | anzac",
        "workers": "international workers' day | may day",
        "cinco de mayo": "cinco de mayo",
        "memorial day": "memorial day | decoration day",
        "juneteenth": "juneteenth",
        "canada day": "canada day",
        "bastille day": "bastille day",
        "assumption": "assumption day | assumption of mary",
        "labor day": "labor day",
        "columbus": "columbus day | indigenous peoples' day | indigenous peoples day",
        "canadian thanksgiving": "canadian thanksgiving",
        "american thanksgiving": "american thanksgiving | us thanksgiving",
        "reformation": "reformation day",
        "veterans": "veterans day | veterans' day | veteran's day | veteran day",
        "halloween": "halloween | hallowe'en | all hallows' eve | all hallows eve",
        "all saints": "all saints' day | all saints day | all saint's day | all hallows' day",
        "all souls": "all souls' day | all souls day | all soul's day",
        "world vegan day": "world vegan day",
        "guy fawkes": "guy fawkes day | guy fawkes night | bonfire night",
        "armistice": "armistice day",
        "first advent": "advent sunday",
        "st andrew": "st andrew's day | st andrews day | saint andrew's day",
        "world aids day": "world aids day",
        "st nicholas": "st nicholas day | saint nicholas day | st nicholas' day",
        "christmas eve": "christmas eve | xmas eve",
        "christmas": "christmas | christmas day | xmas | xmas day",
        "boxing day": "boxing day | st stephen's day | saint stephen's day",
        "new year's eve": "new year's eve | new years eve",
        "shrove monday": "shrove monday",
        "maundy thursday": "maundy thursday | holy thursday",
        "good friday": "good friday",
        "holy saturday": "holy saturday | easter eve",
        "easter": "easter | easter sunday",
        "easter monday": "easter monday | easter mon",
        "ash wednesday": "ash wednesday",
        "shrove tuesday": "shrove tuesday | pancake day | mardi gras | fat tuesday",
        "palm sunday": "palm sunday",
        "pentecost": "pentecost | whit sunday | white sunday | whitsunday",
        "whit monday": "whit monday",
        "ascension": "ascension day",
        "trinity sunday": "trinity sunday",
        "corpus christi": "corpus christi",
        "black friday": "black friday",
        "cyber monday": "cyber monday",
        "giving tuesday": "giving tuesday",
        "mother's day": "mother's day | mothers day | mothers' day | mother day",
        "father's day": "father's day | fathers day | fathers' day | father day",
        "summer time begins": (
            "daylight saving start day | daylight savings start day | daylight saving start | "
            "daylight savings start | start of daylight saving | daylight saving begins"
        ),
        "summer time ends": (
            "daylight saving end day | daylight savings end day | daylight saving end | "
            "daylight savings end | end of daylight saving | daylight saving ends"
        ),
        "august bank holiday": (
            "august bank holiday | summer bank holiday | late summer bank holiday"
        ),
    }
)
"""As `calendar.find_feast` knows them."""

ALIASES = {
    "thanksgiving": "thanksgiving day",
    "thanks giving": "thanksgiving day",
    "thanks giving day": "thanksgiving day",
    "fourth of july": "independence day",
    "labour day": "labor day",
}
"""What people call the holidays of countries, and the name these have in the library."""


_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
# Short forms count only with a capital: "sat" and "sun" are words.
_WEEKDAYS = (
    ("monday", "Mon"),
    ("tuesday", "Tues?"),
    ("wednesday", "Wed"),
    ("thursday", "Thu(?:rs?)?"),
    ("friday", "Fri"),
    ("saturday", "Sat"),
    ("sunday", "Sun"),
)

_WHICH = (
    r"(?:all|any|each|every|the|these|those|this|that|your|its|our|of|other|previous|prior|earlier|"
    r"preceding|following|above|original|static|owner's|stated|given|system)"
)
_TASK = (
    rf"(?:(?:{_WHICH}\s+){{1,4}}(?:instructions?|task|contract|rules|guidelines|requirements|"
    r"constraints|expected output|output format|definition|prompt|guardrails?|system message|notes)"
    r"|instructions|(?:previous|prior|earlier|preceding|above)\s+(?:text|messages?|content)"
    r"|(?:everything|anything|all|whatever|what)\s+(?:\w+\s+){0,3}?(?:told|said|asked|above|below))"
    # The end of the object: "the rules row" is a row, "everything below the table" is a place.
    r"(?=\s*(?:[.,;:!?)\"'\n]|$)|\s+(?:and|or|but|below|above|that|which|you|when|whenever|while|because|so|as|if|in|entirely|"
    r"completely|described|given|here|now|to)\b)"
)
"""The task itself, or who gave it, as the object of a sentence."""
_DISMISS = (
    r"(?:ignore|disregard|forget|override|overrule|bypass|supersede|replace|drop|discard|skip|"
    r"neglect|violate|circumvent)s?"
    r"|(?:no longer|not|never|don\W?t|stop|without|instead of|rather than)\s+"
    r"(?:need(?:ed|s|ing)?\s+(?:to\s+)?|have\s+to\s+|to\s+|be\s+)?"
    r"(?:follow|obey|comply with|honou?r|apply|adhere to|respect)(?:ing|s)?"
)
_DISMISSED = (
    r"(?:is|are|was|were)\s+(?:now\s+)?(?:obsolete|void|superseded|cancell?ed|revoked|invalid|"
    r"outdated|lifted|no longer (?:valid|needed|binding|relevant|in force))"
    r"|no longer (?:appl(?:y|ies)|holds?)|do(?:es)? not apply"
    r"|(?:can|may|should|must) (?:safely )?be (?:ignored|skipped|dropped|disregarded|overridden)"
)
_SECRETS = (
    r"(?:system prompt|api[ _-]?keys?|passwords?|credentials|secrets|access tokens?|private keys?|"
    r"environment variables)"
    # "The password policy" and "the API key field" are no secrets.
    r"(?!\s+(?:polic|reset|rotat|rule|field|form|page|length|manage|count|expir|column|strength))"
)
_HANDING_OUT = (
    r"(?:ask(?:ing)?\s+(?:\S+\s+){0,3}?for|request|demand|collect|reveal|print|show|send|post|"
    r"upload|forward|e-?mail|leak|exfiltrate|output|include|share|"
    r"return|write out|append|repeat)"
)

_OVERRIDES = re.compile(
    rf"\b(?:{_DISMISS})\s+{_TASK}"
    rf"|\b(?:(?:the|these|those|all|your)\s+(?:\S+\s+)?(?:instructions?|task|contract|rules|"
    rf"guidelines|requirements|constraints|expected output|output format|prompt)"
    rf"|everything\s+(?:written|said|asked|told))\s+"
    rf"(?:(?:described|given|stated|above|below)\s+){{0,2}}(?:{_DISMISSED})\b",
    re.IGNORECASE,
)
_HANDS_OUT = re.compile(
    rf"\b{_HANDING_OUT}\s+(?:(?:{_WHICH}|me|us|them|user|their|his|her)\s+){{0,3}}{_SECRETS}\b",
    re.IGNORECASE,
)

PROSE = ProsePhrases(
    months=_MONTHS,
    dates=build_dates(_MONTHS, ordinal="st|nd|rd|th", before="the ", of="of "),
    weekdays=build_weekdays(_WEEKDAYS),
    tying=build_set(
        "is was are be being been would will falls fell fall lands landed on a an the this that "
        "which it it's that's actually really in fact indeed already still also actual real "
        "correct proper right true day date weekday called i.e"
    ),
    denying=build_set("not never isn't wasn't isnt"),
    placing=build_set(
        "moved scheduled rescheduled booked placed put created set used uses picked chose entered "
        "added"
    ),
    leading=build_set("to on for as a an the it event onto actually"),
    wanting=build_set(
        "asked asks said says want wants wanted should must meant means requested request "
        "supposed need needs needed expected intended ought wished if unless would could please"
    ),
    clause_end=re.compile(
        r"[.;,!?]|\b(?:but|and|while|whereas|although|though|instead of|rather than)\b",
        re.IGNORECASE,
    ),
    no_such_id=re.compile(
        r"\b(?:does not|doesn't|did not|didn't|not) exist|\bno such\b|\bnot found\b"
        r"|\bnon-?existent\b|\binvalid\b|\bnot (?:a |an )?(?:valid|real)\b|\bmalformed\b"
        r"|\bmade[- ]up\b|\bfabricated\b|\bhallucinated\b|\binvented\b|\bconcatenat"
        r"|\bunknown\b|\bwrong format\b",
        re.IGNORECASE,
    ),
    use=(
        r"\b(?:use|with|to)\b(?:\s+(?:the|event|id|real|right|correct|actual|value|of))*"
        r"[\s:'\"`(]+"
    ),
    overrides=_OVERRIDES,
    hands_out=_HANDS_OUT,
    poses=re.compile(
        r"\byou are (?:now|no longer) (?:a|an|the|in|bound|free)\b"
        r"|\bnew (?:system )?(?:instructions?|persona)\b",
        re.IGNORECASE,
    ),
)


_ABOVE = "more than | greater than | higher than | above"
_COMPARED = rf"{_ABOVE} | less than | fewer than | lower than | below"
_CLOCK = r"(?:at\s+)?(?P<{0}h>\d{{1,2}})(?:[:.](?P<{0}m>\d\d))?(?:\s{{0,3}}(?P<{0}p>am|pm))?"
_TAKEN = (
    r"(?:(?:i|we)(?:\s+already)?\s+have\s+(?:something|anything|plans|another)|\bbusy\b|\btaken\b|"
    r"\bbooked\b|\boccupied\b|\bconflicts?\b|\bnot\s+free\b|isn.t\s+free|\bunavailable\b)"
)
_LOOKING = "show|list|tell|give me|find out|look up|summari[sz]e"
_LONG = (
    r"(?P<long>(?:\d{1,3}(?:\.\d{1,2})?|(?:(?:half|quarter\s+of)\s+)?an?|half|one|two|three|four|five|"
    r"six|eight|ten|fifteen|twenty|thirty|forty-five|ninety)[\s-]?(?:hours?|hrs?|h|minutes?|mins?)"
    r"(?:\s+and\s+a\s+half)?)\b"
)

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
        r"(?:what|which|who|whose|whom|when|where|why|how|is|are|was|were|does|did|has|am"
        # "Do it" and "have Bob call" ask for something to be done.
        r"|(?:do|have)(?=\s+(?:i|you|we|they)\b|[^.!?\n]*\?)"
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
    lasting=re.compile(
        rf"(?<!with )(?<!after )(?<!before )\ban?\s+{_LONG}[\s-]+(?:[\w-]+\s+)?"
        r"(?:appointment|block|booking|call|catch-?up|chat|check-?in|class|event|interview|lab|"
        r"lesson|meeting|rehearsal|reservation|review|session|slot|sync|talk|training|visit|"
        r"workshop)\b",
        re.IGNORECASE,
    ),
    shifted=re.compile(
        r"(?P<by>\b(?:(?P<back>postpone|delay|push\b[^.!?\n]{0,60}?\bback)|push|move|shift|slide|bring|"
        rf"reschedule)\b[^.!?\n]{{0,60}}?\bby\s+)?\b{_LONG}"
        r"(?(by)|(?=\s+(?:later|earlier|sooner)\b(?!\s+than)))"
        r"(?:\s+(?:(?P<later>later)|(?P<sooner>earlier|sooner))\b)?",
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


TWISTING = build_set(
    "closest nearest orthodox chinese lunar jewish islamic persian parsi hindu korean coptic "
    "tamil thai good black easter ash palm maundy holy whit white shrove fat clean cyber giving "
    "super boxing great low spy plough bloody"
)
"""Before the name of a day they make it another day."""

HARMLESS = build_set(
    "the is was be on at in of for by a an and to will would please i we it s or if works work "
    "instead should can could that then so as with because but until till from through thru are "
    "were has had there around about approximately sometime just exactly possible too also "
    "after before since when where while not ok okay thanks may might unless only still maybe "
    "perhaps my me"
)
"""May stand in a phrase about time without changing it."""


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
        "at this time | at present | at the present time | atm | current date | immediately | "
        "straight away | right away"
    ),
    soon=build_words("as soon as possible | asap"),
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
    calendar_week=build_words("calendar week | iso week"),
    eight_days=False,
    numbered=build_words(
        "section | sections | chapter | paragraph | clause | article | page | version | release | "
        "room | figure | number | no. | nr. | § | ratio | score"
    ),
    glue=build_words(
        "on | at | the | of | in | in the | for | from | by | during | around | about | circa | "
        "ca. | approximately | approx | approx. | roughly | exactly | precisely | sharp | "
        "on the dot | early | late | later | earlier | sometime | some time | anytime | any time | "
        "first thing | last thing | all day | all of | the whole of | over | t | , | @ | ( | ) | "
        "- | ~ | / | ∙ | ·"
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
            (Side.END, Unit.DAY): "eod | cob | close of business | end of business",
            (Side.END, Unit.WEEK): "eow",
            (Side.END, Unit.MONTH): "eom | month end | month-end",
            (Side.START, Unit.MONTH): "bom",
            (Side.END, Unit.QUARTER): "eoq | quarter end | quarter-end",
            (Side.END, Unit.YEAR): "eoy | year end | year-end",
        }
    ),
    soft_edges=build_table({Side.START: "early", Side.END: "late"}),
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
