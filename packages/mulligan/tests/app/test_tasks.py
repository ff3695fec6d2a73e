"""Tasks as an application runs them: what the reflector sees, what it costs, what is refused."""

from __future__ import annotations

import asyncio
import random
import re
from datetime import timedelta

import pytest

from mulligan import Budget, Experience, Mulligan, Ran, Refinement, Reflect, Task
from mulligan.types.display import Question
from mulligan.types.errors import ConfigurationError, RunningLoopError
from mulligan.types.events import NotesRejected, TaskReflected
from mulligan.types.finding import Standing
from mulligan.types.task import TaskCase

NOTES = '{"suggestions": ["State the total first."]}'


class Reflector:
    """A judge that proposes notes, and keeps what it was asked."""

    name = "reflector"

    def __init__(self, answer: str = NOTES) -> None:
        self.prompts: list[str] = []
        self._answer = answer

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self._answer


class Metered:
    """A judge that reports what each answer took."""

    async def ask(self, question: Question[Refinement]) -> Refinement:
        question.spend(tokens=40)
        return Refinement(suggestions=("State the total first.",))


def summarise(prompt: str) -> str:
    return "Total: 12 orders."


def task(**about: object) -> Task:
    given = {"gate": "accept", **about}
    return Task(description="Summarise the orders.", reflect=Reflect(**given))


async def test_an_event_tells_what_the_owner_wrote_and_all_of_the_notes():
    events: list[TaskReflected] = []

    async with Mulligan("memory:", judge=Reflector()) as m:
        m.subscribe(lambda event: events.append(event) if type(event) is TaskReflected else None)
        await m.run_task(task(), summarise)

    [event] = events
    assert event.original == "Summarise the orders."
    assert event.notes == Refinement(suggestions=("State the total first.",))


async def test_past_its_tokens_a_run_does_not_reflect():
    spent = Task(description="Sum.", reflect=Reflect(gate="accept"), budget=Budget(tokens=100))

    async with Mulligan("memory:", judge=Metered()) as m:
        done = await m.run_task(spent, lambda _: Ran(output="x", tokens=100))

    assert (done.tokens, done.limit) == (100, "tokens")


async def test_what_a_judge_takes_counts_against_the_budget():
    bound = Task(description="Sum.", reflect=Reflect(gate="accept"), budget=Budget(tokens=120))

    async with Mulligan("memory:", judge=Metered()) as m:
        done = await m.run_task(bound, lambda _: Ran(output="x", tokens=100))

    assert (done.tokens, done.limit) == (140, "tokens")


@pytest.mark.parametrize(
    "wrong",
    [
        {"strategy": 3},
        {"score": "good"},
        {"judge": 3},
        {"judge": ["openai:gpt"]},
        {"most_notes": -1},
        {"most_notes": "all"},
        {"most_tokens": -1},
        {"most_cost": 0},
        {"most_cost": "dear"},
        {"paired": "yes"},
        {"background": 1},
        {"strategy": lambda: None},
        {"score": lambda one, two: 1.0},
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_at_once(wrong):
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Reflect(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"checks": print},
        {"checks": [3]},
        {"id": 3},
        {"model": 3},
        {"expected_output": 3},
        {"description": " "},
    ],
)
def test_a_task_that_makes_no_sense_is_refused_at_once(wrong):
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Task(**{"description": "Sum.", **wrong})


async def test_what_is_no_task_and_findings_that_are_none_are_refused_with_a_sentence():
    async with Mulligan("memory:") as m:
        with pytest.raises(ConfigurationError, match=r"'Sum\.' is no task"):
            await m.run_task("Sum.", summarise)
    with pytest.raises(ConfigurationError, match="findings"):
        Ran(output="x", findings=("wrong",))


