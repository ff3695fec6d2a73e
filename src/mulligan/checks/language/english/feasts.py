"""English names of holidays and other days that have a name."""

from __future__ import annotations

from mulligan.checks.language.tables import build_table

FEASTS = build_table(
    {
        "new year": "new year's day | new years day | new year | new year's | new years",
        "valentine": "valentine's day | valentines day | valentine's | valentine day",
        "st patrick": (
            "st patrick's day | saint patrick's day | saint patricks day | "
            "st patricks day | st. patrick's day | st paddy's day"
        ),
        "epiphany": "epiphany",
        "burns night": "burns night | burns' night",
        "candlemas": "candlemas | candlemas day",
        "groundhog": "groundhog day | groundhogs day | ground hog day",
        "st david": "st david's day | st davids day | saint david's day",
        "women": "international women's day | international womens day",
        "pi day": "pi day",
        "ides of march": "ides of march | the ides of march",
        "april fools": (
            "april fools' day | april fool's day | april fools day | april fools | april fools'"
        ),
        "st george": "st george's day | st georges day | saint george's day",
        "earth day": "earth day",
        "workers": "international workers' day | may day",
        "cinco de mayo": "cinco de mayo",
        "bastille day": "bastille day",
        "halloween": "halloween | hallowe'en | all hallows' eve | all hallows eve",
        "all saints": "all saints' day | all saints day | all saint's day | all hallows' day",
        "all souls": "all souls' day | all souls day | all soul's day",
        "world vegan day": "world vegan day",
        "guy fawkes": "guy fawkes day | guy fawkes night | bonfire night",
        "armistice": "armistice day",
        "st andrew": "st andrew's day | st andrews day | saint andrew's day",
        "world aids day": "world aids day",
        "st nicholas": "st nicholas day | saint nicholas day | st nicholas' day",
        "christmas eve": "christmas eve | xmas eve",
        "christmas": "christmas | christmas day | xmas | xmas day",
        "boxing day": "boxing day | st stephen's day | saint stephen's day",
        "new year's eve": "new year's eve | new years eve",
        "shrove monday": "shrove monday",
        "maundy thursday": "maundy thursday | holy thursday",
        "good friday": "good friday",
        "holy saturday": "holy saturday | easter eve",
        "easter": "easter | easter sunday",
        "easter monday": "easter monday | easter mon",
        "ash wednesday": "ash wednesday",
        "shrove tuesday": "shrove tuesday | pancake day | mardi gras | fat tuesday",
        "palm sunday": "palm sunday",
        "pentecost": "pentecost | whit sunday | white sunday | whitsunday",
        "whit monday": "whit monday",
        "ascension": "ascension day",
        "trinity sunday": "trinity sunday",
        "black friday": "black friday",
        "cyber monday": "cyber monday",
        "giving tuesday": "giving tuesday",
        "mother's day": "mother's day | mothers day | mothers' day | mother day",
        "father's day": "father's day | fathers day | fathers' day | father day",
        "summer time begins": (
            "daylight saving start day | daylight savings start day | daylight saving start | "
            "daylight savings start | start of daylight saving | daylight saving begins"
        ),
        "summer time ends": (
            "daylight saving end day | daylight savings end day | daylight saving end | "
            "daylight savings end | end of daylight saving | daylight saving ends"
        ),
        "august bank holiday": (
            "august bank holiday | summer bank holiday | late summer bank holiday"
        ),
    }
)
"""As `meaning/feasts.py` knows them."""

ALIASES = {
    "thanksgiving": "thanksgiving day",
    "thanks giving": "thanksgiving day",
    "thanks giving day": "thanksgiving day",
    "mlk day": "martin luther king jr . day",
    "mlk jr. day": "martin luther king jr . day",
    "martin luther king day": "martin luther king jr . day",
    "presidents' day": "washington's birthday",
    "presidents day": "washington's birthday",
    "president's day": "washington's birthday",
    "president day": "washington's birthday",
    "george washington day": "washington's birthday",
    "decoration day": "memorial day",
    "veteran day": "veterans day",
    "veteran's day": "veterans day",
    "fourth of july": "independence day",
    "labour day": "labor day",
    "anzac": "anzac day",
}
"""What people call the holidays of countries, and the name these have in the library."""
