"""Spans put together into turns: OpenTelemetry's GenAI conventions, old and new, and the exports of
openai-agents, Langfuse and LangSmith, which are spans by other names.

Langfuse and LangSmith are read from their documentation; the others from files of the libraries.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.codec import decode_json
from mulligan_replay.conversation import find_outcome, read_conversation, read_time
from mulligan_replay.records import read_tools
from mulligan_replay.trace import Found, TracedCall, TracedTool, TracedTurn, Unread

MOST_HELD = 50_000
"""Spans that wait for the rest of their traces; the oldest trace ends first."""

Attributes = Mapping[str, Any]

_ARGUMENTS = (
    "gen_ai.tool.call.arguments", "tool_arguments", "input.value", "traceloop.entity.input",
)  # fmt: skip
_RESULTS = (
    "gen_ai.tool.call.result", "tool_response", "output.value", "traceloop.entity.output",
)  # fmt: skip
_WHOLE = ("pydantic_ai.all_messages", "all_messages_events", "events")
_IN = ("gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages")
_OUT = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages")
_TOKENS = (
    ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
    ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
    ("llm.token_count.prompt", "llm.token_count.completion"),
)
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message|gen_ai\.choice")
_KINDS = ("gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind")
_STARTS = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "start_timestamp")
_ENDS = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "end_timestamp")
_TOOL_KINDS = {"execute_tool", "tool", "TOOL"}
_AGENT_KINDS = {"invoke_agent", "agent", "AGENT", "workflow"}


class TraceSpan(Struct, frozen=True, kw_only=True):
    """A span of any of these, as far as a turn is made of it."""

    trace: str
    id: str
    parent: str = ""
    start: datetime | None = None
    end: datetime | None = None
    agent: str | None = None
    """The name of the agent whose run it is; `None`: it is no run of an agent."""
    call: TracedCall | None = None
    messages: tuple[object, ...] = ()
    tokens: int = 0
    tools: tuple[TracedTool, ...] = ()
    correct: bool | None = None


def list_spans(value: Mapping[str, Any]) -> list[TraceSpan]:
    """The spans of one value; nothing where it has none."""
    groups = value.get("resourceSpans", value.get("resource_spans"))
    if isinstance(groups, list):
        return [_read_span(each) for group in groups for each in _list_otlp(group)]
    if value.get("object") == "trace":
        # The line of openai-agents that names a trace: no root, which its spans have.
        return [TraceSpan(trace=str(value.get("id")), id="", parent="trace")]
    if "span_data" in value or "run_type" in value or "observationType" in value:
        return [_read_span(_as_otel(value))]
    if "traceId" in value and ("startTime" in value or "input" in value) and "type" in value:
        return [_read_span(_as_otel(value))]
    is_span = isinstance(value.get("attributes"), dict | list) and _find_trace(value)
    return [_read_span(value)] if is_span else []


def _list_otlp(group: object) -> Iterator[Mapping[str, Any]]:
    scopes = group.get("scopeSpans", group.get("scope_spans")) if isinstance(group, dict) else None
    for scope in scopes if isinstance(scopes, list) else ():
        spans = scope.get("spans") if isinstance(scope, dict) else None
        yield from (each for each in _as_list(spans) if isinstance(each, dict))


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _get(held: object, name: str) -> object:
    return held.get(name) if isinstance(held, dict) else None


def _find_trace(span: Mapping[str, Any]) -> str:
    inner = span.get("context")
    held = inner if isinstance(inner, dict) else span
    return str(held.get("traceId") or held.get("trace_id") or "")


def _as_otel(value: Mapping[str, Any]) -> dict[str, Any]:
    """A span of openai-agents, Langfuse or LangSmith with the names of OpenTelemetry."""
    inner = value.get("span_data")
    data = inner if isinstance(inner, dict) else value
    kind = str(data.get("run_type") or data.get("type") or "").lower()
    given = data.get("inputs", data.get("input"))
    came = data.get("outputs", data.get("output"))
    name = str(data.get("name") or "")
    attributes: dict[str, Any] = {}
    if kind in ("tool", "function"):
        attributes = {"gen_ai.tool.name": name, "input.value": given, "output.value": came}
    elif kind in ("agent", "chain", "trace"):
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    if kind not in ("tool", "function"):
        attributes |= {"gen_ai.input.messages": given, "gen_ai.output.messages": came}
    failed = value.get("error") or value.get("statusMessage")
    if not failed and value.get("level") == "ERROR":
        failed = came
    parents = ("parent_id", "parent_run_id", "parentObservationId")
    return {
        "traceId": _first(value, "trace_id", "traceId"),
        "spanId": value.get("id"),
        "parentSpanId": _first(value, *parents) or "",
        "startTimeUnixNano": _first(value, "started_at", "start_time", "startTime"),
        "endTimeUnixNano": _first(value, "ended_at", "end_time", "endTime"),
        "attributes": attributes | _read_scores(_first(value, "scores", "feedback")),
        "status": {"code": 2, "message": _as_text(failed)} if failed else {},
    }


def _read_scores(given: object) -> dict[str, Any]:
    """The first score of several."""
    first = next(iter(given), None) if isinstance(given, list) else given
    told = first if isinstance(first, dict) else {}
    return {f"score.{name}": held for name, held in told.items()}


def _first(held: Attributes, *names: str) -> Any:
    return next((held[name] for name in names if held.get(name) is not None), None)


def _read_span(span: Mapping[str, Any]) -> TraceSpan:
    attributes = _flatten(span.get("attributes"))
    inner = span.get("context")
    ids = inner if isinstance(inner, dict) else span
    start = read_time(_first(span, *_STARTS))
    end = read_time(_first(span, *_ENDS))
    kind = str(_first(attributes, *_KINDS))
    tool = _first(attributes, "gen_ai.tool.name", "tool.name")
    if tool is None and kind in _TOOL_KINDS:
        tool = _first(attributes, "traceloop.entity.name") or span.get("name")
    found = TraceSpan(
        trace=_find_trace(span),
        id=str(ids.get("spanId") or ids.get("span_id") or ""),
        parent=str(_first(span, "parentSpanId", "parent_span_id", "parent_id") or ""),
        start=start,
        end=end,
        correct=_find_score(span, attributes),
    )
    if tool is not None and kind not in _AGENT_KINDS:
        return replace(found, call=_read_call(str(tool), span, attributes, start, end))
    agent = _first(attributes, "gen_ai.agent.name", "agent_name") or "agent"
    return replace(
        found,
        agent=str(agent) if kind in _AGENT_KINDS else None,
        messages=tuple(_list_messages(span, attributes)),
        tokens=_count_tokens(attributes) if kind not in _AGENT_KINDS else 0,
        tools=tuple(read_tools(_parse(attributes.get("gen_ai.tool.definitions")))),
    )


def _read_call(
    tool: str,
    span: Mapping[str, Any],
    attributes: Attributes,
    start: datetime | None,
    end: datetime | None,
) -> TracedCall:
    given = _parse(_first(attributes, *_ARGUMENTS))
    error, error_type = _find_error(span, attributes)
    came = _parse(_first(attributes, *_RESULTS))
    return TracedCall(
        tool=tool,
        id=str(attributes.get("gen_ai.tool.call.id") or ""),
        server=str(attributes.get("server.name") or ""),
        arguments=given if isinstance(given, dict) else {} if given is None else {"input": given},
        result=None if error is not None else came,
        error=error,
        error_type=error_type,
        answered=error is not None or came is not None or end is not None,
        at=start,
        seconds=(end - start).total_seconds() if start and end else None,
    )


def _find_error(span: Mapping[str, Any], attributes: Attributes) -> tuple[str | None, str]:
    """What a span says went wrong, and the class of it."""
    status = span.get("status")
    status = status if isinstance(status, dict) else {}
    code = status.get("code", status.get("status_code", span.get("otel_status_code")))
    failed = code in (2, "2", "ERROR", "STATUS_CODE_ERROR") or "error.type" in attributes
    for event in _as_list(span.get("events")):
        held = _flatten(event.get("attributes")) if isinstance(event, dict) else {}
        if failed and "exception.message" in held:
            kind = str(held.get("exception.type") or "")
            return str(held["exception.message"]), kind.rpartition(".")[2]
    if not failed:
        return None, ""
    said = (
        status.get("message")
        or status.get("description")
        or _first(span, "exception_message", "otel_status_message")
        or _first(attributes, *_RESULTS)
    )
    named = str(attributes.get("error.type") or span.get("exception_type") or "")
    return _as_text(said or "failed"), named.rpartition(".")[2]


def _find_score(span: Mapping[str, Any], attributes: Attributes) -> bool | None:
    told = {name.rpartition(".")[2]: held for name, held in attributes.items() if "score" in name}
    for event in _as_list(span.get("events")):
        if isinstance(event, dict) and event.get("name") == "gen_ai.evaluation.result":
            told["value"] = _flatten(event.get("attributes")).get("gen_ai.evaluation.score.value")
    return find_outcome({"score": told.get("value", told.get("score"))})


def _list_messages(span: Mapping[str, Any], attributes: Attributes) -> Iterator[object]:
    """The messages that a span shows, in whichever of the ways there have been."""
    for name in _WHOLE:
        if isinstance(whole := _parse(attributes.get(name)), list):
            yield from whole
            return
    told = _parse(attributes.get("gen_ai.system_instructions"))
    if isinstance(told, list):
        yield {"role": "system", "parts": told}
    for names in (_IN, _OUT):
        for name in names:
            if found := _read_side(attributes, name, by="user" if names is _IN else "assistant"):
                yield from found
                break
    for event in _as_list(span.get("events")):
        if isinstance(event, dict) and _EVENT.fullmatch(str(event.get("name"))):
            yield _read_event(str(event["name"]), _flatten(event.get("attributes")))


def _read_side(attributes: Attributes, name: str, *, by: str) -> list[object]:
    held = _parse(attributes.get(name))
    if isinstance(held, dict):
        inner = held.get("messages", held.get("message"))
        held = inner if isinstance(inner, list) else [held if "role" in held else inner]
    if isinstance(held, list):
        flat = [each for part in held for each in (part if isinstance(part, list) else [part])]
        return [each for each in flat if each is not None]
    if isinstance(held, str) and held:
        return [{"role": by, "content": held}]
    return _read_numbered(attributes, f"{name}.", by=by)


def _read_numbered(attributes: Attributes, prefix: str, *, by: str) -> list[object]:
    """Messages as `prompt.0.role`, which attributes without structure had to be."""
    found: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        number, _, key = name.removeprefix(prefix).partition(".")
        if name.startswith(prefix) and number.isdecimal():
            found.setdefault(int(number), {})[key.removeprefix("message.")] = value
    return [_build_numbered(found[number], by) for number in sorted(found)]


def _build_numbered(held: Attributes, by: str) -> dict[str, Any]:
    calls: dict[str, dict[str, Any]] = {}
    for name, value in held.items():
        if name.startswith("tool_calls."):
            number, _, key = name.removeprefix("tool_calls.").partition(".")
            key = key.removeprefix("tool_call.").removeprefix("function.")
            calls.setdefault(number, {})[key] = value
    asked = [
        {"id": each.get("id"), "function": {k: each.get(k) for k in ("name", "arguments")}}
        for each in calls.values()
    ]
    message = {"role": held.get("role", by), "content": held.get("content", "")}
    known = {k: held[k] for k in ("tool_call_id", "name") if k in held}
    return {**message, **known, **({"tool_calls": asked} if asked else {})}


def _read_event(name: str, held: Attributes) -> dict[str, Any]:
    inner = _parse(held.get("message"))
    message = {**held, **(inner if isinstance(inner, dict) else {})}
    role = "assistant" if name == "gen_ai.choice" else name.split(".")[1]
    calls = _parse(message.get("tool_calls"))
    known = {"tool_calls": calls} if isinstance(calls, list) else {}
    if "id" in held and role == "tool":
        known["tool_call_id"] = held["id"]
    return {"role": role, "content": message.get("content", ""), **known}


def _count_tokens(attributes: Attributes) -> int:
    for names in _TOKENS:
        used = [attributes[name] for name in names if name in attributes]
        if used:
            return sum(int(each) for each in used if str(each).isdecimal())
    return 0


def _flatten(given: object) -> dict[str, Any]:
    """Attributes by name, of OTLP's list of keys and typed values too."""
    if isinstance(given, dict):
        return given
    held = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    return {str(each.get("key")): _unwrap(each.get("value")) for each in held}


