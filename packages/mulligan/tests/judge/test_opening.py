from __future__ import annotations

import sys

import pytest
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.openai import OpenAIResponsesModel

from mulligan.judge import open_model
from mulligan.types.errors import ConfigurationError, MissingExtraError
from tests.judge.answers import speaking


def test_a_model_is_taken_as_it_is() -> None:
    model = speaking("x")

    assert open_model(model) is model


def test_a_name_becomes_its_model(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")

    model = open_model("openai:gpt-4o-mini")

    assert isinstance(model, OpenAIResponsesModel)
    assert model.model_name == "gpt-4o-mini"


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("anthropic:claude", "anthropic"),
        ("openai:gpt", "openai"),
        ("openai-chat:gpt", "openai"),
        ("bedrock:nova", "bedrock"),
        ("groq:llama", "judge"),
    ],
)
def test_without_the_model_library_one_sentence_says_what_to_install(
    name: str, extra: str, monkeypatch
) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)

    with pytest.raises(MissingExtraError) as raised:
        open_model(name)

    assert str(raised.value) == f'judge={name!r} needs an extra: pip install "mulligan[{extra}]".'


@pytest.mark.parametrize(
    ("name", "library", "extra"),
    [("anthropic:claude", "anthropic", "anthropic"), ("bedrock:nova", "boto3", "bedrock")],
)
def test_without_a_provider_s_library_one_sentence_says_what_to_install(
    name: str, library: str, extra: str, monkeypatch
) -> None:
    for module in [m for m in sys.modules if m.startswith(f"pydantic_ai.providers.{extra}")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(MissingExtraError) as raised:
        open_model(name)

    assert f'pip install "mulligan[{extra}]"' in str(raised.value)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nobody:model", "judge='nobody:model' cannot be used: Unknown model"),
        ("openai:gpt", "OPENAI_API_KEY"),
        (7, "not int"),
        (FunctionModel, "not ABCMeta"),
    ],
)
def test_what_is_no_model_is_refused_with_what_to_do(model: object, said: str, monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    with pytest.raises(ConfigurationError, match=said):
        open_model(model)
