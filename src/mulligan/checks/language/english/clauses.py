"""English words that open clauses, and say what each clause asks for."""

from __future__ import annotations

from mulligan.checks.language.tables import ClauseWords, build_set, build_words

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
