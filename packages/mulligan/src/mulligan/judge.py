"""Asks a model for a typed answer in bounded time; `None` when there is none."""

from __future__ import annotations

import json
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.codec import UndecodableError, describe_record, encode_json, to_record
from mulligan.process.user_functions import call_function, run_with_timeout
from mulligan.types.display import A, Ours, Prompt, Question, StandIns, deface
from mulligan.types.errors import ConfigurationError, MissingExtraError
from mulligan.types.events import AskOutcome, JudgeAsked
from mulligan.types.interfaces import Judge
from mulligan.types.limits import NO_LIMIT, Breaker, JudgeLimits, Meter
from mulligan.types.reply import Written

if TYPE_CHECKING:
    from pydantic_ai import Agent, RunUsage
    from pydantic_ai.models import Model


_EXTRAS = ("anthropic", "bedrock", "openai")
"""Providers with an extra of ours, by the first part of a model's name."""


def open_model(model: str | Model) -> Model:
    """The model of that name, such as `anthropic:…`, or the model itself.

    The model library is imported here and not before: it takes about a second.
    """
    if find_spec("pydantic_ai") is None:
        raise MissingExtraError(need=f"judge={_describe_model(model)}", extra=_find_extra(model))
    from pydantic_ai.models import Model, infer_model

    if isinstance(model, Model):
        return model
    if not isinstance(model, str):
        raise ConfigurationError(
            f"A judge is a model's name or a pydantic-ai model, not {type(model).__name__}. "
            "Pass judge='anthropic:…', judge='openai:…', judge='bedrock:…' or a model."
        )
    try:
        return infer_model(model)
    except ImportError as missing:
        if _find_extra(model) in _EXTRAS:
            raise MissingExtraError(need=f"judge={model!r}", extra=_find_extra(model)) from missing
        raise ConfigurationError(f"judge={model!r} cannot be used: {missing}") from missing
    except Exception as wrong:
        # Each provider's library has errors of its own. They say which name or key is missing.
        raise ConfigurationError(
            f"judge={model!r} cannot be used: {name_provider(model) or wrong}"
        ) from wrong


def name_provider(model: object) -> str:
    """What to write where a model's name lacks its provider; empty: it has one."""
    if not isinstance(model, str) or ":" in model:
        return ""
    return f"its provider is missing. Write 'openai:{model}', 'anthropic:{model}' or another's."


def _find_extra(model: object) -> str:
    provider = model.partition(":")[0].partition("-")[0] if isinstance(model, str) else ""
    return provider if provider in _EXTRAS else "judge"


def _describe_model(model: object) -> str:
    return repr(model) if isinstance(model, str) else type(model).__name__


NOT_SCRUBBED = "<redaction failed>"
WIDEST = 65_536
"""Characters of untrusted text that are scrubbed: far more than is ever shown."""

Scrub = Callable[[str, StandIns], str]
"""Text without secrets, its ids numbered."""


def scrub_question(question: Question[A], scrub: Scrub, ids: StandIns) -> Question[A]:
    """The question without secrets: scrubbed before it is cut, so that no part of one survives."""
    values = {name: Ours(_scrub(text, scrub, ids)) for name, text in question.values.items()}
    untrusted = {
        name: _scrub(text[:WIDEST], scrub, ids) for name, text in question.untrusted.items()
    }
    return replace(question, values=values, untrusted=untrusted)


def _scrub(text: str, scrub: Scrub, ids: StandIns) -> str:
    try:
        return scrub(deface(text), ids)
    except Exception:  # noqa: BLE001 - what may hold a secret is not sent
        return NOT_SCRUBBED


class ScrubbedJudge:
    """A judge of the application's own, asked without secrets."""

    def __init__(self, judge: Judge, *, scrub: Scrub, limits: JudgeLimits | None = None) -> None:
        self._judge = judge
        self._scrub = scrub
        self._limits = limits or JudgeLimits()

    async def ask(self, question: Question[A]) -> A | None:
        """The judge's answer to the scrubbed question; what it raises is raised."""
        ids = StandIns()
        asked = scrub_question(question, self._scrub, ids)
        # A judge of ours keeps its own limit, and tells that it was reached.
        limited = isinstance(self._judge, BoundedJudge)
        within = None if limited else question.timeout or self._limits.timeout
        answer: A | None = await call_function(
            self._judge.ask, asked, within=within, read=ids.restore
        )
        return answer


RE_ASKS = 1
MOST_BREAKERS = 1_000
"""Breakers that are kept at a time, one for each tenant and prompt."""

