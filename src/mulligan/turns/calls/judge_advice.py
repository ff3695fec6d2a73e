"""A judge asked about a failed call, where its tool wants that and nothing else helps."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from mulligan.core.failures.advice import Decision
from mulligan.core.interfaces import Judge
from mulligan.core.waiting.timeouts import run_with_timeout
from mulligan.turns.calls.advice import attach, offer, read_advised
from mulligan.turns.calls.tool import Tool
from mulligan.turns.memory.advice_text import Advised
from mulligan.turns.turn.context import find_current_turn

ANSWERS_WITHIN = timedelta(seconds=10)
"""How long a failed call waits for a judge, whoever made that judge."""

FINAL = frozenset({Decision.RETRY, Decision.STOP})
"""Decisions that no other arguments would change."""


async def consult(error: BaseException, tool: Tool) -> None:
    """Put a judge's correction on an error that carries none. It never stands in its way."""
    advised, judge = read_advised(error), tool.runtime.judge
    if not tool.declaration.ask_judge or judge is None or advised is None:
        return
    if advised.suggestions or advised.advice.decision in FINAL:
        return
    turn = find_current_turn()
    labels = tool.labels if turn is None else turn.labels
    if tool.traffic.find(labels.tenant).rarely_fails:
        return
    try:
        mended = await _ask_judge(judge, advised, tool)
    except Exception as trouble:  # noqa: BLE001 - the tool's own error is what matters
        tool.warn("A judge could not be asked about a failure of %s", trouble)
        return
    if mended.suggestions:
        attach(error, mended)
        offer(mended, turn=turn)


async def _ask_judge(judge: Judge, advised: Advised, tool: Tool) -> Advised:
    from mulligan.learning.decide import decide
    from mulligan.learning.from_judge import ask_to_mend, from_proposal
    from mulligan.learning.suggest import suggest_corrections

    failed, show = advised.failed, tool.runtime.redactor.show_value
    question = ask_to_mend(failed, documents=tool.declaration.docs, show=show)
    asked = judge.ask(question)
    answer = await run_with_timeout(asked, within=ANSWERS_WITHIN)
    if answer is None:
        return advised
    found = suggest_corrections(
        failed, sources=(lambda call: from_proposal(answer, call, show=show),)
    )
    return replace(advised, suggestions=found, advice=decide(failed, found))
