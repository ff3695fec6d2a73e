"""What a lesson may do by way of a suggestion, and beside each the call it must not make."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from mulligan.learning.scope import asks_for_other, find_scope_changes, is_named
from mulligan.types.effect import Effect
from mulligan.types.lesson import Earlier, FailedCall, How, Prerequisite, Remedy, Transformation
from tests.learning.cases import changing, made
from tests.learning.failures import TEXT, failed, obj

NAMES = {"type": "array", "items": {"type": "string"}}
FOUND = Earlier(tool="find", arguments={"q": "Berlin"}, result={"code": "BER"})
SEVERAL = Earlier(tool="find", arguments={"q": "Berlin"}, result=[{"code": "BER"}, {"code": "SXF"}])
SEEN = {"tool": "find", "in": "result", "key": "code", "at": 0}


def keeps(
    remedy: Remedy, arguments: Mapping[str, object], schema: Mapping[str, object], **others: object
) -> bool:
    call: FailedCall = failed(arguments, schema=schema, **others)  # type: ignore[arg-type]
    return find_scope_changes(remedy, call) == []


def test_a_list_of_one_is_the_same_where_a_list_is_wanted() -> None:
    wrap = changing(made("names", How.LIST))

    assert keeps(wrap, {"names": "ann"}, obj(names=NAMES))
    assert keeps(wrap, {"names": "ann"}, obj(names={"anyOf": [NAMES, {"type": "null"}]}))
    assert not keeps(wrap, {"names": None}, obj(names=NAMES))
    assert not keeps(wrap, {"names": "ann"}, obj(names=TEXT))
    for several in ("ann, bob", "ann\nbob", "['ann']"):
        assert not keeps(wrap, {"names": several}, obj(names=NAMES))


def test_without_a_schema_the_error_says_whether_a_list_is_wanted() -> None:
    wrap = changing(made("names", How.LIST))
    listed = (
        "1 validation error for Call\nnames\n"
        "  Input should be a valid list [type=list_type, input_value='ann', input_type=str]"
    )

    assert keeps(wrap, {"names": "ann"}, {}, error=listed)
    assert not keeps(wrap, {"names": "ann"}, {}, error="names: refused")


def test_an_argument_that_was_meant_is_not_left_out_also_if_the_tool_does_not_have_it() -> None:
    drop = changing(made("day", How.DROP))
    unknown = "unexpected keyword argument 'day'"

    assert keeps(drop, {"day": ""}, obj(query=TEXT), error=unknown)
    usual = obj(day={**TEXT, "default": "any"})
    assert keeps(drop, {"day": "any"}, usual, error="day is refused")
    assert not keeps(drop, {"day": "any"}, usual, error="refused")
    assert not keeps(drop, {"day": "friday"}, obj(query=TEXT), error=unknown)
    assert not keeps(drop, {"day": True}, {}, error=unknown)
    assert not keeps(drop, {"day": False}, {}, error=unknown)
    assert not keeps(drop, {"day": "friday"}, obj(day=TEXT), error="nothing found")
    assert not keeps(drop, {"day": "friday"}, obj("day", day=TEXT), error=unknown)
    assert not keeps(drop, {"day": "friday"}, {}, error="nothing found")


def test_an_empty_argument_goes_only_if_it_is_not_required_and_the_error_names_it() -> None:
    drop = changing(made("day", How.DROP))

    assert keeps(drop, {"day": None}, obj(day=TEXT), error="day is no date")
    assert not keeps(drop, {"day": None}, obj(day=TEXT), error="nothing found")
    assert not keeps(drop, {"day": None}, obj("day", day=TEXT), error="day is no date")


def test_a_part_stands_for_the_whole_only_where_the_rest_is_said_elsewhere() -> None:
    last = made("file", How.PART, sign="/", at=-1)
    first = made("file", How.PART, sign="/", at=0)
    entering = Prerequisite(
        tool="cd", arguments=(made("folder", How.PART, of="file", sign="/", at=0),)
    )
    schema = obj(file=TEXT, source=TEXT)

    assert keeps(Remedy(changes=(last,), first=(entering,)), {"file": "a/b.txt"}, schema)
    assert keeps(changing(first), {"file": "a/b.txt", "source": "b.txt"}, schema)
    assert not keeps(changing(last), {"file": "a/b.txt"}, schema)
    assert not keeps(changing(first), {"file": "a/b.txt", "source": "c.txt"}, schema)


def test_no_word_of_a_question_or_a_command_is_touched() -> None:
    for name in ("query", "sql_statement", "command", "code"):
        schema = obj(**{name: TEXT})
        for how, given in (
            (How.PART, {"sign": " ", "at": 0}),
            (How.CASE, {"case": "lower"}),
            (How.PREFIX, {"without": "'"}),
            (How.FORMAT, {"form": "plain"}),
        ):
            assert not keeps(changing(made(name, how, **given)), {name: "sleep 5"}, schema)
    assert keeps(
        changing(made("zip_code", How.COERCE, to="string")), {"zip_code": 1}, obj(zip_code=TEXT)
    )


def test_letters_around_a_value_must_be_stated_here_and_now() -> None:
    prefix = changing(made("order", How.PREFIX, text="ORD-"))

    assert keeps(prefix, {"order": "7"}, obj(order=TEXT), error="an order begins with ORD-")
    assert not keeps(prefix, {"order": "7"}, obj(order=TEXT), error="not found")
    assert keeps(changing(made("order", How.PREFIX, text="#")), {"order": "7"}, obj(order=TEXT))


@pytest.mark.parametrize(
    "sign",
    [
        made("delta", How.PREFIX, text="-"),
        made("delta", How.PREFIX, without="-"),
        made("delta", How.PREFIX, text="!"),
        made("delta", How.PREFIX, text="~"),
        made("delta", How.PREFIX, text="../"),
        made("delta", How.SUFFIX, text="*"),
        made("delta", How.SUFFIX, text="/../"),
        made("delta", How.PREFIX, text="not_"),
        made("delta", How.PREFIX, text="@"),
    ],
)
def test_a_sign_that_means_something_is_another_request(sign: Transformation) -> None:
    text = str(sign.given.get("text") or sign.given.get("without"))
    stated = f"no {text}77 here, {text} and so on"

    assert not keeps(changing(sign), {"delta": "-77"}, obj(delta=TEXT), error=stated)
    assert asks_for_other(changing(sign), stated=stated)


def test_a_harmless_sign_goes_where_somebody_asks_for_it() -> None:
    at = changing(made("name", How.PREFIX, text="@"))

    assert keeps(at, {"name": "ann"}, obj(name=TEXT), error="a name starts with '@'")
    assert not asks_for_other(at, stated="a name starts with '@'")


@pytest.mark.parametrize(
    ("remedy", "other"),
    [
        (changing(made("order", How.PREFIX, text="#")), False),
        (changing(made("order", How.PREFIX, text="ORD-")), False),
        (changing(made("day", How.FORMAT, form="%Y-%m-%d")), False),
        (changing(made("ids", How.FROM_ARGUMENT, of="id_list"), made("id_list", How.DROP)), False),
        (changing(made("ids", How.FROM_ARGUMENT, of="keep_ids"), made("keep_ids", How.DROP)), True),
        (changing(made("dry_run", How.DROP)), True),
        (changing(made("query", How.PART, sign=" ", at=0)), True),
        (changing(made("price", How.SCALE, by=100)), True),
        (changing(made("price_cents", How.SCALE, by=100)), False),
        (changing(made("room", How.FROM_TURN, tool="find", holds="x")), True),
    ],
)
def test_what_asks_for_something_else_whatever_the_call_is_known_before_there_is_one(
    remedy: Remedy, other: bool
) -> None:
    assert asks_for_other(remedy, stated="refused") is other


@pytest.mark.parametrize("name", ["ids_to_keep", "except_ids", "not_ids", "parent_ids"])
def test_a_value_does_not_move_under_a_name_that_means_something_else(name: str) -> None:
    move = changing(made("ids", How.FROM_ARGUMENT, of=name), made(name, How.DROP))

    assert not keeps(move, {name: ["a"]}, obj(ids=NAMES), effect=Effect.READ)


def test_what_changes_something_is_not_told_less_than_was_asked_for() -> None:
    move = changing(made("ids", How.FROM_ARGUMENT, of="beta_ids"), made("beta_ids", How.DROP))

    assert keeps(move, {"beta_ids": ["a"]}, obj(ids=NAMES), effect=Effect.READ)
    assert not keeps(move, {"beta_ids": ["a"]}, obj(ids=NAMES), effect=Effect.REVERSIBLE)


def test_no_sign_leads_to_another_place() -> None:
    up = made("path", How.PREFIX, text="../")

    assert not keeps(changing(up), {"path": "plans"}, obj(path=TEXT))
    assert keeps(changing(made("channel", How.PREFIX, without="#")), {"channel": "#a"}, {})


def test_only_what_is_missing_is_completed() -> None:
    fill = changing(made("unit", How.CONSTANT, value="m"))
    own = obj(unit={"type": "string", "default": "m"})

    assert keeps(fill, {}, own)
    assert keeps(fill, {}, obj(unit=TEXT), error="missing required parameter: unit")
    assert not keeps(fill, {"unit": "km"}, own, error="unit is refused")
    assert not keeps(fill, {}, obj(unit=TEXT), error="refused")


def test_where_and_how_much_are_nobodys_to_fill_in() -> None:
    fill = changing(made("path", How.CONSTANT, value="/"))

    assert not keeps(fill, {}, obj(path=TEXT), error="missing required parameter: path")


def test_a_number_becomes_a_stated_bound_unless_it_is_how_much_or_was_said() -> None:
    clamp = changing(made("limit", How.FROM_ERROR, what="number", at=0))
    error = "limit must be at most 10"
    schema = obj(limit={"type": "integer"}, amount={"type": "integer"})

    assert keeps(clamp, {"limit": 50}, schema, error=error)
    assert not keeps(clamp, {"limit": 50}, schema, error=error, said=["give me 50 of them"])
    pay = changing(made("amount", How.FROM_ERROR, what="number", at=0))
    assert not keeps(pay, {"amount": 50}, schema, error="amount: at most 10")


def test_a_word_becomes_the_one_it_nearly_is_and_never_another_of_a_list() -> None:
    pick = changing(made("room", How.FROM_ERROR, what="quoted", at=-1))

    assert keeps(pick, {"room": "genral"}, obj(room=TEXT), error="did you mean 'general'?")
    assert not keeps(pick, {"room": "sales"}, obj(room=TEXT), error="there are 'a' and 'general'")


def test_a_value_of_the_turn_is_what_a_lookup_of_this_very_value_gave() -> None:
    seen = changing(made("city", How.FROM_TURN, **SEEN, asked="city"))
    schema = obj(city=TEXT)

    assert keeps(seen, {"city": "Berlin"}, schema, earlier=[FOUND])
    assert not keeps(seen, {"city": "Berlin"}, schema, earlier=[SEVERAL])
    other = changing(made("city", How.FROM_TURN, **SEEN))
    assert not keeps(other, {"city": "Paris"}, schema, earlier=[FOUND])
    assert keeps(other, {"city": ""}, schema, earlier=[FOUND])


def test_a_figure_of_the_agents_own_is_fitted_and_the_persons_is_not() -> None:
    less = changing(made("litres", How.FROM_TURN, **SEEN, less=True))
    call = {"litres": 50}

    assert keeps(less, call, obj(litres={"type": "number"}), said=["fill it up"])
    assert not keeps(less, call, obj(litres={"type": "number"}), said=["fill in 50 litres"])


def test_a_token_is_not_what_is_asked_for() -> None:
    fresh = changing(made("access_token", How.FROM_TURN, **{**SEEN, "key": "token"}))
    logged_in = Earlier(tool="find", result={"token": "new"})

    assert keeps(fresh, {"access_token": "old"}, obj(access_token=TEXT), earlier=[logged_in])


def test_another_unit_is_the_same_only_where_a_unit_is_spoken_of() -> None:
    scale = changing(made("wait", How.SCALE, by=1_000))
    schema = obj(wait={"type": "number", "description": "in milliseconds"})

    assert keeps(scale, {"wait": 2}, schema)
    assert not keeps(scale, {"wait": 2}, obj(wait={"type": "number"}), error="too small")


def test_a_value_moves_under_its_name_and_is_not_copied_from_another() -> None:
    move = changing(made("order_id", How.FROM_ARGUMENT, of="id"), made("id", How.DROP))

    assert keeps(move, {"id": "7"}, obj(order_id=TEXT))
    assert not keeps(move, {"id": "7", "order_id": "8"}, obj(order_id=TEXT))
    assert not keeps(move, {"id": "7"}, obj(order_id=TEXT, id=TEXT))


@pytest.mark.parametrize(
    ("error", "named"),
    [
        ("day is no date", True),
        ("'friday' is no date", True),
        ("today is no date", False),
        ("fridays are no dates", False),
    ],
)
def test_an_error_names_an_argument_by_its_name_or_by_its_value(error: str, named: bool) -> None:
    call = replace(failed({"day": "friday"}), error=error)

    assert is_named(call, "day") is named
