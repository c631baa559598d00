"""What each kind of expression may be."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.attributes.dotted import attribute_of
from torchlint.model.containers.subscripts import item_of
from torchlint.model.guards.counting import of_truth
from torchlint.model.place import Place
from torchlint.model.results.calling import call_of
from torchlint.model.results.constant_calls import Answer
from torchlint.model.values.joins import either
from torchlint.model.values.naming import name_of
from torchlint.model.values.operators import binary_of, comparison_of, joined_text, unary_of
from torchlint.model.values.value_sets import UNKNOWN, Display, Literal, ValueSet, known
from torchlint.syntax.slim import for_both

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def _constant(_: Evaluator, place: Place) -> ValueSet:
    assert isinstance(place.expression, ast.Constant)
    value = place.expression.value
    return UNKNOWN if value is Ellipsis else known(Literal(value), place)


def _choice(ev: Evaluator, place: Place) -> ValueSet:
    """`a if test else b`: both, or the one that the test leaves."""
    node = place.expression
    assert isinstance(node, ast.IfExp)
    outcome = ev.decide(place)(node.test, place.statement)
    arms = {True: [node.body], False: [node.orelse], None: [node.body, node.orelse]}[outcome]
    return either(*(ev.evaluate(place.at(arm)) for arm in arms))


def _either_of(ev: Evaluator, place: Place) -> ValueSet:
    """`a and b`, `a or b`: the last operand reached, and each earlier one that may decide the outcome."""
    node = place.expression
    assert isinstance(node, ast.BoolOp)
    ending = isinstance(node.op, ast.Or)
    found: list[ValueSet] = []
    for value in node.values[:-1]:
        outcome = ev.truth(place.at(value))
        if outcome is not (not ending):
            found.append(_where(ev, place.at(value), ending))
        if outcome is ending:
            return either(*found)
    return either(*found, ev.evaluate(place.at(node.values[-1])))


def _where(ev: Evaluator, place: Place, outcome: bool) -> ValueSet:
    """Return what an expression may be if its truth is so: `x or y` is `x` only if `x` is true."""
    left = (one for one in ev.evaluate(place) if not isinstance(one.value, Literal) or bool(one.value.value) is outcome)
    return tuple(one.of_value(of_truth(one.value, outcome)) for one in left)


def _display(_: Evaluator, place: Place) -> ValueSet:
    return known(Display(place), place)


def _inner(ev: Evaluator, place: Place) -> ValueSet:
    """`await x`, `*x`, `(name := x)`: what `x` is."""
    node = place.expression
    assert isinstance(node, (ast.Await, ast.Starred, ast.NamedExpr))
    return ev.evaluate(place.at(node.value))


EXPRESSIONS: dict[type[ast.AST], Answer] = for_both(
    {
        ast.Name: name_of,
        ast.Attribute: attribute_of,
        ast.Call: call_of,
        ast.Constant: _constant,
        ast.JoinedStr: joined_text,
        ast.BinOp: binary_of,
        ast.UnaryOp: unary_of,
        ast.Compare: comparison_of,
        ast.BoolOp: _either_of,
        ast.IfExp: _choice,
        ast.Subscript: item_of,
        ast.List: _display,
        ast.Tuple: _display,
        ast.Set: _display,
        ast.Dict: _display,
        ast.ListComp: _display,
        ast.SetComp: _display,
        ast.DictComp: _display,
        ast.GeneratorExp: _display,
        ast.Lambda: _display,
        ast.Await: _inner,
        ast.Starred: _inner,
        ast.NamedExpr: _inner,
    }
)