def _unwrap(value: object) -> Any:
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, held = next(iter(value.items()))
    match kind:
        case "intValue" | "int_value":
            return int(held) if str(held).lstrip("-").isdecimal() else held
        case "arrayValue" | "array_value":
            return [_unwrap(each) for each in _as_list(_get(held, "values"))]
        case "kvlistValue" | "kvlist_value":
            return _flatten(_get(held, "values"))
    return held


def _parse(value: object) -> Any:
    """What stands in an attribute as JSON; a text that is none stays a text."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return decode_json(value)
        except (ValueError, RecursionError):
            return value
    return value


def _as_text(value: object) -> str:
    if isinstance(value, dict) and isinstance(value.get("message"), str):
        data = value.get("data")
        inner = data.get("error") if isinstance(data, dict) else None
        return inner if isinstance(inner, str) and inner else str(value["message"])
    return value if isinstance(value, str) else str(value)


class Traces:
    """Spans by their trace, until its root has come: children are exported before their parents."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._open: OrderedDict[str, list[TraceSpan]] = OrderedDict()
        self._where = file
        self._held = 0
        self._tools: set[str] = set()

    def add(self, spans: list[TraceSpan], where: str) -> Iterator[Found]:
        """Take in what was exported together."""
        self._where = f"{self._file}, {where}"
        roots = []
        for span in spans:
            self._open.setdefault(span.trace, []).append(span)
            self._held += 1
            roots += [span.trace] if not span.parent else []
        for root in roots:
            yield from self._end(root)
        while self._held > MOST_HELD:
            yield from self._end(next(iter(self._open)))

    def end(self) -> Iterator[Found]:
        """What has no root, or waits for it."""
        while self._open:
            yield from self._end(next(iter(self._open)))

    def _end(self, trace: str) -> Iterator[Found]:
        spans = self._open.pop(trace, [])
        self._held -= len(spans)
        for tool in (tool for span in spans for tool in span.tools):
            mark = f"{tool.name}{sorted(tool.schema)}{len(str(tool.schema))}"
            if mark not in self._tools:
                self._tools.add(mark)
                yield tool
        unread = 0
        for run in _group_runs(spans):
            turns, missed = _build_turns(run, f"{self._where}{_name_trace(trace)}")
            yield from turns
            unread += missed
        if unread:
            yield Unread(why=f"{unread} messages in no known form", where=_name_trace(trace))


