"""Results of a module of which only numbers are read, and that nothing differentiates: it evaluates."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Imported, Tensor
from torchlint.model.values.variable_reads import reads_of
from torchlint.pytorch.gradient_ends import ARGMAX, READ_ATTRIBUTES, READS
from torchlint.syntax.around import loops_around, parent_of

from .differentiating import may_differentiate
from .unused_graphs import is_unused_graph

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

_READING = frozenset({"builtins.float", "builtins.int", "builtins.print", "builtins.str", ARGMAX})


def has_reads(file: ParsedFile, scope: Scope) -> bool:
    """Tell whether a function reads any tensor."""
    return any(
        isinstance(call.func, ast.Attribute) and call.func.attr in READS for call, _ in file.calls_in_scope(scope)
    )


def is_only_read(ev: Evaluator, call: Call) -> bool:
    """Tell whether numbers of a result are read, and no part of its graph is differentiated, kept or passed on."""
    around = next((one for one in loops_around(call) if isinstance(one, ast.For)), call.scope.node)
    start, end = getattr(around, "lineno", 0), getattr(around, "end_lineno", None)
    if end is None or may_differentiate(ev, call.file, call.scope, start - 1, end + 1):
        return False
    return _ends_in_reads(ev, call) and is_unused_graph(ev, call, call.callee)


def _ends_in_reads(ev: Evaluator, call: Call) -> bool:
    """Follow a result through the names of its function to all that becomes of it."""
    waiting, seen, is_read = [Place(call.file, call.expression, call.statement)], set[object](), False
    while waiting:
        place = waiting.pop()
        names = _held_by(ev, place)
        if names is None:
            return False
        is_read = is_read or not names
        for name in sorted(names):
            if (name, place.statement) not in seen:
                seen.add((name, place.statement))
                waiting += reads_of(ev, place.scope, name, place)
    return is_read


def _held_by(ev: Evaluator, place: Place) -> frozenset[str] | None:
    """Return the names that get the graph of an expression: none if numbers are read, None if it goes elsewhere."""
    held = place
    while (outer := parent_of(held)) is not None:
        if _is_read_by(ev, held, outer):
            return frozenset()
        if not _computes(ev, held, outer):
            return None
        held = held.at(outer)
    match held.statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            return frozenset({name})
        case ast.Assign(targets=[ast.Tuple(elts=parts)]) if all(isinstance(one, ast.Name) for one in parts):
            return frozenset(one.id for one in parts if isinstance(one, ast.Name))
        case _:
            return None


def _is_read_by(ev: Evaluator, held: Place, outer: ast.AST) -> bool:
    match outer:
        case ast.Attribute(attr=name):
            return name in READS or name in READ_ATTRIBUTES
        case ast.Call(func=function) if held.expression is not function:
            callees = [one.value for one in ev.evaluate(held.at(function))]
            return any(isinstance(one, Imported) and one.name in _READING for one in callees)
        case ast.Compare():
            return True
        case _:
            return False


def _computes(ev: Evaluator, held: Place, outer: ast.AST) -> bool:
    """Tell whether an expression makes a tensor of one inside it, and nothing else keeps that."""
    match outer:
        case ast.Call(func=function) if held.expression is not function:
            callees = [one.value for one in ev.evaluate(held.at(function))]
            is_of_torch = any(isinstance(one, Imported) and one.name.startswith("torch.") for one in callees)
            return is_of_torch or ev.is_module(held.at(function))
        case ast.Call() | ast.Attribute():
            return isinstance(outer, ast.Call) or any(isinstance(one.value, Tensor) for one in ev.evaluate(held))
        case ast.BinOp() | ast.UnaryOp() | ast.Subscript() | ast.Tuple() | ast.keyword():
            return True
        case _:
            return False
