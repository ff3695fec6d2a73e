"""parsedatetime; what it calls a date without a time is still a moment to it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import parsedatetime

from bench.workers.phrases import Told, moment, serve_phrases

calendar = parsedatetime.Calendar()


def resolve(text: str, ref: datetime, locale: str) -> Iterable[Told]:  # noqa: ARG001
    found, status = calendar.parseDT(text, sourceTime=ref)
    return [moment(found)] if status else []


serve_phrases(resolve, packages=["parsedatetime"])
