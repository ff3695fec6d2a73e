"""What a declaration really promises, in sentences for a person: no more than it can keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import cast

from msgspec import Struct
from msgspec.structs import asdict

from mulligan.checks.parameters import ParameterKind, ToolShape, list_checks_of, read_kinds
from mulligan.runtime.declaration import Declaration
from mulligan.types.action import HOLD_LIFE
from mulligan.types.effect import Effect, Mode, Outside, Precheck, ProbeBy, Repeat
from mulligan.types.finding import Severity
from mulligan.types.interfaces import KnownTool


class HouseRules(Struct, frozen=True, kw_only=True):
    """What an application says of all its tools."""

    strict: bool = False
    """Hold calls of undeclared tools."""
    outside: Outside = Outside.TURN
    hold_life: timedelta = HOLD_LIFE
    standard: bool = False
    """Checks choose themselves, by what parameters hold."""


PLAIN = HouseRules()
"""Of an application that says nothing."""


def describe_tool(declaration: Declaration, *, rules: HouseRules = PLAIN) -> KnownTool:
    """A tool for the catalog."""
    can = declaration.callbacks
    able = [name for name, function in asdict(can).items() if function is not None]
    able += [
        n for n in ("key", "each", "deletes", "refuses", "if_absent") if getattr(declaration, n)
    ]
    able += [n for n in ("requests", "settles_within") if getattr(declaration.remote, n)]
    return KnownTool(
        tool=declaration.tool,
        server=declaration.server,
        effect="by arguments" if declaration.effect_of else declaration.effect.value,
        repeat=declaration.repeat.value,
        mode=declaration.mode.value,
        callbacks=tuple(able),
        promises=tuple(list_promises(declaration, rules=rules)),
        schema=dict(declaration.arguments.schema),
        error_rules=tuple(declaration.failures.error_rules),
        kinds=describe_kinds(declaration) if rules.standard else {},
    )


def build_shape(declaration: Declaration, *, schema: Mapping[str, object]) -> ToolShape:
    """A tool as checks that choose themselves need it."""
    untrusted = declaration.review.untrusted
    return ToolShape(
        tool=declaration.tool,
        effect=declaration.effect,
        schema=schema,
        kinds=cast("Mapping[str, ParameterKind]", declaration.arguments.kinds),
        untrusted=None if untrusted is None else Severity(untrusted),
        each=declaration.each,
    )


def describe_kinds(declaration: Declaration) -> dict[str, str]:
    """By parameter: what it is taken to hold, why, and which checks look at it."""
    tool = read_kinds(build_shape(declaration, schema=declaration.arguments.schema))
    return {
        name: f"{found.kind}, as {found.why}: {', '.join(list_checks_of(tool, name)) or 'no check'}"
        for name, found in tool.chosen.items()
    }


def list_promises(declaration: Declaration, *, rules: HouseRules = PLAIN) -> Iterator[str]:
    """What happens to a tool's calls, as far as it can be relied on."""
    if declaration.mode.only_watches:
        logged = "Not logged" if declaration.mode is Mode.OFF else "Only logged"
        yield f"{logged}: never held, repeated, reviewed or undone."
        return
    if declaration.effect_of is not None:
        yield "Its effect depends on the arguments; a call whose effect is unclear is held."
    yield _describe_effect(declaration, rules)
    if declaration.each is not None:
        yield f"Each element of {declaration.each} is recorded, undone and reported on its own."
    if declaration.callbacks.undo is not None:
        yield from _describe_grounds(declaration)
    if declaration.effect is not Effect.READ and declaration.effect is not Effect.UNDECLARED:
        yield _describe_ambiguity(declaration)
        yield _describe_proof(declaration)
    if rules.outside is Outside.RUN and _has_effect(declaration, rules):
        yield "Outside any turn it is made and only logged: all of this applies to turns."
    if declaration.undoing.loses:
        yield f"An undo does not bring back: {', '.join(declaration.undoing.loses)}."
    yield from _describe_calls(declaration)


def describe_binding(declaration: Declaration) -> str:
    """Why only the process that holds a call can run it later; empty where any can."""
    if not declaration.needs or declaration.arguments.provide is not None:
        return ""
    given = " and ".join(sorted(declaration.needs))
    return (
        f"A call of {declaration.tool} that is held can run only in the process that held it, as "
        f"it also takes {given}, which is not kept. Declare Arguments(provide=…) to have it made "
        "anew."
    )


def _describe_calls(declaration: Declaration) -> Iterator[str]:
    """What follows for calls and results, beyond their effect."""
    bound = describe_binding(declaration)
    if bound and declaration.effect not in (Effect.READ, Effect.UNDECLARED):
        yield bound
    if declaration.failures.precheck is Precheck.REFUSE:
        yield "In a turn, a call that is known to fail is not made."
    if declaration.failures.returns or not declaration.failures.may_be_empty:
        yield "A result that breaks its declared schema counts as a failure, and is still returned."
    if declaration.failures.ask_judge:
        yield "A judge, if there is one, is asked about a failure that nothing else can repair."


def _has_effect(declaration: Declaration, rules: HouseRules) -> bool:
    """Whether its calls are more than rows of the log."""
    if declaration.effect is Effect.UNDECLARED:
        return rules.strict
    return declaration.effect is not Effect.READ


