"""What is kept for later: evidence, findings, reviews, replies, and values with their types."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

from mulligan import Mulligan
from mulligan.codec import LostValue, LostValueError
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.live_action import LiveAction
from mulligan.runtime.payloads import (
    LONGEST,
    MOST,
    MOST_EVIDENCE,
    MOST_RECORDED,
    Rejection,
    decode_executions,
    decode_history,
    decode_turn,
    keep_findings,
    keep_review,
    load_findings,
    load_reviews,
    pack_evidence,
    pack_reply,
    unpack_reply,
)
from mulligan.stores.opening import open_store
from mulligan.types.action import Opening
from mulligan.types.call import Call, Execution, Outcome, Record
from mulligan.types.effect import Effect
from mulligan.types.finding import Confidence, Fact, Finding, Severity, Standing, Verdict
from mulligan.types.interfaces import Vault
from mulligan.types.reply import Reply
from mulligan.types.turn import History, Speaker, Turn, Utterance
from tests.world import Worlds, moves

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)
TURN = Turn(id="t1", message="Move dinner", now=NOW, agent="desk", tenant="acme")


def made(number: int, result: object) -> Execution:
    call = Call(id=f"c{number}", tool="find", arguments={"n": number}, agent="desk", tenant="acme",
                turn="t1")  # fmt: skip
    return Execution(
        call=call, outcome=Outcome.SUCCESS, at=NOW, duration=timedelta(), result=result
    )


def test_a_late_review_gets_the_turn_and_its_calls_as_they_were() -> None:
    packed = pack_evidence(TURN, [made(1, {"day": "Friday"})], earlier=[made(2, [3])])

    assert decode_turn(packed) == TURN
    assert list(decode_executions(packed)) == [made(1, {"day": "Friday"})]
    assert list(decode_executions(packed, part="earlier")) == [made(2, [3])]


def test_what_does_not_fit_is_left_out_from_the_beginning() -> None:
    packed = pack_evidence(TURN, [made(n, "x" * 100_000) for n in range(5)])

    assert len(packed) < MOST_EVIDENCE + 1_000
    assert [each.call.id for each in decode_executions(packed)] == ["c3", "c4"]


def test_what_is_no_json_becomes_text_and_the_rest_stays_exact() -> None:
    packed = pack_evidence(TURN, [made(1, object), made(2, "\ud800"), made(3, 2**80)])

    first, second, third = decode_executions(packed)
    assert "object" in str(first.result)
    # Compared as bytes: a lone surrogate cannot even be reported.
    assert str(second.result).encode("utf-8", "surrogatepass") == b"\xed\xa0\x80"
    assert third.result == 2**80


class Refusing:
    """A result of somebody's own that can be neither printed nor gone through."""

    def __repr__(self) -> str:
        raise ZeroDivisionError("no repr")

    def model_dump(self, **_: object) -> object:
        raise LookupError("no dump")


@pytest.mark.parametrize(
    "result", [Refusing(), [Refusing()], {Refusing(): 1}, {"a": {"b": Refusing()}}]
)
def test_a_result_that_cannot_even_be_printed_is_named_and_the_rest_is_kept(result: object) -> None:
    packed = pack_evidence(TURN, [made(1, "kept"), made(2, result)])

    first, second = decode_executions(packed)

    assert first.result == "kept"
    assert "cannot be shown" in str(second.result)


def test_a_late_review_knows_the_conversation_its_instructions_and_what_is_missing() -> None:
    said = Utterance(by=Speaker.PERSON, text="Find dinner")
    history = History([said, made(1, {"id": "evt_1"})], whole=False)
    history.add_instructions("The calendar is cal_7.")

    back = decode_history(pack_evidence(TURN, [], history=history), TURN)

    assert (back.said, back.instructions) == (("Find dinner",), ("The calendar is cal_7.",))
    assert back.executions == (made(1, {"id": "evt_1"}),)
    assert back.is_partial


def test_of_a_long_conversation_the_newest_is_kept_and_the_rest_counted() -> None:
    long = [Utterance(by=Speaker.PERSON, text=f"{n} " * 10_000) for n in range(9)]

    back = decode_history(pack_evidence(TURN, [], history=History(long)), TURN)

    assert back.said[-1].startswith("8 ")
    assert back.left_out == 9 - len(back.said) > 0


ENDS = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
OPENING = Opening(tool="move", effect=Effect.REVERSIBLE)
FINDING = Finding(
    rule="date.wrong_weekday", severity=Severity.ERROR, issue="They said 'for Anna's birthday'."
)


@pytest.fixture
def vault():
    return open_store("memory:").vault


def test_it_reads_as_its_rules_and_no_word_more() -> None:
    why = Rejection([FINDING, FINDING])

    assert why == "date.wrong_weekday"
    assert "birthday" in why.found


def stand(action: str, *, at: int, opening: Opening = OPENING) -> LiveAction:
    """An action with so many entries."""
    undeclared = Declaration(tool=opening.tool, effect=opening.effect)
    record = Record(arguments={})
    return LiveAction(
        id=action,
        opening=opening,
        declaration=undeclared,
        record=record,
        opened_at=NOW,
        version=at,
    )


def test_what_was_found_is_kept_with_each_action_until_that_ends(vault) -> None:
    kept = keep_findings(
        Rejection([FINDING]), [stand("a", at=2), stand("b", at=4)], scrub=str.upper, until=ENDS
    )
    for each in kept:
        vault.put(each)

    assert [each.expires_at for each in kept] == [None, None]
    assert "BIRTHDAY" in str(load_findings(vault, "a", opening=OPENING, version=3))
    assert load_findings(vault, "a", opening=OPENING, version=5) is None


