"""Where autograd records: what the blocks and decorators around a place set, the innermost last."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Display, Function, Tensor, Tuple, Value, ValueSet
from torchlint.model.worlds import ANYWHERE
from torchlint.pytorch.grad_modes import ABOUT_RECORDING, GRAD_MODES, GradMode
from torchlint.syntax.arguments import passed
from torchlint.syntax.enclosing import enclosing
from torchlint.syntax.last_names import last_name, root_of, without_call
from torchlint.syntax.scope import Scope
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_Modes: TypeAlias = "tuple[tuple[GradMode, bool], ...]"
_NONE: _Modes = ()
_WITH = (ast.With, ast.AsyncWith)


def is_recorded(place: Place) -> bool:
    """Tell whether what is computed at a place is recorded, as far as its function shows."""
    records, is_inference = True, False
    for mode, is_on in reversed([*_modes_around(place)]):
        records = mode.records is is_on
        is_inference = is_on if mode.is_inference else is_inference
    return records and not is_inference


def is_in_inference(place: Place) -> bool:
    """Tell whether a place is in inference mode, as far as its function shows."""
    return next((is_on for mode, is_on in _modes_around(place) if mode.is_inference), False)


def is_asked_for(place: Place) -> bool:
    """Tell whether a dominating condition tests the mode of autograd, or whether a tensor requires gradients."""
    for test, holds in place.tests:
        asked = _meant(test, test.expression)
        for node in _names_in(test, asked):
            if test.at(node).word in ABOUT_RECORDING:
                return not (holds and asked is node and test.at(node).word == "requires_grad")
    return False


def _names_in(place: Place, node: ast.expr) -> Iterator[ast.Name | ast.Attribute]:
    """Yield the names in an expression, and those in what variables that are bound only once were bound to."""
    for one in walk(node):
        for part in walk(_meant(place, one)) if isinstance(one, ast.Name) else (one,):
            if isinstance(part, (ast.Name, ast.Attribute)):
                yield part


def without_graph(possible: ValueSet) -> ValueSet:
    """Return the same values without graphs, as under `no_grad`."""
    return tuple(one.of_value(_without_graph(one.value)) for one in possible)


def _without_graph(value: Value) -> Value:
    match value:
        case Tensor(device=device):
            return Tensor(device, False)
        case Display(place=written) if is_of_its_call(written):
            return replace(value, is_recorded=False)
        case Tuple(items=items):
            return Tuple(tuple(map(without_graph, items)))
        case _:
            return value


def is_of_its_call(written: Place) -> bool:
    """Tell whether a container is made by each call that returns it: one that lives longer may hold other things."""
    if isinstance(written.expression, ast.Lambda) or written.scope.kind != "function":
        return False
    match written.statement:
        case ast.Assign(targets=targets):
            return all(isinstance(target, (ast.Name, ast.Tuple)) for target in targets)
        case statement:
            return isinstance(statement, (ast.AnnAssign, ast.Return))


def _modes_around(place: Place) -> Iterator[tuple[GradMode, bool]]:
    """Yield the modes that are surely set around a place, innermost first, each with whether it is on."""
    for block in enclosing(place.file.index, place.statement, _WITH):
        if isinstance(block.owner, _WITH):
            for item in reversed(block.owner.items):
                yield from _modes_set(place, item.context_expr, block.owner)
    scope: Scope | None = place.scope
    while scope is not None and scope.kind == "function":
        if scope.decorators:
            yield from _modes_of_decorators(_evaluator(place), Function(place.file, scope))
        scope = scope.outer


@tabled(_NONE)
def _modes_of_decorators(_: Evaluator, function: Function) -> _Modes:
    node = function.scope.node
    assert isinstance(node, ast.stmt)
    decorators = [Place(function.file, one, node) for one in reversed(function.scope.decorators)]
    return tuple(found for one in decorators for found in _modes_set(one, one.expression, node))


def _modes_set(place: Place, node: ast.expr, statement: ast.stmt) -> Iterator[tuple[GradMode, bool]]:
    """Yield the mode that a context or decorator surely sets, if it does."""
    if (found := _mode_of(place, _meant(place, node))) is not None:
        yield found
    elif _may_be_of_project(place, node):
        made = Place(place.file, without_call(node), statement)
        if _stops_recording(_evaluator(place), made):
            yield GRAD_MODES["no_grad"], True


def _evaluator(place: Place) -> Evaluator:
    return place.file.project.evaluator(ANYWHERE)


def _meant(place: Place, node: ast.expr) -> ast.expr:
    """Return what a variable was bound to, if it is bound only once: `off = torch.no_grad()`."""
    if not isinstance(node, ast.Name):
        return node
    bindings = place.scope.seen(node.id) or []
    value = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
    return value if value is not None else node


def _mode_of(place: Place, node: ast.expr) -> tuple[GradMode, bool] | None:
    """Return the mode that an expression sets, by its last name, which is unique; and whether it is on."""
    call = node if isinstance(node, ast.Call) else None
    word = last_name(_meant(place, call.func) if call is not None else node)
    mode = next((row for row in GRAD_MODES.values() if word in place.file.words_of(row.name)), None)
    given = passed(call, mode.parameter, 0) if mode is not None and mode.parameter and call is not None else None
    if mode is None or (given is None and mode.is_passed):
        return None
    if given is None:
        return mode, True
    return (mode, given.value) if isinstance(given, ast.Constant) and isinstance(given.value, bool) else None


def _may_be_of_project(place: Place, node: ast.expr) -> bool:
    """Tell whether a context or decorator has a name that the file imports, or defines a function by."""
    root = root_of(without_call(node))
    bound = place.scope.seen(root.id) if isinstance(root, ast.Name) else None
    return any(one.kind in {"import", "function"} for one in bound or ())


@tabled(False)
def _stops_recording(ev: Evaluator, made: Place) -> bool:
    """Tell whether a decorator or context is one of the project that runs all it is given without recording."""
    possible = [one.value for one in ev.evaluate(made)]
    return bool(possible) and all(isinstance(one, Function) and _is_off(ev, one) for one in possible)


@tabled(False)
def _is_off(_: Evaluator, function: Function) -> bool:
    """Tell whether a function runs what it is given without recording, or yields to a block there, and never else."""
    file = function.file
    within = [one for one in file.index.scopes if _is_within(one, function.scope)]
    given = {parameter.name for one in within for parameter in one.parameters}
    outcomes = [
        is_recorded(Place(file, node, at)) and not _is_call_of_mode(node)
        for one in within
        for node, at in (*one.yields, *file.calls_in_scope(one))
        if not isinstance(node, ast.Call) or _runs_given(node, given)
    ]
    return bool(outcomes) and not any(outcomes)


def _is_within(scope: Scope, other: Scope) -> bool:
    while scope is not other and scope.outer is not None:
        scope = scope.outer
    return scope is other


def _runs_given(call: ast.Call, given: set[str]) -> bool:
    """Tell whether a call is of a function that was passed in, or decorates one: `torch.no_grad()(fn)`."""
    if isinstance(call.func, ast.Call):
        return any(isinstance(one, ast.Name) and one.id in given for one in call.args)
    return isinstance(call.func, ast.Name) and call.func.id in given


def _is_call_of_mode(node: ast.expr) -> bool:
    """Tell whether a call decorates by a mode that stops recording, whichever of several it is."""
    called = node.func if isinstance(node, ast.Call) else None
    maker = called.func if isinstance(called, ast.Call) else None
    ways = [maker.body, maker.orelse] if isinstance(maker, ast.IfExp) else [maker]
    modes = [GRAD_MODES.get(last_name(way)) if way is not None else None for way in ways]
    return all(mode is not None and not mode.records for mode in modes)
