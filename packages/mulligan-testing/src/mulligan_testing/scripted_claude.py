"""A model that follows a script, behind Anthropic's Messages API on this machine: no key.

With it, an agent of claude-agent-sdk runs in a test as it does in earnest, its command line
included: `ClaudeAgentOptions(env=claude.build_environment(home))`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

Step = tuple[str, dict[str, Any]] | str | list[tuple[str, dict[str, Any]]]
"""What the model does next: it calls a tool, or several at once, or it replies."""

ROUNDABOUT = (
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_VERTEX",
)
"""What would lead elsewhere than to the script."""


class ScriptedClaude:
    """A server for as long as it is entered; every request for the model takes the next step."""

    def __init__(self, script: Sequence[Step]) -> None:
        self.steps = list(script)
        self.asked: list[dict[str, Any]] = []
        """Each request, as the model would have had it."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _build_endpoint(self))
        self._server.daemon_threads = True
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def build_environment(self, home: str | Path) -> dict[str, str]:
        """What leads the command line here, and keeps it from whatever else this machine has."""
        return {
            **dict.fromkeys(ROUNDABOUT, ""),
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{self._server.server_port}",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
            "CLAUDE_CONFIG_DIR": str(home),
            "HOME": str(home),
            "NO_PROXY": "127.0.0.1",
        }

    def list_shown(self) -> list[str]:
        """Everything that the model was shown, one text for each time that it was asked."""
        return ["\n".join(_list_strings(each["messages"])) for each in self.asked]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The next message of the model."""
        with self._lock:
            self.asked.append(request)
            step = self.steps.pop(0) if self.steps else "The script has ended."
            # Unlike those of an earlier script, which a session may have that goes on.
            number = f"{self._server.server_port}_{len(self.asked)}"
        calls = [step] if isinstance(step, tuple) else step
        content: list[dict[str, Any]] = (
            [{"type": "text", "text": calls}]
            if isinstance(calls, str)
            else [
                {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": name, "input": given}
                for at, (name, given) in enumerate(calls)
            ]
        )
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": request.get("model", ""),
            "content": content,
            "stop_reason": "end_turn" if isinstance(calls, str) else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


def _build_endpoint(claude: ScriptedClaude) -> type[BaseHTTPRequestHandler]:
    def answer_post(self: BaseHTTPRequestHandler) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = json.loads(body or b"{}")
        if not self.path.startswith("/v1/messages") or "messages" not in request:
            _send(self, b"{}", status=404)
        elif "/count_tokens" in self.path:
            _send(self, b'{"input_tokens": 1}')
        elif request.get("stream"):
            stream = "".join(_split_message(claude.answer(request)))
            _send(self, stream.encode(), kind="text/event-stream")
        else:
            _send(self, json.dumps(claude.answer(request)).encode())

    def log_nothing(self: BaseHTTPRequestHandler, *_: object) -> None:
        """Log nothing."""

    named = {"do_POST": answer_post, "log_message": log_nothing, "protocol_version": "HTTP/1.1"}
    return type("Endpoint", (BaseHTTPRequestHandler,), named)


def _send(
    to: BaseHTTPRequestHandler, body: bytes, *, status: int = 200, kind: str = "application/json"
) -> None:
    to.send_response(status)
    to.send_header("Content-Type", kind)
    to.send_header("Content-Length", str(len(body)))
    to.end_headers()
    to.wfile.write(body)


def _split_message(message: Mapping[str, Any]) -> Iterator[str]:
    """A message as the events of a stream, each block in one piece."""
    begun = {**message, "content": [], "stop_reason": None}
    yield _render_event({"type": "message_start", "message": begun})
    for index, block in enumerate(message["content"]):
        empty: dict[str, object]
        if block["type"] == "text":
            empty, piece = {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            written = json.dumps(block["input"])
            empty, piece = {"input": {}}, {"type": "input_json_delta", "partial_json": written}
        start = {"type": "content_block_start", "index": index}
        yield _render_event({**start, "content_block": {**block, **empty}})
        yield _render_event({"type": "content_block_delta", "index": index, "delta": piece})
        yield _render_event({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _render_event({"type": "message_delta", "delta": ended, "usage": message["usage"]})
    yield _render_event({"type": "message_stop"})


def _render_event(event: Mapping[str, Any]) -> str:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


def _list_strings(value: object) -> Iterator[str]:
    """The texts in messages, in the order in which a model reads them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _list_strings(each)