async def test_a_check_that_hangs_takes_no_longer_than_the_budget_of_its_run():
    async def hangs(output: object) -> None:
        await asyncio.Event().wait()

    bound = Task(
        description="Sum.", checks=(hangs,), budget=Budget(time=timedelta(milliseconds=30))
    )

    async with Mulligan("memory:") as m:
        async with asyncio.timeout(60):
            done = await m.run_task(bound, summarise)

    assert (done.verdict.standing, done.limit) == (Standing.UNREVIEWED, "time")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"suggestions": "State the total first."}, None),
        (Refinement(suggestions="State the total first."), None),
        ({"suggestion": ["State the total first."]}, "a dict with any of description"),
        ("State the total first.", "answered with a str"),
        (3, "answered with a int"),
    ],
    ids=repr,
)
async def test_a_strategy_answers_in_a_form_that_a_person_would_write_or_is_told(answer, told):
    events: list[object] = []

    async with Mulligan("memory:") as m:
        m.subscribe(events.append)
        await m.run_task(task(strategy=lambda experience: answer), summarise)

    notes = [each.notes for each in events if type(each) is TaskReflected]
    reasons = [each.reason for each in events if type(each) is NotesRejected]
    assert notes == ([] if told else [Refinement(suggestions=("State the total first.",))])
    assert (told in reasons[0]) if told else reasons == []


async def test_results_print_as_what_a_person_wants_to_read():
    async with Mulligan("memory:") as m:
        done = await m.run_task(task(strategy=lambda _: None, score=lambda _: 0.5), summarise)
        results = await m.evaluate_task(task(score=lambda _: 0.5), summarise, ["a", "b"])

    assert str(done) == "Total: 12 orders."
    assert [str(each) for each in results] == ["version 0: 0.50 (0.09 to 0.91 over 2 scored runs)"]


async def test_a_score_sees_the_input_of_its_run():
    seen: list[object] = []

    def score(output: object, input: object) -> float:  # noqa: A002 - the word of the field
        seen.append((output, input))
        return 1.0

    async with Mulligan("memory:") as m:
        done = await m.run_task(task(score=score), lambda prompt: prompt, input="orders: 3, 9")

    assert seen == [(done.output, "orders: 3, 9")]
    assert done.score == 1.0
    assert str(done.output).endswith("## Input\n\norders: 3, 9")


async def test_a_strategy_sees_the_input_and_may_answer_with_a_dict():
    seen: list[object] = []

    async def propose(experience: Experience) -> dict[str, object]:
        seen.append(experience.input)
        return {"suggestions": ["State the total first."]}

    async with Mulligan("memory:") as m:
        await m.run_task(task(strategy=propose), summarise, input="orders: 3, 9")
        done = await m.run_task(task(strategy=propose), summarise)

    assert seen[0] == "orders: 3, 9"
    assert "State the total first." in done.prompt


async def test_a_run_may_say_how_good_it_was():
    async with Mulligan("memory:") as m:
        done = await m.run_task(task(), lambda _: Ran(output="x", score=0.7))
        with pytest.raises(ConfigurationError, match="score"):
            Ran(output="x", score=7)

    assert done.score == 0.7


def test_a_program_without_a_loop_runs_a_task_too():
    with Mulligan("memory:", judge=Reflector()) as m:
        m.run_task_sync(task(background=True), summarise)
        done = m.run_task_sync(task(), summarise)

    assert "State the total first." in done.prompt


async def test_the_sync_form_holds_up_no_event_loop():
    with Mulligan("memory:") as m, pytest.raises(RunningLoopError, match="await m"):
        m.run_task_sync(task(), summarise)


class Scorer:
    """A judge that scores what it is shown, and has no notes to propose."""

    def __init__(self) -> None:
        self.asked: list[Question[object]] = []

    async def ask(self, question: Question[object]) -> object:
        if question.prompt != "score_task":
            return Refinement(suggestions=("State the total first.",))
        self.asked.append(question)
        question.spend(tokens=100)
        texts = "\n".join(question.untrusted.values())
        return question.answer(**dict(zip(("first", "second"), self._read(texts), strict=False)))

    def _read(self, texts: str) -> list[float]:
        return [float(each) for each in re.findall(r"worth (\S+)", texts)]


def worth(score: float) -> str:
    return f"a report worth {score}"


def expecting(**reflect: object) -> Task:
    return Task(description="Report.", expected_output="All figures.", reflect=Reflect(**reflect))


