"""What a model wrote, as the arguments of a call."""

from __future__ import annotations

from mulligan.core.errors import ConfigurationError

_CALL = {"name", "arguments"}


def read_arguments(written: str, *, tool: str) -> dict[str, object]:
    """The arguments in a JSON object, in one with slips, or in a call as models write them."""
    from mulligan.learning.model_output import read_calls
    from mulligan.learning.parsing import GarbledError, read_whole

    try:
        value = read_whole(written)
    except GarbledError:
        value = None
    if isinstance(value, dict) and not value.keys() >= _CALL:
        return value
    called = next(iter(read_calls(written, tools=(tool,))), None)
    if called is not None:
        return dict(called.arguments)
    raise ConfigurationError(
        f"{written[:80]!r} holds no arguments. Write a JSON object such as "
        f'\'{{"limit": "10"}}\', or the call as the model wrote it: {tool}(limit="10").'
    )
