"""One story told by the real libraries: each writes down a run of its own agent.

The model follows a script: an order is looked for under a number that the desk refuses, found under
the right one, and cancelled.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ASKED = "Cancel my order 77, please."
REPLY = "Order #77 is cancelled."
REFUSED = "order_id must begin with #"
STEPS: list[tuple[str, dict[str, Any]]] = [
    ("find_order", {"order_id": "77"}),
    ("find_order", {"order_id": "#77"}),
    ("cancel_order", {"order_id": "#77"}),
]


def find_order(order_id: str) -> dict[str, str]:
    """Find an order."""
    if not order_id.startswith("#"):
        raise ValueError(REFUSED)
    return {"order_id": order_id, "state": "open"}


def cancel_order(order_id: str) -> dict[str, str]:
    """Cancel an order."""
    return {"order_id": order_id, "state": "cancelled"}


Write = Callable[[Path], Path]


def write_json(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_lines(path: Path, values: Iterable[object]) -> Path:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    return path


def _follow_pydantic_ai(messages: Any, _: Any) -> Any:
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

    done = sum(isinstance(message, ModelResponse) for message in messages)
    if done == len(STEPS):
        return ModelResponse(parts=[TextPart(REPLY)])
    tool, given = STEPS[done]
    return ModelResponse(parts=[ToolCallPart(tool, given, tool_call_id=f"c{done}")])


def run_pydantic_ai(instrument: Any = None) -> Any:
    from pydantic_ai import Agent, ModelRetry
    from pydantic_ai.models.function import FunctionModel

    agent = Agent(FunctionModel(_follow_pydantic_ai), name="desk")
    agent.instrument = instrument

    @agent.tool_plain(name="find_order")
    def find(order_id: str) -> dict[str, str]:
        """Find an order."""
        try:
            return find_order(order_id)
        except ValueError as error:
            raise ModelRetry(str(error)) from error

    agent.tool_plain(cancel_order)
    return asyncio.run(agent.run(ASKED))


def pydantic_ai_messages(folder: Path) -> Path:
    path = folder / "messages.json"
    path.write_bytes(run_pydantic_ai().all_messages_json())
    return path


def run_traced(version: int) -> list[Any]:
    """The spans of pydantic-ai under a version of its conventions."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from pydantic_ai.models.instrumented import InstrumentationSettings

    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the old names are deprecated, and still in people's files
        settings = InstrumentationSettings(tracer_provider=provider, version=version)
        run_pydantic_ai(settings)
    return list(kept.get_finished_spans())


def encode_otlp(spans: list[Any]) -> Any:
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    return encode_spans(spans)


def to_otlp_json(message: Any) -> Any:
    """OTLP's JSON: protobuf's, with ids in hex."""
    from google.protobuf.json_format import MessageToDict

    def spell(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: spell(held, name) for name, held in value.items()}
        if isinstance(value, list):
            return [spell(held) for held in value]
        ids = ("traceId", "spanId", "parentSpanId")
        return base64.b64decode(value).hex() if key in ids else value

    return spell(MessageToDict(message))


def otlp_json(folder: Path, *, version: int = 5) -> Path:
    return write_lines(folder / "otlp.jsonl", [to_otlp_json(encode_otlp(run_traced(version)))])


def otlp_json_old(folder: Path) -> Path:
    return otlp_json(folder, version=2)


def otlp_protobuf(folder: Path) -> Path:
    path = folder / "otlp.bin"
    path.write_bytes(encode_otlp(run_traced(5)).SerializeToString())
    return path


def otlp_collector(folder: Path) -> Path:
    """As a collector's file exporter writes protobuf: each batch after its length."""
    path = folder / "collector.bin"
    batches = [encode_otlp([span]).SerializeToString() for span in run_traced(6)]
    path.write_bytes(b"".join(len(each).to_bytes(4, "big") + each for each in batches))
    return path


def sdk_spans(folder: Path) -> Path:
    """As the SDK's console exporter prints them."""
    path = folder / "console.json"
    path.write_text("".join(f"{span.to_json()}\n" for span in run_traced(6)))
    return path


