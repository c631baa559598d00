"""Slim trees are the same as CPython's to their readers."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from torchlint.syntax.index import build_index
from torchlint.syntax.walk import walk

PROGRAMS = sorted(Path(__file__).parents[2].glob("torchlint/model/**/*.py"))
SYNTAX = """
async def program(a, /, b: int = 1, *rest: int, c, d=2, **words) -> None:
    async with open() as (one, two[three.four]), five:
        async for x, *y in z: await x
    match a:
        case [1, *_] | {"k": v, **others} if b: pass
        case Point(x=0) as p: return
    try: del a[1:2, ::3]
    except (A, B) as e: raise e from None
    else: global g
    finally: lambda: (yield)
total: dict[str, int] = {**one, 'a': u'b', f'{a!r:>{b}}': [x for x in y if x]}
while not a < b <= c: a @= -b if c else d or (e := f)
"""


def facts_of(tree: ast.AST) -> list[object]:
    """Return what every node below another one holds besides nodes, and of which kind it is, in order."""
    names = (*ast.expr._attributes, "id", "attr", "arg", "name", "names", "value", "kind", "level", "module")
    found = [(type(node).__name__, [getattr(node, name, None) for name in names]) for node in ast.walk(tree)]
    return [(kind, [None if isinstance(one, (ast.AST, list)) else one for one in facts]) for kind, facts in found]


@pytest.mark.parametrize("text", [SYNTAX, *(path.read_text("utf-8") for path in PROGRAMS[::9])])
def test_a_slim_tree_holds_what_the_tree_held(text: str) -> None:
    tree = ast.parse(text)

    build_index(tree)

    assert facts_of(tree) == facts_of(ast.parse(text))
    assert ast.unparse(tree) == ast.unparse(ast.parse(text))


def test_no_node_of_a_slim_tree_has_a_dict() -> None:
    tree = ast.parse(SYNTAX)

    build_index(tree)

    with_dicts = {type(node).__name__ for node in walk(tree) if vars(node)}
    assert with_dicts == {"Module", "Constant"}
    assert [node.value for node in walk(tree) if isinstance(node, ast.Constant) and node.kind] == ["b"]


def test_nodes_are_of_the_types_that_everybody_knows() -> None:
    tree = ast.parse("loss.backward()")

    build_index(tree)

    match tree.body:
        case [ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="loss"), attr="backward"), args=[]))]:
            pass
        case _:
            pytest.fail(ast.dump(tree))


def test_what_is_deeper_than_python_goes_is_indexed_as_it_is() -> None:
    terms = sys.getrecursionlimit() + 100
    tree = ast.parse(f"total = {' + '.join(['f(x)'] * terms)}")

    index = build_index(tree)

    assert len(index.calls("f")) == terms
    assert [statement.lineno for statement in index.home] == [1]