async def test_a_judge_scores_a_run_that_nothing_else_scores():
    judge = Scorer()

    async with Mulligan("memory:", judge=judge) as m:
        done = await m.run_task(expecting(), lambda _: worth(7.5), input="the figures")
        other = await m.run_task(expecting(), lambda _: Ran(output=worth(2), score=0.9))
        bare = await m.run_task(Task(description="Report.", reflect=True), lambda _: worth(5))

    assert (done.score, other.score, bare.score) == (0.75, 0.9, None)
    assert done.tokens == 100
    [asked] = judge.asked
    assert asked.values["expected_output"] == "All figures."
    assert "the figures" in "".join(asked.untrusted.values())


async def test_with_a_rubric_it_scores_what_checks_accept_and_not_what_they_reject():
    judge = Scorer()
    task = Task(
        description="Report.",
        checks=(lambda output: None if "worth" in output else "It has no worth.",),
        reflect=Reflect(rubric="Figures first."),
    )

    async with Mulligan("memory:", judge=judge) as m:
        good = await m.run_task(task, lambda _: worth(8))
        bad = await m.run_task(task, lambda _: "nothing")

    assert (good.score, bad.score) == (0.8, 0.0)
    assert [asked.values["rubric"] for asked in judge.asked] == ["Figures first."]


async def test_in_pairs_one_question_compares_both_outputs():
    judge = Scorer()

    def work(prompt: str) -> str:
        return worth(8 if "State the total first." in prompt else 6)

    async with Mulligan("memory:", judge=judge) as m:
        done = [await m.run_task(expecting(paired=True), work) for _ in range(40)]

    pairs = [each for each in judge.asked if "second output 1" in each.untrusted]
    firsts = {each.untrusted["first output 1"] for each in pairs}
    assert {each.score for each in done} == {0.6, 0.8}
    assert firsts == {worth(6), worth(8)}
    assert len(judge.asked) == 40


async def test_a_judge_that_scores_has_a_budget_of_its_own():
    judge = Scorer()
    task = expecting(judged=Budget(tokens=250))

    async with Mulligan("memory:", judge=judge) as m:
        scores = [(await m.run_task(task, lambda _: worth(5))).score for _ in range(5)]

    assert scores == [0.5, 0.5, 0.5, None, None]


@pytest.mark.parametrize("said", [11, -1, float("nan")])
async def test_a_score_beyond_the_scale_is_no_evidence(said):
    async with Mulligan("memory:", judge=Scorer()) as m:
        done = await m.run_task(expecting(), lambda _: worth(said))

    assert done.score is None


async def test_notes_that_help_get_half_of_the_runs_within_forty():
    chance = random.Random(1)

    def work(prompt: str) -> str:
        better = "State the total first." in prompt
        return worth(round(min(10, max(0, chance.gauss(7.5 if better else 6, 1.5)))))

    async with Mulligan("memory:", judge=Scorer()) as m:
        versions = [(await m.run_task(expecting(), work)).version for _ in range(40)]

    assert sum(map(bool, versions[-10:])) >= 5


async def test_versions_of_a_task_are_evaluated_on_the_same_inputs():
    judge, task = Scorer(), expecting(gate="accept")

    def work(prompt: str) -> str:
        if "broken" in prompt:
            raise ValueError(prompt)
        return worth(8 if "State the total first." in prompt else 6)

    cases = ["May", TaskCase(input="June", expected="The total of June."), "broken"]
    async with Mulligan("memory:", judge=judge) as m:
        await m.run_task(task, work)
        before = m.insights.task_list.read_history(task.identity)
        judge.asked.clear()
        static, noted = await m.evaluate_task(task, work, cases)
        after = m.insights.task_list.read_history(task.identity)

    assert (static.card.version, static.card.scored) == (0, 3)
    assert (static.mean, noted.mean) == (pytest.approx(0.4), pytest.approx(1.6 / 3))
    assert noted.low < noted.mean < noted.high
    assert [each.values["expected_output"] for each in judge.asked] == [
        "All figures.",
        "The total of June.",
    ]
    assert before == after
