"""The one list of error classes, and what each decides: moves, tries, advice; a row for each."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Decision(StrEnum):
    """What to do about a failed call."""

    RETRY = "retry"
    """The same again: nothing was wrong with the call."""
    REPAIR = "repair"
    """The agent can repair it with what it has."""
    LOOK_UP = "look_up"
    """The agent must find something out first."""
    ASK = "ask"
    """Only the person can say."""
    STOP = "stop"


class Advice(Struct, frozen=True, kw_only=True):
    """A decision about a failed call, with the reason for it."""

    decision: Decision
    why: str
    first: str | None = None
    """The tool to look it up with, where one is known."""
    ask: str | None = None
    """What to ask the person."""


MOST_TRIES = 3
"""How often one call is made in all, the first time included, whatever its failures were."""


class Move(StrEnum):
    """What may be done about a failed call."""

    SAME = "same"
    """Make the identical call again, with the same key."""
    FIX = "fix"
    """Make it with corrected arguments, validated and classified again."""
    FIX_NEW_KEY = "fix_new_key"
    REFRESH = "refresh"
    """Refresh the credentials, then the identical call."""
    REREAD = "reread"
    """Read what is there now, and let the agent decide on it."""
    POLL = "poll"
    """The first call is still being worked on: ask again with the same key."""
    PROBE = "probe"
    """Find out whether it landed. Absent: the same again. Present: adopt it."""
    ADOPT = "adopt"
    """It is as if it had succeeded."""
    HOLD = "hold"
    """The corrected call is irreversible: it is held for approval."""
    SUGGEST = "suggest"
    """Tell the agent what would help; change nothing."""
    ASK = "ask"
    """Only a person can say."""
    STOP = "stop"


class Situation(StrEnum):
    """What may be known of a call beyond its error, which makes another move the right one."""

    KEY_ALIVE = "key_alive"
    """The remote still remembers our key."""
    IN_PROGRESS = "in_progress"
    """The conflict is with our own first call, still being worked on."""
    DELETES = "deletes"
    """The call was to make the missing thing go away."""
    NOTHING_DONE = "nothing_done"
    """It is proven that the call has changed nothing so far."""


class Cell(Struct, frozen=True, kw_only=True):
    """A cell of the retry matrix: what to do, how often, and what once that is used up."""

    move: Move
    times: int = MOST_TRIES - 1
    """How often this move is made for errors of one class, where that is to be less than the
    tries of all moves together, which `MOST_TRIES` bounds."""
    then: Move = Move.STOP
    unless: tuple[Situation, Cell] | None = None
    """What may be known of the call, and the cell that counts instead where it is."""


class Aftermath(StrEnum):
    """What an error says about the effect of its call."""

    NEVER_SENT = "never_sent"
    """There can be none: the call never left."""
    REFUSED = "refused"
    """There is none, if the remote itself says so."""
    NOT_SAID = "not_said"
    MAY_HAVE_LANDED = "may_have_landed"
    """The same again could do twice what was done once."""
    NO_ANSWER = "no_answer"
    """It may have landed, and there was no answer: the outcome is unknown."""


class ArgumentFault(StrEnum):
    """What of the arguments an error is about; the advice is then made from the call itself."""

    SHAPE = "shape"
    """They were refused before any effect."""
    VALUE = "value"
    """Nothing is there under what they name."""


class Blame(StrEnum):
    """Whose fault a failure is, most of the time."""

    MODEL = "model"
    """It asked for what cannot be."""
    TOOL = "tool"
    INFRASTRUCTURE = "infrastructure"
    """What lies between: it was down, slow, or too much was asked at once."""
    POLICY = "policy"
    """It is not permitted."""


class ErrorTraits(Struct, frozen=True, kw_only=True):
    """One row of the table: how errors of a class are told, and what follows from them."""

    read: Cell
    """What is done about a failed call that changes nothing."""
    idempotent: Cell
    keyed: Cell
    once: Cell
    irreversible: Move = Move.ASK
    """What is done where a cell would make another try of a call that has no way back."""
    aftermath: Aftermath
    blame: Blame = Blame.TOOL
    advice: Advice | ArgumentFault
    """What the agent is told, unless a suggestion is at hand."""
    another_call_may_help: bool = False
    """Another call may clear it out of the way."""
    another_value_may_help: bool = False
    """An argument may point at nothing, though the turn knows what was meant."""
    unprocessed_if_documented: bool = False
    """Where the remote documents it, such an answer is proof that the request had no effect."""
    told_by_type_alone: bool = False
    """An exception's type is all that gave it; the text may know better."""
    statuses: tuple[int, ...] = ()
    """HTTP statuses and JSON-RPC codes that mean it."""
    sqlstates: tuple[str, ...] = ()
    """What the SQLSTATE of a database begins with; the longest that fits counts."""
    exceptions: tuple[str, ...] = ()
    """Exceptions by name, since most are of libraries we do not import."""
    words: str = ""
    """Phrases that errors of it use in any trade, as regular expressions: each on a line of its
    own or with ` | ` between them."""

    @property
    def passes(self) -> bool:
        """It passes with time, so the same call may work."""
        return isinstance(self.advice, Advice) and self.advice.decision is Decision.RETRY

    @property
    def final(self) -> bool:
        """It is not permitted, however it is called: no correction can help."""
        return isinstance(self.advice, Advice) and self.advice.decision is Decision.STOP

    @property
    def may_have_landed(self) -> bool:
        """The same again could do twice what was done once."""
        return self.aftermath in (Aftermath.MAY_HAVE_LANDED, Aftermath.NO_ANSWER)

    @property
    def rereads(self) -> bool:
        """What is there now is read, for the agent to decide on."""
        cells = (self.read, self.idempotent, self.keyed, self.once)
        return any(cell.move is Move.REREAD for cell in cells)


