"""Everything Mulligan raises on purpose.

    MulliganError
    ├── ConfigurationError          what was asked for cannot be done; nothing was touched
    │   ├── UnknownStoreError       an unknown store URL
    │   ├── UnknownHostError        a framework that no installed package has an adapter for
    │   ├── MissingExtraError       a part that needs `pip install "mulligan[…]"`
    │   ├── NaiveTimeError          a time without a zone
    │   ├── UnawaitedError          a plain function that answers with something to await
    │   ├── OutsideTurnError        a call outside any turn, where that is refused
    │   ├── RunningLoopError        a call that would hold up the event loop it is made on
    │   └── NoSchemaError           what a tool declares as its schema is none
    ├── StoreError                  the store could not do its work
    │   ├── StoreUnavailableError   it does not answer, or cannot be opened
    │   ├── StoreLockedError        another process holds it
    │   ├── StoreFullError          no room left
    │   ├── StoreDamagedError       it is corrupt, or shorter than it was
    │   ├── HiddenSecretError       what names are hashed with is not for this role
    │   ├── SchemaTooNewError       written by a newer Mulligan
    │   └── SchemaTooOldError       `mulligan migrate` has not been run
    ├── SilentError                 a result that says of itself that it is an error
    ├── RejectedError               a call outside any turn that its checks have rejected
    ├── UnfinishedRunError          a typed output of a run that was rejected or awaits approval
    ├── FlaggedCallError            a call that its tool does not let through as it is
    ├── OwnParameterError           a call that brought a value for what Mulligan fills
    ├── NothingDone                 a tool's own word that a failed call has changed nothing
    ├── HeldError                   a host's call that is awaiting approval
    ├── AlreadyDoneError            the same call waits, stands, or may have happened
    ├── StuckError                  a call that has failed in the same way again and again
    ├── StaleNotesError             another process added that version of a task's notes first
    ├── StaleLessonError            another process added that version of a lesson first
    ├── OutOfStepsError             a writer may call no more tools for this draft
    ├── ConflictError               someone else changed it first; raised by a tool's undo
    ├── PartlyUndoneError           an undo that has undone a part; raised by a tool's undo
    └── JournalError                the journal refused an entry
        ├── IllegalTransitionError  the action cannot go from that state to this one
        └── StaleEntryError         another worker moved the action first

Every message says what is wrong, with the value, and what to do next.
"""

from __future__ import annotations


class MulliganError(Exception):
    """The root: catch this to catch everything of ours."""

    def __reduce__(self) -> tuple[object, ...]:
        # Python would call the class with the message alone, which those that take their values
        # by name refuse; so a copy, here or in another process, is made without `__init__`.
        return _restore, (type(self), self.args), self.__dict__


def _restore(kind: type[MulliganError], args: tuple[object, ...]) -> MulliganError:
    return kind.__new__(kind, *args)


class ConfigurationError(MulliganError):
    """What was asked for cannot be done as it was asked."""


class UnknownStoreError(ConfigurationError):
    """A store URL that names no kind of store we have."""


class UnknownHostError(ConfigurationError, AttributeError):
    """A host that nobody brings; as `m.for_NAME` it is an attribute that is not there."""


_FOLDERS = {
    **{name: f"packages/mulligan-packs[{name}]" for name in ("calendar", "http", "sql")},
    **{
        name: f"packages/mulligan-{name}"
        for name in ("dashboard", "fast", "gateway", "packs", "replay", "testing")
    },
    "oidc": "packages/mulligan-gateway[oidc]",
}
"""Where the extras are that packages of their own bring."""


class MissingExtraError(ConfigurationError):
    """An optional part is wanted but not installed."""

    def __init__(self, *, need: str, extra: str) -> None:
        folder = _FOLDERS.get(extra, f"packages/mulligan[{extra}]")
        here = "make demo" if extra == "demo" else f'pip install "./{folder}"'
        super().__init__(
            f'{need} needs an extra: pip install "mulligan[{extra}]", or in a checkout {here}.'
        )
        self.extra = extra


class NaiveTimeError(ConfigurationError):
    """A time without a zone, which can mean two dozen different instants."""

    def __init__(self, *, name: str, value: object) -> None:
        super().__init__(
            f"{name} has no time zone: {value}. Pass an aware datetime, for example "
            f"datetime.now(ZoneInfo('Europe/Berlin'))."
        )


class NoSchemaError(ConfigurationError):
    """What a tool declares as its schema is no JSON Schema."""


class StoreError(MulliganError):
    """The store could not do its work; what it held is untouched."""


class StoreUnavailableError(StoreError):
    """The store does not answer, or cannot be opened at all."""


class StoreLockedError(StoreError):
    """Another process holds the store and did not let go in time."""


class StoreFullError(StoreError):
    """There is no room left to write."""


class StoreDamagedError(StoreError):
    """The store is corrupt, or holds less than it once did."""


class HiddenSecretError(StoreError):
    """The store does not show its secret to the role that asks."""


class SchemaTooNewError(StoreError):
    """The store was written by a newer Mulligan than this one."""

    def __init__(self, *, store: str, found: int, known: int) -> None:
        super().__init__(
            f"{store} has schema {found}, but this Mulligan knows schemas up to {known}: "
            "upgrade Mulligan to open it. Nothing was changed."
        )


