"""Every count as one JSON object: of a process that has done nothing else."""

from __future__ import annotations

import json

from bench.counts.paths import count_all

print(json.dumps(count_all()))
