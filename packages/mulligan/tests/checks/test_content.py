"""Checks of what a reply consists of, from a file too."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mulligan import Mulligan
from mulligan.checks.content import json_schema, pii, regex, rubric
from mulligan.checks.file import make_checks, read_table
from mulligan.loops.replies import ReplyRules, load_reply_rules, write_reply
from mulligan.types.display import Question
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity, Source, Standing
from mulligan.types.reply import Critique, OnFail, Reply, Written
from tests.checks.replies import findings, rules

BOAT = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "seats": {"type": "integer", "minimum": 1}},
    "required": ["name"],
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"name": "Heron", "seats": 4}', []),
        ('```json\n{"name": "Heron"}\n```', []),
        ("The Heron.", ["json.unreadable"]),
        ('Here it is: {"name": "Heron"}', ["json.unreadable"]),
        ('{"seats": 0}', ["json.schema", "json.schema"]),
        ("[" * 100_000, ["json.unreadable"]),
    ],
)
def test_a_reply_is_json_of_a_schema(text: str, found: list[str]) -> None:
    assert rules(json_schema(schema=BOAT), text) == found


def test_what_is_wrong_with_json_is_said_with_its_place() -> None:
    (finding,) = findings(json_schema(schema=BOAT), '{"name": "Heron", "seats": "four"}')

    assert "seats" in finding.issue
    assert "four" in finding.issue
    with pytest.raises(ConfigurationError, match="is not a JSON Schema"):
        json_schema(schema={"type": "boat"})
    with pytest.raises(ConfigurationError, match="cannot be read"):
        json_schema(schema="none.json")


def test_a_pattern_must_be_there_or_must_not() -> None:
    wanted, unwanted = regex(pattern=r"Order \d{4}"), regex(pattern=r"(?i)internal", absent=True)

    assert rules(wanted, "Order 1234 is on its way.") == []
    assert rules(wanted, "It is on its way.") == ["text.no_match"]
    (finding,) = findings(unwanted, "This is INTERNAL, you know.")
    assert (finding.rule, finding.quote) == ("text.match", "This is INTERNAL, you know.")
    assert regex(pattern="x", says="Name the order.").asks == "Name the order."
    with pytest.raises(ConfigurationError, match="is not a pattern"):
        regex(pattern="(")


PERSONAL = {
    "email": "Write to ann@example.com.",
    "phone": "Call +1 (555) 010-9999.",
    "card": "Her card is 4111 1111 1111 1111.",
    "iban": "Pay to GB82 WEST 1234 5698 7654 32.",
}


@pytest.mark.parametrize("kind", PERSONAL)
def test_personal_data_is_found_and_never_quoted(kind: str) -> None:
    (finding,) = findings(pii(), PERSONAL[kind])

    assert finding.rule == f"pii.{kind}"
    assert not any(word in str(finding) for word in ("ann@", "010-9999", "4111", "WEST"))
    others = [each for each in PERSONAL if each != kind]
    assert rules(pii(kinds=others), PERSONAL[kind]) == []


def test_what_is_no_persons_passes() -> None:
    own = pii(allow=["info@acme.com", "+49 30 1234567"])

    assert rules(own, "Write to Info@acme.com, or call 030 1234567.") == []
    assert rules(pii(), "It costs 4111 EUR, order 1234 5678 of 2027-05-03 at 14:30.") == []
    assert pii().on_fail is OnFail.FALLBACK


PHONES = """Call us on +49 30 1234567, any time. | Ring 555.123.4567 now | My number is 2125551234
电话：13812345678，请打。 | 03-1234-5678まで | Mobile 07700900123, ok | 212-555-1234x12
sms 12345678
me+493012345678 | हमें ९८७६५४३२१० पर कॉल करें"""
NO_PHONES = """Order 4711000123 is paid. | ISBN 978-3-16-148410-0 | in 2019-2023
IP 192.168.100.100
1.234.567,89 EUR | 1600000000 seconds | It was 4711000123. Call us."""


def test_a_phone_number_is_found_however_it_is_written() -> None:
    said, others = (each.replace("\n", " | ").split(" | ") for each in (PHONES, NO_PHONES))

    assert [each for each in said if rules(pii(), each) != ["pii.phone"]] == []
    assert [each for each in others if rules(pii(), each)] == []
    assert rules(pii(allow=["2125551234"]), "My number is 2125551234") == []


SPELLED = """Call five five five, one two three four | It is five-five-five one-two-one-two.
Oh seven double seven 900 one two three four five | null eins fünf eins zwo drei vier vier fünf"""
NOT_SPELLED = """One two three four five six seven, go!
nine eight seven six five four three two one | one or two of four | five, six or seven times four
Take one, two, three or four of 1, 2, 3, 4, 5"""


def test_a_phone_number_in_words_is_found_and_counting_is_none() -> None:
    said, others = (each.replace("\n", " | ").split(" | ") for each in (SPELLED, NOT_SPELLED))

    assert [each for each in said if rules(pii(), each) != ["pii.phone"]] == []
    assert [each for each in others if rules(pii(), each)] == []
    assert rules(pii(allow=["555 1234 567"]), "five five five one two three four five 67") == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: pii(kinds=["passport"]),
        lambda: pii(kinds="phone"),
        lambda: pii(allow=3),
        lambda: regex(pattern=3),
        lambda: json_schema(schema=3),
        lambda: rubric(rubric=" "),
        lambda: rubric(rubric="Tone.", at_least="8"),
        lambda: rubric(rubric="Tone.", judge=3),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_a_sentence(make) -> None:
    with pytest.raises(ConfigurationError, match=r"There are|write|is empty"):
        make()


async def test_personal_data_is_never_sent_because_the_bound_is_reached() -> None:
    asked = ReplyRules(checks=[pii()], fallback="Please call the office.")

    replied = await write_reply(lambda told: PERSONAL["phone"], rules=asked)
    sent = await write_reply(
        lambda told: PERSONAL["phone"], rules=ReplyRules(checks=[pii().if_failed("retry")])
    )

    assert (replied.text, replied.withheld) == ("Please call the office.", "fallback")
    assert (sent.text, sent.bound_reached) == (PERSONAL["phone"], True)


@pytest.fixture
def shop(monkeypatch) -> None:
    module = ModuleType("shop_of_a_test")

    def british(reply: Reply) -> str | None:
        return "'color' is American." if "color" in reply.text else None

    async def waits(reply: Reply) -> Finding | None:
        return Finding(rule="own.slow", severity=Severity.ERROR, issue="Slow.")

    module.british, module.waits, module.number = british, waits, 3
    monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.usefixtures("shop")
async def test_a_file_has_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "boat.json").write_text(json.dumps(BOAT))
    file = tmp_path / "mine.toml"
    file.write_text(
        f"""
