"""Drafts: written, criticised, revised, and the best judged one kept."""

from __future__ import annotations

import asyncio
import math
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.checks.text import length
from mulligan.loops.briefs import Brief, ReplyBrief, Tools
from mulligan.loops.drafts import (
    FALLBACK,
    DraftRules,
    combine_mean,
    combine_worst,
    criticise,
    draft_steps,
    write_draft,
)
from mulligan.types import events
from mulligan.types.errors import ConfigurationError, OutOfStepsError
from mulligan.types.events import Happened, ToolAnswered, ToolCalled
from mulligan.types.finding import Correction, Standing
from mulligan.types.limits import Budget, Meter
from mulligan.types.reply import Critique, Draft, Reply


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
    assert all(
        part in second.prompt
        for part in ("Why?", "draft 1", "(5 of 10)", "- too vague", "Be exact.")
    )


GARBAGE = [
    None, "good", 9j, Critique(score=math.nan), Critique(score=11), Critique(score=-1),
    Critique(score=math.inf), Critique(score=True), RuntimeError("down"), {"issues": ["too vague"]},
    True, "12/10", "11", "7/0", {"score": "high"}, {"score": 9, "issues": 3}, [9], b"9",
]  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE)
async def test_an_unreadable_critique_is_asked_for_once_more_and_is_never_a_pass(garbage) -> None:
    silent, recovering = Critic(garbage), Critic(garbage, 9)

    unjudged = await write_draft(Writer(), question="q", rules=DraftRules(critics=[silent]))
    judged = await write_draft(Writer(), question="q", rules=DraftRules(critics=[recovering]))

    assert unjudged.standing is Standing.UNREVIEWED
    assert (unjudged.text, unjudged.critique, len(silent.seen)) == ("draft 1", None, 2)
    assert judged.standing is Standing.ACCEPTED


@pytest.mark.parametrize(
    ("combine", "text"), [(combine_worst, "draft 2"), (combine_mean, "draft 1")]
)
async def test_several_critics_are_one(combine, text: str) -> None:
    rules = DraftRules(critics=[Critic(10, 9), Critic(6, 9)], combine=combine)

    assert (await write_draft(Writer(), question="q", rules=rules)).text == text


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


@pytest.mark.parametrize(
    ("budget", "written", "answer"),
    [
        (Budget(), 3, "draft 3"),
        (Budget(tokens=301), 3, "draft 3"),
        (Budget(tokens=150), 2, "draft 1"),  # the second was written, but not judged any more
        (Budget(money=0.9), 1, "draft 1"),
    ],
)
async def test_a_used_up_budget_ends_it_with_the_best_so_far(budget, written, answer) -> None:
    writer = Writer()

    async def write(brief: Brief) -> str:
        brief.meter.spend(tokens=100, money=1.0)
        return await writer(brief)

    rules = DraftRules(critics=[Critic(1, 2, 3)], budget=budget)

    drafted = await write_draft(write, question="q", rules=rules)

    assert (len(writer.briefs), drafted.text) == (written, answer)
    assert drafted.tokens == 100 * written


async def test_steps_are_told_as_they_happen() -> None:
    async def write(brief: Brief) -> str:
        if brief.draft is None:
            await brief.tools.call("look_up", word="x")
        return "text"

    rules = DraftRules(critics=[Critic(5, 9)], tools={"look_up": look_up})

    steps = [step async for step in draft_steps(write, question="q", rules=rules)]

    assert [type(step) for step in steps] == [
        events.ToolCalled, events.ToolAnswered, events.Thought, events.Reflected,
        events.Thought, events.Reflected, events.Responded,
    ]  # fmt: skip
    assert [step.text for step in steps if isinstance(step, events.Thought)] == [
        "A first draft is written.",
        "Revising the draft.",
    ]
    assert steps[1] == events.ToolAnswered(tool="look_up", step=1, result="about x")
    assert [step.revising for step in steps if isinstance(step, events.Reflected)] == [
        True,
        False,
    ]
    assert isinstance(steps[-1], events.Responded)
    assert steps[-1].accepted