def _name_trace(trace: str) -> str:
    """A trace by its id, where it looks like one: it is shown as it is."""
    return f", trace {trace}" if re.fullmatch(r"(?:trace_)?[0-9a-f-]{8,36}", trace) else ""


def _group_runs(spans: list[TraceSpan]) -> Iterator[list[TraceSpan]]:
    """The spans of each outermost run of an agent; those of no run together."""
    known = {span.id: span for span in spans}
    runs: dict[str, list[TraceSpan]] = {}
    for span in spans:
        top, seen, at = "", set[str](), span
        while at.id not in seen:
            seen.add(at.id)
            top = at.id if at.agent is not None else top
            at = known.get(at.parent, at)
        runs.setdefault(top, []).append(span)
    yield from runs.values()


def _build_turns(spans: list[TraceSpan], where: str) -> tuple[list[TracedTurn], int]:
    """The turn that a run was, and those that its messages tell of and its spans made calls for."""
    messages = max((span.messages for span in spans), key=len, default=())
    first = min((span.start for span in spans if span.start), default=None)
    agents = [span for span in spans if span.agent is not None]
    turns, unread = read_conversation(messages, name=spans[0].trace, where=where)
    made = sorted(
        (span.call for span in spans if span.call is not None),
        key=lambda call: (call.at is None, call.at),
    )
    if not turns and not made:
        return [], unread
    last = turns[-1] if turns else TracedTurn(id=spans[0].trace, where=where)
    scores = [span.correct for span in spans if span.correct is not None]
    return [
        replace(
            last,
            id=spans[0].trace if len(agents) <= 1 else f"{spans[0].trace}/{agents[0].id}",
            calls=_join_calls(last.calls, made),
            at=first or last.at,
            agent=next((span.agent for span in agents if span.agent), ""),
            correct=scores[-1] if scores else last.correct,
            tokens=sum(span.tokens for span in spans) or last.tokens,
        )
    ], unread


def _join_calls(asked: tuple[TracedCall, ...], made: list[TracedCall]) -> tuple[TracedCall, ...]:
    """Each call once: what its span tells of it outranks what the messages do."""
    left, joined = list(made), list[TracedCall]()
    for call in asked:
        span = next((each for each in left if each.id and each.id == call.id), None) or next(
            (e for e in left if e.tool == call.tool and e.arguments == call.arguments), None
        )
        if span is None:
            joined.append(call)
            continue
        left.remove(span)
        same = span.error is not None or span.result is not None
        result = span.result if same else call.result
        joined.append(
            replace(
                span,
                id=span.id or call.id,
                arguments=span.arguments or call.arguments,
                result=result,
                error=span.error if same else call.error,
                answered=span.answered or call.answered,
            )
        )
    return (*joined, *left)
