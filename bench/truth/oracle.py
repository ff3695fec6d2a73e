"""Holds what is said at the end of a turn against the remote's ledger and the open list alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bench.truth.agents import RandomAgent
from bench.truth.world import RIGHT, WRONG, Mood, TruthWorld
from mulligan import Action, Confidence, Done, Standing, State
from mulligan.codec import decode_value
from mulligan.types.errors import UnfinishedRunError

_MARK = re.compile(r"mark[:=] ?(m\w+x)")
_PLACE = re.compile(r"event[:=] ?(e\d), ?day[:=] ?([\d-]+)")
_QUESTION = "I could not do this reliably"
_NO_CLAIM = "(someone changed it since"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What really happened, by mark."""

    made: Counter[str]
    """How often the agent's calls took effect."""
    stands: frozenset[str]
    """Marks that can be seen on the remote now."""
    wrong: frozenset[str]
    """Of them, those on the wrong day."""
    open: frozenset[str]
    """Marks of the actions on the open list."""


def read_ledger(world: TruthWorld, turn_actions: list[Action]) -> Ledger:
    """Read the remote and the open list."""
    items = world.remote.list_items().values()
    seen = {str(item.data["mark"]): item for item in items if item.data["mark"] != "seed"}
    seen.pop("person", None)
    return Ledger(
        made=Counter(str(e.data["mark"]) for e in world.remote.ledger() if e.by == "agent"),
        stands=frozenset(seen),
        wrong=frozenset(mark for mark, item in seen.items() if item.data["day"] == WRONG),
        open=frozenset(_read_mark(world, action) for action in turn_actions),
    )


def _read_mark(world: TruthWorld, action: Action) -> str:
    kept = world.m._parts.store.vault.get(action.id, "arguments")
    given = decode_value(kept) if kept is not None else {}
    if not isinstance(given, dict):
        return ""
    return str(given.get("mark") or f"{given.get('event')}/{given.get('day')}")


def find_untrue(
    done: Done, agent: RandomAgent, ledger: Ledger, opened: list[Action]
) -> Iterator[str]:
    """Every sentence, standing and list of a turn that the remote does not bear out."""
    world = agent.world
    if set(done.open_actions) != {action.id for action in opened}:
        yield "open_actions is not the open list"
    yield from _find_untrue_standing(done, agent, ledger)
    yield from _find_untrue_text(done, agent, ledger)
    yield from _find_untrue_corrections(done, agent, ledger)
    if any(a.state in (State.PENDING_REVIEW, State.EXECUTED) for a in opened):
        text = _read_reply(done) or done.note
        if "Not yet checked:" not in f"{text}\n{done.note}":
            yield "a review is due, and nobody says so"
    yield from find_unaccounted(
        agent, ledger, [a.verdict.standing for a in done.attempts if a.verdict]
    )
    inside = any(step.inside for script in agent.scripts for step in script)
    if world.kind == "bare" and done.confidence is not Confidence.HIGH and not inside:
        states = {_find_state(world, call) for each in done.attempts for call in each.calls}
        if State.VERIFIED in states or done.standing is Standing.ACCEPTED:
            yield "not reviewed, and it is called accepted or verified"


def find_unaccounted(
    agent: RandomAgent, ledger: Ledger, standings: list[Standing]
) -> Iterator[str]:
    """Effects of rejected attempts that stand and are on no list, and effects beyond one a call."""
    for marks, standing in zip(agent.by_attempt, standings, strict=False):
        left = (marks & ledger.stands) - ledger.open - _list_redone(agent, marks)
        if standing is Standing.REJECTED and left:
            yield f"rejected, in effect, and on no list: {sorted(left)}"
    for mark, times in ledger.made.items():
        if times > agent.called[mark]:
            yield f"{mark} took effect {times} times"


def _list_redone(agent: RandomAgent, marks: set[str]) -> set[str]:
    """Marks that another attempt asked for too: what stands may be its work."""
    others = [each for each in agent.by_attempt if each is not marks]
    return set().union(*others) & marks


