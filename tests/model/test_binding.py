"""What each statement binds, in which scope."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from torchlint.syntax.index import Index, build_index
from torchlint.syntax.scope import Binding, Scope


def indexed(code: str) -> Index:
    return build_index(ast.parse(dedent(code)))


def described(binding: Binding) -> tuple[str, str, tuple[int | None, ...]]:
    return (binding.name, binding.kind, binding.selector)


BINDINGS = {
    "a = 1": [("a", "assign", ())],
    "a = b = 1": [("a", "assign", ()), ("b", "assign", ())],
    "a: int = 1": [("a", "assign", ())],
    "a: int": [],
    "a, b = 1, 2": [("a", "assign", ()), ("b", "assign", ())],
    "a, b = f()": [("a", "assign", (0,)), ("b", "assign", (1,))],
    "a, (b, c) = f()": [("a", "assign", (0,)), ("b", "assign", (1, 0)), ("c", "assign", (1, 1))],
    "a, *b = f()": [("a", "assign", (0,)), ("b", "assign", (None,))],
    "a, b, c = *f(), g": [("a", "assign", (0,)), ("b", "assign", (1,)), ("c", "assign", ())],
    "*a, b = *f(), g": [("a", "assign", (None,)), ("b", "assign", ())],
    "a, *b = f, g, h": [("a", "assign", ()), ("b", "assign", (None,))],
    "a += 1": [("a", "augment", ())],
    "for a, b in f(): pass": [("a", "iterate", (0,)), ("b", "iterate", (1,))],
    "with f() as a, g() as b: pass": [("a", "enter", ()), ("b", "enter", ())],
    "import a": [("a", "import", ())],
    "import a.b": [("a", "import", ())],
    "import a.b as c": [("c", "import", ())],
    "from a import b, c as d": [("b", "import", ()), ("d", "import", ())],
    "def a(): pass": [("a", "function", ())],
    "class a: pass": [("a", "class", ())],
    "try: pass\nexcept E as a: pass": [("a", "except", ())],
    "try: pass\nexcept* E as a: pass": [("a", "except", ())],
    "match v:\n    case [a, *b]: pass\n    case {'k': c, **d}: pass\n    case C(e) as f: pass": [
        (name, "match", ()) for name in "abcdef"
    ],
    "print(a := 1)": [("a", "assign", ())],
    "if (a := 1): pass": [("a", "assign", ())],
    "a.b = 1": [],
    "a[0] = 1": [],
    "[a for a in b]": [],
    "lambda a: a": [],
}


@pytest.mark.parametrize(("code", "expected"), BINDINGS.items())
def test_a_statement_binds_its_names(code: str, expected: list[tuple[str, str, tuple[int | None, ...]]]) -> None:
    try:
        index = indexed(code)
    except SyntaxError:
        pytest.skip("newer grammar than this Python")

    found = [described(binding) for bindings in index.scope.bindings.values() for binding in bindings]

    assert sorted(found) == sorted(expected)


def test_stores_into_attributes_and_items_are_kept_apart() -> None:
    index = indexed("a.b = 1\na.b += 2\na['k'] = 3\na.b, c.d = f()\n")

    assert [(store.kind, store.selector) for store in index.attribute_stores("b")] == [
        ("assign", ()), ("augment", ()), ("assign", (0,)),
    ]  # fmt: skip
    assert [ast.unparse(store.target) for store in index.attribute_stores("d")] == ["c"]
    assert len(index.stores) == 5


def scope_named(index: Index, name: str) -> Scope:
    return next(scope for scope in index.scopes if scope.name == name)


def test_parameters_have_their_positions_and_defaults() -> None:
    index = indexed("def f(a, /, b, c=1, *args, d, e=2, **kwargs): pass")

    parameters = scope_named(index, "f").parameters

    assert [(p.name, p.position, p.default is not None, p.star) for p in parameters] == [
        ("a", 0, False, ""), ("b", 1, False, ""), ("c", 2, True, ""), ("args", 3, False, "*"),
        ("d", None, False, ""), ("e", None, True, ""), ("kwargs", None, False, "**"),
    ]  # fmt: skip


def test_functions_and_classes_have_scopes_of_their_own() -> None:
    index = indexed(
        "x = 1\nclass A:\n    x = 2\n    def f(self):\n        x = 3\n        def g():\n            x = 4\n"
    )

    assert [scope.qualified_name for scope in index.scopes] == ["", "A", "A.f", "A.f.g"]
    assert [len(scope.bindings["x"]) for scope in index.scopes] == [1, 1, 1, 1]
    assert scope_named(index, "f").is_method
    assert not scope_named(index, "g").is_method


def test_global_names_belong_to_the_file() -> None:
    index = indexed("x = 1\ndef f():\n    global x, y\n    x = 2\n    y = 3\n")

    assert len(index.scope.bindings["x"]) == 2
    assert len(index.scope.bindings["y"]) == 1


def test_nonlocal_names_belong_to_the_function_around() -> None:
    index = indexed(
        "x = 0\ndef f():\n    x = 1\n    class A:\n        x = 2\n        def g(self):\n            nonlocal x\n            x = 3\n"
    )

    assert len(scope_named(index, "f").bindings["x"]) == 2
    assert len(scope_named(index, "A").bindings["x"]) == 1
    assert len(index.scope.bindings["x"]) == 1


def test_returns_and_yields_belong_to_their_function() -> None:
    index = indexed("def f():\n    def g():\n        return 1\n    yield g()\n    yield from g()\n    return 2\n")

    assert (len(scope_named(index, "f").returns), len(scope_named(index, "f").yields)) == (1, 2)
    assert (len(scope_named(index, "g").returns), len(scope_named(index, "g").yields)) == (1, 0)


def test_every_statement_has_its_block() -> None:
    code = "if a:\n    b\nelif c:\n    d\nelse:\n    e\ntry:\n    f\nexcept E:\n    g\nelse:\n    h\nfinally:\n    i\nfor j in k:\n    l\n"
    tree = ast.parse(code)

    index = build_index(tree)

    assert set(index.home) == {node for node in ast.walk(tree) if isinstance(node, ast.stmt)}
    for statement, (block, position) in index.home.items():
        assert block.body[position] is statement
