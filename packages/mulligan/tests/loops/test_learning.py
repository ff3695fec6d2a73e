import pytest

from mulligan.types.errors import ConfigurationError
from tests.loops.lab import Lab


def test_a_judge_by_name_is_refused_where_nobody_opens_models():
    using = Lab().using

    with pytest.raises(ConfigurationError, match=r"anthropic:.* is no judge yet: pass one"):
        using.open_judge("anthropic:some-model")