async def test_whoever_stops_listening_stops_the_work() -> None:
    begun, stopped = asyncio.Event(), asyncio.Event()

    async def write(brief: Brief) -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return ""

    steps = draft_steps(write, question="q", rules=DraftRules(critics=[Critic(9)]))
    listening = asyncio.ensure_future(anext(steps))
    await begun.wait()
    listening.cancel()
    await asyncio.wait({listening})

    assert stopped.is_set()


scores = st.one_of(
    st.floats(0, 10), st.sampled_from([g for g in GARBAGE if not isinstance(g, Exception)]),
    st.just("raise"),
)  # fmt: skip


moves = st.sampled_from(["write", "tool", "bad tool", "many tools", "fail", "nothing", "hungry"])


@pytest.mark.full
@settings(max_examples=100, deadline=None)
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


@pytest.mark.parametrize("said", ["good", None, Critique(score=math.nan), Critique(score=11)])
async def test_critics_that_are_combined_to_garbage_have_not_judged(said) -> None:
    critics = [lambda _question, _draft: Critique(score=9)]

    critique = await criticise(
        critics, question="q", draft=Draft(text="a", number=1), combine=lambda _: said
    )

    assert critique is None


def counting(steps: int, events: list[Happened]) -> Tools:
    async def later(n: int) -> int:
        return n + 1

    def breaks() -> None:
        raise ValueError("no")

    return Tools({"later": later, "breaks": breaks}, steps=steps, announce=events.append)


async def test_tools_are_counted_announced_and_not_called_beyond_the_last_step() -> None:
    events: list[Happened] = []
    tools = counting(2, events)

    assert await tools.call("later", n=1) == 2
    with pytest.raises(ValueError, match="no"):
        await tools.call("breaks")
    with pytest.raises(OutOfStepsError, match="All 2 tool steps"):
        await tools.call("later", n=1)

    assert [type(each) for each in events] == [ToolCalled, ToolAnswered] * 2
    assert events[3] == ToolAnswered(tool="breaks", step=2, error="ValueError")


async def test_tools_of_an_agents_own_are_steps_too() -> None:
    events: list[Happened] = []
    tools = counting(1, events)

    async def run() -> str:
        return "found"

    assert await tools.make("search", arguments={"word": "x"}, run=run) == "found"
    with pytest.raises(OutOfStepsError):
        await tools.call("later", n=1)

    assert events[0] == ToolCalled(tool="search", arguments={"word": "x"}, step=1)
    assert events[1] == ToolAnswered(tool="search", step=1, result="found")


def reply_brief(**about: object) -> ReplyBrief:
    asked = Reply(text="", query="How many?", context=("We have 5.", "They are red."))
    return ReplyBrief(
        asked=asked,
        checks=[length(at_least=5)],
        meter=Meter(Budget()),
        tools=Tools(),
        **about,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("answers", "rules", "answer", "standing"),
    [
        ([[Critique(score=6, needs_revision=False)]], {}, "draft 1", Standing.ACCEPTED),
        ([[3, None, None]], {}, "draft 1", Standing.REJECTED),
        ([[9], [None]], {}, "draft 1", Standing.UNREVIEWED),
        ([[6, 6, 5, 7]], {"reflections": 9}, "draft 2", Standing.REJECTED),
    ],
    ids=["no revision is wanted", "judged before unjudged", "one cannot say", "stagnation"],
)
async def test_what_critics_want_or_cannot_say_decides(answers, rules, answer, standing) -> None:
    critics = [Critic(*each) for each in answers]

    drafted = await write_draft(Writer(), question="q", rules=DraftRules(critics=critics, **rules))

    assert (drafted.text, drafted.standing) == (answer, standing)


async def fail(_: Brief) -> str:
    raise RuntimeError("model down")


async def hang(_: Brief) -> str:
    await asyncio.Event().wait()
    return "unreachable"


async def count(_: Brief) -> int:
    return 7


async def hide(_: Brief) -> str:
    return "\u200b\ufeff"


