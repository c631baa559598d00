"""Functions that return their arguments, or choose among them: `default(value, other)`, `cast_tuple(value)`."""

from __future__ import annotations

import ast

from torchlint.syntax.scope import Binding, Scope


def gives_back(function: Scope) -> bool:
    """Tell whether a function may return one of its arguments, alone or in a tuple, or the result of calling it."""
    return any(one.value is not None and _is_given(one.value, function, frozenset()) for one in function.returns)


def _is_given(node: ast.expr, function: Scope, names: frozenset[str]) -> bool:
    """Tell whether an expression is made of arguments; `names` are those that were followed."""
    match node:
        case ast.Name(id=name):
            return _holds_argument(function.bindings.get(name, []), function, name, names)
        case ast.Call(func=ast.Name() as called, args=[], keywords=[]):
            return _is_given(called, function, names)
        case ast.Call(func=ast.Name(id="tuple" | "list"), args=[one], keywords=[]):
            return _is_given(one, function, names)
        case ast.BinOp(left=ast.Tuple() | ast.List() as one, op=ast.Mult()):
            return _is_given(one, function, names)
        case ast.Subscript(value=ast.Name() as one) if _collects(one, function):
            return True
        case ast.IfExp(body=one, orelse=other):
            return _is_given(one, function, names) or _is_given(other, function, names)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.BoolOp(values=parts):
            return any(_is_given(each, function, names) for each in parts)
        case _:
            return False


def _holds_argument(bindings: list[Binding], function: Scope, name: str, names: frozenset[str]) -> bool:
    is_parameter = any(one.kind == "parameter" for one in bindings)
    if name in names:
        return is_parameter
    further = (one for one in bindings if one.kind != "parameter")
    values = [_value_of(one, function) for one in further]
    is_given = all(one is not None and _is_given(one, function, names | {name}) for one in values)
    return is_given and (is_parameter or bool(values))


def _value_of(one: Binding, function: Scope) -> ast.expr | None:
    """Return the value of a binding, or what that is an item of: `for arg in args`, `for arg in (value, other)`."""
    if one.selector or one.kind not in {"assign", "iterate"}:
        return None
    if one.kind == "iterate" and not isinstance(one.value, (ast.Tuple, ast.List)):
        return one.value if _collects(one.value, function) else None
    return one.value


def _collects(node: ast.expr | None, function: Scope) -> bool:
    """Tell whether an expression is the `*args` in which a function collects arguments."""
    if not isinstance(node, ast.Name) or len(function.bindings.get(node.id, ())) != 1:
        return False
    return any(one.star == "*" and one.name == node.id for one in function.parameters)
