"""What reviewing, repairing and asking people took, and the results, as far as both are recorded.

Nothing is estimated: what models outside of Mulligan took, and what a mistake would have cost, no
store knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from msgspec import Struct

from mulligan.insights.figures import add_up_counts, name_agent
from mulligan.insights.filters import ViewFilter, ViewRequest
from mulligan.insights.reader import StoreReader
from mulligan.insights.texts import TextSum
from mulligan.types.action import ActionQuery, State, is_decision
from mulligan.types.effect import Effect
from mulligan.types.log import Rollup, TextKind, TextMeasure

MOST_ACTIONS = 10_000
"""The newest that are looked at."""
MOST_HOLDS = 1_000


class CostRow(Struct, frozen=True, kw_only=True):
    """One thing that took something."""

    what: str
    times: float
    seconds: float | None = None
    """All together; `None`: not recorded."""
    input_tokens: float | None = None
    output_tokens: float | None = None
    """Of a text: all tokens that were reported."""
    view: str = ""
    """Where they are listed or shown over time."""

    @property
    def tokens(self) -> tuple[float | None, float | None]:
        """Those in and those out."""
        return self.input_tokens, self.output_tokens


class SavedRow(Struct, frozen=True, kw_only=True):
    """One kind of result."""

    what: str
    times: float
    view: str
    """Where they are listed or shown over time."""
    state: State | None = None
    """Of the actions that these are."""


class CostView(Struct, frozen=True, kw_only=True):
    """What was spent in a span of time, and the results."""

    asked: ViewFilter
    spent: tuple[CostRow, ...]
    waited: float | None
    """Seconds until a person decided on a held call, the median; `None`: nobody had to."""
    saved: tuple[SavedRow, ...]
    whole: bool
    """`False`: there are more actions than were looked at, older ones."""


def read_cost(ask: StoreReader, asked: ViewRequest) -> CostView:
    """Add up what the log and the journal have of a span of time."""
    whose, until = asked.filter, ask.clock()
    since = until - whose.window.length
    counted = ask.store.log.read_texts(since=since, until=until)
    texts = TextSum(
        (slot, n)
        for slot, n in counted.items()
        if whose.agent in (None, name_agent(slot)) and whose.tenant in (None, slot.tenant)
    )
    calls = add_up_counts(ask.counts.join_slots(whose.window.length, whose).values())
    query = ActionQuery(since=since, limit=MOST_ACTIONS)
    listed = ask.store.journal.list_actions(query)
    actions = [each for each in listed if whose.fits(each.opening)]
    held = [each.id for each in actions if each.opening.effect is Effect.IRREVERSIBLE]
    waits = [wait for each in held[:MOST_HOLDS] for wait in _list_waits(ask, each)]
    states = [each.state for each in actions]
    return CostView(
        asked=whose,
        spent=(*_list_judges(texts), *_list_again(texts, calls), _sum_waits(waits)),
        waited=median(waits) if waits else None,
        saved=(
            *(
                SavedRow(what=what, times=states.count(state), view="actions", state=state)
                for what, state in (
                    ("Actions undone and verified", State.UNDONE),
                    ("Held calls denied", State.DENIED),
                )
            ),
            SavedRow(
                what="Failed calls that worked after a retry", times=calls.repaired, view="repairs"
            ),
            SavedRow(
                what="Replies not sent as first written",
                times=texts.count(TextKind.REPLY, TextMeasure.REFLECTED),
                view="texts",
            ),
        ),
        whole=len(listed) < MOST_ACTIONS and len(held) <= MOST_HOLDS,
    )


def _list_judges(texts: TextSum) -> Iterator[CostRow]:
    names = {
        what: texts.list_names(TextKind.JUDGE, what)
        for what in (TextMeasure.TRIES, TextMeasure.SECONDS, TextMeasure.READ, TextMeasure.TOKENS)
    }
    for model, times in names[TextMeasure.TRIES].items():
        yield CostRow(
            what=f"Questions to the judge {model}".strip(),
            times=times,
            seconds=names[TextMeasure.SECONDS].get(model, 0.0),
            input_tokens=names[TextMeasure.READ].get(model, 0.0),
            output_tokens=names[TextMeasure.TOKENS].get(model, 0.0),
        )


def _list_again(texts: TextSum, calls: Rollup) -> Iterator[CostRow]:
    yield CostRow(
        what="Tries of failed calls, after the first",
        times=calls.tries - calls.calls,
        view="repairs",
    )
    for kind, what in (
        (TextKind.REPLY, "Replies written again"),
        (TextKind.DRAFT, "Drafts revised"),
    ):
        written, settled = (
            texts.count(kind, each) for each in (TextMeasure.TRIES, TextMeasure.SETTLED)
        )
        yield CostRow(
            what=what,
            times=max(0.0, written - settled),
            output_tokens=texts.count(kind, TextMeasure.TOKENS),
            view="texts",
        )


def _list_waits(ask: StoreReader, action: str) -> Iterator[float]:
    """How long a held call waited until a person decided."""
    for before, entry in pairwise(ask.store.journal.list_entries(action)):
        if before.state is State.HELD and is_decision(entry):
            yield (entry.at - before.at).total_seconds()


def _sum_waits(waits: list[float]) -> CostRow:
    return CostRow(
        what="Decisions of people on held calls",
        times=len(waits),
        seconds=sum(waits),
        view="health",
    )
