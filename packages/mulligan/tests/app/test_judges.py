"""Everywhere a model's name is taken, a model, an agent, a runnable and a function are too."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.app.judges import log_question
from mulligan.checks.grounding import Verification
from mulligan.insights.health import read_outage
from mulligan.loops.drafts import DraftRules, judged_by
from mulligan.loops.replies import ReplyRules
from mulligan.types.call import OWN
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import AskOutcome, JudgeAsked
from mulligan.types.finding import Standing
from mulligan.types.log import JUDGE_ASKED, LogQuery
from mulligan.types.task import Reflect, Task

pydantic_ai = pytest.importorskip("pydantic_ai")
pytest.importorskip("langchain_core")

from langchain_core.runnables import RunnableLambda  # noqa: E402
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # noqa: E402
from pydantic_ai.models.function import FunctionModel  # noqa: E402
from pydantic_ai.usage import RequestUsage  # noqa: E402

pytestmark = pytest.mark.full

ANSWER = {
    "score": 9, "claims": [], "description": "Look twice.", "findings": [], "confirmed": True,
}  # fmt: skip


def respond(history, info) -> ModelResponse:
    """What every question of ours can be answered with."""
    if info.output_tools:
        tool = info.output_tools[0]
        wanted = tool.parameters_json_schema["properties"]
        given = {name: value for name, value in ANSWER.items() if name in wanted}
        return ModelResponse(parts=[ToolCallPart(tool.name, given)])
    return ModelResponse(parts=[TextPart(json.dumps(ANSWER))])


def say(prompt: str) -> str:
    return json.dumps(ANSWER)


async def say_later(prompt: str) -> str:
    return say(prompt)


ANYBODY = {
    "model": lambda: FunctionModel(respond),
    "agent": lambda: pydantic_ai.Agent(FunctionModel(respond)),
    "runnable": lambda: RunnableLambda(say),
    "function": lambda: say,
    "async function": lambda: say_later,
}
anybody = pytest.mark.parametrize("kind", ANYBODY)


@anybody
async def test_anybody_judges_for_an_application(kind: str) -> None:
    async with Mulligan("memory:", judge=ANYBODY[kind]()) as m:
        drafted = await m.draft(lambda brief: "text", question="?", rules=DraftRules(threshold=9))

    assert (drafted.standing, drafted.critique.score) == (Standing.ACCEPTED, 9)


@anybody
async def test_anybody_criticises_and_verifies(kind: str) -> None:
    asked = Verification(judge=ANYBODY[kind]())
    async with Mulligan("memory:") as m:
        for critic in (ANYBODY[kind](), judged_by(ANYBODY[kind]())):
            if kind in ("function", "async function") and critic in (say, say_later):
                continue  # a function among critics is a critic itself
            rules = DraftRules(critics=[critic])
            drafted = await m.draft(lambda brief: "text", question="?", rules=rules)
            assert drafted.standing is Standing.ACCEPTED

        replied = await m.reply(lambda _: "A reply.", rules=ReplyRules(verify=asked))

    assert (replied.standing, replied.judge_asked) == (Standing.ACCEPTED, 1)


@anybody
@pytest.mark.parametrize("where", ["reflect", "task"])
async def test_anybody_reflects_on_a_task(kind: str, where: str) -> None:
    judge = ANYBODY[kind]()
    reflect = Reflect(gate="accept", judge=judge if where == "reflect" else None)
    task = Task(description="Sum up.", reflect=reflect, judge=judge if where == "task" else None)
    async with Mulligan("memory:") as m:
        await m.run_task(task, say)
        done = await m.run_task(task, say)

    assert "Look twice." in done.prompt


@anybody
async def test_anybody_writes_replies_drafts_and_runs_of_tasks(kind: str) -> None:
    writer = ANYBODY[kind]()
    async with Mulligan("memory:", judge=say) as m:
        replied = await m.reply(writer, query="Why?", context="Because.", rules=ReplyRules())
        drafted = await m.draft(writer, question="Why?")
        done = await m.run_task(Task(description="Sum up."), writer)

    assert json.loads(replied.text) == json.loads(drafted.text) == ANSWER
    assert json.loads(str(done.output)) == ANSWER
    assert replied.id != drafted.id


async def test_the_same_name_is_opened_once_and_what_cannot_judge_is_refused() -> None:
    m = Mulligan("memory:")
    opened = m._parts.learning.open_judge

    assert opened("test") is opened("test")
    with pytest.raises(ConfigurationError, match=r"int cannot judge.*LangChain"):
        opened(7)
    with pytest.raises(ConfigurationError, match="int cannot judge"):
        Mulligan("memory:", judge=7)


class Strict:
    """A judge, by its class."""

    async def ask(self, prompt: str) -> str:
        return prompt


class Prompted:
    """A function of a prompt, by its class."""

    def __init__(self, strictness: int) -> None:
        self.strictness = strictness

    def __call__(self, prompt: str) -> str:
        return prompt


def make_judge() -> Strict:
    return Strict()


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (Strict, r"The class Strict cannot judge. Pass an instance: Strict\(…\)\."),
        (Prompted, r"The class Prompted cannot judge"),
        (make_judge, "make_judge cannot judge"),
    ],
)
def test_what_makes_a_judge_is_refused_at_once_and_not_called_down_in_each_turn(
    judge, said
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Mulligan("memory:", judge=judge)


@pytest.mark.parametrize(
    ("store", "said"),
    [
        (Path("agent.db"), "write 'sqlite:///agent.db'"),
        (Strict, "The class Strict is no store"),
        (Strict(), "Strict is no store: it has no journal, vault, "),
    ],
)
def test_what_is_no_store_is_refused_by_name(store, said) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Mulligan(store)


async def test_an_own_prompt_is_text_or_a_file(tmp_path) -> None:
    prompts: list[str] = []

    def judge(prompt: str) -> str:
        prompts.append(prompt)
        return say(prompt)

    file = tmp_path / "tone.md"
    file.write_text("# Instructions\nJudge the tone.\n# Message\nAsked: {{question}}")
    async with Mulligan("memory:", judge=judge) as m:
        for prompt in ("Judge the tone only.", file, str(file), "Was {{question}} answered?"):
            rules = DraftRules(critics=[judged_by(prompt=prompt)])
            await m.draft(lambda brief: "text", question="Why?", rules=rules)

    assert prompts[0].startswith("Judge the tone only.")
    assert "## The question" in prompts[0]
    assert prompts[1].startswith("Judge the tone.\n\nAsked: Why?")
    assert prompts[2].split("mark")[0] == prompts[1].split("mark")[0]
    assert "Was Why? answered?" in prompts[3]
    assert all("text" in each for each in prompts)


@pytest.mark.parametrize("wrong", ["nowhere.md", "  "])
def test_a_prompt_that_says_nothing_is_refused_at_once(wrong: str) -> None:
    with pytest.raises(ConfigurationError, match="prompt"):
        judged_by(prompt=wrong)


def tell(m: Mulligan, outcome: AskOutcome) -> None:
    asked = JudgeAsked(
        purpose="review_actions",
        model="cloud:small",
        prompt="review_actions 1",
        outcome=outcome,
        duration=timedelta(seconds=20),
        requests=1,
    )
    log_question(asked, runtime=m._parts.runtime)


@pytest.mark.parametrize("outcome", AskOutcome)
def test_a_question_is_on_record_and_one_without_an_answer_is_a_failure(
    outcome: AskOutcome,
) -> None:
    with Mulligan(store="memory:") as m:
        tell(m, outcome)
        m.flush()
        rows = m.insights.store.log.list_rows(LogQuery(server=OWN, tool=JUDGE_ASKED))

    if outcome is AskOutcome.ANSWERED:
        assert [(row.outcome, row.error_type) for row in rows] == [("success", None)]
        return
    outage = read_outage(*rows)
    assert (outage.outcome, outage.purpose, outage.model) == (
        outcome.value, "review_actions", "cloud:small",
    )  # fmt: skip
    assert (outage.took, outage.turn) == (timedelta(seconds=20), None)


async def test_what_an_agent_took_counts_although_it_failed_to_judge() -> None:
    def refuse(history, info) -> ModelResponse:
        if len(history) > 1:
            raise ConnectionError
        return ModelResponse(
            parts=[ToolCallPart("look_up", {})], usage=RequestUsage(input_tokens=7)
        )

    agent = pydantic_ai.Agent(FunctionModel(refuse))
    agent.tool_plain(lambda: "nothing", name="look_up")
    rules = DraftRules(critics=[judged_by(agent)], reflections=0)

    async with Mulligan("memory:") as m:
        drafted = await m.draft(lambda brief: "text", question="?", rules=rules)

    assert (drafted.standing, drafted.tokens) == (Standing.UNREVIEWED, 14)
