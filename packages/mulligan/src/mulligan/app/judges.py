"""Who judges: a judge, a model or its name, an agent, or a function; none of them reads secrets."""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from mulligan.redaction.scrub import number_ids
from mulligan.types.call import OWN, LogRow, Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import AskOutcome, JudgeAsked
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import Judge
from mulligan.types.log import JUDGE_ASKED

if TYPE_CHECKING:
    from mulligan.runtime.tool import Runtime
    from mulligan.types.limits import Meter

_report = logging.getLogger("mulligan")

_SAID = ("purpose", "model", "prompt", "requests", "input_tokens", "output_tokens")
_SHOWN = frozenset({*_SAID, "seconds"})
"""Names and numbers of ours: no secret."""


class Judges:
    """Opens judges for one application, each once."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._opened: dict[object, tuple[object, Judge]] = {}

    def open(self, source: object) -> Judge:
        """The judge that something is, or becomes; one that was opened already is the same."""
        # By identity where it has no equals; and held, so that no other gets its identity.
        key = source if isinstance(source, str) else id(source)
        if key not in self._opened:
            self._opened[key] = (source, self._make(source))
        return self._opened[key][1]

    def open_own(self, source: object) -> Judge | None:
        """The application's own judge, which is itself one that can be asked for again."""
        if source is None:
            return None
        judge = self.open(source)
        self._opened[id(judge)] = (judge, judge)
        return judge

    def _make(self, source: object) -> Judge:
        if isinstance(source, type):
            raise ConfigurationError(
                f"The class {source.__name__} cannot judge. Pass an instance: {source.__name__}(…)."
            )
        if hasattr(source, "ask"):
            from mulligan.judge import ScrubbedJudge

            return ScrubbedJudge(
                cast("Judge", source), scrub=self._scrub, limits=self._runtime.judge_limits
            )
        from mulligan.hosts.pydantic_ai_writer import is_model

        if isinstance(source, str) or is_model(source):
            from mulligan.judge import ModelJudge

            return ModelJudge(cast("str", source), **self._list_settings())
        return self._make_from_text(source)

    def _make_from_text(self, source: object) -> Judge:
        """A judge of what answers in text: an agent, or a function of the prompt."""
        from mulligan.hosts.writers import describe_source, find_agent, name_writer
        from mulligan.judge import TextJudge
        from mulligan.loops.briefs import PlainBrief
        from mulligan.process.user_functions import call_function, takes_arguments

        agent = find_agent(source)
        if agent is None and not (callable(source) and takes_arguments(source, 1)):
            raise ConfigurationError(
                f"{describe_source(source)} cannot judge. Pass a judge with an async `ask`, a "
                "pydantic-ai model or agent, a LangChain runnable, a function of the prompt, or a "
                "model's name such as 'anthropic:…', 'openai:…' or 'bedrock:…'."
            )

        async def ask_text(prompt: str, meter: Meter) -> object:
            if agent is not None:
                return await agent.write(PlainBrief(prompt=prompt, meter=meter))
            return await call_function(cast("Any", source), prompt)

        return TextJudge(ask_text, name=name_writer(source), **self._list_settings())

    @property
    def _scrub(self) -> Any:
        return partial(number_ids, hide=self._runtime.redactor.hide)

    def _tell(self, asked: JudgeAsked) -> None:
        self._runtime.events.publish(asked)
        log_question(asked, runtime=self._runtime)

    def _list_settings(self) -> dict[str, Any]:
        from mulligan.prompts.template import render

        return {
            "render": render,
            "scrub": self._scrub,
            "tell": self._tell,
            "limits": self._runtime.judge_limits,
        }


def log_question(asked: JudgeAsked, *, runtime: Runtime) -> None:
    """Put a question, and what it took, on record. Logging may fail; the caller may not."""
    try:
        runtime.log.emit(_build_row(asked, runtime=runtime))
    except Exception as error:  # noqa: BLE001 - the log may fail, a review may not
        _report.warning("A question to a judge could not be logged (%s).", type(error).__name__)


def _build_row(asked: JudgeAsked, *, runtime: Runtime) -> LogRow:
    # Who reads of outages needs no turns.
    from mulligan.runtime.context import Labels, find_current_turn

    turn, at_us = find_current_turn(), runtime.wall_us()
    labels = turn.labels if turn else Labels(runtime.tenant, "", "", None)
    answered = asked.outcome is AskOutcome.ANSWERED
    said = {name: getattr(asked, name) for name in _SAID}
    said["seconds"] = round(asked.duration.total_seconds(), 3)
    return LogRow(
        id=runtime.make_id(at_us),
        at_us=at_us,
        tenant=labels.tenant,
        agent=labels.agent,
        server=OWN,
        tool=JUDGE_ASKED,
        parameters=runtime.redactor.redact_parameters(said, allow=_SHOWN),
        context=labels.context,
        outcome=(Outcome.SUCCESS if answered else Outcome.FAILURE).value,
        duration_us=asked.duration // timedelta(microseconds=1),
        error_class=None if answered else ErrorClass.AMBIGUOUS.value,
        error_type=None if answered else asked.outcome.value,
        turn=labels.turn,
    )
