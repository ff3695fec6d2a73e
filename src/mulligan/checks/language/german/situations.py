"""German words around an expression of time that change it, or change nothing."""

from __future__ import annotations

from mulligan.checks.language.tables import build_set

TWISTING = build_set(
    "orthodoxe orthodoxes chinesisches chinesische jüdische islamische persische weißer blauer "
    "schwarzer grüner super"
)
"""Before the name of a day they make it another day."""

HARMLESS = build_set(
    "der die das den dem des ist war sein am im an in auf für um von vom zu zum ein eine und oder "
    "bitte ich wir es wird soll sollte kann könnte dass dann so als mit weil aber bis ab sind "
    "hat hatte da dort gegen etwa ungefähr circa genau punkt möglich auch noch nach vor seit wenn "
    "wo während nicht ok okay danke vielleicht nur schon mein meine mir mich uhr"
)
"""May stand in a phrase about time without changing it."""