class ErrorClass(StrEnum):
    """The one list of error classes, in the order they are tested."""

    AUTH = "auth"
    POLICY = "policy"
    RATE_LIMIT = "rate_limit"
    NOT_SENT = "not_sent"
    AMBIGUOUS = "ambiguous"
    CONFLICT = "conflict"
    VALIDATION = "validation"
    MISSING = "missing"
    RULE = "rule"
    TOOL_EXCEPTION = "tool_exception"
    BAD_RESULT = "bad_result"
    UNKNOWN = "unknown"

    @property
    def traits(self) -> ErrorTraits:
        """How errors of this class are told, and what follows from them."""
        return _TRAITS[self]


_SAME = Cell(move=Move.SAME)
_SAME_ONCE = Cell(move=Move.SAME, times=1)
_FIX = Cell(move=Move.FIX, then=Move.SUGGEST)
_REFRESH = Cell(move=Move.REFRESH, times=1)
_REREAD = Cell(move=Move.REREAD)
_PROBE = Cell(move=Move.PROBE, then=Move.ASK)
_SUGGEST = Cell(move=Move.SUGGEST)
_STOP = Cell(move=Move.STOP)
_SAME_WHILE_KEYED = Cell(
    move=Move.PROBE,
    then=Move.ASK,
    unless=(Situation.KEY_ALIVE, Cell(move=Move.SAME, then=Move.PROBE)),
)

_ASK_WHAT_INSTEAD = Advice(
    decision=Decision.ASK,
    why="Only the person can choose.",
    ask="The tool refused this by a rule of its own: what should be done instead?",
)

_ASK_IN_ITS_WORDS = Advice(
    decision=Decision.ASK,
    why="The error does not say what would help.",
    ask="The tool failed, and its error does not say what would help: what should be done instead?",
)