def _find_state(world: TruthWorld, call: str) -> State | None:
    action = world.m._parts.store.journal.find_action(call)
    return action.state if action else None


def _find_untrue_standing(done: Done, agent: RandomAgent, ledger: Ledger) -> Iterator[str]:
    last = agent.by_attempt[-1]
    first = set().union(*agent.by_attempt[:-1]) & set(ledger.made)
    if done.standing is Standing.ACCEPTED:
        if agent.world.mood is Mood.RIGHT and (ledger.wrong & last) - ledger.open:
            yield "accepted, and what is wrong stands"
        if (
            agent.world.mood is Mood.AWAY
            and agent.world.kind == "scoped"
            and (done.confidence is not Confidence.HIGH)
        ):
            yield "accepted, and no check was about it"
        if first and not last:
            yield "accepted, though nothing was done after a rejection"
    meddled = any(step.meddles for script in agent.scripts for step in script)
    if done.confidence is Confidence.HIGH and agent.world.kind != "plain" and not meddled:
        asked = f"e1/{RIGHT}"
        if ledger.stands != {asked} or ledger.open:
            yield f"high confidence, and there is {sorted(ledger.stands)}"


def _read_reply(done: Done) -> str:
    """The text that the person reads; empty where the reply is none, or is not given."""
    try:
        return done.reply if isinstance(done.reply, str) else ""
    except UnfinishedRunError:
        return ""


def _find_untrue_text(done: Done, agent: RandomAgent, ledger: Ledger) -> Iterator[str]:
    text = _read_reply(done)
    everything = set().union(*agent.by_attempt)
    if text.startswith(_QUESTION):
        nothing = "Nothing is in effect" in text or "Nothing was changed." in text
        if nothing and ledger.stands & everything:
            yield f"nothing is in effect, it says, and there is {sorted(ledger.stands)}"
        for mark in _list_marks(text, after="Still in effect:"):
            if mark not in ledger.stands and mark not in _list_overwritten(agent):
                yield f"still in effect, it says, and {mark} is not"
    fresh = agent.by_attempt[-1] - set().union(*agent.by_attempt[:-1])
    if "nothing was changed after it" in done.note and ledger.stands & fresh:
        yield "nothing was changed, it says"
    for mark in _list_marks(done.note, after="a problem was found:"):
        if mark not in ledger.stands and mark not in _list_overwritten(agent):
            yield f"in effect, the note says, and {mark} is not"
    for mark in _list_marks(done.note, after="awaiting approval:"):
        if mark in ledger.stands and ledger.made[mark] == agent.called[mark]:
            yield f"not done yet, the note says, and {mark} is"


def _find_untrue_corrections(done: Done, agent: RandomAgent, ledger: Ledger) -> Iterator[str]:
    for number, attempt in enumerate(done.attempts):
        if attempt.correction is None:
            continue
        redone = set().union(*agent.by_attempt[number:])
        for mark in _list_marks(attempt.correction.text, after="Undone and verified:"):
            if mark in ledger.stands - redone:
                yield f"taken back before attempt {number + 1}, it says, and {mark} stands"


def _list_overwritten(agent: RandomAgent) -> set[str]:
    """Marks on an object that was written again later: nobody can see them there any more."""
    lines = [line for line in agent.world.remote.ledger() if line.by != "undo"]
    last = {line.id: str(line.data.get("mark")) for line in lines}
    return {str(line.data.get("mark")) for line in lines} - set(last.values())


def _list_marks(text: str, *, after: str) -> list[str]:
    """The marks in the list under a heading."""
    _, found, rest = text.partition(after)
    listed = rest.lstrip("\n").split("\n")
    marks = []
    for line in listed if found else []:
        if not line.startswith("- "):
            break
        if _NO_CLAIM in line:
            continue
        if seen := _MARK.search(line):
            marks.append(seen[1])
        elif seen := _PLACE.search(line):
            marks.append(f"{seen[1]}/{seen[2]}")
    return marks
