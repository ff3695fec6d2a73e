"""What an agent is told about a call that failed."""

from __future__ import annotations

from mulligan.core.call import Execution
from mulligan.core.display.quoted import Quoted
from mulligan.core.failures.advice import Advice
from mulligan.core.failures.suggestion import Alike, FailedCall, Origin, Patch, Suggestion
from mulligan.core.finding import Finding
from mulligan.core.runtime.dataclass import dataclass
from mulligan.redaction.agent_text import hide_in_advice, hide_in_findings, hide_secrets

MOST_SHOWN = 500
"""Characters of what a conflict left, where advice is put into words."""
MOST_SAID = 200
"""Characters of what a call failed with that nobody had asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedMend:
    """A call that failed as it was asked for, and failed again as it was corrected."""

    tool: str
    changed: Patch
    """Against what the agent had asked for."""
    error: str
    """What the corrected call failed with."""
    by: str
    """Where the correction came from, and why."""

    def __str__(self) -> str:
        """What an agent reads."""
        said = Quoted(self.error, "the tool").as_line(most=MOST_SAID)
        return (
            f"You did not ask for this: Mulligan also called {self.tool} "
            f"{_format_changed(self.changed)}, which failed too: {said}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Advised:
    """A failed call and what would help: the exception carries it as `error.mulligan`."""

    execution: Execution
    failed: FailedCall
    """The same, with all that the advice was made from."""
    advice: Advice
    suggestions: tuple[Suggestion, ...]
    foreseen: tuple[Finding, ...] = ()
    """What spoke against the call before it was made."""
    like: Alike | None = None
    """Where nobody can say what kind of error it is: the known one it is most like."""
    pattern: str = ""
    """Fingerprint of the failure."""
    tried: tuple[FailedMend, ...] = ()
    """Corrections that were made of the call by itself, in vain."""

    def __post_init__(self) -> None:
        # Hosts and programs read these as they are; the corrections are for who makes the call.
        given = self.failed.call.arguments
        object.__setattr__(self, "advice", hide_in_advice(self.advice, given))
        object.__setattr__(self, "foreseen", hide_in_findings(self.foreseen, given))

    def __str__(self) -> str:
        """What an agent or a person reads."""
        lines = [f"What to do: {self.advice.decision}. {self.advice.why}"]
        if self.advice.ask:
            lines.append(f"Ask the person: {self.advice.ask}")
        # What is said of the call, beside what was hidden at first.
        said: list[str] = []
        if self.failed.failure.now is not None:
            now = Quoted(_format_value(self.failed.failure.now), "the tool")
            said.append(f"What is there now: {now.as_line(most=MOST_SHOWN)}")
        said += map(str, self.tried)
        said += [f"Try: {_format_suggestion(each)}" for each in self.suggestions]
        said += [f"Nobody knows this error; it is most like {self.like}."] if self.like else []
        lines += [hide_secrets("\n".join(said), self.failed.call.arguments)] if said else []
        lines += [f"It could be foreseen: {each.issue} {each.correction}" for each in self.foreseen]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A call that failed as it was asked for, and worked with other arguments: `turn.mended`."""

    call: str
    """Id of its first try."""
    tool: str
    changed: Patch
    """What was changed in all, against what the agent had asked for."""
    by: str
    """Where the correction came from, and why."""

    def __str__(self) -> str:
        """What an agent reads."""
        return hide_secrets(
            f"[Mulligan: {self.tool} failed as it was called. This is the result of calling it "
            f"{_format_changed(self.changed)} instead. Call it so from now on.]",
            self.changed.changes,
        )


def _format_changed(changed: Patch) -> str:
    return f"with {changed}" if changed.changes else str(changed)


def _format_value(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - an object of the remote's library may refuse to be shown
        return f"a {type(value).__name__}"


def _format_suggestion(suggestion: Suggestion) -> str:
    sure = f"{suggestion.probability:.0%}, n={suggestion.n}"
    # Of a lesson that is a candidate, and of one that was proven on other failures than this.
    unproven = suggestion.source is Origin.MEMORY and not suggestion.proven
    source = f"{suggestion.source}, not proven yet" if unproven else suggestion.source
    return f"{suggestion.patch} ({source}, {sure}: {suggestion.evidence})"
