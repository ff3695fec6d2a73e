import json

from msgspec import Raw

from mulligan.gateway.protocol.frames import Frame
from mulligan.gateway.sessions.routes import find_route
from mulligan.gateway.tools.exposed_names import Names


def route(names: Names, method: str, **params):
    found = find_route(Frame(method=method, params=Raw(json.dumps(params).encode())), names)
    return None if found is None else (found.server, json.loads(bytes(found.params)))


def test_of_one_server_everything_is_for_it_as_it_came():
    assert route(Names(["a"]), "odd/method", x=1) == ("a", {"x": 1})


def test_of_several_a_request_goes_by_the_name_or_resource_that_it_has():
    names = Names(["a", "b"])
    names.note_uri("b", "memo://1")

    assert route(names, "prompts/get", name="b_greet", y=2) == ("b", {"name": "greet", "y": 2})
    assert route(names, "resources/read", uri="memo://1") == ("b", {"uri": "memo://1"})
    assert route(names, "completion/complete", ref={"name": "a_greet"}) == (
        "a",
        {"ref": {"name": "greet"}},
    )


def test_what_nobody_can_place_goes_to_nobody():
    names = Names(["a", "b"])

    assert route(names, "odd/method") is None
    assert route(names, "prompts/get", name="c_greet") is None
    assert route(names, "prompts/get", name=7) is None
    assert route(names, "resources/read", uri="memo://9") is None
