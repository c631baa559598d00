"""Whether a step has waited for a tensor already, with nothing queued for the GPU since: to read it again is free."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.syncs.formatting import shows
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk, written

from .implicit_effects import queues
from .queued import Effect, effect_of
from .reads import CONVERSIONS
from .waiting import Wait, is_on_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Assert, ast.Return)
_ENTERED = (ast.If, ast.With)
_CONDITIONAL = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Of longer runs of statements without work, the last ones are searched.
_MOST_STATEMENTS = 20


def is_waited_before(ev: Evaluator, wait: Wait) -> bool:
    """Tell whether a read waits for nothing, as an earlier one of the same single number has drained the queue.

    A second copy of a batch, or a second print of a vector, takes time by itself.
    """
    tensor = _read_through(wait.tensor.expression)
    if not _is_chain(tensor):
        return False
    text, root = written(tensor), written(tensor).partition(".")[0]
    for at, node in _evaluated_before(wait.place):
        if isinstance(node, ast.stmt):
            if _may_change(ev, at, node, root):
                return False
        elif _reads_number(ev, at.at(node), text):
            return not _is_conditional(at, node)
        elif _may_queue(ev, at.at(node)):
            return False
    return False


def _evaluated_before(place: Place) -> Iterator[tuple[Place, ast.stmt | ast.expr]]:
    """Yield what a place's block, and the `if` and `with` around it, evaluate before it, the last first.

    A statement is yielded before what is in it: what it stores is stored last.
    """
    for node in _backwards(_heads(place.statement)):
        if _end(node) <= (place.expression.lineno, place.expression.col_offset):
            yield place, node
    statement: ast.stmt | None = place.statement
    while statement is not None:
        block, position = place.file.index.home[statement]
        for earlier in reversed(block.body[max(0, position - _MOST_STATEMENTS) : position]):
            if not isinstance(earlier, _SIMPLE):
                return
            at = Place(place.file, place.expression, earlier, place.frame, place.given)
            yield at, earlier
            yield from ((at, node) for node in _backwards([earlier]))
        statement = block.outer if isinstance(block.outer, _ENTERED) else None
        if statement is not None:
            at = Place(place.file, place.expression, statement, place.frame, place.given)
            yield from ((at, node) for node in _backwards(_heads(statement)))


def _heads(statement: ast.stmt) -> Sequence[ast.AST]:
    """Return what a statement evaluates itself."""
    match statement:
        case ast.If(test=test):
            return [test]
        case ast.With(items=items):
            return [item.context_expr for item in items]
        case _:
            return [statement]


def _backwards(nodes: Iterable[ast.AST]) -> list[ast.expr]:
    found = (one for node in nodes for one in walk(node) if isinstance(one, ast.expr))
    return sorted(found, key=_end, reverse=True)


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def _read_through(node: ast.expr) -> ast.expr:
    """Return the tensor whose value `x.detach()` has."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "detach":
        node = node.func.value
    return node


def _is_chain(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _may_change(ev: Evaluator, at: Place, statement: ast.stmt, root: str) -> bool:
    """Tell whether a statement gives the tensor's name another value, or computes in place."""
    match statement:
        case ast.Assign(targets=targets):
            stored = targets
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            stored = [target]
        case _:
            return False
    names = {node.id for target in stored for node in walk(target) if isinstance(node, ast.Name)}
    return root in names or (isinstance(statement, ast.AugAssign) and is_on_device(ev.evaluate(at.at(stored[0]))))


def _reads_number(ev: Evaluator, place: Place, text: str) -> bool:
    """Tell whether an expression reads the tensor, and raises unless it is a single number."""
    match place.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr="item")):
            return written(_read_through(owner)) == text
        case ast.Call(args=[argument]) as call if written(_read_through(argument)) == text:
            return callee_name(call) in CONVERSIONS and effect_of(ev, place) is Effect.WAITS
        case ast.FormattedValue(value=value, format_spec=ast.JoinedStr()):
            return written(_read_through(value)) == text
        case _:
            return False


def _may_queue(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression may queue work for the GPU."""
    match place.expression:
        case ast.Call():
            return not shows(place) and effect_of(ev, place) not in {Effect.NOTHING, Effect.WAITS}
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Subscript():
            return queues(ev, place)
        case _:
            return False


def _is_conditional(at: Place, node: ast.AST) -> bool:
    """Tell whether a part of a statement is evaluated at times only."""
    parents = at.file.parents_in(at.statement)
    while (parent := parents.get(node)) is not None:
        if isinstance(parent, _CONDITIONAL) and not (isinstance(parent, ast.BoolOp) and parent.values[0] is node):
            return True
        node = parent
    return False
