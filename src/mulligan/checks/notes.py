"""What a reflection may not do: drop what the task requires, or speak as anyone but a note.

This is a net, and not the wall. The wall is that notes are quoted, that the task itself always
follows them unchanged, and that a version that makes runs worse loses its place. English only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mulligan.core.escape import escape
from mulligan.core.finding import Finding, Severity
from mulligan.core.notes import Refinement
from mulligan.core.task import Task

LONGEST = 4_000
"""Characters of a refined description or expected output, or twice the static text if that is more:
instructions are to get shorter and clearer."""
MOST_ITEMS = 20
LONGEST_ITEM = 500

_AUTHORITY = (
    r"(?:(?:instruct\w*|task|contract|rules?|guidelines?|requirements?|constraints?|policy|policies|"
    r"expected output|output format|definition|prompt|guardrails?|system message)\b"
    r"|(?:everything|anything|all|whatever|what)\s+(?:\w+\s+){0,3}?"
    r"(?:above|below|before|follows|said|told|written|asked)\b"
    r"|(?:previous|prior|earlier|preceding|following|original|static)\s+"
    r"(?:text|sections?|messages?|words|content|lines?|part|notes?)\b)"
)
"""Who or what a note has to give way to."""
_DISMISS = (
    r"(?:ignor\w*|disregard\w*|forget\w*|overrid\w*|overrul\w*|bypass\w*|supersed\w*|replac\w*|"
    r"drop(?:s|ped|ping)?|discard\w*|skip(?:s|ped|ping)?|neglect\w*|violat\w*|circumvent\w*|"
    r"(?:no longer|not|never|don\W?t|stop|without|instead of|rather than)\s+"
    r"(?:need(?:ed|s|ing)?\s+(?:to\s+)?|have\s+to\s+|to\s+|be\s+)?"
    r"(?:follow|obey|comply|honou?r|apply|adhere|respect|bound)\w*)"
)
_DISMISSED = (
    r"(?:obsolete|void|superseded|cancell?ed|revoked|invalid|outdated|lifted|"
    r"no longer (?:appl\w+|valid|needed|holds?|binding|relevant|in force)|do(?:es)? not apply|"
    r"(?:can|may|should|must) (?:safely )?be (?:ignored|skipped|dropped|disregarded|overridden))"
)
_SECRETS = (
    r"(?:system prompt|api[ _-]?keys?|passwords?|credentials?|secrets?|access tokens?|"
    r"private keys?|environment variables?|\.env)"
)
_HANDING_OUT = (
    r"(?:reveal|print|show|send|post|upload|forward|e-?mail|leak|exfiltrat\w*|output|include|share|"
    r"return|write out|append|repeat)"
)

OVERRIDES = re.compile(
    rf"\b{_DISMISS}\b.{{0,60}}?\b{_AUTHORITY}|\b{_AUTHORITY}.{{0,60}}?\b{_DISMISSED}\b",
    re.IGNORECASE | re.DOTALL,
)
HANDS_OUT = re.compile(rf"\b{_HANDING_OUT}\b.{{0,60}}?{_SECRETS}", re.IGNORECASE | re.DOTALL)
SPEAKS_AS = re.compile(
    r"<\|.{0,40}?\|>|\[/?INST\]|<<SYS>>|</?\s*(?:system|assistant|user|instructions?|tool)\b[^>]{0,99}>"
    r"|(?:^|[.!?]\s)\W{0,6}(?:system|assistant|user|developer|tool)\W{0,4}:"
    r"|\byou are (?:now|no longer)\b|\bnew (?:system )?(?:instructions?|role|persona)\b"
    r"|\b(?:act|behave|respond) as (?:if|though|a different|another|the)\b"
    r"|^\s{0,3}#{1,6}\s|^\s{0,3}(?:-{3,}|={3,}|\*{3,})\s*$|```|~~~",
    re.IGNORECASE | re.MULTILINE,
)
ADDRESS = re.compile(
    r"\b(?:https?|ftp|file|data|javascript):\S+|\bwww\.\S+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.[\w.-]+|\b(?:\d{1,3}\.){3}\d{1,3}\b",
    re.IGNORECASE,
)
REQUIRED = re.compile(
    r"`([^`]+)`|\"([^\"]+)\"|“([^“”]++)”|(\d++(?:[.,]\d++)*+)|\b([A-Z]{2}[A-Za-z0-9]*+)\b"
)
"""What can be checked of an expected output: what it quotes, its numbers, its acronyms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A refinement beside the task that it is for."""

    task: Task
    refinement: Refinement

    @property
    def texts(self) -> list[str]:
        """Everything it says."""
        said = self.refinement
        return [said.description, said.expected_output, *said.observations, *said.suggestions]


def screen(proposed: Proposed) -> Iterator[Finding]:
    """Everything that keeps a refinement out of the archive; nothing when it may be tried."""
    if not _is_readable(proposed.refinement):
        yield _build_error("notes.unreadable", "The reflection is not a Refinement of plain text.")
        return
    if not any(text.strip() for text in proposed.texts):
        yield _build_error("notes.empty", "The reflection says nothing.")
        return
    for check in (_check_length, _check_hidden_text, _check_contract, _check_addresses):
        yield from check(proposed)
    for text in proposed.texts:
        yield from _check_wording(text)


def _check_length(proposed: Proposed) -> Iterator[Finding]:
    said, task = proposed.refinement, proposed.task
    pairs = (
        (said.description, task.description),
        (said.expected_output, task.expected_output),
    )
    items = [*said.observations, *said.suggestions]
    too_long = any(len(new) > max(LONGEST, 2 * len(old)) for new, old in pairs)
    if too_long or len(items) > MOST_ITEMS or any(len(item) > LONGEST_ITEM for item in items):
        yield _build_error(
            "notes.too_long", "The reflection is longer than a run should have to read."
        )


def _check_hidden_text(proposed: Proposed) -> Iterator[Finding]:
    if any(escape(text) != text for text in proposed.texts):
        yield _build_error("notes.hidden_text", "The reflection holds characters that hide text.")


def _check_contract(proposed: Proposed) -> Iterator[Finding]:
    """A tighter output format may say more than the task's, never less."""
    refined = proposed.refinement.expected_output.casefold()
    if not refined.strip():
        return
    for required in _list_requirements(proposed.task.expected_output):
        if required.casefold() not in refined:
            yield _build_error(
                "notes.drops_contract",
                f"The refined output no longer asks for {required!r}, and the task does.",
            )


