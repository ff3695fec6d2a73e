"""Stories of several messages: what was found in one is used in the next, in every host.

A board of tasks and a list of expenses, whose tools return what they were given, as many do. Right
calls of a second and third message must stand; an id that nobody has must fall, also when the tool
has repeated it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from bench.hosts.counting import StoryCounts
from bench.hosts.drivers import Conversation, Step
from mulligan import Effect, Mulligan
from mulligan.types.call import Record
from mulligan.types.log import LogQuery

REPORT, PRINT, INVENTED = "tsk_8f3k2", "tsk_2m9xw", "tsk_99zqz"

RIGHT: Conversation = [
    (
        "Find my tasks about the report",
        [("find_tasks", {"text": "report"}), "There are two: write the report, print the report."],
    ),
    (
        "Give the first one to Carla",
        [("set_owner", {"task_id": REPORT, "owner": "Carla"}), "Carla has it. The other one too?"],
    ),
    (
        "Yes, and the other one too",
        [("set_owner", {"task_id": PRINT, "owner": "Carla"}), "Carla has both."],
    ),
]
"""Find, do it with what was found, and the other one too."""

INVENTION: Conversation = [
    RIGHT[0],
    (
        "Give the first one to Carla",
        [
            ("set_owner", {"task_id": INVENTED, "owner": "Carla"}),
            "Carla has it.",
            ("set_owner", {"task_id": INVENTED, "owner": "Carla"}),
            "Carla has it.",
        ],
    ),
]
"""An id that no tool returned, twice, of a tool that repeats what it was given."""

AGREED: Conversation = [
    ("I paid 42.50 for the train", ["Shall I add it to your expenses?"]),
    ("Yes, please", [("add_expense", {"amount": "42.50", "what": "train"}), "It is added."]),
]
"""An amount that was said, and a plain yes."""


ONE_MESSAGE: Conversation = [
    (
        f"Give {REPORT} to Carla",
        [
            ("set_owner", {"task_id": INVENTED, "owner": "Carla"}),
            "Carla has it.",
            ("set_owner", {"task_id": REPORT, "owner": "Carla"}),
            "Carla has it.",
        ],
    )
]
"""An id that nobody said, and after the correction the one that was said."""


@dataclass
class Board:
    """What the tools change."""

    owners: dict[str, str] = field(default_factory=lambda: {REPORT: "Ann", PRINT: "Ann"})
    expenses: dict[str, str] = field(default_factory=dict)
    undone: list[str] = field(default_factory=list)
    """What an undo has undone."""


@dataclass(frozen=True, kw_only=True)
class Tale:
    """A conversation, and what the board must be in the end."""

    talk: Conversation
    owners: Mapping[str, str] = field(default_factory=lambda: Board().owners)
    expenses: Mapping[str, str] = field(default_factory=dict)
    wrong: int = 0
    """Calls that are undone."""

    @property
    def calls(self) -> int:
        """How many the script makes."""
        return sum(not isinstance(step, str) for _, script in self.talk for step in script)

    def count_rejected(self, board: Board) -> int:
        """Right calls that were undone, or do not stand."""
        stands = {name: each for name, each in board.owners.items() if name != INVENTED}
        wrong = (stands != self.owners) + (board.expenses != self.expenses)
        return wrong + max(0, len(board.undone) - self.wrong)


SEVERAL = (
    Tale(talk=RIGHT, owners={REPORT: "Carla", PRINT: "Carla"}),
    Tale(talk=AGREED, expenses={"train": "42.50"}),
    Tale(talk=INVENTION, wrong=2),
)
ONE = (Tale(talk=ONE_MESSAGE, owners={REPORT: "Carla", PRINT: "Ann"}, wrong=1),)


def declare_board(board: Board) -> dict[str, dict[str, Any]]:
    """What is said of the tools, by their names."""

    def put_back(record: Record) -> None:
        task, before = str(record.arguments["task_id"]), record.before
        board.undone.append(task)
        if before is None:
            board.owners.pop(task, None)
        else:
            board.owners[task] = str(before)

    def take_out(record: Record) -> None:
        what = str(record.arguments["what"])
        board.undone.append(what)
        board.expenses.pop(what, None)

    def read_owner(record: Record) -> object:
        return board.owners.get(str(record.arguments["task_id"]))

    def read_expense(record: Record) -> object:
        return board.expenses.get(str(record.arguments["what"]))

    return {
        "find_tasks": {"effect": Effect.READ},
        "set_owner": {
            "effect": Effect.REVERSIBLE,
            "before": read_owner,
            "read": read_owner,
            "about": lambda record: record.arguments["task_id"],
            "undo": put_back,
        },
        "add_expense": {
            "effect": Effect.REVERSIBLE,
            "before": read_expense,
            "read": read_expense,
            "about": lambda record: record.arguments["what"],
            "undo": take_out,
        },
    }


def build_board_tools(board: Board) -> list[Callable[..., Any]]:
    """The tools as a framework is given them: plain, not ours."""

    async def find_tasks(text: str) -> str:
        """Find tasks by a word of their titles."""
        titles = {REPORT: "Write the report", PRINT: "Print the report"}
        found = [{"id": i, "title": t, "owner": board.owners[i]} for i, t in titles.items()]
        return json.dumps([each for each in found if text in each["title"]])

    async def set_owner(task_id: str, owner: str) -> dict[str, str]:
        """Give a task to somebody."""
        board.owners[task_id] = owner
        return {"id": task_id, "owner": owner, "status": "saved"}

    async def add_expense(amount: str, what: str) -> dict[str, str]:
        """Add an expense."""
        board.expenses[what] = amount
        return {"amount": amount, "what": what}

    return [find_tasks, set_owner, add_expense]


Converse = Callable[[Mulligan, Sequence[Callable[..., Any]], Conversation], Any]
"""Holds a conversation: as the host keeps it, or with `history` where there is no host."""


async def run_conversations(
    converse: Converse, *, tales: Sequence[Tale] = (), decorated: bool = False
) -> StoryCounts:
    """Tales, each with an application and a board of its own; those of several messages if none
    are named."""
    told = StoryCounts()
    for tale in tales or SEVERAL:
        board = Board()
        with Mulligan("memory:", checks="standard") as m:
            declared, tools = declare_board(board), build_board_tools(board)
            if decorated:
                tools = [m.tool(**declared[each.__name__])(each) for each in tools]
            else:
                for name, said in declared.items():
                    m.declare(name, **said)
            await converse(m, tools, tale.talk)
            await asyncio.to_thread(m.flush)
            logged = [row for row in m.insights.log(LogQuery()) if not row.tool.startswith("reply")]
            told += StoryCounts(
                right_rejected=tale.count_rejected(board),
                wrong_passed=int(INVENTED in board.owners),
                double_rows=max(0, len(logged) - tale.calls),
                false_cases=len(m.insights.open_list.actions()),
            )
    return told


async def converse_by_hand(
    m: Mulligan, tools: Sequence[Callable[..., Any]], talk: Conversation
) -> list[str]:
    """Without a host: `m.act` with the conversation in OpenAI's form."""
    history: list[dict[str, Any]] = []
    by_name = {each.__name__: each for each in tools}
    replies: list[str] = []
    for message, script in talk:
        steps: list[Step] = list(script)
        added: list[dict[str, Any]] = []

        async def agent(_: object, steps: list[Step] = steps, added: Any = added) -> str:
            while not isinstance(step := steps.pop(0) if steps else "That is all.", str):
                name, given = step
                asked = {"name": name, "arguments": json.dumps(given)}
                call = {"id": uuid4().hex, "type": "function", "function": asked}
                came = await by_name[name](**given)
                added += [
                    {"role": "assistant", "content": None, "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(came)},
                ]
            return step

        done = await m.act(message, agent, history=history)
        said = str(done.reply)
        history += [{"role": "user", "content": message}, *added]
        history.append({"role": "assistant", "content": said})
        replies.append(said)
    return replies