def _describe_effect(declaration: Declaration, rules: HouseRules) -> str:
    life = _describe_length(rules.hold_life)
    if declaration.callbacks.undo is not None:
        return _describe_undo(declaration)
    match declaration.effect:
        case Effect.READ:
            return "Changes nothing itself; made again after a failure where that can help."
        case Effect.UNDECLARED if rules.strict:
            return f"No effect is declared: held until a person approves, {life}."
        case Effect.UNDECLARED:
            return (
                "No effect is declared: never repeated, undone or called verified. Declare it: "
                "READ, if it acts only through other tools."
            )
        case _:
            return f"Cannot be undone: held until a person approves it, {life} at most."


def _describe_length(length: timedelta) -> str:
    """In hours where it is some, else in minutes."""
    minutes = max(1, round(length / timedelta(minutes=1)))
    number, unit = (minutes // 60, "hour") if minutes % 60 == 0 else (minutes, "minute")
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


_RACES = (
    "an edit made between the look and the undo can be lost, because its remote compares no "
    "versions"
)

_UNBOUND = "one made between the look before a call and the call"


def _describe_undo(declaration: Declaration) -> str:
    can = declaration.callbacks
    if declaration.deletes:
        ever = "no edit is ever overwritten" if declaration.undoing.compares else _RACES
        return (
            f"Undone only while nothing is in its place, and verified: {ever}. An undo that may "
            "have been sent is not sent again, because a person may have deleted the object "
            "since."
        )
    bound = declaration.remote.binds or declaration.if_version is not None
    if can.version is not None and not declaration.undoing.compares:
        over = "" if bound or can.before is None else f", and so can {_UNBOUND}"
        return f"Undone only while it is as the call left it, and verified: {_RACES}{over}."
    if can.version is not None and can.before is not None and not bound:
        return (
            "Undone under the version it wrote, and verified: no later edit is overwritten, but "
            "one made between its look and its call can be. Declare if_version=… to rule that "
            "out."
        )
    if can.version is not None:
        return "Undone under the version it wrote, and verified: no edit is ever overwritten."
    return (
        "Undone and verified, but without versions: an edit made since the call can be lost, and "
        "an undo without an answer needs attention. Declare version=… to rule that out."
    )


def _describe_grounds(declaration: Declaration) -> Iterator[str]:
    """What an undo rests on: which object, whose work it is, and what a read proves."""
    yield from (f"An undo rests on {each}." for each in declaration.undoing.rests_on)
    if declaration.callbacks.about is None:
        yield (
            "It does not declare which object a call is about: its undo waits for the undos of "
            "all later calls, and a later call on the same object may look like an edit. Declare "
            "about=…."
        )
    held = declaration.if_version is not None and declaration.if_absent is None
    if held and not declaration.remote.binds:
        yield "A call that finds no object is held, unless it declares if_absent=…."
    if declaration.remote.settles_within:
        seconds = declaration.remote.settles_within.total_seconds()
        yield f"A read proves something only {seconds:g} seconds after a write."
    else:
        declare = "Declare Remote(settles_within=…) if reads may lag behind writes."
        yield f"A read is trusted at once. {declare}"


def _describe_ambiguity(declaration: Declaration) -> str:
    can, keyed = declaration.callbacks, declaration.key is not None
    found = can.probe is not None and declaration.probe_by is not ProbeBy.STATE
    if can.undo is None:
        return _describe_search(declaration, found=found)
    if found and keyed:
        return "A call without an answer is looked for, and made again under the same key."
    if keyed and declaration.repeat is Repeat.KEYED:
        return "A call without an answer is made again under the same key."
    if declaration.repeat is Repeat.IDEMPOTENT:
        return _describe_repeat(declaration)
    if found:
        seconds = (
            declaration.remote.lands_within + declaration.remote.settles_within
        ).total_seconds()
        return (
            f"A call without an answer is looked for; it is made again only when it is still not "
            f"there after {seconds:.0f} seconds."
        )
    return _describe_search(declaration, found=found)


def _describe_repeat(declaration: Declaration) -> str:
    """A call that is made again, and what that may write over."""
    said = "A call without an answer is made again, because it is idempotent"
    if declaration.remote.binds or declaration.if_version is not None:
        return f"{said}."
    return (
        f"{said}. An edit made between the two calls is lost. Declare if_version=… to rule that "
        "out, or leave repeat=… out."
    )


def _describe_search(declaration: Declaration, *, found: bool) -> str:
    """A call that is not made again, as far as it can be looked for."""
    can = declaration.callbacks
    if found:
        return "A call without an answer is looked for, and never made again automatically."
    if can.probe is not None:
        return (
            "A call without an answer needs attention, unless its probe shows the state before "
            "the call: anything else may be a person's edit. Find it by a key or a mark of its "
            "own, and declare probe_by=ProbeBy.CALL."
        )
    if can.before is not None and can.undo is not None:
        return (
            "A call without an answer needs attention, unless the state before the call is still "
            "there. Declare probe=… to have it looked for."
        )
    return "A call without an answer needs attention. Declare probe=… to have it looked for."


def _describe_proof(declaration: Declaration) -> str:
    """Which failures are believed to have changed nothing."""
    words = [each.__name__ for each in declaration.refuses] + ["NothingDone"]
    proofs = [f"raises {' or '.join(words)}"]
    if declaration.remote.requests == 1:
        proofs.append("is one request that was never sent")
        if declaration.remote.not_processed:
            proofs.append("is told to slow down")
    said = f"A failed call has changed nothing if it {', or '.join(proofs)}; else it is looked for."
    if declaration.remote.requests != 1 and declaration.remote.not_processed:
        return f"{said} That a rate limit has no effect counts only with Remote(requests=1)."
    return said
