"""German names of holidays and other days that have a name."""

from __future__ import annotations

from mulligan.checks.language.tables import build_table

FEASTS = build_table(
    {
        "new year": "neujahr | neujahrstag",
        "epiphany": "dreikönigstag | heilige drei könige",
        "candlemas": "lichtmess | mariä lichtmess",
        "valentine": "valentinstag",
        "women": "weltfrauentag | frauentag",
        "workers": "tag der arbeit | maifeiertag",
        "halloween": "halloween",
        "all saints": "allerheiligen",
        "all souls": "allerseelen",
        "st nicholas": "nikolaus | nikolaustag",
        "christmas eve": "heiligabend | heiliger abend | heiligen abend",
        "christmas": "weihnachten | christtag",
        "boxing day": "stephanstag | stefanitag",
        "new year's eve": "silvester | sylvester",
        "shrove monday": "rosenmontag",
        "shrove tuesday": "faschingsdienstag | fastnachtsdienstag | veilchendienstag",
        "ash wednesday": "aschermittwoch",
        "palm sunday": "palmsonntag",
        "maundy thursday": "gründonnerstag",
        "good friday": "karfreitag",
        "holy saturday": "karsamstag",
        "easter": "ostersonntag | ostern",
        "easter monday": "ostermontag",
        "ascension": "christi himmelfahrt | himmelfahrt | vatertag",
        "pentecost": "pfingsten | pfingstsonntag",
        "whit monday": "pfingstmontag",
        "black friday": "black friday",
        "cyber monday": "cyber monday",
    }
)
"""As `meaning/feasts.py` knows them."""

ALIASES = {
    "tag der deutschen einheit": "tag der deutschen einheit",
    "einheitstag": "tag der deutschen einheit",
    "nationalfeiertag": "nationalfeiertag",
}
"""What people call the holidays of countries, and the name these have in the library."""
