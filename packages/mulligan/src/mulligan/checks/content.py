"""Checks of what a reply consists of: JSON, patterns, personal data; rubrics, your functions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from msgspec.structs import replace

from mulligan.checks.entities import (
    FEWEST_DIGITS,
    find_emails,
    find_phones,
    is_same_phone,
)
from mulligan.checks.quantities import find_digit_runs
from mulligan.checks.registry import read_kinds, register_reply_check
from mulligan.checks.spelled import find_digit_rows
from mulligan.checks.words import cut_excerpt, load_word_lists
from mulligan.extensions import load_object
from mulligan.types.display import Ours, Question, Quoted, Spend, split_pieces
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity, Source
from mulligan.types.interfaces import Check
from mulligan.types.reply import BEST_SCORE, Critique, OnFail, Reply, TextCheck
from mulligan.types.values import has_iban, has_luhn, require_bool
from mulligan_dates.text import fold

if TYPE_CHECKING:
    from mulligan.types.interfaces import Judge

MOST_ERRORS = 5
"""Errors of one reply that are told."""


def _take_out_of_fence(text: str) -> str:
    """What stands in a fence of Markdown, where the text is nothing else."""
    fence, _, inside = text.strip().partition("\n")
    fenced = fence.rstrip() in ("```", "```json") and inside.endswith("```")
    return inside.removesuffix("```") if fenced else text


@register_reply_check
def json_schema(
    *, schema: Mapping[str, object] | str, severity: Severity = Severity.ERROR
) -> TextCheck:
    """Flag a reply that is not JSON of a schema: a table, or the path of a file.

    A fence of code around it is passed over. References are never fetched.
    """
    import jsonschema_rs  # late: few replies are JSON

    tree = _read_schema(schema) if isinstance(schema, str) else dict(schema)
    try:
        validator = jsonschema_rs.validator_for(tree, validate_formats=True, offline=True)
    except (ValueError, RecursionError) as error:
        problem = str(error).splitlines()[0]
        raise ConfigurationError(f"The schema is not a JSON Schema: {problem}.") from error

    def look(reply: Reply) -> Iterator[Finding]:
        try:
            said = json.loads(_take_out_of_fence(reply.text))
        except (ValueError, RecursionError):
            yield Finding(
                rule="json.unreadable",
                severity=severity,
                issue="The reply is not JSON.",
                correction="Answer with one JSON document and nothing around it.",
            )
            return
        for number, error in enumerate(validator.iter_errors(said)):
            if number == MOST_ERRORS:
                break
            place = "/".join(map(str, error.instance_path))
            yield Finding(
                rule="json.schema",
                severity=severity,
                issue=f"The JSON is not of its schema at {place or 'the top'!r}: {error.message}",
                correction="Change it as the schema says.",
            )

    wanted = json.dumps(tree, ensure_ascii=False)
    asks = f"Answer with JSON of this schema: {wanted}"
    return TextCheck(name="json_schema", look=look, asks=asks)


def _read_schema(path: str) -> dict[str, object]:
    try:
        tree = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(
            f"The schema {path!r} cannot be read ({type(error).__name__}). Name a file with a JSON "
            "Schema, or write it as a table."
        ) from error
    if not isinstance(tree, dict):
        raise ConfigurationError(f"The schema {path!r} is not a JSON Schema: it is no object.")
    return tree


@register_reply_check
def regex(
    *, pattern: str, absent: bool = False, says: str = "", severity: Severity = Severity.ERROR
) -> TextCheck:
    """Flag a reply that a pattern is not found in, or with `absent` one that it is found in.

    `says` tells the writer what is wanted, in the imperative.
    """
    require_bool(absent, name="absent")
    try:
        sought = re.compile(pattern)
    except re.error as error:
        raise ConfigurationError(f"{pattern!r} is not a pattern: {error}.") from error
    wants = says or f"Write {'nothing' if absent else 'something'} that matches {pattern!r}."

    def look(reply: Reply) -> Iterator[Finding]:
        found = sought.search(reply.text)
        if (found is not None) is absent:
            start, end = found.span() if found else (0, 0)
            yield Finding(
                rule="text.match" if absent else "text.no_match",
                severity=severity,
                issue=f"The reply has {'what' if absent else 'nothing that'} matches {pattern!r}.",
                correction=wants,
                quote=cut_excerpt(reply.text, start=start, end=end) if found else "",
            )

    return TextCheck(name="regex", look=look, asks=wants, early=absent)


class PersonalKind(StrEnum):
    """What personal data is of."""

    CARD = "card"
    EMAIL = "email"
    IBAN = "iban"
    PHONE = "phone"


_IN_A_ROW = re.compile(r"(?<![\d.,/$€£-])\d{7,15}(?![\d%]|[.,]\d)")
_SENTENCE_END = re.compile("[.!?。\n]")
_BESIDE = 30
"""Characters between a phone number and the word that says that it is one."""

_NAMES = {
    PersonalKind.CARD: "a card number",
    PersonalKind.EMAIL: "an e-mail address",
    PersonalKind.IBAN: "a bank account",
    PersonalKind.PHONE: "a phone number",
}
_CARD = re.compile(r"(?<![\w.,-])\d(?:[ -]?\d){12,18}(?![\w-]|[.,]\d)")
_ACCOUNT = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")


@register_reply_check
def pii(
    *,
    kinds: Iterable[str] = tuple(PersonalKind),
    allow: Iterable[str] = (),
    severity: Severity = Severity.ERROR,
) -> TextCheck:
    """Flag e-mail addresses, phone numbers, cards and bank accounts but those that you `allow`.

    What is found is never quoted, and by default never sent: at the bound the fallback is. Names
    and postal addresses are not looked for.
    """
    wanted = read_kinds(PersonalKind, kinds, name="pii")
    allowed = "\n".join(allow)
    own = [each for _, each in _find_personal(allowed)]
    own += [re.sub(r"\D", "", each) for each in allowed.splitlines()]

    def look(reply: Reply) -> Iterator[Finding]:
        found = {kind for kind, said in _find_personal(reply.text) if not _is_own(said, own)}
        for kind in wanted:
            if kind in found:
                yield Finding(
                    rule=f"pii.{kind}",
                    severity=severity,
                    issue=f"The reply has {_NAMES[kind]}.",
                    correction=f"Leave {_NAMES[kind]} out.",
                )

    listed = ", ".join(_NAMES[kind] for kind in wanted)
    asks = f"Write none of: {listed}."
    return TextCheck(name="pii", look=look, asks=asks, on_fail=OnFail.FALLBACK, early=True)


def _find_personal(text: str) -> Iterator[tuple[PersonalKind, str]]:
    """Whatever looks like personal data, as it is compared."""
    folded = fold(text)
    yield from ((PersonalKind.EMAIL, found.value) for found in find_emails(folded))
    numbers: list[str] = []
    for kind, pattern, is_one in (
        (PersonalKind.CARD, _CARD, has_luhn),
        (PersonalKind.IBAN, _ACCOUNT, has_iban),
    ):
        for found in pattern.finditer(text):
            bare = re.sub("[ -]", "", found[0])
            if is_one(bare):
                numbers.append(re.sub(r"\D", "", bare))
                yield kind, bare
    written = (each.value for each in find_phones(folded, find_digit_runs(folded)))
    for phone in (*written, *_find_told_phones(folded), *_find_spelled_phones(folded)):
        if not any(phone in number for number in numbers):
            yield PersonalKind.PHONE, phone


def _find_told_phones(folded: str) -> Iterator[str]:
    """Digits in a row that a word beside them calls a phone number."""
    words = "|".join(map(re.escape, load_word_lists()["phone"]["words"]))
    said = re.compile(rf"(?<![a-z])(?:{words})")
    for found in _IN_A_ROW.finditer(folded):
        start, end = found.span()
        # Of what follows only the same sentence: in a stream the next is not written yet.
        after = _SENTENCE_END.split(folded[end : end + _BESIDE], maxsplit=1)[0]
        if said.search(folded[max(0, start - _BESIDE) : end] + after):
            yield found[0]


FEWEST_SPELLED = 4
"""Digits said as words from which on a row of digits is dictated."""
_COUNTED = "0123456789"


def _find_spelled_phones(folded: str) -> Iterator[str]:
    """Digits in a row that are said as words: `double five five one two …`. Counting is none."""
    for digits, spelled in find_digit_rows(folded):
        counts = digits in _COUNTED or digits in _COUNTED[::-1]
        if spelled >= FEWEST_SPELLED and len(digits) >= FEWEST_DIGITS and not counts:
            yield digits


def _is_own(said: str, own: Sequence[str]) -> bool:
    same_phone = said.isdigit() and any(is_same_phone(said, each) for each in own if each.isdigit())
    return said in own or same_phone


@register_reply_check
def function(*, call: str, asks: str = "") -> TextCheck:
    """A check of your own by its place, `shop.checks:british`: a function of a `Reply`.

    It answers with nothing, a sentence, a finding or several; sync or async.
    """
    found = load_object(call, option="call", example="shop.checks:british")
    if isinstance(found, TextCheck):
        return found
    if not callable(found) or isinstance(found, type):
        raise ConfigurationError(
            f"call {call!r} names a {type(found).__name__}, which is no function of a reply."
        )
    look = cast("Callable[[Reply], Iterable[Finding]]", found)
    return TextCheck(name=call.rpartition(":")[2], look=look, asks=asks)


GOOD_ENOUGH = 8
"""The score of 10 that a rubric asks for."""


class Rubric(Struct, frozen=True, kw_only=True):
    """A judge's score of a reply, for what a rubric names."""

    rubric: str
    at_least: float
    severity: Severity
    judge: object = None
    """`None`, or a name: `m.reply` opens the application's judge, or the model."""
    spend: Spend | None = None

    async def __call__(self, reply: Reply) -> list[Finding]:
        """An error below the score; no answer is an error of the check, and never a pass."""
        if not hasattr(self.judge, "ask"):
            raise ConfigurationError("This rubric has no judge: use it in m.reply, or give it one.")
        critique = await cast("Judge", self.judge).ask(
            Question(
                prompt="critique_draft",
                values={"question": Ours(reply.query or "(none)"), "rubric": Ours(self.rubric)},
                untrusted=split_pieces(reply.text, name="draft"),
                answer=Critique,
                purpose="score a reply by a rubric",
                spend=self.spend,
            )
        )
        if critique is None or not critique.readable:
            raise TimeoutError("the judge gave no answer")
        return [] if critique.accepts(at=self.at_least) else [self._build_finding(critique)]

    def _build_finding(self, critique: Critique) -> Finding:
        issues = Quoted("; ".join(critique.issues), "a judge").as_line() if critique.issues else ""
        fix = Quoted(critique.suggestion, "a judge").as_line() if critique.suggestion else None
        return Finding(
            rule="rubric.low_score",
            severity=self.severity,
            issue=f"A judge gives it {critique.score:g} of {BEST_SCORE:g} for {self.rubric!r}, "
            f"and {self.at_least:g} are needed. {issues}".rstrip(),
            correction=fix,
            source=Source.JUDGE,
        )


