"""Mulligan in LangChain: a wrong action undone and done right, and a payment held back.

`python examples/hosts/with_langchain.py`: the model follows a script, so it needs no key.
"""

from typing import Any, Self

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from mulligan import Call, Effect, Mulligan

calendar = {"dinner": "2026-11-18"}
paid: list[int] = []


def move_event(event: str, day: str) -> str:
    """Move an event to another day."""
    calendar[event] = day
    return f"moved to {day}"


def pay(amount: int) -> str:
    """Pay, which cannot be undone."""
    paid.append(amount)
    return f"paid {amount}"


class Scripted(GenericFakeChatModel):
    """A model that follows a script, whatever tools it is given."""

    def bind_tools(self, *_: Any, **__: Any) -> Self:
        """Take them."""
        return self


def follow(*steps: str | tuple[str, dict[str, Any]]) -> Scripted:
    """A model that says this, one after another."""
    said = [
        AIMessage(step)
        if isinstance(step, str)
        else AIMessage("", tool_calls=[{"name": step[0], "args": step[1], "id": f"call {number}"}])
        for number, step in enumerate(steps)
    ]
    return Scripted(messages=iter(said))


with Mulligan("memory:") as m:
    m.declare(
        "move_event",
        effect=Effect.REVERSIBLE,
        before=lambda record: calendar[record.arguments["event"]],
        undo=lambda record: calendar.update({record.arguments["event"]: record.before}),
    )
    m.declare("pay", effect=Effect.IRREVERSIBLE)

    @m.check("move_event")
    def is_friday(call: Call) -> str | None:
        """Hold the day against what was asked for."""
        return None if call.arguments["day"] == "2026-11-20" else "Friday is 2026-11-20."

    wrong, right = ({"event": "dinner", "day": f"2026-11-{day}"} for day in (21, 20))
    steps = ("move_event", wrong), "Moved.", ("move_event", right), "Dinner is on Friday."
    model = follow(*steps, ("pay", {"amount": 30}), "It is paid.")
    reflection = m.for_langchain(on_answer=lambda answer: print(f"  ({answer.confidence})"))
    agent = create_agent(
        model, [move_event, pay], middleware=[reflection], checkpointer=InMemorySaver()
    )
    thread: RunnableConfig = {"configurable": {"thread_id": "Ann"}}
    ended = agent.invoke({"messages": [HumanMessage("Move dinner to Friday")]}, thread)
    print(ended["messages"][-1].text, calendar)

    ended = agent.invoke({"messages": [HumanMessage("Pay the restaurant 30")]}, thread)
    [waits] = ended["__interrupt__"]
    print(f"{waits.value['tool']} waits for a person; paid so far: {paid}")
    ended = agent.invoke(Command(resume=waits.value["approve"]), thread)
    print(ended["messages"][-1].text, paid)
