"""What a gateway counts, in the text form that Prometheus reads."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

SERIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "calls_total": (
        "Calls of tools, by how they ended.",
        ("client", "server", "tool", "outcome"),
    ),
    "call_seconds_total": ("How long they took, from asked to answered.", ("server", "tool")),
    "requests_total": ("Requests over HTTP, by the status of the answer.", ("client", "status")),
    "bytes_total": ("Bytes of requests and answers.", ("client", "direction")),
    "server_ends_total": ("Servers that ended by themselves.", ("server",)),
}
"""Each counter: what it counts, and by which labels."""
PREFIX = "mulligan_gateway_"


class Metrics:
    """The counters of one gateway, since it was started."""

    def __init__(self) -> None:
        self._counts = defaultdict[str, Counter[tuple[str, ...]]](Counter)

    def add(self, name: str, *labels: str, by: float = 1) -> None:
        """Count something under its labels."""
        self._counts[name][labels] += by  # type: ignore[assignment]

    def write(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All of them, with what is so at this moment: by its name, what it is and how much."""
        lines = []
        for name, (about, labels) in SERIES.items():
            lines += [f"# HELP {PREFIX}{name} {about}", f"# TYPE {PREFIX}{name} counter"]
            for values, count in sorted(self._counts[name].items()):
                pairs = zip(labels, values, strict=True)
                written = ",".join(f'{label}="{_escape(value)}"' for label, value in pairs)
                lines.append(f"{PREFIX}{name}{{{written}}} {count:.10g}")
        for name, (about, value) in gauges.items():
            lines += [f"# HELP {PREFIX}{name} {about}", f"# TYPE {PREFIX}{name} gauge"]
            lines.append(f"{PREFIX}{name} {value:.10g}")
        return "\n".join(lines) + "\n"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