@pytest.mark.parametrize("write", [fail, hang, count, hide])
async def test_a_writer_without_a_text_gives_the_fallback_and_no_exception(write, caplog) -> None:
    async def critic(question: str, draft: Draft) -> Critique:
        return Critique(score=9)

    budget = Budget(time=timedelta(milliseconds=1 if write is hang else 60_000))
    with caplog.at_level("WARNING", "mulligan"):
        drafted = await write_draft(
            write, question="q", rules=DraftRules(critics=[critic], budget=budget)
        )
        written = await write_draft(Writer(), question="q", rules=DraftRules(critics=[critic]))

    assert (drafted.text, drafted.standing) == (FALLBACK, Standing.UNREVIEWED)
    assert ("returned int, not text" in caplog.text) is (write is count)
    assert ("A draft was not written (RuntimeError)" in caplog.text) is (write is fail)
    assert written.standing is Standing.ACCEPTED, "an async critic is awaited"


async def test_tools_are_offered_by_name_and_only_where_there_is_a_step() -> None:
    with pytest.raises(ConfigurationError, match="There are: later, breaks"):
        await counting(1, []).call("fly")
    assert list(counting(1, []).functions) == ["later", "breaks"]
    assert (counting(0, []).names, counting(0, []).functions) == ((), {})
    assert Tools().steps is None


def test_a_reply_is_asked_for_with_all_that_is_known_and_what_was_found_in_the_last() -> None:
    first = reply_brief()
    later = reply_brief(last="5.", correction=Correction(text="Too short.", findings=()))
    first.spend(tokens=3, money=0.1)

    assert "# Question\n\nHow many?" in first.prompt
    assert "# Context 2\n\nThey are red." in first.prompt
    assert "# Requirements\n\n- Write at least 5 characters." in first.prompt
    assert "# Your last reply\n\n5." in later.prompt
    assert "# What was found in it\n\nToo short." in later.prompt
    assert (first.meter.tokens, first.meter.money, first.steps) == (3, 0.1, None)


class FlakyWriter(Writer):
    """Fails in the calls of these numbers, and writes in the others."""

    def __init__(self, *failing: int, how: object = OSError("down")) -> None:
        super().__init__()
        self.failing = failing
        self.how = how

    async def __call__(self, brief: Brief) -> str:
        text = await super().__call__(brief)
        if len(self.briefs) not in self.failing:
            return text
        if isinstance(self.how, Exception):
            raise self.how
        return self.how  # type: ignore[return-value]


@pytest.mark.parametrize("how", [OSError("down"), "", None], ids=repr)
@pytest.mark.parametrize("failing", [(1,), (1, 2), (2,)], ids=repr)
async def test_a_writer_call_that_fails_is_made_again_as_in_a_reply(failing, how) -> None:
    writer = FlakyWriter(*failing, how=how)
    critic = Critic(5, 9) if failing == (2,) else Critic(9)

    drafted = await write_draft(writer, question="q", rules=DraftRules(critics=[critic]))

    assert drafted.standing is Standing.ACCEPTED
    assert len(writer.briefs) == max(failing) + 1
    assert writer.briefs[-1].critique == writer.briefs[max(failing) - 1].critique


async def test_a_draft_that_needs_no_revision_is_returned_as_accepted_whatever_came_before() -> (
    None
):
    content = Critique(score=6, needs_revision=False)
    critic = Critic(7, content)

    drafted = await write_draft(Writer(), question="q", rules=DraftRules(critics=[critic]))

    assert (drafted.text, drafted.critique) == ("draft 2", content)
    assert drafted.standing is Standing.ACCEPTED


