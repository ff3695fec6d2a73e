"""A real HTTP server on loopback that speaks the two protocols of OpenAI, and can misbehave."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Endpoint(ThreadingHTTPServer):
    """Gives one answer to everybody, in the form each asks for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.answer: dict | str = {}
        """Text is sent as it is, and fits no protocol."""
        self.play: Callable[[dict], tuple[str, dict] | str] | None = None
        """What it says in a chat, where one answer is not enough: a call of a tool, or text."""
        self.status = 200
        self.asked: list[dict] = []
        self.paths: list[str] = []
        self.reached = threading.Event()
        """Set once somebody has asked."""
        self.go_on = threading.Event()
        """Answers wait for it."""
        self.go_on.set()

    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever asked has left: nothing to report."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.paths.append(self.path)
        self.server.reached.set()
        self.server.go_on.wait(timeout=60)
        self._send(self._body(asked))

    def _body(self, asked: dict) -> bytes:
        if self.server.play is not None:
            return json.dumps(_as_completion(asked, _message(self.server.play(asked)))).encode()
        if isinstance(self.server.answer, str):
            return self.server.answer.encode()
        if self.path.endswith("/responses"):
            return json.dumps(_as_response(asked, json.dumps(self.server.answer))).encode()
        tool = asked["tools"][0]["function"]["name"]
        return json.dumps(_as_completion(asked, _message((tool, self.server.answer)))).encode()

    def _send(self, body: bytes) -> None:
        self.send_response(self.server.status)
        # The client of the provider would try again by itself, and wait.
        self.send_header("x-should-retry", "false")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by its parent
        """Nothing on the terminal."""


def _message(said: tuple[str, dict] | str) -> dict:
    if isinstance(said, str):
        return {"role": "assistant", "content": said}
    tool, arguments = said
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call = {"id": f"call of {tool}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _as_completion(asked: dict, message: dict) -> dict:
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "r1",
        "object": "chat.completion",
        "created": 1_763_000_000,
        "model": asked["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
    }


def _as_response(asked: dict, arguments: str) -> dict:
    tool = asked["tools"][0]["name"]
    call = {
        "type": "function_call",
        "id": "f1",
        "call_id": "c1",
        "name": tool,
        "arguments": arguments,
        "status": "completed",
    }
    used = {
        "input_tokens": 120,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 30,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 150,
    }
    return {
        "id": "r1",
        "object": "response",
        "created_at": 1_763_000_000,
        "status": "completed",
        "model": asked["model"],
        "output": [call],
        "parallel_tool_calls": False,
        "tool_choice": "required",
        "tools": [],
        "usage": used,
    }


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    """A server of its own for a test; nothing of it is left afterwards."""
    with Endpoint() as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            yield server
        finally:
            server.go_on.set()
            server.shutdown()
            serving.join()
