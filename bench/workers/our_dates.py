"""Mulligan's resolver. The data says no zone, so none is known here either."""

from __future__ import annotations

from bench.workers.meaning import find_answers
from bench.workers.phrases import serve_phrases
from mulligan_dates.reader import parse_once

serve_phrases(find_answers, packages=["mulligan"], forget=parse_once.cache_clear)
