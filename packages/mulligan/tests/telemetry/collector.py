"""A collector of OpenTelemetry on this machine: it takes what comes over HTTP, and keeps it."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

Attributes = dict[str, object]


@dataclass
class Collector:
    """What arrived: of each span its name, of each record its event, with the attributes."""

    address: str = ""
    spans: list[tuple[str, Attributes]] = field(default_factory=list)
    records: list[tuple[str, Attributes]] = field(default_factory=list)
    traces: set[bytes] = field(default_factory=set)
    bodies: list[bytes] = field(default_factory=list)

    def take(self, path: str, body: bytes) -> None:
        """Read one request as the protocol says, or fail."""
        self.bodies.append(body)
        if path == "/v1/traces":
            for group in ExportTraceServiceRequest.FromString(body).resource_spans:
                for span in (span for scope in group.scope_spans for span in scope.spans):
                    self.spans.append((span.name, _read(span.attributes)))
                    self.traces.add(span.trace_id)
        elif path == "/v1/logs":
            for group in ExportLogsServiceRequest.FromString(body).resource_logs:
                for each in (each for scope in group.scope_logs for each in scope.log_records):
                    self.records.append((each.event_name, _read(each.attributes)))
                    self.traces.add(each.trace_id)
        else:
            raise ValueError(path)


def _read(attributes: Iterator[KeyValue]) -> Attributes:
    return {
        each.key: getattr(each.value, str(each.value.WhichOneof("value"))) for each in attributes
    }


@contextmanager
def start_collector(*, status: int = 200) -> Iterator[Collector]:
    """Serve until the block ends."""
    collector = Collector()

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collector.take(self.path, body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
    collector.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
