from __future__ import annotations

import asyncio
import math
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.loops.briefs import Brief
from mulligan.loops.drafts import (
    FALLBACK,
    DraftRules,
    choose_loop,
    combine_mean,
    combine_worst,
    draft_steps,
    is_stagnant,
    write_draft,
)
from mulligan.types import events
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Standing
from mulligan.types.limits import Budget
from mulligan.types.reply import Critique, Draft


class Writer:
    """Writes `draft 1`, `draft 2` and so on, and remembers what it was given."""

    def __init__(self) -> None:
        self.briefs: list[Brief] = []

    async def __call__(self, brief: Brief) -> str:
        self.briefs.append(brief)
        return f"draft {len(self.briefs)}"


class Critic:
    """Gives the scores it was told, in order, then the last one for ever."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.seen: list[str] = []

    def __call__(self, question: str, draft: Draft) -> Critique | None:
        self.seen.append(draft.text)
        answer = self.answers[min(len(self.seen), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, (int, float)):
            return Critique(score=answer, issues=("too vague",), suggestion="Be exact.")
        return answer  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("scores", "answer", "drafts", "standing"),
    [
        ([8], "draft 1", 1, Standing.ACCEPTED),
        ([7.9, 8], "draft 2", 2, Standing.ACCEPTED),
        ([5, 6, 8], "draft 3", 3, Standing.ACCEPTED),
        ([5, 6, 7], "draft 3", 3, Standing.REJECTED),
        ([7, 6, 5], "draft 1", 3, Standing.REJECTED),
        ([5, 7, 6], "draft 2", 3, Standing.REJECTED),
        ([6, 6, 6], "draft 3", 3, Standing.REJECTED),
        ([0, 0, 0], "draft 3", 3, Standing.REJECTED),
    ],
)
async def test_it_revises_until_the_threshold_and_returns_the_best_judged_draft(
    scores: list[float], answer: str, drafts: int, standing: Standing
) -> None:
    writer, critic = Writer(), Critic(*scores)

    drafted = await write_draft(writer, question="q", rules=DraftRules(critics=[critic]))

    assert (drafted.text, len(writer.briefs), drafted.standing) == (answer, drafts, standing)
    assert len(critic.seen) == drafts  # the last revision is judged too


async def test_the_writer_is_told_question_draft_and_critique() -> None:
    writer = Writer()

    await write_draft(writer, question="Why?", rules=DraftRules(critics=[Critic(5, 9)]))

    first, second = writer.briefs
    assert first.prompt == "Why?"
    assert second.draft == Draft(text="draft 1", number=1)
    assert all(part in second.prompt for part in ("Why?", "draft 1", "too vague", "Be exact."))


async def test_no_revision_is_made_where_the_critic_wants_none() -> None:
    content = Critique(score=6, needs_revision=False)

    drafted = await write_draft(Writer(), question="q", rules=DraftRules(critics=[Critic(content)]))

    assert (drafted.text, drafted.standing) == ("draft 1", Standing.ACCEPTED)


GARBAGE = [
    None, "9", 9j, Critique(score=math.nan), Critique(score=11), Critique(score=-1),
    Critique(score=math.inf), Critique(score=True), RuntimeError("down"), {"score": 9},
]  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE)
async def test_an_unreadable_critique_is_asked_for_once_more_and_is_never_a_pass(
    garbage: object,
) -> None:
    silent, recovering = Critic(garbage), Critic(garbage, 9)

    unjudged = await write_draft(Writer(), question="q", rules=DraftRules(critics=[silent]))
    judged = await write_draft(Writer(), question="q", rules=DraftRules(critics=[recovering]))

    assert unjudged.standing is Standing.UNREVIEWED
    assert (unjudged.text, unjudged.critique, len(silent.seen)) == ("draft 1", None, 2)
    assert judged.standing is Standing.ACCEPTED


async def test_a_judged_draft_is_preferred_to_a_later_one_that_nobody_could_judge() -> None:
    drafted = await write_draft(
        Writer(), question="q", rules=DraftRules(critics=[Critic(3, None, None)])
    )

    assert (drafted.text, drafted.standing) == ("draft 1", Standing.REJECTED)


async def test_two_rounds_that_bring_nothing_end_it() -> None:
    writer = Writer()

    await write_draft(
        writer, question="q", rules=DraftRules(critics=[Critic(6, 6, 5, 7)], reflections=9)
    )

    assert len(writer.briefs) == 3


@pytest.mark.parametrize(
    ("scores", "ended"),
    [([6], False), ([6, 6], False), ([6, 6, 6], True), ([6, 5, 7], False), ([6, 7, 6], False),
     ([6, 7, 6, 7], True), ([6, 7, 6, 8], False)],
)  # fmt: skip
def test_stagnation_is_two_revisions_without_a_better_score(
    scores: list[float], ended: bool
) -> None:
    assert is_stagnant(scores) is ended


@pytest.mark.parametrize(
    ("combine", "text"), [(combine_worst, "draft 2"), (combine_mean, "draft 1")]
)
async def test_several_critics_are_one(combine, text: str) -> None:
    rules = DraftRules(critics=[Critic(10, 9), Critic(6, 9)], combine=combine)

    assert (await write_draft(Writer(), question="q", rules=rules)).text == text


async def test_one_critic_who_cannot_say_leaves_the_draft_unjudged() -> None:
    rules = DraftRules(critics=[Critic(9), Critic(None)])

    drafted = await write_draft(Writer(), question="q", rules=rules)

    assert drafted.standing is Standing.UNREVIEWED


async def test_async_critics_are_awaited() -> None:
    async def critic(question: str, draft: Draft) -> Critique:
        return Critique(score=9)

    drafted = await write_draft(Writer(), question="q", rules=DraftRules(critics=[critic]))

    assert drafted.standing is Standing.ACCEPTED


async def look_up(word: str) -> str:
    if word == "bad":
        raise LookupError(word)
    return f"about {word}"


def insatiable(calls: int):
    async def write(brief: Brief) -> str:
        if not brief.tools.names:
            return "without tools"
        for number in range(calls):
            await brief.tools.call("look_up", word=str(number))
        return "with tools"

    return write


@pytest.mark.parametrize(("calls", "text"), [(5, "with tools"), (6, "without tools")])
async def test_out_of_tool_steps_one_generation_is_made_without_tools_and_marked(
    calls: int, text: str
) -> None:
    rules = DraftRules(critics=[Critic(9)], tools={"look_up": look_up})

    drafted = await write_draft(insatiable(calls), question="q", rules=rules)

    assert drafted.text == text
    assert drafted.draft.with_tools is (calls == 5)


async def test_a_writer_that_always_fails_gives_the_fallback_and_no_exception() -> None:
    async def fails(brief: Brief) -> str:
        raise RuntimeError("model down")

    drafted = await write_draft(fails, question="q", rules=DraftRules(critics=[Critic(9)]))

    assert (drafted.text, drafted.standing) == (FALLBACK, Standing.UNREVIEWED)


@pytest.mark.parametrize(
    ("budget", "written", "answer"),
    [
        (Budget(), 3, "draft 3"),
        (Budget(tokens=301), 3, "draft 3"),
        (Budget(tokens=150), 2, "draft 1"),  # the second was written, but not judged any more
        (Budget(money=0.9), 1, "draft 1"),
    ],
)
async def test_a_used_up_budget_ends_it_with_the_best_so_far(
    budget: Budget, written: int, answer: str
) -> None:
    writer = Writer()

    async def write(brief: Brief) -> str:
        brief.meter.spend(tokens=100, money=1.0)
        return await writer(brief)

    rules = DraftRules(critics=[Critic(1, 2, 3)], budget=budget)

    drafted = await write_draft(write, question="q", rules=rules)

    assert (len(writer.briefs), drafted.text) == (written, answer)
    assert drafted.tokens == 100 * written


async def test_out_of_time_the_writer_is_stopped_and_there_is_still_an_answer() -> None:
    async def never(brief: Brief) -> str:
        await asyncio.Event().wait()
        return "unreachable"

    rules = DraftRules(critics=[Critic(9)], budget=Budget(time=timedelta(milliseconds=1)))

    assert (await write_draft(never, question="q", rules=rules)).text == FALLBACK


async def test_steps_are_told_as_they_happen() -> None:
    async def write(brief: Brief) -> str:
        if brief.draft is None:
            await brief.tools.call("look_up", word="x")
        return "text"

    rules = DraftRules(critics=[Critic(5, 9)], tools={"look_up": look_up})

    steps = [step async for step in draft_steps(write, question="q", rules=rules)]

    assert [type(step) for step in steps] == [
        events.Thought, events.ToolCalled, events.ToolAnswered, events.Reflected,
        events.Thought, events.Reflected, events.Responded,
    ]  # fmt: skip
    assert steps[2] == events.ToolAnswered(tool="look_up", step=1, result="about x")
    assert [step.revising for step in steps if isinstance(step, events.Reflected)] == [
        True,
        False,
    ]
    assert isinstance(steps[-1], events.Responded)
    assert steps[-1].accepted


async def test_whoever_stops_listening_stops_the_work() -> None:
    stopped = asyncio.Event()

    async def write(brief: Brief) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return ""

    steps = draft_steps(write, question="q", rules=DraftRules(critics=[Critic(9)]))
    await anext(steps)
    await asyncio.sleep(0)
    await steps.aclose()

    assert stopped.is_set()


@pytest.mark.parametrize("wrong", [{"threshold": 11}, {"reflections": -1}, {"tool_steps": -1}])
def test_rules_that_cannot_be_kept_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        DraftRules(**{"critics": [Critic(9)], **wrong})


async def test_a_writer_that_returns_no_text_gives_the_fallback_and_a_warning(caplog) -> None:
    async def write(brief):
        return 7

    with caplog.at_level("WARNING", "mulligan"):
        rules = DraftRules(critics=[lambda *_: Critique(score=9)], fallback="Sorry.")
        drafted = await write_draft(write, question="Why?", rules=rules)

    assert drafted.text == "Sorry."
    assert "returned int, not text" in caplog.text


def test_a_loop_is_chosen_by_name() -> None:
    assert choose_loop("reflect") is write_draft
    with pytest.raises(ConfigurationError, match="There are: reflect"):
        choose_loop("react")


scores = st.one_of(
    st.floats(0, 10), st.sampled_from([g for g in GARBAGE if not isinstance(g, Exception)]),
    st.just("raise"),
)  # fmt: skip
moves = st.sampled_from(["write", "tool", "bad tool", "many tools", "fail", "nothing", "hungry"])


@settings(max_examples=300, deadline=None)
@given(
    critiques=st.lists(scores, max_size=12),
    plays=st.lists(moves, min_size=1, max_size=8),
    reflections=st.integers(0, 5),
    threshold=st.floats(0, 10),
    tool_steps=st.integers(0, 4),
)
def test_it_always_answers_with_the_best_judged_draft_within_its_bounds(
    critiques: list[object], plays: list[str], reflections: int, threshold: float, tool_steps: int
) -> None:
    story = Story(critiques, plays)
    rules = DraftRules(
        critics=[story.criticise],
        reflections=reflections,
        threshold=threshold,
        tools={"look_up": look_up},
        tool_steps=tool_steps,
    )

    drafted = asyncio.run(write_draft(story.write, question="q", rules=rules))

    judged = story.judged
    assert drafted.text
    if judged:
        assert judged[drafted.text] == max(judged.values())
        assert drafted.critique is not None
    else:
        assert drafted.standing is Standing.UNREVIEWED
    if drafted.standing is Standing.ACCEPTED:
        assert judged[drafted.text] >= threshold
    assert story.writes <= reflections + 2  # one of them without tools
    assert story.asked <= 2 * (reflections + 1)
    assert story.most_tool_calls <= tool_steps


class Story:
    """A writer and a critic that misbehave as they are told."""

    def __init__(self, critiques: list[object], plays: list[str]) -> None:
        self.critiques = critiques
        self.plays = plays
        self.writes = self.asked = self.most_tool_calls = 0
        self.judged: dict[str, float] = {}

    async def write(self, brief: Brief) -> str:
        self.writes += 1
        play = self.plays[(self.writes - 1) % len(self.plays)]
        try:
            return await self._play(play, brief)
        finally:
            self.most_tool_calls = max(self.most_tool_calls, brief.tools.used)

    async def _play(self, play: str, brief: Brief) -> str:
        if play == "fail":
            raise RuntimeError("model down")
        if play == "nothing":
            return " "
        wanted = {"tool": 1, "bad tool": 1, "many tools": 3, "hungry": 99}.get(play, 0)
        for _ in range(wanted if brief.tools.names else 0):
            await brief.tools.call("look_up", word="bad" if play == "bad tool" else "good")
        return f"draft {self.writes}"

    def criticise(self, question: str, draft: Draft) -> Critique | None:
        answer = self.critiques[self.asked] if self.asked < len(self.critiques) else None
        self.asked += 1
        if answer == "raise":
            raise RuntimeError("critic down")
        if isinstance(answer, float):
            self.judged[draft.text] = answer
            return Critique(score=answer)
        return answer  # type: ignore[return-value]


async def test_a_draft_that_nobody_can_see_is_no_answer() -> None:
    async def unseen(_: Brief) -> str:
        return "\u200b\ufeff"

    drafted = await write_draft(unseen, question="q", rules=DraftRules(critics=[Critic(9)]))

    assert (drafted.text, drafted.standing) == (FALLBACK, Standing.UNREVIEWED)
