"""Our eight checks of text that need no model, as the preset `marketing` has them."""

from __future__ import annotations

from functools import partial

from bench.workers.protocol import serve
from bench.workers.text_block import text_block
from mulligan.checks.file import preset
from mulligan.types.reply import Reply


def main() -> None:
    checks = preset("marketing")

    def check(text: str, context: str) -> set[str]:
        reply = Reply(text=text, query="What do you offer?", context=(context,))
        return {each.name for each in checks if list(each(reply))}

    serve({"check": partial(text_block, check)}, packages=["mulligan"])


main()