def test_of_a_bulk_it_is_kept_once(vault) -> None:
    element = Opening(**{**asdict(OPENING), "parent": "bulk"})
    until = datetime.now(UTC) + timedelta(days=90)

    bulk = [stand("a", at=2, opening=element), stand("b", at=2, opening=element)]

    kept = keep_findings(Rejection([FINDING]), bulk, scrub=str, until=until)
    for each in kept:
        vault.put(each)

    assert [(each.owner, each.expires_at) for each in kept] == [("bulk", until)]
    assert load_findings(vault, "b", opening=element, version=3)


def quoting(attempted: object) -> list[Finding]:
    return [FINDING]


async def test_the_journal_names_the_rules_and_the_surfaces_what_was_found(
    worlds: Worlds, tmp_path: Path
) -> None:
    world = await worlds(f"sqlite:///{tmp_path}/family.db", checks=[quoting])
    await world.act(moves(world, "2026-11-20", "2026-11-21"))
    with sqlite3.connect(tmp_path / "family.db") as database:
        bodies = [body for (body,) in database.execute("select body from entry")]
        names = [name for (name,) in database.execute("select id from action")]

    stories = [str(world.m.insights.open_list.read_story(name).entries) for name in names]

    assert any("date.wrong_weekday" in body for body in bodies)
    assert not any("birthday" in body for body in bodies)
    assert any("birthday" in story for story in stories)


TODAY = datetime.now(UTC).replace(microsecond=0)
FOUND = Finding(
    rule="date.not_as_said", severity=Severity.ERROR, issue="It is Thursday.", correction="Friday!"
)


def build(number: int = 1, *, late: bool = False, told: str = "", **about: object) -> dict:
    said: dict = {"standing": Standing.ACCEPTED, "confidence": Confidence.HIGH, "by": ("checks",)}
    verdict = Verdict(**(said | about))
    return {"verdict": verdict, "turn": "t", "attempt": number, "told": told, "late": late}


def keep(vault: Vault, reviewed: dict, *, minutes: int = 0, days: int = 7) -> None:
    at = TODAY + timedelta(minutes=minutes)
    vault.put(keep_review(**reviewed, at=at, until=at + timedelta(days=days), scrub=str.upper))


def test_each_attempt_has_its_review_in_order_and_the_late_one_comes_last(vault) -> None:
    keep(vault, build(1, standing=Standing.REJECTED, findings=(FOUND,)))
    keep(vault, build(2, told="Try again"), minutes=1)
    keep(vault, build(1, late=True, standing=Standing.UNREVIEWED, confidence=None), minutes=2)

    first, second, late = load_reviews(vault, "t", attempts=2)

    assert (first.standing, first.findings[0].issue, first.findings[0].correction) == (
        "rejected", "IT IS THURSDAY.", "FRIDAY!",
    )  # fmt: skip
    assert (second.attempt, second.told, second.confidence) == (2, "TRY AGAIN", "high")
    assert (late.late, late.confidence) == (True, "")


def test_what_is_said_is_cut(vault) -> None:
    long = "x" * (LONGEST + 500)
    fact = Fact(kind="k", subject="s", value="v", about=long)
    keep(vault, build(findings=(FOUND,) * (MOST + 5), facts=(fact,) * (MOST + 5)))

    [review] = load_reviews(vault, "t", attempts=1)

    assert (len(review.findings), len(review.facts), len(review.facts[0])) == (MOST, MOST, LONGEST)


def test_it_ends(vault) -> None:
    keep(vault, build(), days=-1)

    assert load_reviews(vault, "t", attempts=1) == []


def test_a_context_that_is_too_large_is_cut_from_its_end():
    asked = Reply(text="", query="q", context=("first", "x" * MOST_RECORDED, "last"))

    recording = unpack_reply(pack_reply(asked, ("reply",)))

    assert recording.context == ("first",)
    assert recording.tries == ("reply",)


def test_text_that_has_no_bytes_costs_a_character():
    recording = unpack_reply(pack_reply(Reply(text="", query="\ud800"), ("\udfff!",)))

    assert (recording.query, recording.tries) == ("?", ("?!",))


def test_a_result_that_is_lost_is_taken_for_no_other() -> None:
    lost = LostValue()

    for use in (
        str,
        bool,
        list,
        len,
        hash,
        lambda it: it.id,
        lambda it: it["id"],
        lambda it: it == 1,
    ):
        with pytest.raises(LostValueError, match="Return plain data"):
            use(lost)  # type: ignore[operator]


@dataclass
class Size:
    litres: int


@pytest.mark.full
async def test_what_is_annotated_and_what_is_not_come_back_side_by_side(tmp_path: Path) -> None:
    got: list[object] = []

    def declare(m: Mulligan) -> Any:
        def order(size: Size, price, lines, day: date):  # type: ignore[no-untyped-def]
            got.append((size, price, lines, day))
            return "ordered"

        order.__annotations__ = {"size": Size, "day": date}
        return m.tool(effect=Effect.IRREVERSIBLE)(order)

    given = (Size(3), Decimal("1.10"), {7: 2}, "2026-11-20")
    with Mulligan(f"sqlite:///{tmp_path}/a.db", recover=False) as m:
        order = declare(m)
        done = await m.act("Order", lambda _: str(order(*given)))
    with Mulligan(f"sqlite:///{tmp_path}/a.db", recover=False) as m:
        declare(m)
        m.insights.open_list.approve(done.open_actions[0], by="Ann")
        await m.recover()

    assert got == [given]