class SchemaTooOldError(StoreError):
    """The store is from an older Mulligan and was not migrated yet."""

    def __init__(self, *, store: str, found: int, known: int) -> None:
        migrate = f"`mulligan migrate --store {store}`"
        super().__init__(
            f"{store} has schema {found}; this Mulligan needs {known}: "
            f"run {migrate} once. Nothing was changed."
            if found
            else f"{store} is empty: check the URL. A new store is made by the application that "
            f"opens it, or by {migrate}."
        )


class SilentError(MulliganError):
    """A tool returned what is an error in disguise. It is logged, and never raised."""

    def __init__(self, said: str = "", *, code: int | str | None = None) -> None:
        super().__init__(said)
        self.code = code
        """What the result says for programs to tell it by."""


class FlaggedCallError(MulliganError):
    """A call was not made: it is known to fail, and its tool declares `refuse`."""


class OwnParameterError(MulliganError, TypeError):
    """A call was not made: it brought a value of its own for a key or a condition that is ours."""

    def __init__(self, *, tool: str, parameter: str) -> None:
        super().__init__(
            f"{tool} was not called: {parameter} is filled by Mulligan at every call, so call "
            f"{tool} again without {parameter}."
        )
        self.parameter = parameter


class NothingDone(MulliganError):  # noqa: N818 - a tool says it of its own call, and that is good
    """Raised by a tool whose call failed before it changed anything: then it is not looked for."""


class UnawaitedError(ConfigurationError):
    """A plain function returned an awaitable, which cannot be awaited here."""

    def __init__(self, tool: str) -> None:
        super().__init__(
            f"{tool} is a plain function and answered with something to await, so its end cannot "
            "be seen here. Declare it with `async def`."
        )


class OutsideTurnError(ConfigurationError):
    """A tool with an effect was called outside any turn, and the application refuses that."""


class RunningLoopError(ConfigurationError):
    """What waits on its thread was called where an event loop runs, which it would hold up."""


class RejectedError(MulliganError):
    """A call outside any turn was checked and was wrong. Its text says what is in effect."""

    def __init__(self, text: str, *, findings: tuple[object, ...] = ()) -> None:
        super().__init__(text)
        self.findings = findings


class UnfinishedRunError(MulliganError):
    """A run gave a typed output, and was rejected, or a call of it is awaiting approval.

    A text can say so; an object would look as if all of it was done.
    """

    def __init__(
        self,
        answer: str,
        *,
        output: object,
        standing: str,
        confidence: str | None = None,
        findings: tuple[object, ...] = (),
    ) -> None:
        super().__init__(
            f"The run was rejected or is awaiting approval (standing: {standing}), so its output "
            "is not given as if it were done; `.output` has it. What to tell the "
            f"person:\n{answer}"
        )
        self.answer = answer
        """What to tell the person: the question in the place of the reply, or what waits."""
        self.output = output
        """What the agent gave, as it gave it: nothing in it is sure to be done."""
        self.standing = standing
        self.confidence = confidence
        self.findings = findings


class HeldError(MulliganError):
    """A call that a host wants to make is awaiting approval. Its text is for the agent.

    The host's adapter puts its own signal in the place of it.
    """

    def __init__(self, text: str, *, action: str, decided: bool = False, why: str = "") -> None:
        super().__init__(text)
        self.action = action
        self.why = why
        """Why it is held, for the person who decides."""
        self.decided = decided
        """No decision is awaited any more: it was denied, expired, or is running."""


class AlreadyDoneError(MulliganError):
    """The same call is not made twice in a turn while the first may stand."""

    def __init__(self, *, what: str, action: str, state: str, now: str = "") -> None:
        super().__init__(
            f"{what} was called before in this turn and is {state} (action {action}): making it "
            "again could do it twice. Look at what is there, or ask the person."
            if not now
            else f"{what} was called before in this turn and was held (action {action}). {now} It "
            "is not made a second time."
        )
        self.action = action


class StuckError(MulliganError):
    """A call was not made: with the same arguments it has failed in the same way too often."""

    def __init__(self, *, tool: str, times: int) -> None:
        super().__init__(
            f"{tool} was not called: with these arguments it has failed {times} times in this "
            "turn, each time in the same way. Do something else, or tell the person that it cannot "
            "be done."
        )
        self.tool = tool
        self.times = times


class StaleNotesError(MulliganError):
    """Another process added a version of a task's notes first; read them again, then append."""


class StaleLessonError(MulliganError):
    """Another process added a version of a lesson first; read it again, then append."""


class OutOfStepsError(MulliganError):
    """A writer has used up its tool steps; what it knows by now must do."""


class ConflictError(MulliganError):
    """The object of an undo is no longer at the version we wrote: leave it alone."""


class PartlyUndoneError(MulliganError):
    """A part of a call was undone, and the rest was left alone: the message says which."""


class JournalError(MulliganError):
    """The journal refused an entry, so the effect must not happen."""


class IllegalTransitionError(JournalError):
    """An action was asked to go where its state does not lead."""


class StaleEntryError(JournalError):
    """Another worker moved the action first; read it again before acting."""
