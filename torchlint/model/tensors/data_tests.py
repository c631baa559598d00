"""Tests of a tensor's data: their outcome depends on the data, and one of the two is the exception.

`if torch.isnan(loss)` and `if err.max() > 10` hold in few of many steps. That all is finite, and that there are any
elements (`if mask.any()`, `if mask.sum() > 0`, `if len(kept) > 0`), holds as a rule: there the exception is the other
outcome. So it is where a graph has no edges.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.calls import call_at
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Literal, Number, Tensor, Unknown
from torchlint.pytorch.companions.dgl import COUNTING
from torchlint.pytorch.factories import OF_NUMBERS
from torchlint.syntax.connectives import is_so_by
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_AS_A_RULE = frozenset({"isfinite", "allclose", "equal", "all"})
_SELDOM = frozenset({"isnan", "isinf"})
_FINITE = _SELDOM | {"isfinite"}
# The result of these is that of their argument, or a number read from it.
_READING = frozenset({"bool", "float", "int", "abs", "any", "sum", "item"})
_OF_OBJECTS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_ASKS_FOR_ANYTHING: dict[tuple[type[ast.cmpop], int], bool] = {
    (ast.Gt, 0): True, (ast.NotEq, 0): True, (ast.GtE, 1): True,
    (ast.Eq, 0): False, (ast.LtE, 0): False, (ast.Lt, 1): False,
}  # fmt: skip


def is_an_exception(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a test has its outcome because of a tensor's data, and not as a rule."""
    return is_so_by(test.expression, holds, lambda part, so: _is_an_exception(ev, test.at(part), so))


def _is_an_exception(ev: Evaluator, test: Place, holds: bool) -> bool:
    if isinstance(test.expression, ast.NamedExpr):
        return is_an_exception(ev, test.at(test.expression.value), holds)
    if (counted := _counted_by(test.expression)) is not None:
        thing, is_anything = counted
        return holds is not is_anything and (_is_graph(test.expression, thing) or _is_tensor(ev, test.at(thing)))
    return _asks_data(ev, test) and holds is not _is_the_rule(ev, test)


def _counted_by(test: ast.expr) -> tuple[ast.expr, bool] | None:
    """Return what a test counts the elements of, and whether it holds if there are any: not so `len(kept) == 0`."""
    match test:
        case ast.Compare(left=number, ops=[op], comparators=[ast.Constant(value=int(least))]):
            thing, is_anything = _elements_counted(number), _ASKS_FOR_ANYTHING.get((type(op), least))
        case _:
            thing, is_anything = _elements_counted(test), True
    return (thing, is_anything) if thing is not None and is_anything is not None else None


def _elements_counted(number: ast.expr) -> ast.expr | None:
    match number:
        case ast.Call(func=ast.Name(id="len"), args=[thing]):
            return thing
        case ast.Call(func=ast.Attribute(value=thing, attr="numel" | "nelement"), args=[]):
            return thing
        case ast.Call(func=ast.Attribute(value=thing, attr=name), args=[]) if name in COUNTING:
            return thing
        case ast.Call(func=ast.Attribute(value=thing, attr="size"), args=[ast.Constant()]):
            return thing
        case ast.Subscript(value=ast.Attribute(value=thing, attr="shape"), slice=ast.Constant()):
            return thing
        case _:
            return None


def _is_graph(test: ast.expr, thing: ast.expr) -> bool:
    """Tell whether a test counts what is in a graph: `graph.number_of_edges() == 0`."""
    count = test.left if isinstance(test, ast.Compare) else test
    match count:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)):
            return owner is thing and name in COUNTING
        case _:
            return False


@tabled(True)
def _is_the_rule(ev: Evaluator, test: Place) -> bool:
    """Tell which outcome a test has as a rule."""
    match test.expression:
        case ast.Call() as call if callee_name(call) in _AS_A_RULE | _SELDOM:
            return callee_name(call) in _AS_A_RULE
        case ast.Call() as call if (read := _read_by(call)) is not None:
            return _is_the_rule(ev, test.at(read))
        case ast.Compare(ops=[op], comparators=[ast.Constant(value=0)]):
            return isinstance(op, (ast.Gt, ast.GtE, ast.NotEq))
        case ast.Compare() | ast.BinOp(op=ast.BitOr()):
            return False
        case ast.Name():
            origins = (one.origin for one in ev.evaluate(test))
            return all(_is_the_rule(ev, one) for one in origins if one is not None)
        case _:
            return True


def _asks_data(ev: Evaluator, test: Place) -> bool:
    """Tell whether an expression is a tensor, or depends only on the data of one."""
    match test.expression:
        case ast.Constant():
            return False
        case ast.Compare(ops=[op], left=left, comparators=[right]):
            return not isinstance(op, _OF_OBJECTS) and any(_asks_data(ev, test.at(side)) for side in (left, right))
        case ast.Call() as call if _asks_for_number(call):
            read = _read_by(call) or call.args[0]
            return _asks_data(ev, test.at(read)) or _is_tensor(ev, test) or _asks_whether_finite(test)
        case _:
            return (_is_tensor(ev, test) and not _is_of_flag(ev, test)) or _asks_whether_finite(test)


def _is_of_flag(ev: Evaluator, tensor: Place) -> bool:
    """Tell whether a tensor holds a flag of the program's own, on which processes agree: `torch.tensor(is_last)`."""
    made = [call_at(one.origin) if one.origin is not None else None for one in ev.evaluate(tensor)]
    given = [
        call.arguments[0] for call in made if call is not None and call.arguments and call.callee.names & OF_NUMBERS
    ]
    values = [one.value for place in given for one in ev.evaluate(place)]
    return bool(values) and len(given) == len(made) and all(isinstance(one, (Literal, Number)) for one in values)


def _asks_whether_finite(test: Place) -> bool:
    """Tell whether an expression tests for NaN or infinity, possibly in an array: `np.isfinite(x).all()`."""
    calls = (node for node in walk(test.expression) if isinstance(node, ast.Call))
    return any(callee_name(call) in _FINITE for call in calls)


def _is_tensor(ev: Evaluator, place: Place) -> bool:
    values = [one.value for one in ev.evaluate(place)]
    return any(isinstance(one, Tensor) for one in values) and all(isinstance(one, (Tensor, Unknown)) for one in values)


def _asks_for_number(call: ast.Call) -> bool:
    """Tell whether a call reads a number: `t.item()`, `bool(t)`, `math.isnan(t)`."""
    is_asked = callee_name(call) in _AS_A_RULE | _SELDOM and len(call.args) == 1
    return _read_by(call) is not None or is_asked


def _read_by(call: ast.Call) -> ast.expr | None:
    """Return what a call reads: `t` of `t.item()`, `bool(t)` or `torch.any(t)`."""
    if callee_name(call) not in _READING:
        return None
    if len(call.args) == 1 and not isinstance(call.args[0], ast.Starred):
        return call.args[0]
    return call.func.value if isinstance(call.func, ast.Attribute) else None
