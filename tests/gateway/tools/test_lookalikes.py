import pytest

from mulligan.gateway.tools.lookalikes import fold_name


@pytest.mark.parametrize(
    "other",
    [
        "send_ema\u0456l",
        "s\u0435nd_email",
        "send_\u200bemail",
        "Send_Email",
        "\uff53end_email",
        "send-email",
    ],
)
def test_names_that_look_the_same_fold_to_one(other):
    assert fold_name(other) == fold_name("send_email")


def test_names_that_differ_stay_apart():
    assert fold_name("send_mail") != fold_name("send_email")
