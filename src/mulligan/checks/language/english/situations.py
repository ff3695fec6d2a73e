"""English words around an expression of time that change it, or change nothing."""

from __future__ import annotations

from mulligan.checks.language.tables import build_set

TWISTING = build_set(
    "closest nearest orthodox chinese lunar jewish islamic persian parsi hindu korean coptic "
    "tamil thai good black easter ash palm maundy holy whit white shrove fat clean cyber giving "
    "super boxing great low spy plough bloody"
)
"""Before the name of a day they make it another day."""

HARMLESS = build_set(
    "the is was be on at in of for by a an and to will would please i we it s or if works work "
    "instead should can could that then so as with because but until till from through thru are "
    "were has had there around about approximately sometime just exactly possible too also "
    "after before since when where while not ok okay thanks may might unless only still maybe "
    "perhaps my me"
)
"""May stand in a phrase about time without changing it."""
