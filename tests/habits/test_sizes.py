"""Small files, small functions, few parameters, shallow classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mulligan.core.errors import NaiveTimeError
from tests.habits.modules import import_ours

FILE_LINES = 400
BODY_LINES = 40
BODY_LINES_EVER = 60
PARAMETERS = 7
BY_POSITION = 2
BY_POSITION_PRIVATE = 3
PUBLIC_METHODS = 15
DEPTH = 2

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(node: ast.AST, inside: str = "") -> Iterator[tuple[str, Function, ast.AST]]:
    """Every function, by qualified name, with the class, module or function it stands in."""
    for child in ast.iter_child_nodes(node):
        name = f"{inside}.{child.name}".lstrip(".") if hasattr(child, "name") else inside
        if isinstance(child, Function):
            yield name, child, node
        yield from functions(child, name if isinstance(child, Function | ast.ClassDef) else inside)


def body_lines(function: Function) -> int:
    """Lines from the first statement to the last, the docstring aside."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def parameters(function: Function, *, method: bool) -> tuple[int, int]:
    """How many parameters there are, and how many can be given by position; `self` aside."""
    taken = function.args
    by_position = len(taken.posonlyargs) + len(taken.args)
    decorators = {d.id for d in function.decorator_list if isinstance(d, ast.Name)}
    if method and "staticmethod" not in decorators:
        by_position -= 1
    return by_position + len(taken.kwonlyargs), by_position


def measure(trees: dict[str, ast.Module]) -> Iterator[tuple[str, Function, int, int]]:
    """Each function with the number of its parameters, and of those given by position."""
    for path, tree in trees.items():
        for name, function, inside in functions(tree):
            count = parameters(function, method=isinstance(inside, ast.ClassDef))
            yield f"{path}:{name}", function, *count


def most_by_position(name: str) -> int:
    """The subject, and what it goes with; where the only readers are beside it, one more."""
    private = any(part.startswith("_") for part in name.rpartition(":")[2].split("."))
    return BY_POSITION_PRIVATE if private else BY_POSITION


def free_to_choose(trees: dict[str, ast.Module]) -> set[str]:
    """Functions whose signature is ours: not a dunder's, a test's, or an inner callback's."""
    return {
        f"{path}:{name}"
        for path, tree in trees.items()
        for name, function, inside in functions(tree)
        if not isinstance(inside, Function) and not function.name.startswith(("__", "test_"))
    }


def public_methods(tree: ast.Module) -> dict[str, int]:
    return {
        # By name: an overload is no method more.
        node.name: len(
            {n.name for n in node.body if isinstance(n, Function) and not n.name.startswith("_")}
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }


def depth(kind: type) -> int:
    """Classes of ours in the longest chain up from here. Those of a framework do not count."""
    ours = kind.__module__.split(".")[0] == "mulligan"
    return ours + max((depth(parent) for parent in kind.__bases__), default=0)


def test_no_file_is_longer_than_can_be_read_at_once(repo, only_exceptions):
    files = repo.under("src", "tests", "bench", suffixes=(".py", ".sql"))
    lines = {repo.name(p): len(p.read_text().splitlines()) for p in files}

    only_exceptions("file_lines", {p: n for p, n in lines.items() if n > FILE_LINES})


def test_no_function_is_longer_than_a_screen(repo, only_exceptions):
    bodies = {
        f"{path}:{name}": body_lines(function)
        for path, tree in repo.trees("src", "tests", "bench").items()
        for name, function, _ in functions(tree)
    }

    only_exceptions("body_lines", {name: n for name, n in bodies.items() if n > BODY_LINES})
    assert {name: n for name, n in bodies.items() if n > BODY_LINES_EVER} == {}


def test_no_function_takes_more_parameters_than_one_can_keep_in_mind(repo, only_exceptions):
    measured = measure(repo.trees("src"))

    only_exceptions("parameters", {name: n for name, _, n, _ in measured if n > PARAMETERS})


def test_all_but_the_subject_is_given_by_name(repo, only_exceptions):
    trees = repo.trees("src")
    ours = free_to_choose(trees)

    by_position = {name: n for name, _, _, n in measure(trees) if name in ours}

    only_exceptions(
        "positional", {name: n for name, n in by_position.items() if n > most_by_position(name)}
    )


def test_no_class_has_more_public_methods_than_one_reader_needs(repo, only_exceptions):
    found = {
        f"{path}:{name}": count
        for path, tree in repo.trees("src").items()
        for name, count in public_methods(tree).items()
        if count > PUBLIC_METHODS
    }

    only_exceptions("public_methods", found)


def test_no_class_but_an_error_is_more_than_two_of_ours_deep(only_exceptions):
    found: dict[str, object] = {}
    for module in import_ours():
        for kind in vars(module).values():
            if not isinstance(kind, type) or issubclass(kind, BaseException):
                continue
            if kind.__module__ == module.__name__ and depth(kind) > DEPTH:
                found[f"{module.__name__}.{kind.__name__}"] = depth(kind)

    only_exceptions("depth", found)


PLANTED = '''
def long():
    """The docstring does not count.

    However long it is.
    """
    a = 1
    b = 2
    return a + b

class Wide:
    def one(self, subject, *, a, b): ...
    @staticmethod
    def two(subject, other): ...
    @property
    def three(self): ...
    def _four(self):
        def callback(host, gives, these): ...

async def five(a, /, b, c, d, e, f, *, g, h): ...
'''


def test_the_ruler_measures_what_it_should():
    tree = ast.parse(PLANTED)
    sizes = {name: (n, by_position) for name, _, n, by_position in measure({"p": tree})}

    assert {name: body_lines(f) for name, f, _ in functions(tree)}["long"] == 3
    assert sizes == {
        "p:long": (0, 0),
        "p:Wide.one": (3, 1),
        "p:Wide.two": (2, 2),
        "p:Wide.three": (0, 0),
        "p:Wide._four": (0, 0),
        "p:Wide._four.callback": (3, 3),
        "p:five": (8, 6),
    }
    assert free_to_choose({"p": tree}) == sizes.keys() - {"p:Wide._four.callback"}
    assert most_by_position("p:Wide.two") == 2
    assert most_by_position("p:_Narrow.two") == most_by_position("p:Wide._four") == 3
    assert public_methods(tree) == {"Wide": 3}
    assert depth(NaiveTimeError) == 3