_AUTH = ErrorTraits(
    read=_REFRESH,
    idempotent=_REFRESH,
    keyed=_REFRESH,
    once=Cell(move=Move.PROBE, then=Move.ASK, unless=(Situation.NOTHING_DONE, _REFRESH)),
    aftermath=Aftermath.REFUSED,
    blame=Blame.POLICY,
    advice=Advice(
        decision=Decision.ASK,
        why="The tool needs a login.",
        ask="How should the agent log in?",
    ),
    another_call_may_help=True,
    statuses=(401,),
    sqlstates=("28",),
    words=r"""
        unauthori[sz]ed | unauthenticated | not authenticated | logged in | not authed
        log ?in (?:first|required|to|again) | requires? authentication | \bcsrf | bad credentials
        (?:invalid|bad|wrong) (?:auth\b|password)
        (?:invalid|missing|no) (?:access |api |auth\w* |bearer )?(?:token|credentials?|api.?key)
        (?:invalid|incorrect|bad|wrong) (?:\w+ )?(?:password|username|credentials?)
        (?:invalid|incorrect|bad|wrong) (?:\w+[ -])?(?:api|access).?key | not signed in
        (?<!unexpected )token\b[^.:]{0,40}\b(?:is|are|was|has) (?:invalid|expired|revoked)
        invalid signature | signature (?:is |was )?(?:invalid|missing|mismatch) | \b(?:2fa|mfa)\b
        (?:user ?name|e-?mail) (?:or|and) password | (?:must|should) be auth(?:ori[sz]ed|enticated)
        credentials (?:are |were )?(?:invalid|incorrect) | not authenticate\b
        api.?key (?:provided )?(?:is |was )?(?:required|missing|invalid|not valid|not provided)
        (?:credentials?|token|api.?key) (?:(?:was|were|is|are) )?not (?:found|provided|set|valid)
        token (?:is |was )?(?:invalid|incorrect) | invalid (?:authori[sz]ation )?(?:grant|client)\b
        authori[sz]ation grant | authori[sz]ation (?:has been |is |was )?(?:denied|required|missing)
        no (?:valid )?(?:api.?key|(?:access )?token|credentials?) (?:was |were )?(?:found|given)
        (?:token|session|jwt) (?:has |is )?expired | expired (?:token|session|credentials?)
        (?:token|account|key) (?:was |has been )?revoked
        auth(?:entication|ori[sz]ation) (?:\w+ )?(?:failed|required|error|missing)
        (?:api.?|service |access )key is not (?:registered|known|active)
        (?:unknown|missing|suppl(?:y|ied)|provided?|no) (?:\S+ ){0,4}?access.?(?:key|token)s?\b
        (?:unknown|suppl(?:y|ied)|provided?) (?:\S+ ){0,4}?(?:api.?key|credentials)\b
        no (?:\w+ )?credentials | (?:log|sign) ?in (?:again|to continue) | invalid login
    """,
)

_POLICY = ErrorTraits(
    read=_STOP,
    idempotent=_STOP,
    keyed=_STOP,
    once=_STOP,
    aftermath=Aftermath.REFUSED,
    blame=Blame.POLICY,
    advice=Advice(decision=Decision.STOP, why="It is not permitted with any arguments."),
    statuses=(403,),
    sqlstates=("42501",),
    words=r"""
        forbidden | permission denied | access (?:is |was )?denied | not permitted | not allowed to
        insufficient (?:permissions?|privileges?|scope|access) | violates? (?:the )?policy
        (?:missing|lacks?|requires?) (?:the |a )?(?:required )?(?:\S+ )?(?:scopes?|permissions?)\b
        not (?:authori[sz]ed|accessible)
        account (?:is |was |has been )?(?:suspended|disabled|locked|blocked)
        security violation | restricted action | outside (?:of )?(?:the )?allowed | missing access\b
        only (?:the |an )?(?:admins?|owners?|administrators?)\b | \bupgrade (?:your|the|to)\b
        \b(?:banned|blacklisted)\b | not (?:in the )?whitelist
        (?:access|command) .{0,200}is not allowed | not in (?:the |any )?allow.?list
        (?:disabled|not (?:available|included|enabled)) (?:for|in|on) your (?:\w+ )?subscription
        (?:disabled|not (?:available|included|enabled)) (?:for|in|on) your (?:\w+ )?plan
        not (?:have|having) (?:the )?(?:\w+ )?(?:permission|access|privilege)s? | not subscribed
        must have (?:the )?(?:required )?(?:permission|role|scope|access)s?
        do(?:es)? not belong to | verweigert | denegado | no autorizado | accès refusé
    """,
)

