"""What encloses an expression: its parent, the loops, `with` blocks and tests around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.dominating_conditions import Condition
from torchlint.syntax.exits import loops_of
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.syntax.scope import Scope
    from torchlint.syntax.site import Site


def parent_of(place: Site) -> ast.expr | None:
    """Return the parent of an expression within its statement."""
    parent = place.file.parents_in(place.statement).get(place.expression)
    while parent is not None and not isinstance(parent, ast.expr):
        # A keyword, a slice, a comprehension: what it belongs to.
        parent = place.file.parents_in(place.statement).get(parent)
    return parent if isinstance(parent, ast.expr) else None


def arguments_of(place: Site) -> list[ast.expr]:
    """Return what a call passes by position."""
    assert isinstance(place.expression, ast.Call)
    return place.expression.args


def is_in_header(place: Site) -> bool:
    """Tell whether an expression is in the header of a function: a default of a parameter, a decorator."""
    return isinstance(place.statement, (ast.FunctionDef, ast.AsyncFunctionDef))


def loops_around(place: Site) -> Iterator[ast.For | ast.AsyncFor | ast.While]:
    """Yield the loops of the same function whose bodies contain a place, innermost first."""
    yield from loops_of(place.file.index, place.statement)
    if isinstance(place.statement, ast.While) and place.expression is place.statement.test:
        yield place.statement


def contexts_around(place: Site) -> Iterator[tuple[ast.expr, ast.stmt]]:
    """Yield what the `with` statements around a place enter, innermost first, and the statements."""
    for block, _ in place.file.index.blocks_around(place.statement):
        if isinstance(block.owner, (ast.With, ast.AsyncWith)):
            for item in reversed(block.owner.items):
                yield item.context_expr, block.owner


def dominating_conditions(place: Site) -> Iterator[Condition]:
    """Yield the conditions that dominate a place, innermost first."""
    for condition in place.file.conditions_at(place.statement, place.expression):
        if isinstance(condition, Condition):
            yield condition


def function_around(place: Site) -> Scope | None:
    """Return the function that a place is in."""
    scope: Scope | None = place.scope
    while scope is not None and scope.kind != "function":
        scope = scope.outer
    return scope


def class_around(place: Site) -> Scope | None:
    """Return the class that a place is in."""
    scope: Scope | None = place.scope
    while scope is not None and scope.kind != "class":
        scope = scope.outer
    return scope


def bound_by(place: Site) -> tuple[str, ...]:
    """Return the targets that an assignment binds to the whole of an expression, as text: `x` and `self.x`."""
    match place.statement:
        case ast.Assign(targets=targets, value=value) if value is place.expression:
            return tuple(written(t) for t in targets if isinstance(t, (ast.Name, ast.Attribute)))
        case ast.AnnAssign(target=ast.Name() | ast.Attribute() as target, value=value) if value is place.expression:
            return (written(target),)
        case _:
            return ()


def stores_item(place: Site) -> bool:
    """Tell whether a statement only stores an item: `os.environ["OMP_NUM_THREADS"] = "1"`."""
    match place.statement:
        case ast.Assign(targets=[ast.Subscript() as target]):
            return target is place.expression
        case _:
            return False


def kept_by(place: Site) -> tuple[str, ...]:
    """Return the targets of an assignment of an object, or of what its methods return: `net = Net().to(device)`."""
    parents = place.file.parents_in(place.statement)
    node = place.expression
    while isinstance(method := parents.get(node), ast.Attribute) and isinstance(call := parents.get(method), ast.Call):
        node = call
    return bound_by(place.at(node))


def is_self(node: ast.expr) -> bool:
    """Tell whether an expression is `self`, the conventional name of the receiver."""
    return isinstance(node, ast.Name) and node.id == "self"


def is_read_below(place: Site) -> bool:
    """Tell whether a name is read again below in its function, or an attribute anywhere."""
    node = place.expression
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Attribute)
    later = (one for one, (block, _) in place.file.index.home.items() if block.scope is place.scope)
    parts = (part for one in later if one.lineno > place.line for part in place.file.parents_in(one))
    return any(isinstance(part, ast.Name) and part.id == node.id and isinstance(part.ctx, ast.Load) for part in parts)
