"""A declared tool, and all that its calls share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from mulligan.checks.standard.tools import ToolShape
from mulligan.codec.values import from_plain
from mulligan.core.effect import Effect, Mode, Precheck
from mulligan.core.errors import ConfigurationError, NoSchemaError, NothingDone
from mulligan.core.failures.suggestion import NO_SCHEMA
from mulligan.core.record import Record
from mulligan.core.waiting.awaiting import await_value
from mulligan.learning.classify import build_classifier
from mulligan.loops.traffic import TrafficByTenant, UnloggedCalls
from mulligan.redaction.redactor import RedactArguments
from mulligan.turns.calls.runtime import Make, Runtime
from mulligan.turns.tools.binding import find_binding
from mulligan.turns.tools.declaration import Declaration, list_functions
from mulligan.turns.tools.definition import find_definition
from mulligan.turns.tools.promises import build_shape, describe_binding
from mulligan.turns.tools.results import Results
from mulligan.turns.tools.signature import read_signature
from mulligan.turns.turn.context import Labels
from mulligan.undo.abilities import call_ability

_report = logging.getLogger("mulligan")


class Tool:
    """One declared tool: what its author says of it, and how its calls have gone."""

    def __init__(
        self, function: Callable[..., Any], *, declaration: Declaration, runtime: Runtime
    ) -> None:
        self.function = function
        self.declaration = declaration
        self.runtime = runtime
        self.signature = read_signature(
            function, ours=declaration.ours, left_out=declaration.leave_out
        )
        self.plain = not declaration.ours and not declaration.leave_out
        """A call is what its caller passed, and nothing else."""
        self.definition = find_definition(function)
        self.binding = find_binding(function, list_functions(declaration))
        self.hosted = bool(getattr(function, "made_by_host", False))
        """It has no function of its own: only its host can make its calls."""
        self.mistakable = False
        """Another one of its name is bound to other objects, and no value tells them apart."""
        redact = runtime.redactor.redact_label
        self.name = redact(declaration.tool)
        """As the log shows it, like `server`."""
        self.server = redact(declaration.server) if declaration.server else ""
        self.labels = Labels(tenant=runtime.tenant, agent="", context="", turn=None)
        """Of calls outside any turn."""
        self.acts = _acts(declaration, strict=runtime.strict)
        """It changes the world, and what it does in a turn is journaled or held."""
        self.unwraps = declaration.mode is not Mode.OBSERVE
        """Arguments that came as text or one level too deep are read as they were meant."""
        self.prechecks = declaration.precheck is not Precheck.AFTER
        """Its calls are looked at before they are made."""
        self.loose = not self.acts and declaration.effect is not Effect.READ
        """What it does is on no record but the log, though it may change the world."""
        self.guarded = self.acts or self.prechecks
        """A call of a turn is looked at or written down before it is made."""
        self.error_rules = (*declaration.error_rules, *runtime.error_rules)
        self.classify = build_classifier(self.error_rules, otherwise=runtime.classify)
        self.results = Results(declaration, rules=self.error_rules, is_known=runtime.form.is_known)
        self.redact = self._prepare_redaction()
        """Arguments as the log may show them."""
        self.traffic = TrafficByTenant()
        """How its calls have gone, each tenant's for themselves."""
        self.unlogged = UnloggedCalls()
        self._schema: Mapping[str, object] | None = None
        self._said: set[str] = set()

    def _prepare_redaction(self) -> RedactArguments:
        allow, enums = self.declaration.allow, self.signature.enums
        return self.runtime.redactor.prepare_parameters(enums=enums, allow=allow)

    @property
    def bound(self) -> str:
        """Whom it acts for. Where its author says that by its server, nothing else counts."""
        return "" if self.declaration.server else self.binding.mark

    @property
    def mark(self) -> str:
        """What another process finds its actions by; of a tool that may be mistaken, none does."""
        return f"{self.bound}~" if self.mistakable else self.bound

    def advises(self, agent: str) -> bool:
        """Whether this agent wants to be told what would help."""
        return agent not in self.runtime.unadvised

    def load_schema(self) -> Mapping[str, object]:
        """The schema of its arguments, or none if what was declared is none."""
        if self._schema is None:
            from mulligan.learning.schema import read_schema

            self._schema = self.declaration.schema
            try:
                if self._schema:
                    read_schema(self._schema, tool=self.declaration.tool)
            except NoSchemaError as error:
                self.warn_once(str(error))
                self._schema = NO_SCHEMA
        return self._schema

    @cached_property
    def shape(self) -> ToolShape:
        """What it does and what its parameters hold, for checks that choose themselves."""
        return build_shape(self.declaration, schema=self.load_schema())

    def unwrap(self, arguments: Mapping[str, object]) -> dict[str, object] | None:
        """Arguments out of a wrapping; `None`: as they are, or nobody can say."""
        from mulligan.learning.conform import unwrap_arguments
        from mulligan.learning.schema import read_schema

        schema = self.load_schema()
        if not schema:
            return None
        meant = unwrap_arguments(arguments, read_schema(schema, tool=self.declaration.tool))
        if meant is None:
            return None
        hints = self.declaration.hints.call
        return {
            name: value if value is arguments.get(name) else from_plain(value, hints.get(name))
            for name, value in meant.items()
        }

    def prepare_call(self, record: Record) -> Make:
        """How to make a call whose arguments were kept by name, with what is provided anew."""
        said = self.declaration
        bound = describe_binding(said)
        if self.hosted:
            raise ConfigurationError(f"{said.tool} is made by its host. Let its run go on there.")
        if bound:
            raise ConfigurationError(f"{bound} Deny it, and have it asked for again.")
        asked = dict(record.arguments)
        if said.key is not None:
            asked[said.key] = record.key

        async def make() -> Any:
            args, kwargs = self.signature.unbind({**asked, **await self._make_provided(record)})
            return await await_value(self.function(*args, **kwargs))

        return make

    async def _make_provided(self, record: Record) -> dict[str, object]:
        """What its framework would have filled, made anew; the tool is not called without it."""
        said = self.declaration
        if said.provide is None:
            return {}
        try:
            provided: Any = await call_ability(said.provide, record, within=said.answers_within)
            given = dict(provided)
        except Exception as error:
            raise NothingDone(
                f"{said.tool} was not called: its provide=… failed with {type(error).__name__}."
            ) from error
        missing = sorted(said.needs - given.keys())
        if missing:
            raise NothingDone(f"{said.tool} was not called: its provide=… has no {missing[0]!r}.")
        return given

    def warn(self, what: str, error: Exception) -> None:
        """Say what went wrong in here. Only the type: the rest may quote the tool's own error."""
        _report.warning(f"{what} (%s).", self.name, type(error).__name__)

    def warn_once(self, what: str) -> None:
        """Say what is wrong with a declaration: in full, but not at every call."""
        if what not in self._said:
            self._said.add(what)
            _report.warning("%s", what)


def _acts(declaration: Declaration, *, strict: bool) -> bool:
    """Whether a call of a turn is more than a row of the log."""
    if declaration.mode is Mode.OBSERVE:
        return False
    return (
        strict if declaration.effect is Effect.UNDECLARED else declaration.effect is not Effect.READ
    )
