from msgspec.structs import replace

from mulligan_gateway.shared_state import QuestionedCall, Questions

CALL = QuestionedCall(principal="ann", tool="pay", arguments={"amount": 9})


def test_an_answer_counts_once_and_for_the_very_same_call():
    questions = Questions()
    name = questions.ask(CALL)

    others = [
        replace(CALL, principal="bob"),
        replace(CALL, tool="send"),
        replace(CALL, arguments={"amount": 99}),
        replace(CALL, arguments={"amount": "9"}),
    ]

    assert [questions.take_answer(name, each) for each in others] == [False] * 4
    assert questions.take_answer("", CALL) is False
    assert questions.take_answer(name, CALL) is True
    assert questions.take_answer(name, CALL) is False


def test_questions_that_nobody_answers_are_forgotten_the_oldest_first():
    questions = Questions(most=2)
    first, second, third = (questions.ask(CALL) for _ in range(3))

    assert questions.take_answer(first, CALL) is False
    assert questions.take_answer(second, CALL) is True
    assert questions.take_answer(third, CALL) is True


def test_a_call_that_cannot_be_written_exactly_is_told_apart_all_the_same():
    questions = Questions()
    odd = replace(CALL, arguments={"amount": float("nan")})

    assert questions.take_answer(questions.ask(odd), CALL) is False