@register_reply_check
def rubric(
    *,
    rubric: str,
    at_least: int = GOOD_ENOUGH,
    judge: object = None,
    severity: Severity = Severity.ERROR,
) -> TextCheck:
    """Flag a reply to which a judge gives fewer of ten points for what a rubric names."""
    if at_least > BEST_SCORE:
        raise ConfigurationError(f"at_least is {at_least!r}; scores go from 0 to 10.")
    if not rubric.strip():
        raise ConfigurationError("rubric is empty; say what makes a reply good.")
    scores = Rubric(rubric=rubric, at_least=at_least, severity=severity, judge=judge)
    # An async function as any other of a user's: what runs checks waits for its answer.
    look = cast("Callable[[Reply], Iterable[Finding]]", scores)
    return TextCheck(name="rubric", look=look, asks=f"It is scored by this: {rubric}")


def bind_rubrics(
    checks: Sequence[Check[Reply]],
    *,
    open_judge: Callable[[object], object],
    spend: Spend | None,
) -> Sequence[Check[Reply]]:
    """The same checks, whose rubrics have their judge opened, and say what they take."""

    if not any(isinstance(getattr(check, "look", None), Rubric) for check in checks):
        return checks

    def bind(check: Check[Reply]) -> Check[Reply]:
        scores: object = check.look if isinstance(check, TextCheck) else None
        if not isinstance(check, TextCheck) or not isinstance(scores, Rubric):
            return check
        bound = replace(scores, judge=open_judge(scores.judge), spend=spend or scores.spend)
        return replace(check, look=bound)

    return [bind(check) for check in checks]