@pytest.mark.parametrize(
    ("said", "critique"),
    [
        (7, Critique(score=7)),
        (7.5, Critique(score=7.5)),
        ("7", Critique(score=7)),
        ("7/10", Critique(score=7)),
        ("Score: 3.5 out of 5", Critique(score=7)),
        ("7/10: too vague", Critique(score=7, issues=("too vague",))),
        ('{"score": "7", "issues": "too vague"}', Critique(score=7, issues=("too vague",))),
        ("**Score:** 7/10", Critique(score=7)),
        ((7, "too vague"), Critique(score=7, issues=("too vague",))),
        ('```json\n{"score": 7}\n```', Critique(score=7)),
        ('Here it is: {"score": 7, "issues": []}. Good luck!', Critique(score=7)),
        ({"score": 7}, Critique(score=7)),
        ({"score": "7/10", "needs_revision": True}, Critique(score=7, needs_revision=True)),
        ({"score": 7, "issues": "too vague"}, Critique(score=7, issues=("too vague",))),
        ({"score": 7, "issues": ["a", "b"]}, Critique(score=7, issues=("a", "b"))),
        ({"score": 7, "suggestion": "Be exact."}, Critique(score=7, suggestion="Be exact.")),
        (Critique(score="7", issues="too vague"), Critique(score=7, issues=("too vague",))),
        (Critique(score=7, issues=["a"]), Critique(score=7, issues=("a",))),
    ],
    ids=repr,
)
async def test_a_critique_is_read_in_every_form_a_person_would_write(said, critique) -> None:
    rules = DraftRules(critics=[Answer(said)], reflections=0)

    drafted = await write_draft(Writer(), question="q", rules=rules)

    assert drafted.critique == critique


class Answer:
    """A critic that always says the same."""

    def __init__(self, said: object) -> None:
        self.said = said

    def __call__(self, question: str, draft: Draft) -> object:
        return self.said


@pytest.mark.parametrize("critic", [3, Critique, lambda: 9, lambda draft: 9])
async def test_a_critic_that_cannot_be_called_with_a_draft_is_refused_at_once(critic) -> None:
    with pytest.raises(ConfigurationError, match="cannot criticise"):
        await write_draft(Writer(), question="q", rules=DraftRules(critics=[critic]))


async def test_a_critique_that_cannot_be_read_is_logged(caplog) -> None:
    rules = DraftRules(critics=[Answer("too vague")])

    drafted = await write_draft(Writer(), question="q", rules=rules)

    assert drafted.standing is Standing.UNREVIEWED
    assert "no critique that can be read" in caplog.text


@pytest.mark.parametrize("write", [3, "a text", None, Writer])
async def test_what_cannot_write_a_draft_is_refused_at_once(write: object) -> None:
    with pytest.raises(ConfigurationError, match="cannot write drafts"):
        await write_draft(write, question="q", rules=DraftRules(critics=[Critic(9)]))


@pytest.mark.parametrize("question", [3, None, "", "  "])
async def test_a_draft_without_a_question_is_refused_at_once(question: object) -> None:
    with pytest.raises(ConfigurationError, match="question"):
        await write_draft(Writer(), question=question, rules=DraftRules(critics=[Critic(9)]))


@pytest.mark.parametrize(("stagnant", "drafts"), [(1, 2), (2, 3), (3, 4), (None, 6)])
async def test_how_many_revisions_without_a_better_score_end_it_is_a_setting(
    stagnant, drafts
) -> None:
    rules = DraftRules(critics=[Critic(5)], reflections=5, stagnant=stagnant)

    drafted = await write_draft(Writer(), question="q", rules=rules)

    assert len(drafted.drafts) == drafts


@pytest.mark.parametrize("stagnant", [0, -1, 1.5, "2", True])
def test_a_stagnation_that_cannot_be_is_refused(stagnant: object) -> None:
    with pytest.raises(ConfigurationError, match="stagnant"):
        DraftRules(stagnant=stagnant)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"critics": Critic(9)}, "critics is a Critic; pass a list"),
        ({"critics": "openai:gpt-5"}, "critics is a str; pass a list"),
        ({"threshold": "8"}, "threshold is '8'"),
        ({"threshold": True}, "threshold is True"),
        ({"reflections": "2"}, "reflections is '2'"),
        ({"reflections": -1}, "reflections is -1"),
        ({"tool_steps": 1.5}, "tool_steps is 1.5"),
        ({"combine": 3}, "combine is 3"),
        ({"fallback": " \u200b"}, "write a text for the person"),
        ({"tools": [print]}, "tools is a list"),
        ({"budget": timedelta(seconds=3)}, "budget=.* use Budget"),
    ],
)
def test_rules_of_another_type_are_refused_with_what_to_write(wrong, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        DraftRules(**wrong)