def _list_requirements(text: str) -> Iterator[str]:
    for found in REQUIRED.finditer(text):
        yield next(group for group in found.groups() if group is not None)


def _check_addresses(proposed: Proposed) -> Iterator[Finding]:
    known = proposed.task.text.casefold()
    for text in proposed.texts:
        for found in ADDRESS.findall(text):
            if found.casefold() not in known:
                yield _build_error(
                    "notes.new_address", "The reflection names an address that the task does not."
                )


_SPOKEN: tuple[tuple[Callable[[str], object], str, str], ...] = (
    (OVERRIDES.search, "notes.overrides_task", "The reflection sets itself above the task."),
    (SPEAKS_AS.search, "notes.poses", "The reflection poses as something other than a note."),
    (HANDS_OUT.search, "notes.hands_out", "The reflection asks for secrets."),
)


def _check_wording(text: str) -> Iterator[Finding]:
    for says, rule, issue in _SPOKEN:
        if says(text):
            yield _build_error(rule, issue)


def _is_readable(said: object) -> bool:
    """A strategy is someone else's code: nothing is taken for granted."""
    if not isinstance(said, Refinement):
        return False
    lists: tuple[object, ...] = (said.observations, said.suggestions)
    texts: list[object] = [said.description, said.expected_output]
    for items in lists:
        if not isinstance(items, tuple):
            return False
        texts += items
    return all(isinstance(text, str) for text in texts)


def _build_error(rule: str, issue: str) -> Finding:
    return Finding(rule=rule, severity=Severity.ERROR, issue=issue)
