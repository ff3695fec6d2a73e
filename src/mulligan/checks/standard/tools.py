"""A tool as choosing checks needs it: what its calls do, and what each parameter holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from enum import StrEnum

from mulligan.checks.language.lexicon import load_words, split_words
from mulligan.checks.standard.kind import (
    Chosen,
    ParameterKind,
    Schema,
    find_kind,
    find_kind_of_value,
)
from mulligan.core.call import Call
from mulligan.core.effect import Effect
from mulligan.core.finding import Severity
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.runtime.enums import set_enums


class ToolVerb(StrEnum):
    """What a tool does with the object it is about."""

    READ = "read"
    MAKE = "make"
    """It makes or sends something: twice is two."""
    CHANGE = "change"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolShape:
    """What is known of a tool without its code."""

    tool: str
    effect: Effect = Effect.UNDECLARED
    schema: Schema = field(default_factory=dict)
    """The JSON Schema of its arguments."""
    kinds: Mapping[str, ParameterKind] = field(default_factory=dict)
    """What its author says of parameters; outranks everything else."""
    untrusted: Severity | None = None
    """How much it weighs if a value stems from a text; `None`: its author did not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolKinds:
    """A tool with the kinds of its parameters, and why each was chosen."""

    tool: str
    verb: ToolVerb
    chosen: Mapping[str, Chosen]
    defaults: Mapping[str, object] = field(default_factory=dict)
    untrusted: Severity | None = None

    @property
    def acts(self) -> bool:
        """Whether a call may change something."""
        return self.verb is not ToolVerb.READ

    def list_parameters(self, *kinds: ParameterKind) -> list[str]:
        """The parameters that hold one of these kinds, in the order of the schema."""
        return [name for name, each in self.chosen.items() if each.kind in kinds]


FindTool = Callable[[Call], ToolShape | None]
"""What is known of the tool of a call; `None`: nothing was declared."""


def read_kinds(shape: ToolShape, *, given: Mapping[str, object] | None = None) -> ToolKinds:
    """What each parameter of a tool holds; of one without a schema, by what a call gave."""
    properties = shape.schema.get("properties")
    named: Mapping[str, object] = properties if isinstance(properties, Mapping) else {}
    chosen: dict[str, Chosen] = {}
    for name in dict.fromkeys((*named, *(given or ()))):
        said = named.get(name)
        chosen[name] = _choose(
            name, shape, said=said if isinstance(said, Mapping) else None, given=given
        )
    return ToolKinds(
        tool=shape.tool,
        verb=find_verb(shape.tool, effect=shape.effect),
        chosen=chosen,
        defaults={
            name: said["default"]
            for name, said in named.items()
            if isinstance(said, Mapping) and "default" in said
        },
        untrusted=shape.untrusted,
    )


def find_verb(tool: str, *, effect: Effect = Effect.UNDECLARED) -> ToolVerb:
    """What a tool does: as declared, else by the first word of its name that tells."""
    if effect is Effect.READ:
        return ToolVerb.READ
    acts = effect is not Effect.UNDECLARED
    for word in split_words(tool):
        for deed in ToolVerb:
            if word in load_words("deeds", deed) and not (acts and deed is ToolVerb.READ):
                return deed
    return ToolVerb.CHANGE


def select_kinds(tools: Collection[ToolKinds], *kinds: ParameterKind) -> dict[str, list[str]]:
    """By tool, the parameters of these kinds: what the single checks are told."""
    found = {each.tool: each.list_parameters(*kinds) for each in tools}
    return {tool: names for tool, names in found.items() if names}


def _choose(
    name: str, shape: ToolShape, *, said: Schema | None, given: Mapping[str, object] | None
) -> Chosen:
    if name in shape.kinds:
        return Chosen(shape.kinds[name], "its author says so")
    found = find_kind(name, said)
    if found.kind is ParameterKind.OTHER and given is not None:
        return find_kind_of_value(given.get(name)) or found
    return found


OF_KIND: Mapping[ParameterKind, tuple[str, ...]] = {
    ParameterKind.ID: ("ids_seen", "not_glued", "exists", "not_from_content", "titles_as_said"),
    ParameterKind.PERSON: ("not_from_content",),
    ParameterKind.ADDRESS: ("addresses_seen", "targets_seen", "not_from_content"),
    ParameterKind.DATE: ("dates_as_said", "times_as_said", "not_in_the_past", "dates_as_written"),
    ParameterKind.START: (
        "dates_as_said",
        "times_as_said",
        "ends_after_start",
        "alternative_as_said",
        "dates_as_written",
    ),
    ParameterKind.END: ("dates_as_said", "times_as_said", "ends_after_start"),
    ParameterKind.AMOUNT: ("amounts_as_said",),
    ParameterKind.PLACE: ("home_is_home",),
    ParameterKind.TEXT: ("quotes_kept",),
    ParameterKind.LINK: ("targets_seen", "not_from_content"),
}
"""What looks at a parameter of each kind, in a tool that changes something."""


def list_checks_of(tool: ToolKinds, parameter: str) -> tuple[str, ...]:
    """The checks that look at a parameter; of a tool that only reads, none."""
    return OF_KIND.get(tool.chosen[parameter].kind, ()) if tool.acts else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    """How checks choose themselves: `Mulligan(checks=[Standard(only_asked="error"), own])`."""

    only_asked: Severity = Severity.WARNING
    """What it comes to if something is changed where only a question was asked."""
    unasked: bool = True
    """Look at turns without a message, too: in an application, all that was asked is there."""

    def __post_init__(self) -> None:
        set_enums(self, only_asked=Severity)