def run_langchain(checkpointer: Any = None) -> list[Any]:
    from langchain.agents import create_agent
    from langchain.agents.middleware import wrap_tool_call
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, ToolMessage

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, *_: Any, **__: Any) -> Any:
            return self

    @wrap_tool_call
    def tell_errors(request: Any, handler: Any) -> Any:
        try:
            return handler(request)
        except ValueError as error:
            call = request.tool_call["id"]
            return ToolMessage(str(error), tool_call_id=call, status="error")

    said = [
        AIMessage("", tool_calls=[{"name": tool, "args": given, "id": f"c{number}"}])
        for number, (tool, given) in enumerate(STEPS)
    ]
    model = Scripted(messages=iter([*said, AIMessage(REPLY)]))
    agent = create_agent(
        model, [find_order, cancel_order], middleware=[tell_errors], checkpointer=checkpointer
    )
    thread: Any = {"configurable": {"thread_id": "Ann"}}
    return list(agent.invoke({"messages": [("user", ASKED)]}, thread)["messages"])


def langchain_dicts(folder: Path) -> Path:
    from langchain_core.messages import messages_to_dict

    return write_json(folder / "dicts.json", messages_to_dict(run_langchain()))


def langchain_dumped(folder: Path) -> Path:
    from langchain_core.load import dumpd

    return write_lines(folder / "dumped.jsonl", [{"messages": dumpd(run_langchain())}])


def langgraph_state(folder: Path) -> Path:
    """The state of a graph, as `model_dump` gives its messages."""
    dumped = [message.model_dump(mode="json") for message in run_langchain()]
    return write_json(folder / "state.json", {"messages": dumped})