_report = logging.getLogger("mulligan")

Render = Callable[[Question[Any]], Prompt]


def tell_nobody(asked: JudgeAsked) -> None:
    """The default listener: drops every event."""


class UnreadableAnswerError(Exception):
    """The answer was unreadable, also when asked again."""


@dataclass(slots=True)
class Usage:
    """The usage of one question."""

    meter: Meter = field(default_factory=lambda: Meter(NO_LIMIT))
    requests: int = 0
    input_tokens: int = 0

    @property
    def output_tokens(self) -> int:
        """All that was reported: who answers in text does not say which were of the question."""
        return self.meter.tokens

    @property
    def money(self) -> float:
        """The same in whatever unit it was reported."""
        return self.meter.money


class BoundedJudge(ABC):
    """Asks a model within a time limit; an unreadable answer is requested once more.

    The limit is for the whole question, both requests included, unless the question has a limit of
    its own. While a breaker is open the model is not asked and the answer is `None` at once. There
    is one breaker for each tenant and prompt: text that makes a model fail affects only its
    author's own questions of that kind.
    """

    name: str
    """Of the model or the agent, for the log."""

    def __init__(
        self,
        *,
        render: Render,
        scrub: Scrub,
        tell: Callable[[JudgeAsked], None] = tell_nobody,
        limits: JudgeLimits | None = None,
        make_breaker: Callable[[], Breaker] = Breaker,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._render = render
        self._scrub = scrub
        self._tell = tell
        self._limits = limits or JudgeLimits()
        self._make_breaker = make_breaker
        self._breakers: dict[tuple[str, str], Breaker] = {}
        """Of those whose last question failed."""
        self._monotonic = monotonic

    @abstractmethod
    async def _answer(self, prompt: Prompt, *, kind: type[A], usage: Any) -> A:
        """The answer, or `UnreadableAnswerError`."""

    def _make_usage(self) -> Usage | RunUsage:
        """Filled while the answer is pending."""
        return Usage()

    async def ask(self, question: Question[A]) -> A | None:
        """The answer, or `None`; nothing is ever raised."""
        began = self._monotonic()
        usage = self._make_usage()
        answer: A | None = None
        prompt: Prompt | None = None
        ids = StandIns()
        if self._is_left_alone(question, began):
            outcome = AskOutcome.NOT_ASKED
        elif (prompt := self._render_prompt(question, ids)) is None:
            outcome = AskOutcome.NOT_ASKABLE
        else:
            timeout = question.timeout or self._limits.timeout
            work = self._answer(prompt, kind=question.answer, usage=usage)
            outcome, answer = await self._wait_for_answer(work, within=timeout)
            self._count(outcome, question)
        if question.spend is not None:
            tokens = usage.input_tokens + usage.output_tokens
            question.spend(tokens=tokens, money=getattr(usage, "money", 0.0))
        self._tell(
            JudgeAsked(
                purpose=question.purpose,
                model=self.name,
                prompt=f"{prompt.name} {prompt.version}" if prompt else question.prompt,
                outcome=outcome,
                duration=timedelta(seconds=self._monotonic() - began),
                requests=usage.requests,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
            )
        )
        return ids.restore(answer)

    def _render_prompt(self, question: Question[A], ids: StandIns) -> Prompt | None:
        """The prompt without secrets."""
        try:
            return self._render(scrub_question(question, self._scrub, ids))
        except Exception as error:  # noqa: BLE001 - the agent's own work goes on
            why = error if isinstance(error, ConfigurationError) else type(error).__name__
            _report.warning("The judge cannot be asked about %s: %s", question.purpose, why)
            return None

    async def _wait_for_answer(
        self, work: Coroutine[Any, Any, A], *, within: timedelta
    ) -> tuple[AskOutcome, A | None]:
        try:
            return AskOutcome.ANSWERED, await run_with_timeout(work, within=within)
        except TimeoutError:
            outcome = AskOutcome.LATE
        except UnreadableAnswerError:
            outcome = AskOutcome.UNREADABLE
        except Exception as error:  # noqa: BLE001 - a model's library may raise anything
            _report.warning("The judge could not be asked (%s).", type(error).__name__)
            outcome = AskOutcome.DOWN
        return outcome, None

    def _is_left_alone(self, question: Question[A], at: float) -> bool:
        found = self._breakers.get((question.tenant, question.prompt))
        return found is not None and found.is_open(at)

    def _count(self, outcome: AskOutcome, question: Question[A]) -> None:
        key = question.tenant, question.prompt
        if outcome is AskOutcome.ANSWERED:
            self._breakers.pop(key, None)
            return
        now = self._monotonic()
        self._breakers.setdefault(key, self._make_breaker()).fail(now)
        if len(self._breakers) > MOST_BREAKERS:
            # Names can be invented without end: a breaker that never opened is forgotten first.
            closed = (each for each in self._breakers if not self._breakers[each].is_open(now))
            del self._breakers[next(closed, next(iter(self._breakers)))]


class ModelJudge(BoundedJudge):
    """Asks a model at temperature 0, by its name or as it is."""

    def __init__(self, model: str | Model, **about: Any) -> None:
        super().__init__(**about)
        self._model = open_model(model)
        self.name = self._model.model_name
        self._agents: dict[type, Agent[None, Any]] = {}

    def _make_usage(self) -> RunUsage:
        from pydantic_ai import RunUsage

        return RunUsage()

    async def _answer(self, prompt: Prompt, *, kind: type[A], usage: RunUsage) -> A:
        from pydantic_ai import UsageLimits
        from pydantic_ai.exceptions import UnexpectedModelBehavior, UsageLimitExceeded

        try:
            # Entered for each question, so that no connection outlives the event loop it was
            # made in.
            async with self._model:
                run = await self._build_agent(kind).run(
                    prompt.message,
                    instructions=prompt.instructions,
                    usage=usage,
                    usage_limits=UsageLimits(request_limit=1 + RE_ASKS),
                )
        except (UnexpectedModelBehavior, UsageLimitExceeded) as error:
            raise UnreadableAnswerError from error
        answer: A = run.output
        return answer

    def _build_agent(self, kind: type[A]) -> Agent[None, A]:
        from pydantic_ai import Agent
        from pydantic_ai.settings import ModelSettings

        if kind not in self._agents:
            self._agents[kind] = Agent(
                self._model,
                output_type=_to_output(kind),
                deps_type=type(None),
                retries={"output": RE_ASKS},
                model_settings=ModelSettings(temperature=0.0, max_tokens=self._limits.tokens),
            )
            if issubclass(kind, Struct):
                self._agents[kind].output_validator(_read_as(kind))
        return self._agents[kind]


def _to_output(kind: type[A]) -> type[Any]:
    """The output type for the model: of a struct its schema, as pydantic knows no structs."""
    from pydantic_ai import StructuredDict

    if not issubclass(kind, Struct):
        return kind
    asked: type[Any] = StructuredDict(describe_record(kind), name=kind.__name__)
    return asked


def _read_as(kind: type[A]) -> Callable[[Any], A]:
    from pydantic_ai import ModelRetry

    def read(said: object) -> A:
        try:
            return to_record(kind, said, strict=False)
        except UndecodableError as error:
            raise ModelRetry(str(error)) from error

    return read


AskText = Callable[[str, Meter], Awaitable[object]]
"""Answers a prompt with JSON, plain values, or the answer itself; usage goes to the meter, or comes
with the answer as `Written`."""


class TextJudge(BoundedJudge):
    """Asks for JSON of a given schema, and parses it."""

    def __init__(self, ask_text: AskText, *, name: str = "", **about: Any) -> None:
        super().__init__(**about)
        self._ask_text = ask_text
        self.name = name

    async def _answer(self, prompt: Prompt, *, kind: type[A], usage: Usage) -> A:
        schema = encode_json(describe_record(kind)).decode()
        asked = (
            f"{prompt.instructions}\n\n{prompt.message}\n\n"
            f"Answer with one JSON object and nothing else. Its schema:\n\n{schema}"
        )
        for _ in range(1 + RE_ASKS):
            usage.requests += 1
            said = await self._ask_text(asked, usage.meter)
            if isinstance(said, Written):
                usage.meter.spend(tokens=said.tokens, money=said.money)
                said = said.text
            if isinstance(said, kind):
                return said
            try:
                return to_record(kind, find_json(said), strict=False)
            except (UndecodableError, ValueError, TypeError):
                continue
        raise UnreadableAnswerError


def find_json(said: object) -> object:
    """The answer as plain values; of a text the JSON object in it, whatever stands around it."""
    if not isinstance(said, str):
        return said
    decoder = json.JSONDecoder()
    at = said.find("{")
    while at >= 0:
        try:
            found, _ = decoder.raw_decode(said, at)
        except (ValueError, RecursionError):
            at = said.find("{", at + 1)
        else:
            return found
    raise ValueError("there is no JSON object in it")
