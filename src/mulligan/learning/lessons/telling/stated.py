"""What an error states about arguments, as rules that an agent can keep to beforehand."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from mulligan.core.display.escape import NAME, format_one_line, quote_name
from mulligan.core.failures.lesson import How, Remedy, Transformation
from mulligan.learning.complaints.complaint import Complaint, ComplaintKind
from mulligan.learning.complaints.dialects import parse_complaints
from mulligan.learning.lessons.telling.phrase import MAKING

MASKED = "<"
"""What begins a mask: a value that was one call's own is no rule for others."""
MOST_VALUES = 8
MOST_RULES = 3
_LONGEST = 40

Rules = Mapping[str, str]
"""What is wanted, by argument: `{"topK": "at most 10"}`."""


def read_rules(template: str, *, names: Collection[str]) -> Rules:
    """The rules in an error's masked text, of the arguments that a tool has.

    A template is in small letters: an argument gets its own spelling back from `names`. Without
    any, whatever can be a name is taken for one.
    """
    spelled = {name.casefold(): name for name in names}
    found: dict[str, dict[ComplaintKind, tuple[str, ...]]] = {}
    for complaint in parse_complaints(template):
        name = _find_argument(complaint, spelled)
        if name and not any(MASKED in each for each in complaint.wanted):
            found.setdefault(name, {})[complaint.about] = complaint.wanted
    rules = {name: _describe_wanted(name, said) for name, said in found.items()}
    return {name: rule for name, rule in list(rules.items())[:MOST_RULES] if rule}


def describe_demands(remedy: Remedy, rules: Rules) -> str:
    """What a tool wants, by what mended its failures and by what its errors state."""
    parts = [f"it wants {quote_name(each.tool)} called first" for each in remedy.first]
    told = {each.argument: _describe_demand(each, rules) for each in remedy.changes}
    others = {name: rule for name, rule in rules.items() if name not in told}
    parts += [_say_rule(name, rule) for name, rule in {**told, **others}.items() if rule]
    return ", ".join(parts)


def describe_rules(rules: Rules) -> str:
    """Rules in words."""
    return ", ".join(_say_rule(name, rule) for name, rule in rules.items())


def _say_rule(name: str, rule: str) -> str:
    return f"{quote_name(name)} must be {rule}"


def _describe_demand(made: Transformation, rules: Rules) -> str:
    """What an argument must be: as its error states it, else as it was made."""
    if made.how is How.DROP:
        return "left out"
    stated = rules.get(made.argument, "")
    if made.how in (How.OPEN, How.FROM_ERROR) or (stated and made.how is How.CONSTANT):
        return stated
    making = f"given {MAKING[made.how](made.given)}"
    return f"{making}, {stated}" if stated else making


def _find_argument(complaint: Complaint, spelled: Mapping[str, str]) -> str:
    """The argument that a complaint is about, by its own spelling; empty: none of this tool."""
    name = complaint.subject.rpartition(".")[2]
    known = spelled.get(complaint.subject.casefold()) or spelled.get(name.casefold())
    own = name if NAME.fullmatch(name) else ""
    if complaint.about is ComplaintKind.UNEXPECTED:
        # "Invalid parameter: limit must be …" calls no argument unexpected that there is.
        return "" if known else own
    return known or ("" if spelled else own)


def _describe_wanted(name: str, said: Mapping[ComplaintKind, tuple[str, ...]]) -> str:
    """Everything that is said of one argument, in a few words."""
    least, most = said.get(ComplaintKind.LEAST), said.get(ComplaintKind.MOST)
    parts = []
    if least and most:
        parts.append(f"from {_quote(least[0])} to {_quote(most[0])}")
    elif most or least:
        word, bound = ("at most", most) if most else ("at least", least)
        parts.append(f"{word} {_quote((bound or ('',))[0])}")
    for complaint in (Complaint(kind, name, wanted) for kind, wanted in said.items()):
        if complaint.about is not ComplaintKind.UNEXPECTED or not parts:
            parts += _describe_form(complaint)
    return ", ".join(parts)


def _describe_form(complaint: Complaint) -> list[str]:
    wanted = [_quote(each) for each in complaint.wanted[:MOST_VALUES]]
    match complaint.about:
        case ComplaintKind.MISSING:
            return ["given"]
        case ComplaintKind.UNEXPECTED:
            return ["left out: the tool has no such argument"]
        case ComplaintKind.DOMAIN:
            more = ", …" if len(complaint.wanted) > MOST_VALUES else ""
            return [f"one of {', '.join(wanted)}{more}"]
        case ComplaintKind.TYPE if wanted:
            return [f"of type {wanted[0]}"]
        case ComplaintKind.FORM if wanted and "%" not in wanted[0]:
            # A template is in small letters, and `%y` is another year than `%Y`.
            return [f"written {wanted[0].upper()}"]
        case _:
            return []


def _quote(text: str) -> str:
    """A word of an error: one line, and nothing that could end a sentence of ours."""
    return format_one_line(text, most=_LONGEST).replace("`", "'").replace('"', "'")
