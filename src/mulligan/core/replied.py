"""The reply that goes out, with every try of it and what was found."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.core.dataclass import dataclass
from mulligan.core.finding import Confidence, Finding, Standing, Verdict
from mulligan.core.text import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One try of a reply, and what was found in it."""

    reply: Reply
    verdict: Verdict
    feedback: str = ""
    """What the next try was told; empty for the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """The reply that goes out, and how it came to be."""

    reply: Reply
    standing: Standing
    confidence: Confidence | None
    findings: tuple[Finding, ...]
    """What is still wrong with it; empty when nothing is."""
    iterations: tuple[Iteration, ...]
    bound_reached: bool
    """Sent although it was rejected: marked, and worth a look by a person."""
    checks_run: tuple[str, ...]
    judge_asked: int = 0
    judge_recalled: int = 0
    limit: str = ""
    """Which limit ended it before it was good: `time`, `tokens` or `money`; empty: none did."""
    tokens: int = 0
    money: float = 0.0
    id: str = ""
    """Of its row in the log, for `m.rate` and `mulligan show`; empty outside an application."""

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.reply.text

    @property
    def metadata(self) -> Mapping[str, object]:
        """What travels with the reply, ready for JSON."""
        return {
            "iteration_count": len(self.iterations),
            "reflection_feedback": "\n\n".join(i.feedback for i in self.iterations if i.feedback),
            "findings": [
                [_encode_finding(each) for each in i.verdict.findings] for i in self.iterations
            ],
            "checks_run": list(self.checks_run),
            "judge": {"asked": self.judge_asked, "recalled": self.judge_recalled},
            "standing": self.standing.value,
            "confidence": self.confidence.value if self.confidence else None,
            "bound_reached": self.bound_reached,
            "limit": self.limit,
        }


def _encode_finding(finding: Finding) -> dict[str, str]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "issue": finding.issue,
        "quote": finding.quote,
    }
