"""Failed calls for the tests of this folder, with only what a test cares about said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mulligan.types.call import Call, Failure
from mulligan.types.effect import Effect
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Earlier, FailedCall


def failed(
    arguments: Mapping[str, object],
    *,
    error: str = "",
    schema: Mapping[str, object] | None = None,
    tool: str = "find_order",
    said: Sequence[str] = (),
    earlier: Sequence[Earlier] = (),
    tools: Sequence[str] = (),
    reads: Sequence[str] = (),
    effect: Effect = Effect.READ,
    error_class: ErrorClass = ErrorClass.UNKNOWN,
) -> FailedCall:
    return FailedCall(
        call=Call(id="1", tool=tool, arguments=arguments),
        failure=Failure(error_class=error_class),
        error=error,
        schema=schema or {},
        effect=effect,
        tools=tuple(tools),
        reads=tuple(reads),
        said=tuple(said),
        earlier=tuple(earlier),
    )


def obj(*required: str, **properties: object) -> dict[str, object]:
    """A schema of an object, in one line."""
    return {"type": "object", "properties": properties, "required": list(required)}


TEXT: dict[str, object] = {"type": "string"}
WHOLE: dict[str, object] = {"type": "integer"}