_RATE_LIMIT = ErrorTraits(
    read=_SAME,
    idempotent=_SAME,
    keyed=_SAME,
    once=Cell(move=Move.STOP, unless=(Situation.NOTHING_DONE, _SAME)),
    irreversible=Move.STOP,
    aftermath=Aftermath.REFUSED,
    blame=Blame.INFRASTRUCTURE,
    advice=Advice(decision=Decision.RETRY, why="The remote is busy; the call itself was right."),
    unprocessed_if_documented=True,
    statuses=(429,),
    words=r"""
        rate.?limit | too many requests | quota (?:has been |was )?exceeded | throttl | retry.after
        slow down | too many (?:attempts|calls|connections|tries) | try again in \d+
        requests? too (?:quickly|fast|often) | rate exceeded | resource.?exhausted
        (?:daily|hourly|usage|request|call|token)s? limit (?:\S+ ){0,4}?(?:exceeded|reached)
        exceeded (?:your |the )?(?:current )?quota | provisioned throughput exceeded
        (?:reached|exceeded|hit|over) (?:\S+ ){0,3}(?:api|request|call|usage|daily|hourly)s? limit
    """,
)

_NOT_SENT = ErrorTraits(
    read=_SAME,
    idempotent=_SAME,
    keyed=_SAME,
    once=Cell(move=Move.PROBE, then=Move.ASK, unless=(Situation.NOTHING_DONE, _SAME_ONCE)),
    aftermath=Aftermath.NEVER_SENT,
    blame=Blame.INFRASTRUCTURE,
    advice=Advice(decision=Decision.RETRY, why="The call never reached the remote."),
    exceptions=(
        "ConnectError",
        "ConnectTimeout",
        "ConnectTimeoutError",
        "NameResolutionError",
        "NewConnectionError",
        "PoolTimeout",
    ),
    words=r"""
        connection refused | could not connect | failed to connect | name resolution | no such host
        getaddrinfo | certificate verify | certificate (?:has )?expired | self.signed certificate
        host unreachable | network is unreachable | name (?:or service )?not (?:known|resolved)
        connection .{0,80}\brefused | ECONNREFUSED | \bENOTFOUND\b
    """,
)

_AMBIGUOUS = ErrorTraits(
    read=_SAME,
    idempotent=Cell(move=Move.SAME, then=Move.ASK),
    keyed=_SAME_WHILE_KEYED,
    once=_PROBE,
    aftermath=Aftermath.NO_ANSWER,
    blame=Blame.INFRASTRUCTURE,
    advice=Advice(
        decision=Decision.RETRY,
        why="The remote failed on its own; nothing says the call was wrong.",
    ),
    statuses=(500, 502, 503, 504, -32603),
    sqlstates=("08", "53", "57", "58", "XX"),
    exceptions=(
        "TimeoutException",
        "Timeout",
        "RemoteProtocolError",
        "ReadError",
        "WriteError",
        "CancelledError",
    ),
    words=r"""
        service (?:is )?(?:currently )?unavailable | temporarily unavailable | time[d ]?.?out
        currently (?:loading|unavailable) | is offline | starting up
        deadline.?exceeded | timing out | took too long | code ?[=:] ?unavailable
        closed (?:the )?connection | had an error while | reset before
        bad gateway | something went wrong | under maintenance | (?:unexpected|unknown) error
        (?:couldn't|could not|unable to|failed to) (?:complete|process) (?:the |your |this )?request
        connection (?:reset|aborted|closed|issue|error) | internal (?:server )?error
        server error
        try again later | overloaded | ECONNRESET | broken pipe | fetch failed | socket hang up
    """,
)

