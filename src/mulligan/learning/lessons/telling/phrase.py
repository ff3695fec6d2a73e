"""A lesson in words, rendered from its structure: no text of a tool gets in but a masked error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mulligan.core.display.escape import NAME, quote_name
from mulligan.core.failures.lesson import Ending, Episode, How, Prerequisite, Remedy, Transformation
from mulligan.core.storage.identity import read_label

LONGEST = 200

Phrase = Callable[[Mapping[str, object]], str]

MAKING: Mapping[How, Phrase] = {
    How.CONSTANT: lambda given: f"as {_format_value(given.get('value'))}",
    How.PREFIX: lambda given: _describe_affix(given, "in front"),
    How.SUFFIX: lambda given: _describe_affix(given, "at the end"),
    How.CASE: lambda given: f"in {_pick_word(given, 'case')} case",
    How.PART: lambda given: (
        f"as {_describe_position(given)} part of {_describe_source(given)} "
        f"at {_format_value(given.get('sign'))}"
    ),
    How.SCALE: lambda given: f"times {_format_value(given.get('by'))}",
    How.LIST: lambda given: f"as a list of one, {_describe_source(given)}",
    How.SCALAR: lambda given: f"as the one value in {_describe_source(given)}",
    How.COERCE: lambda given: f"as {_pick_word(given, 'to')}",
    How.FORMAT: lambda given: f"written {_describe_form(given)}",
    How.FROM_ARGUMENT: lambda given: f"as {_describe_source(given)} says",
    How.FROM_ERROR: lambda given: f"as the error says ({_pick_word(given, 'what')})",
    How.FROM_TURN: lambda given: _describe_seen(given),
    How.OPEN: lambda _: "as it fits",
    How.DROP: lambda _: "left out",
}
"""How each way of making a value is put."""


def describe_lesson(remedy: Remedy, *, tool: str, template: str) -> str:
    """What was learned, in one sentence."""
    mend = describe_correction(tool, remedy)
    what = quote_name(tool) if tool else "a tool"
    return f"When {what} fails with {template[:LONGEST]!r}, {mend}."


def describe_correction(tool: str, remedy: Remedy) -> str:
    """What to do instead."""
    parts = [f"call {_describe_call(each)} first" for each in remedy.first]
    parts += [_describe_change(each) for each in remedy.changes]
    what = quote_name(tool) if tool else "it"
    return ", ".join(parts) if parts else f"call {what} again as it was"


def describe_mistake(remedy: Remedy) -> str:
    """What agents do wrong."""
    parts = [f"{quote_name(each.tool)} was not called before" for each in remedy.first]
    parts += [
        f"{quote_name(each.argument)} is {'given' if each.how is How.DROP else 'not right'}"
        for each in remedy.changes
    ]
    return ", ".join(dict.fromkeys(parts)) or "none: it passes by itself"


def describe_example(remedy: Remedy) -> tuple[str, str]:
    """Failing and corrected arguments, every value masked."""
    dropped = [each.argument for each in remedy.changes if each.how is How.DROP]
    changed = [each for each in remedy.changes if each.how is not How.DROP]
    sources = [str(each.given.get("of", each.argument)) for each in changed]
    failing = ", ".join(
        f"{quote_name(name)}=<value>" for name in dict.fromkeys((*sources, *dropped))
    )
    before = "; ".join(_describe_call(each) for each in remedy.first)
    after = ", ".join(f"{quote_name(each.argument)}=<{_shorten_change(each)}>" for each in changed)
    return failing, "; ".join(part for part in (before, after) if part)


def describe_exceptions(remedy: Remedy, others: Sequence[Episode]) -> str:
    """What tells apart the failures that this did not mend."""
    if not others:
        return ""
    open_ends = sum(each.ending in (Ending.FAILED, Ending.LEFT) for each in others)
    undone = sum(each.ending is Ending.UNDONE for each in others)
    otherwise = len(others) - open_ends - undone
    counted = (
        (otherwise, "mended in another way"),
        (open_ends, "never mended"),
        (undone, "mended and taken back"),
    )
    told = ", ".join(f"{count} {what}" for count, what in counted if count)
    agents = {each.agent for each in others if each.agent}
    alone = len(agents) == 1 and len(others) > 1
    apart = f"; all of them by {read_label(next(iter(agents)))}" if alone else ""
    needed = _describe_needs(remedy)
    return f"{told}{apart}" + (f"; it takes {needed}" if needed else "")


def _describe_needs(remedy: Remedy) -> str:
    """What must be there for the remedy to say anything."""
    seen = {str(each.given["tool"]) for each in remedy.changes if "tool" in each.given}
    seen -= {each.tool for each in remedy.first}
    parts = {str(each.given["sign"]) for each in remedy.changes if "sign" in each.given}
    told = [f"an earlier call of {quote_name(name)}" for name in sorted(seen)]
    return ", ".join([*told, *(f"{sign!r} in the value" for sign in sorted(parts))])


def _describe_call(call: Prerequisite) -> str:
    made = [f"{quote_name(e.argument)} {MAKING[e.how](e.given)}" for e in call.arguments]
    return quote_name(call.tool) + (f" ({', '.join(made)})" if made else "")


def _describe_change(made: Transformation) -> str:
    if made.how is How.DROP:
        return f"leave {quote_name(made.argument)} out"
    return f"give {quote_name(made.argument)} {MAKING[made.how](made.given)}"


def _shorten_change(made: Transformation) -> str:
    if made.how is How.CONSTANT:
        return f"always {_format_value(made.given.get('value'))}"
    return str(made.how).replace("_", " ")


def _describe_affix(given: Mapping[str, object], where: str) -> str:
    if "without" in given:
        return f"without {_format_value(given['without'])} {where}"
    return f"with {_format_value(given.get('text'))} {where}"


def _describe_source(given: Mapping[str, object]) -> str:
    return quote_name(str(given["of"])) if "of" in given else "the same argument"


def _describe_position(given: Mapping[str, object]) -> str:
    if "upto" in given:
        return "all but the last"
    at = given.get("at")
    return {0: "the first", -1: "the last"}.get(at, "a later") if isinstance(at, int) else "a"


def _describe_form(given: Mapping[str, object]) -> str:
    plain = given.get("form") == "plain"
    return "without stray signs" if plain else f"as {_format_value(given.get('form'))}"


def _describe_seen(given: Mapping[str, object]) -> str:
    if "holds" in given:
        return f"as what holds {quote_name(str(given['holds']))} in an earlier result"
    if "like" in given or "said" in given:
        return "as the person said it"
    name = quote_name(str(given["key"])) if given.get("key") else "the result"
    found = f"{name} of {quote_name(str(given.get('tool')))}"
    return f"less {found}" if given.get("less") else f"as {found} says"


def _pick_word(given: Mapping[str, object], name: str) -> str:
    """A word of ours that a lesson is given; what is none is not shown."""
    word = str(given.get(name, ""))
    return word if NAME.fullmatch(word) else "another"


def _format_value(value: object) -> str:
    return repr(value)[:40]
