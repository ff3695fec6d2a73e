"""From a model's name to a model, with one sentence for everything that may be missing."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from mulligan.core.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_EXTRAS = ("anthropic", "bedrock", "openai")
"""Providers whose library an extra of ours brings, by the first part of a model's name."""


def open_model(model: str | Model) -> Model:
    """The model of that name, such as `anthropic:…`, or the model itself.

    The model library is imported here and not before: it takes about a second.
    """
    if find_spec("pydantic_ai") is None:
        raise MissingExtraError(need=f"judge={_describe_model(model)}", extra=_find_extra(model))
    from pydantic_ai.models import Model, infer_model

    if isinstance(model, Model):
        return model
    if not isinstance(model, str):
        raise ConfigurationError(
            f"A judge is a model's name or a pydantic-ai model, not {type(model).__name__}. "
            "Pass judge='anthropic:…', judge='openai:…', judge='bedrock:…' or a model."
        )
    try:
        return infer_model(model)
    except ImportError as missing:
        if _find_extra(model) in _EXTRAS:
            raise MissingExtraError(need=f"judge={model!r}", extra=_find_extra(model)) from missing
        raise ConfigurationError(f"judge={model!r} cannot be used: {missing}") from missing
    except Exception as wrong:
        # Each provider's library has errors of its own. They say which name or key is missing.
        raise ConfigurationError(f"judge={model!r} cannot be used: {wrong}") from wrong


def _find_extra(model: object) -> str:
    provider = model.partition(":")[0].partition("-")[0] if isinstance(model, str) else ""
    return provider if provider in _EXTRAS else "judge"


def _describe_model(model: object) -> str:
    return repr(model) if isinstance(model, str) else type(model).__name__
