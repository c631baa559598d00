"""Dominating conditions are shared, and earlier statements queried in runs: the results are the same."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tests.checkout import Checkout
from torchlint.model import Project
from torchlint.model.guards.along_paths import AlongPaths, PathContext
from torchlint.model.interface import Evaluator
from torchlint.model.place import Place
from torchlint.model.values.earlier_statements import runs
from torchlint.model.worlds import ANYWHERE
from torchlint.syntax.dominance import StatementDominators
from torchlint.syntax.dominating_conditions import Condition, Iteration, conditions, conditions_inside
from torchlint.syntax.exits import loops_of
from torchlint.syntax.facts import facts_of
from torchlint.syntax.index import build_index

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").rglob("*.py"))
NESTED = """\
def train(args, model):
    if args.a:
        return
    elif args.b:
        raise ValueError
    assert args.c
    for step in range(3):
        if args.d and not args.e:
            continue
        while args.f:
            if args.g:
                break
            else:
                args.h()
            assert not args.i
            args.j()
        else:
            args.k()
        try:
            args.l()
        except ValueError:
            if args.m:
                raise
            args.n()
        args.o()
"""


@pytest.mark.parametrize("text", [NESTED, *(path.read_text("utf-8") for path in FIXTURES[::4])])
def test_what_is_shared_is_what_each_statement_has_behind_it(text: str) -> None:
    index = build_index(ast.parse(text))
    behind = StatementDominators(index, lambda test: ())

    # From the last to the first, so that nothing rests on the order of asking.
    for statement, (block, _position) in reversed(index.home.items()):
        found, expected = behind.at(statement), tuple(conditions(index, statement))
        assert found.conditions == expected
        assert found.facts == facts_of(expected, block.scope, index)


def test_each_test_is_asked_once_for_all_that_have_it_behind_them_in_a_loop(program: Callable[[str], Checkout]) -> None:
    asked: list[tuple[Condition | Iteration, ast.stmt | None]] = []

    def told(_: Evaluator, way: PathContext, behind: Condition | Iteration) -> tuple[Condition | Iteration, ...]:
        asked.append((behind, way.loop))
        return (behind,)

    on_the_way: AlongPaths[Condition | Iteration] = AlongPaths(told)
    file = program(f"import torch\n{NESTED}").file()
    index, ev = file.index, file.project.evaluator(ANYWHERE)

    for statement in index.home:
        for loop in (None, *loops_of(index, statement)):
            place = Place(file, ast.Constant(None), statement)
            assert on_the_way(ev, place, loop) == tuple(conditions(index, statement, loop))
    assert len(asked) == len(set(asked))


@given(st.integers(0, 10_000))
def test_runs_cover_all_that_stands_before_once_and_are_shared(length: int) -> None:
    found = list(runs(length))

    assert [start for start, _end in found] == [0, *(end for _start, end in found)][: len(found)]
    assert (found[-1][1] if found else 0) == length
    for start, end in found:
        size = end - start
        assert size & (size - 1) == 0
        assert start % size == 0


@pytest.mark.parametrize(
    "code",
    [
        "x = a and b.c and (d or e or f(g and h)) and i",
        "x = (a if b else c.d) if e and f else [g for h in i if j and k for l in m]",
        "x = {a: b and c for a, b in d if a or b if c}, lambda: e and f",
        "x = (a if b else c) + d(e and f)[g or h]",
        "assert " + " and ".join(f"a.b{i}" for i in range(40)),
    ],
)
def test_what_parts_of_a_statement_share_is_what_each_has_behind_it(code: str) -> None:
    file = Project(Path("/nowhere")).open(Path("/nowhere/a.py"), "a.py", code.encode())
    statement = file.tree.body[0]
    parents = file.parents_in(statement)
    nodes = [node for node in parents if isinstance(node, ast.expr)]

    shared = [file.conditions_inside(statement, node) for node in nodes]

    assert shared == [tuple(conditions_inside(statement, node, parents)) for node in nodes]
    assert len({id(one) for one in shared}) < len(nodes)
