"""Names that are used as sizes: they are numbers, and no batch.

`x.view(B, H, W, -1)`, `range(n)` and `torch.zeros(n, 3)` take integers, and of tensors those with a single one. What a
method passes to another one of the same object is a size if it is one there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Caller, Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function
from torchlint.pytorch.dimensions import SIZED, SIZED_METHODS
from torchlint.syntax.around import is_self
from torchlint.syntax.last_names import callee_name, last_name, root_of
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_FACTORIES = SIZED | {"arange"}
_ROUNDING = frozenset("int round ceil floor".split())


@tabled(False)
def is_a_size(ev: Evaluator, file: ParsedFile, function: Scope, name: str) -> bool:
    """Tell whether a function uses a parameter, or what it computes from that, as a size."""
    if len(function.bindings.get(name, ())) != 1:
        return False
    names = _computed_names(function, name)
    calls = list(file.calls_in_scope(function))
    if any(_is_computed_of(size, names) for call, _ in calls for size in _sizes(call, function)):
        return True
    handed = (one for call, at in calls for one in _passed_on(ev, Place(file, call, at), names))
    return any(is_a_size(ev, method.file, method.scope, parameter) for method, parameter in handed)


def _computed_names(function: Scope, name: str) -> set[str]:
    """Return the names of a parameter, or of what is computed from it."""
    names = {name}
    for other, bindings in function.bindings.items():
        match bindings:
            case [one] if one.kind == "assign" and not one.selector and one.value is not None:
                names |= {other} if _is_computed_of(one.value, names) else set()
    return names


def _is_computed_of(node: ast.expr, names: set[str]) -> bool:
    """Tell whether an expression is a name, or computed from it: `n // 2`, `int(np.ceil(n / 7)) * 7`."""
    match node:
        case ast.Name(id=found):
            return found in names
        case ast.BinOp(left=left, right=right):
            return _is_computed_of(left, names) or _is_computed_of(right, names)
        case ast.Call(args=[rounded, *_]) if callee_name(node) in _ROUNDING:
            return _is_computed_of(rounded, names)
        case _:
            return False


def _passed_on(ev: Evaluator, call: Place, names: set[str]) -> Iterator[tuple[Function, str]]:
    """Yield the method of the same object that a call runs, with the parameter that receives one of the names."""
    method = _own_method(ev, call)
    if method is None:
        return
    caller = Caller.of_call(call, 1)
    for parameter in method.scope.parameters:
        given = caller.argument(parameter) if not parameter.star else ()
        if any(_is_computed_of(one.expression, names) for one in given or ()):
            yield method, parameter.name


def _own_method(ev: Evaluator, call: Place) -> Function | None:
    kind = call.scope.outer if call.scope.is_method else None
    match call.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if kind is not None and is_self(owner):
            method = method_of(ev, Class(call.file, kind), name)
            return None if method is None or method.scope.is_decorated_as("staticmethod") else method
        case _:
            return None


def _sizes(call: ast.Call, function: Scope) -> Iterator[ast.expr]:
    """Yield the sizes that are arguments of a call, single ones or in a tuple."""
    match call.func:
        case ast.Attribute(value=owner, attr=name) if name in SIZED_METHODS:
            # The first argument of `np.reshape(x, (n, -1))` is what it reshapes.
            arguments = call.args[1:] if _is_imported(root_of(owner), function) else call.args
        case ast.Name(id="range"):
            arguments = call.args
        case ast.Attribute(attr=name) if name in _FACTORIES:
            arguments = call.args
        case _:
            return
    for argument in arguments:
        yield from argument.elts if isinstance(argument, (ast.Tuple, ast.List)) else (argument,)


def _is_imported(owner: ast.expr, function: Scope) -> bool:
    bindings = function.file_scope.bindings.get(last_name(owner), ())
    return isinstance(owner, ast.Name) and any(one.imported is not None for one in bindings)