attempts = 1
[checks.boat]
kind = "json_schema"
schema = "{tmp_path}/boat.json"
[checks.inline]
kind = "json_schema"
schema = {{ type = "object", required = ["name"] }}
[checks.order]
kind = "regex"
pattern = 'Order \\d+'
severity = "warning"
[checks.pii]
kinds = ["email"]
on_fail = "hold"
[checks.british]
kind = "function"
call = "shop_of_a_test:british"
asks = "Write British English."
[checks.slow]
kind = "function"
call = "shop_of_a_test:waits"
"""
    )
    loaded = load_reply_rules(str(file))

    replied = await write_reply(lambda told: "The color of ann@example.com.", rules=loaded)

    assert {each.rule for each in replied.findings} == {
        "json.unreadable", "text.no_match", "pii.email", "check.british", "own.slow",
    }  # fmt: skip
    assert replied.withheld is OnFail.HOLD


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[checks.x]\nkind = "function"\ncall = "shop_of_a_test:none"', "cannot be loaded"),
        ('[checks.x]\nkind = "function"\ncall = "shop_of_a_test:number"', "int.*is no function"),
        ('[checks.pii]\nkinds = ["shoe size"]', "shoe size"),
        ("[checks.json_schema]\nschema = 3", "schema = 3"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_what_a_file_cannot_ask_for_is_named(tmp_path: Path, table: str, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(table)

    with pytest.raises(ConfigurationError, match=message):
        make_checks(read_table(file))


class Critic:
    """A judge with one critique for every question."""

    def __init__(self, critique: Critique | None) -> None:
        self.critique = critique
        self.questions: list[Question] = []

    async def ask(self, question: Question) -> Critique | None:
        self.questions.append(question)
        return self.critique


async def test_a_judge_scores_a_reply_by_a_rubric() -> None:
    judge = Critic(Critique(score=5, issues=("It is curt.",), suggestion="Thank them."))
    asked = ReplyRules(checks=[rubric(rubric="Is it polite?", judge=judge)], attempts=2)
    told: list[str] = []

    replied = await write_reply(
        lambda feedback: told.append(f"{feedback}") or "No.", rules=asked, query="Ship?"
    )

    (finding,) = replied.findings
    assert (finding.rule, finding.source) == ("rubric.low_score", Source.JUDGE)
    assert all(said in told[1] for said in ("5 of 10", "Is it polite?", "It is curt.", "Thank"))
    (question, _) = judge.questions
    assert question.values["rubric"] == "Is it polite?"
    assert question.untrusted["draft 1"] == "No."


@pytest.mark.parametrize(
    ("critique", "standing"),
    [
        (Critique(score=8), Standing.ACCEPTED),
        (Critique(score=7.9), Standing.REJECTED),
        (Critique(score=5, needs_revision=False), Standing.ACCEPTED),
        (Critique(score=11), Standing.UNREVIEWED),
        (None, Standing.UNREVIEWED),
    ],
)
async def test_a_rubric_without_an_answer_is_no_pass(critique, standing) -> None:
    asked = ReplyRules(checks=[rubric(rubric="Polite?", judge=Critic(critique))], attempts=1)

    replied = await write_reply(lambda told: "No.", rules=asked)

    assert replied.standing is standing


async def test_the_applications_judge_scores_and_what_it_takes_counts(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('attempts = 1\n[checks.rubric]\nrubric = "Polite?"\nat_least = 6\n')

    def judge(prompt: str) -> Written:
        return Written(text='{"score": 6}', tokens=100)

    async with Mulligan("memory:", judge=judge) as m:
        good = await m.reply(lambda told: "No.", rules=str(file))
    async with Mulligan("memory:") as m:
        alone = await m.reply(lambda told: "No.", rules=str(file))

    assert (good.standing, good.tokens) == (Standing.ACCEPTED, 100)
    assert alone.standing is Standing.UNREVIEWED