def langgraph_checkpoints(folder: Path) -> Path:
    """What a graph's saver keeps in SQLite: the whole state after each step."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    path = folder / "threads.db"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        run_langchain(saver)
    return path


def _describe(tool: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {"order_id": {"type": "string"}},
        "required": ["order_id"],
    }
    return {"name": tool, "description": tool.replace("_", " "), "parameters": schema}


def _make_openai(answers: list[dict[str, Any]], log: list[Any]) -> Any:
    """The library itself, with a transport that answers as the script says."""
    import httpx
    import openai

    def answer(request: httpx.Request) -> httpx.Response:
        came = answers.pop(0)
        log.append({"request": json.loads(request.content), "response": came})
        return httpx.Response(200, json=came)

    client = httpx.Client(transport=httpx.MockTransport(answer))
    return openai.OpenAI(api_key="none", base_url="http://127.0.0.1:9/v1", http_client=client)


def _try(tool: str, given: dict[str, Any]) -> str:
    try:
        return json.dumps({"find_order": find_order, "cancel_order": cancel_order}[tool](**given))
    except ValueError as error:
        return f"Error: {error}"


def openai_chat(folder: Path) -> Path:
    said: list[dict[str, Any]] = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": f"c{number}",
                    "type": "function",
                    "function": {"name": tool, "arguments": json.dumps(given)},
                }
            ],
        }
        for number, (tool, given) in enumerate(STEPS)
    ]
    said.append({"role": "assistant", "content": REPLY})
    answers = [
        {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1_700_000_000 + number,
            "model": "scripted",
            "choices": [{"index": 0, "message": each, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }
        for number, each in enumerate(said)
    ]
    log: list[Any] = []
    client = _make_openai(answers, log)
    tools: Any = [
        {"type": "function", "function": _describe(t)} for t in ("find_order", "cancel_order")
    ]
    messages: list[Any] = [{"role": "user", "content": ASKED}]
    for tool, given in STEPS:
        came = client.chat.completions.create(model="scripted", messages=messages, tools=tools)
        messages.append(came.choices[0].message)
        call = came.choices[0].message.tool_calls[0].id
        messages.append({"role": "tool", "tool_call_id": call, "content": _try(tool, given)})
    client.chat.completions.create(model="scripted", messages=messages, tools=tools)
    return write_lines(folder / "chat.jsonl", log)


def openai_responses(folder: Path) -> Path:
    items: list[dict[str, Any]] = [
        {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"c{number}",
            "name": tool,
            "arguments": json.dumps(given),
            "status": "completed",
        }
        for number, (tool, given) in enumerate(STEPS)
    ]
    text = {"type": "output_text", "text": REPLY, "annotations": []}
    items.append(
        {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }
    )
    answers = [
        {
            "id": f"resp_{number}",
            "object": "response",
            "created_at": 1_700_000_000 + number,
            "model": "scripted",
            "output": [each],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        }
        for number, each in enumerate(items)
    ]
    log: list[Any] = []
    client = _make_openai(answers, log)
    tools: Any = [
        {"type": "function", **_describe(tool)} for tool in ("find_order", "cancel_order")
    ]
    came = client.responses.create(model="scripted", input=ASKED, tools=tools)
    for tool, given in STEPS:
        result = {
            "type": "function_call_output",
            "call_id": came.output[0].call_id,
            "output": _try(tool, given),
        }
        came = client.responses.create(
            model="scripted", input=[result], previous_response_id=came.id, tools=tools
        )
    return write_lines(folder / "responses.jsonl", log)


async def _run_openai_agents(**options: Any) -> None:
    from agents import Agent, Runner, function_tool
    from agents.items import ModelResponse
    from agents.models.interface import Model
    from agents.usage import Usage
    from openai.types.responses import (
        ResponseFunctionToolCall,
        ResponseOutputMessage,
        ResponseOutputText,
    )

    left = list(enumerate(STEPS))

    class Scripted(Model):
        async def get_response(self, *_: Any, **__: Any) -> Any:
            if not left:
                text = ResponseOutputText(type="output_text", text=REPLY, annotations=[])
                said: Any = ResponseOutputMessage(
                    id="m", type="message", role="assistant", status="completed", content=[text]
                )
            else:
                number, (tool, given) = left.pop(0)
                said = ResponseFunctionToolCall(
                    type="function_call",
                    call_id=f"c{number}",
                    name=tool,
                    arguments=json.dumps(given),
                )
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    tools = [
        function_tool(each, failure_error_function=lambda _, error: f"Error: {error}")
        for each in (find_order, cancel_order)
    ]
    await Runner.run(Agent("desk", model=Scripted(), tools=tools), ASKED, **options)


async def openai_agents_session(folder: Path) -> Path:
    from agents import SQLiteSession, set_tracing_disabled

    set_tracing_disabled(True)
    path = folder / "session.db"
    session = SQLiteSession("Ann", path)
    await _run_openai_agents(session=session)
    session.close()
    return path


async def openai_agents_trace(folder: Path) -> Path:
    from agents import set_trace_processors, set_tracing_disabled
    from agents.tracing import TracingProcessor

    kept: list[Any] = []

    class Keep(TracingProcessor):
        def on_trace_start(self, trace: Any) -> None:
            kept.append(trace.export())

        def on_trace_end(self, trace: Any) -> None: ...

        def on_span_start(self, span: Any) -> None: ...

        def on_span_end(self, span: Any) -> None:
            kept.append(span.export())

        def shutdown(self) -> None: ...

        def force_flush(self) -> None: ...

    set_tracing_disabled(False)
    set_trace_processors([Keep()])
    try:
        await _run_openai_agents()
    finally:
        set_trace_processors([])
        set_tracing_disabled(True)
    return write_lines(folder / "agents.jsonl", kept)


_TEE = """
import subprocess, sys, threading
log = open(sys.argv[1], "ab", buffering=0)
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def copy(source, target):
    for line in iter(source.readline, b""):
        log.write(line)
        target.write(line)
        target.flush()
    target.close()
threading.Thread(target=copy, args=(server.stdout, sys.stdout.buffer), daemon=True).start()
copy(sys.stdin.buffer, server.stdin)
server.wait(60)
"""
_SERVER = """
from fastmcp import FastMCP
from tests.replay.made import cancel_order, find_order
server = FastMCP("desk")
server.tool(find_order, annotations={"readOnlyHint": True})
server.tool(cancel_order, annotations={"destructiveHint": True})
server.run(show_banner=False)
"""


async def mcp_log(folder: Path) -> Path:
    """What goes over the pipes between a client and a server of FastMCP."""
    import fastmcp
    from fastmcp.client.transports import StdioTransport

    (folder / "tee.py").write_text(_TEE)
    (folder / "server.py").write_text(_SERVER)
    log = folder / "mcp.jsonl"
    command = [str(folder / "tee.py"), str(log), sys.executable, str(folder / "server.py")]
    transport = StdioTransport(sys.executable, command, env=dict(os.environ), keep_alive=False)
    async with fastmcp.Client(transport) as client:
        await client.list_tools()
        for tool, given in STEPS:
            await client.call_tool(tool, given, raise_on_error=False)
    return log