_CONFLICT = ErrorTraits(
    read=_REREAD,
    idempotent=_REREAD,
    keyed=Cell(
        move=Move.REREAD, unless=(Situation.IN_PROGRESS, Cell(move=Move.POLL, then=Move.ASK))
    ),
    once=_REREAD,
    aftermath=Aftermath.REFUSED,
    blame=Blame.MODEL,
    advice=Advice(decision=Decision.LOOK_UP, why="Something else is there: read it first."),
    another_call_may_help=True,
    statuses=(409, 412),
    sqlstates=("23505", "40"),
    exceptions=("ConflictError",),
    words=r"""
        exists with (?:the )?same | (?:must|should) be unique | not unique
        \bconflict | already exists | file exists | duplicate | version mismatch | etag
        modified since
        already (?:been )?(?:taken|in use|booked|registered) | precondition failed
        being (?:edited|processed|used) | condition not met | deadlock | fast.forward | conditional
        has been modified | could not serialize | concurrent(?:ly)? (?:updated?|modif) | locked by
        updates? (?:was|were) rejected | \bsha does not match | transaction (?:contention|aborted)
    """,
)

_VALIDATION = ErrorTraits(
    read=_FIX,
    idempotent=_FIX,
    keyed=Cell(move=Move.FIX_NEW_KEY, then=Move.SUGGEST),
    once=_FIX,
    aftermath=Aftermath.REFUSED,
    blame=Blame.MODEL,
    advice=ArgumentFault.SHAPE,
    statuses=(400, 422, -32602),
    sqlstates=("22", "23502", "42"),
    exceptions=("ValidationError",),
    words=r"""
        validation (?:errors?|failed|failure|exception) | fail(?:ed|s)? validation
        is a required property
        field required | missing \d* ?required | is required\b | bad request
        required (?:positional |keyword.only )?arguments? | missing (?:argument|parameter|field)
        unexpected (?:keyword|argument|parameter|field|property) | got an unexpected
        unknown (?:argument|parameter|field|option|command|variable) | is not of type
        takes \d+ positional
        not (?:a )?valid | \binvalid\b(?! (?:state|status|transition|operation))
        (?:does|do|did) not (?:match|satisfy) (?:the )?(?:expected )?(?:pattern|format|schema)
        unconverted data remains | not in (?:the )?(?:correct|right|expected|required) format
        must be (?:one of|an? |of type|>|<|at |between|positive|greater|less|in )
        must (?:not )?(?:(?:start|begin|end) with|match|contain|consist|be specified|be provided)\b
        must (?:provide|specify|supply|pass|set)\b | should (?:not )?be (?:not )?(?:defined|present)
        should be (?:one of|a valid|an? |>|<|at |greater|less|in ) | is not one of
        (?:cannot|can't|may not|must not|should not) (?:contain|include|(?:start|begin|end) with)\b
        expected (?:type|string|int|number|bool|array|object|one of|str|list|dict)
        cannot (?:be )?(?:parse|convert) | could not convert | unrecognized | additional propert
        malformed | (?:cannot|can't|must not|may not) be (?:empty|null|blank)
        out of range | in the (?:future|past)\b | (?:syntax|parse|parameter|argument) error
        \benter a valid\b | \bthis field\b | \bensure (?:this|that)\b | \bmust be set\b
        too many (?:parameters|arguments) | \bneeded\Z
        \bwrong (?:endpoint|format|type|value|number|parameter)\b
        \bbad (?:value|input|parameter|argument|field|format|id)\b
        \brequired (?:\S+ ){1,3}(?:(?:is|are|was|were) )?missing\b | unprocessable
        not.null constraint | should not exist | too (?:long|large|short)\b | unknown column
        strict mode violation | maximum (?:\w+ )?length | illegal (?:operation|argument|value)
        \bnot a (?:\w+ )?(?:repository|directory|regular file)
        please (?:provide|specify|supply|enter|select|choose)\b | unexpected (?:character|token)\b
        multiple (?:\w+ ){1,3}given | too (?:high|low|big|small)\b | \bincorrect\b
        (?:does|do|did) not contain | maximum supported | (?:is|an|was|be) empty\b
        (?<!payment )(?<!upgrade )(?<!authentication )(?<!authorization )\brequired\Z
    """,
)

