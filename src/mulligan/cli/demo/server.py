"""The family's calendar as a server of its own: `python -m mulligan.cli.demo.server LEDGER`.

It prints the port it listens on, takes one request a connection as a line of JSON, and ends when
its standard input does: with the program that started it, however that one ends.
"""

from __future__ import annotations

import json
import socketserver
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from mulligan.testing.remote import FakeRemote, Fault, RemoteError

HOST = "127.0.0.1"


class Server(socketserver.TCPServer):
    """One request after the other, so that the ledger has an order."""

    def __init__(self, ledger: str) -> None:
        super().__init__((HOST, 0), _Desk)
        remote = FakeRemote(ledger)
        self.answers: Mapping[str, Callable[..., object]] = {
            "create": remote.create,
            "update": remote.update,
            "delete": remote.delete,
            "get": remote.get,
            "answer_to": remote.answer_to,
            "ledger": remote.ledger,
            "lose_next_answer": lambda: remote.plan(Fault.LOST_AFTER),
        }

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])


class _Desk(socketserver.StreamRequestHandler):
    """Answers one request, or hangs up where the answer is to be lost."""

    server: Server

    def handle(self) -> None:
        """Answer, unless nobody is there any more."""
        # The one who asks may be killed or cancelled at any moment.
        with suppress(ConnectionError):
            asked = self.rfile.readline()
            if asked.endswith(b"\n"):
                self._answer(json.loads(asked))

    def _answer(self, request: dict[str, Any]) -> None:
        try:
            answer = self.server.answers[request.pop("op")](**request)
        except TimeoutError:
            # It took effect. Whoever asked will never know from us.
            return
        except RemoteError as error:
            self._say({"status": error.status, "error": str(error)})
        else:
            self._say({"answer": answer})

    def _say(self, answer: Mapping[str, object]) -> None:
        self.wfile.write(json.dumps(answer, default=asdict).encode() + b"\n")


def main() -> None:
    """Serve until standard input ends."""
    with Server(sys.argv[1]) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
