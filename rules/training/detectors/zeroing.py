"""Whether code clears gradients: itself, or in its callees.

Any mention of gradients counts: `p.grad = None`, `p.grad.zero_()`, a buffer of its own for them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.place import Place
from torchlint.model.roles import role_played
from torchlint.model.values.value_sets import Function, Unknown
from torchlint.syntax.call_shapes import shape_of
from torchlint.syntax.last_names import called_as

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

_LETTING_GO = re.compile(
    r"(\w*_)?grads?|zero_?|\w*(zero|clear|reset|clean|init|flush|drop|free|del|remove)\w*grad\w*"
    r"|\w*grads?_(to_)?(none|zero)\w*",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"(no|enable|requires|set|is|autograd)_grad|clip_grads?|(\w+_)?requires_grad|no_grad")


def speaks_of_gradients(file: ParsedFile, node: ast.AST, leave: frozenset[ast.expr] = frozenset()) -> bool:
    """Tell whether a loop or function itself reads or changes gradients, or calls what is named after clearing them."""
    calls = [(call, called_as(call)) for call, _ in _calls_in(file, node)]
    names = {*file.attributes_in(node), *(name for _, name in calls)}
    left = {name for call, name in calls if call in leave} - {name for call, name in calls if call not in leave}
    return any(_LETTING_GO.fullmatch(name) and not _OTHERS.fullmatch(name) for name in names - left)


def may_zero(ev: Evaluator, file: ParsedFile, node: ast.AST, leave: frozenset[ast.expr] = frozenset()) -> bool:
    """Tell whether a loop or function may clear gradients, also in its callees, without some calls."""
    return speaks_of_gradients(file, node, leave) or calls_may_zero(ev, file, node, leave)


def calls_may_zero(ev: Evaluator, file: ParsedFile, node: ast.AST, leave: frozenset[ast.expr]) -> bool:
    """Tell whether what a loop or function calls may clear gradients, without some calls."""
    return _calls_may_zero(ev, file, node, leave, set())


def _calls_may_zero(
    ev: Evaluator, file: ParsedFile, node: ast.AST, leave: frozenset[ast.expr], seen: set[Scope]
) -> bool:
    for call, statement in _calls_in(file, node):
        if call in leave:
            continue
        place = Place(file, call, statement)
        callees = list(callees_of(ev, place))
        if not callees and _may_be_any(ev, place) and _may_be_zeroing(ev, place, call):
            return True
        for function in callees:
            if function.scope in seen:
                continue
            seen.add(function.scope)
            body = function.scope.node
            if speaks_of_gradients(function.file, body, leave):
                return True
            if _calls_may_zero(ev, function.file, body, leave, seen):
                return True
    return False


def _calls_in(file: ParsedFile, node: ast.AST) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """Yield the calls in a loop or function, nested functions included."""
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
    for call, statement in file.index.expressions(ast.Call):
        if first <= call.lineno and (last is None or call.lineno <= last):
            yield call, statement


def _may_be_any(ev: Evaluator, place: Place) -> bool:
    assert isinstance(place.expression, ast.Call)
    function = place.expression.func
    possible = ev.evaluate(place.at(function))
    if possible and not any(isinstance(one.value, Unknown) for one in possible):
        return False
    return not (isinstance(function, ast.Attribute) and _is_library_object(ev, place.at(function.value)))


def _is_library_object(ev: Evaluator, owner: Place) -> bool:
    """Tell whether something surely is a scheduler, a scaler, an optimizer, with methods of PyTorch's own."""
    possible = ev.evaluate(owner)
    return bool(possible) and all(role_played(ev, one.value) is not None for one in possible)


def _may_be_zeroing(ev: Evaluator, place: Place, call: ast.Call) -> bool:
    """Tell whether a call of something unknown may run a function of the project that clears gradients itself."""
    functions = ev.project.once(_zeroing).get(called_as(call), ())
    return any(_accepts(one, call) and _may_reach(ev, one.file, place.file) for one in functions)


def _accepts(function: Function, call: ast.Call) -> bool:
    """Tell whether a function accepts the arguments of a call, as a method of the object or of its class."""
    if function.scope.is_method and not isinstance(call.func, ast.Attribute):
        # A bound method may have a name of its own: `step = trainer.step`.
        return True
    return shape_of(call).fits(function.scope)


def _may_reach(ev: Evaluator, one: ParsedFile, other: ParsedFile) -> bool:
    """Tell whether code of two files may meet: a script runs with what it imports alone."""
    return not (one.is_script or other.is_script) or may_share_program(ev, one, other)


def _zeroing(ev: Evaluator) -> dict[str, tuple[Function, ...]]:
    """Return the functions of a project that clear gradients themselves, by name."""
    library = ev.project.library
    paths = {**library.holding("zero_grad"), **library.holding(".grad")}
    found: dict[str, tuple[Function, ...]] = {}
    for path in sorted(paths):
        if (file := ev.project.parsed(path)) is not None:
            for one in file.index.scopes:
                if one.kind == "function" and speaks_of_gradients(file, one.node):
                    found[one.name] = (*found.get(one.name, ()), Function(file, one))
    return found
