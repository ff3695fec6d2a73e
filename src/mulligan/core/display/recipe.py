"""What a person can do about an action that is open, as commands that can be run."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.core.action import Action, State
from mulligan.core.effect import Effect

_SETTLE = 'mulligan settle {id} --note "what you did"'
_UNDO = "mulligan undo {id}"

_RECIPES: Mapping[State, tuple[str, ...]] = {
    State.HELD: (
        "It waits for you. Let it run: mulligan approve {id}",
        "Or do not: mulligan deny {id}",
    ),
    State.APPROVED: (
        "It runs once an application is up that has its tool and all that the call was given.",
        "If none is in time, it expires. Stop it: mulligan deny {id}",
    ),
    State.NEEDS_HUMAN: (
        "Nobody can tell whether it happened. Look at what is there.",
        "If this call wrote it, have what was there before put back: mulligan undo {id} --ours",
        f"Else put it right by hand, then say so: {_SETTLE}",
    ),
    State.CONFLICT: (
        f"Somebody changed it after us, and theirs stands. Keep theirs: {_SETTLE}",
        "Or put back by hand what was there before, then say so the same way.",
    ),
    State.UNDO_FAILED: (
        f"It stands although it was rejected. Have the undo tried again: {_UNDO}",
        f"Or take it back by hand, then say so: {_SETTLE}",
    ),
    State.DISPUTED: (
        f"Something in its attempt was found wrong, and it stands. Take it back: {_UNDO}",
        f"Or let it stand: {_SETTLE}",
    ),
}

_UNSURE = (
    "Nobody can tell whether it happened, and it cannot be undone. Look at what is there.",
    f"Put it right by hand, then say so: {_SETTLE}",
)

_STANDS = (
    "Something in its attempt was found wrong. It stands, and cannot be undone.",
    f"Put it right by hand, or let it stand. Then say so: {_SETTLE}",
)

_BY_HAND: Mapping[State, tuple[str, ...]] = {
    State.DISPUTED: _STANDS,
    State.NEEDS_HUMAN: _UNSURE,
}
"""Of calls that cannot be undone."""


def render_recipe(action: Action) -> tuple[str, ...]:
    """The steps, each a sentence with a command; none where the application sees to it itself."""
    steps = _RECIPES.get(action.state, ())
    if action.opening.effect is not Effect.REVERSIBLE:
        steps = _BY_HAND.get(action.state, steps)
    return tuple(step.format(id=action.id) for step in steps)