_MISSING = ErrorTraits(
    read=_SUGGEST,
    idempotent=Cell(move=Move.SUGGEST, unless=(Situation.DELETES, Cell(move=Move.ADOPT))),
    keyed=_SUGGEST,
    once=_SUGGEST,
    aftermath=Aftermath.REFUSED,
    blame=Blame.MODEL,
    advice=ArgumentFault.VALUE,
    another_value_may_help=True,
    statuses=(404, 410, -32601),
    sqlstates=("42P01", "42S02", "3D", "3F"),
    words=r"""
        not ?found | no such | does(?: not|n't) exist
        unknown (?:id|user|tool|action|function|method|object|resource|entity|table|project|record)
        could(?: not|n't) (?:be )?f(?:ind|ound) | cannot find | not available
        nonexistent | ENOENT
        no (?:\w+ ){0,3}(?:found|available|exists?) | no longer exists
        unable to (?:find|locate|retrieve) | resource missing | did not match any | \Agone\b
        could not resolve
        nicht gefunden | existiert nicht | introuvable | no (?:se ha )?encontrad[oa] | no existe
    """,
)

_RULE = ErrorTraits(
    read=_SUGGEST,
    idempotent=_SUGGEST,
    keyed=_SUGGEST,
    once=_SUGGEST,
    aftermath=Aftermath.NOT_SAID,
    blame=Blame.MODEL,
    advice=_ASK_WHAT_INSTEAD,
    another_call_may_help=True,
    sqlstates=("23", "0A"),
    words=r"""
        cannot | can not | can't | must | should | needs? to be | not enough | insufficient
        not allowed | exceeds? | only | before | does(?: not|n't) (?:match|add up)
        not (?:eligible|supported|possible|enabled) | limit | balance | already | too many
        declined | failed precondition | unsupported | foreign key | is archived
        reached the (?:maximum|limit) | maximum number of | payment required | not verified
        not in (?:the |this )?(?:channel|group|team|room)
    """,
)

_TOOL_EXCEPTION = ErrorTraits(
    read=_SAME_ONCE,
    idempotent=Cell(move=Move.SAME, times=1, then=Move.ASK),
    keyed=_SAME_WHILE_KEYED,
    once=_PROBE,
    aftermath=Aftermath.MAY_HAVE_LANDED,
    advice=Advice(
        decision=Decision.RETRY,
        why=("The tool failed in its own code; it had accepted the arguments."),
    ),
    told_by_type_alone=True,
    words=r"""
        traceback | exception | error executing | division by zero | assertion | memory error
        out of memory | disk (?:is )?full | no space left
    """,
)

_BAD_RESULT = ErrorTraits(
    read=_SAME_ONCE,
    idempotent=_PROBE,
    keyed=_PROBE,
    once=_PROBE,
    aftermath=Aftermath.NOT_SAID,
    advice=_ASK_IN_ITS_WORDS,
)

_UNKNOWN = ErrorTraits(
    read=_SUGGEST,
    idempotent=_SUGGEST,
    keyed=_SUGGEST,
    once=_SUGGEST,
    aftermath=Aftermath.NOT_SAID,
    advice=_ASK_IN_ITS_WORDS,
    another_call_may_help=True,
    another_value_may_help=True,
    told_by_type_alone=True,
)

_TRAITS = {
    ErrorClass.AUTH: _AUTH,
    ErrorClass.POLICY: _POLICY,
    ErrorClass.RATE_LIMIT: _RATE_LIMIT,
    ErrorClass.NOT_SENT: _NOT_SENT,
    ErrorClass.AMBIGUOUS: _AMBIGUOUS,
    ErrorClass.CONFLICT: _CONFLICT,
    ErrorClass.VALIDATION: _VALIDATION,
    ErrorClass.MISSING: _MISSING,
    ErrorClass.RULE: _RULE,
    ErrorClass.TOOL_EXCEPTION: _TOOL_EXCEPTION,
    ErrorClass.BAD_RESULT: _BAD_RESULT,
    ErrorClass.UNKNOWN: _UNKNOWN,
}
