"""dateparser, told the time, the language and the order of figures."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import dateparser

from bench.workers.phrases import Told, moment, serve_phrases


def resolve(text: str, ref: datetime, locale: str) -> Iterable[Told]:
    order = "MDY" if locale in ("en-US", "en-CA", "en-PH", "en-BZ") else "DMY"
    settings = {"RELATIVE_BASE": ref, "DATE_ORDER": order}
    found = dateparser.parse(text, languages=["en"], settings=settings)
    return [moment(found)] if found else []


serve_phrases(resolve, packages=["dateparser"])
