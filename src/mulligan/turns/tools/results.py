"""What a tool returned, looked at: a result, or an error that came as one."""

from __future__ import annotations

from collections.abc import Sequence

from mulligan.codec.values import to_plain
from mulligan.core.effect import Effect
from mulligan.core.error_class import ErrorClass
from mulligan.core.errors import SilentError
from mulligan.core.size import LONG, is_long, is_tangled
from mulligan.core.suggestion import ErrorRule
from mulligan.learning.errors.classify import classify_by_rule, rules_out_effect
from mulligan.learning.errors.silent import PlainShapes, find_breach, find_silent_error
from mulligan.turns.tools.declaration import Declaration

_NEVER_AN_ERROR = frozenset({bool, int, float, type(None)})
_JSON = (str, int, float, dict, list, type(None))


class Results:
    """Looks at every result of one tool, at a glance where its shape is known to be harmless."""

    def __init__(self, declaration: Declaration, *, rules: Sequence[ErrorRule]) -> None:
        self._declaration = declaration
        self._rules = rules
        self._shapes = PlainShapes()
        self._held = bool(declaration.returns) or not declaration.may_be_empty
        """Its author has said what a result of it must be."""

    def takes_long(self, result: object) -> bool:
        """Whether a result has so much to look through that no event loop should wait for it."""
        kind = type(result)
        if kind is str:
            return len(str(result)) > LONG
        if kind in _NEVER_AN_ERROR or (not self._held and self._shapes.cover(result)):
            return False
        return is_long(result)

    def find_trouble(self, result: object) -> tuple[str, ErrorClass] | None:
        """What is wrong with a result and which class of error that is; `None`: nothing."""
        if not self._held:
            # Most results end here.
            if type(result) in _NEVER_AN_ERROR or self._shapes.cover(result) or is_tangled(result):
                return None
            said = find_silent_error(result)
            return None if said is None else (said, self._classify_text(said))
        in_json = result if isinstance(result, _JSON) else to_plain(result)
        said = find_silent_error(in_json)
        if said is not None:
            return said, self._classify_text(said)
        declared = self._declaration
        broken = find_breach(in_json, schema=declared.returns, may_be_empty=declared.may_be_empty)
        return (
            None if broken is None else (broken, self._match_rules(broken) or ErrorClass.BAD_RESULT)
        )

    def _classify_text(self, said: str) -> ErrorClass:
        """A read that was refused is not made again; of anything else words prove nothing."""
        # The words of errors are loaded with the first one.
        from mulligan.learning.errors.wording import classify_text

        told = classify_text(said)
        refused = self._declaration.effect is Effect.READ and told.traits.same_again_meets_it
        return self._match_rules(said) or (told if refused else ErrorClass.BAD_RESULT)

    def rules_out_effect(self, said: str) -> bool:
        """Whether the user's own word is that what is wrong with it has changed nothing."""
        name, told = self._declaration.tool, f"{SilentError.__name__}: {said}"
        return rules_out_effect(self._rules, tool=name, said=told)

    def _match_rules(self, said: str) -> ErrorClass | None:
        return classify_by_rule(
            self._rules, tool=self._declaration.tool, said=f"{SilentError.__name__}: {said}"
        )
