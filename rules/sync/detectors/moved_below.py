"""What is moved to a device only further down, by its function or by callers: until then it is on the host.

`tokens = batch.target.ne(pad).sum().item()` waits for nothing if `batch.target.to(device)` comes after it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.devices.moving import moved_to
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Function, Tensor, Unknown
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

_HELPERS = re.compile(r"((to|move|send|put|copy)_)*(to_?)?(cuda|gpu|device)", re.IGNORECASE)
_Calls: TypeAlias = "Mapping[str, tuple[tuple[ast.Call, ast.stmt], ...]]"
_NO_CALLS: _Calls = {}


def is_moved_below(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is made of what is not known to be on a device yet, and is moved to one afterwards."""
    return any(_is_moved(ev, place.at(one)) for one in _parts(place.expression))


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the names, attributes and items that an expression is made of."""
    return (one for one in walk(node) if isinstance(one, (ast.Name, ast.Attribute, ast.Subscript)))


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node


@tabled(False)
def _is_moved(ev: Evaluator, part: Place) -> bool:
    root = _root(part.expression)
    if not isinstance(root, ast.Name) or part.scope.kind != "function" or _is_placed(ev, part):
        return False
    if _is_moved_here(ev, part, root.id):
        return True
    return part.expression is root and _is_moved_by_callers(ev, part, root.id)


@tabled(False)
def _is_moved_here(ev: Evaluator, part: Place, name: str) -> bool:
    return any(_is_still(part, name, statement) for statement in _moves_below(ev, part))


def _is_placed(ev: Evaluator, part: Place) -> bool:
    """Tell whether something is known to be on a device, or to be no tensor."""
    values = [one.value for one in ev.evaluate(part)]
    return not all(isinstance(one, Unknown) or (isinstance(one, Tensor) and one.device is None) for one in values)


def _is_still(part: Place, name: str, below: ast.stmt) -> bool:
    """Tell whether a name has the same value in a statement below."""
    bound = (one.statement for one in part.scope.bindings.get(name, ()))
    between = (one for one in bound if part.statement.lineno < one.lineno < below.lineno)
    return all(exclude_each_other(part, Place(part.file, part.expression, one)) for one in between)


def _moves_below(ev: Evaluator, part: Place) -> Iterator[ast.stmt]:
    """Yield the statements below that move something to a device, or what is computed from it there."""
    for call, statement in _calls_on(ev, part.file, part.scope).get(written(part.expression), ()):
        if statement.lineno <= part.statement.lineno:
            continue
        match call.func:
            case ast.Attribute(value=owner, attr="to" | "cuda" as name) if written(owner) == written(part.expression):
                if moved_to(ev, Place(part.file, call, statement), name, HOST) != HOST:
                    yield statement
            case _ if _HELPERS.fullmatch(callee_name(call)) or _gives_what_is_moved(ev, part.file, statement):
                yield statement


@tabled(_NO_CALLS)
def _calls_on(ev: Evaluator, file: ParsedFile, scope: Scope) -> _Calls:  # noqa: ARG001
    """Return the calls in a function by what they may move, as it is written: their arguments, and what `to` is of."""
    found: dict[str, dict[ast.Call, ast.stmt]] = {}
    for call, statement in file.calls_in_scope(scope):
        match call.func:
            case ast.Attribute(value=owner, attr="to" | "cuda"):
                moved = [owner, *call.args]
            case _:
                moved = call.args
        for one in moved:
            found.setdefault(written(one), {})[call] = statement
    return {text: tuple(calls.items()) for text, calls in found.items()}


def _gives_what_is_moved(ev: Evaluator, file: ParsedFile, statement: ast.stmt) -> bool:
    """Tell whether the result of a call is moved to a device afterwards: then its arguments were on the host."""
    if not isinstance(statement, ast.Assign):
        return False
    targets = (one for target in statement.targets for one in walk(target) if isinstance(one, ast.Name))
    return any(_is_moved_here(ev, Place(file, one, statement), one.id) for one in targets)


def _is_moved_by_callers(ev: Evaluator, part: Place, name: str) -> bool:
    """Tell whether every caller moves its argument afterwards."""
    parameter = next((one for one in part.scope.parameters if one.name == name), None)
    others = (one.statement for one in part.scope.bindings.get(name, ()) if one.kind != "parameter")
    if parameter is None or any(one.lineno <= part.statement.lineno for one in others):
        return False
    passed = [caller.argument(parameter) for caller in ev.callers(Function(part.file, part.scope))]
    return bool(passed) and all(one and all(_is_moved(ev, place) for place in one) for one in passed)
