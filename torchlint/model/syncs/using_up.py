"""Whose graph is used up by a `backward()` that goes back from it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.syncs.additions import Keeping
from torchlint.model.syncs.graphs import BACKWARD, has_no_graph, is_backward, receiver_of
from torchlint.model.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.syntax.scope import Scope
    from torchlint.model.values.evaluator import Evaluator


def is_differentiated(keeping: Keeping) -> bool:
    """Tell whether the sum or list itself is differentiated: then its graph is used up with it.

    A variable of the function is so by the function alone, others by whichever function of the file.
    """
    place = keeping.place
    scopes = {place.scope}
    is_own = keeping.name in place.scope.bindings and keeping.name not in place.scope.outside
    if "." in keeping.root or not is_own:
        home = place.file.index.home
        scopes |= {home[one][0].scope for name in BACKWARD for _, one in place.file.index.calls(name)}
    return any(_leads_back(place.file, scope, keeping.root) for scope in scopes)


def leads_back(place: Place) -> bool:
    """Tell whether a function calls `backward()` on what comes of an expression, if not at once."""
    return _leads_back(place.file, place.scope, "", place.expression)


def _leads_back(file: SourceFile, scope: Scope, name: str, expression: ast.expr | None = None) -> bool:
    calls = [call for call, _ in file.calls_in_scope(scope) if is_backward(call)]
    sources = [node for call in calls for node in (call.func, *call.args)]
    for _ in range(3):
        nodes = [node for source in sources for node in walk(source)]
        names = {written(node) for node in nodes if isinstance(node, (ast.Name, ast.Attribute))}
        if name in names or expression in nodes:
            return True
        bindings = (b for one in names for b in scope.bindings.get(one, ()))
        sources = [b.value for b in bindings if b.value is not None]
    return False


def is_freed_with_backward(ev: Evaluator, place: Place) -> bool:
    """Tell whether only an arm that then detaches it goes back from a tensor: `if train: loss.backward(); loss = …`.

    Elsewhere no gradients are computed in the function, and whoever is given the sum may want them.
    """
    calls = ((call, statement) for call, statement in place.file.calls_in_scope(place.scope) if is_backward(call))
    arms = [_is_arm_that_frees(ev, place, call, statement) for call, statement in calls]
    return bool(arms) and all(arms)


def _is_arm_that_frees(ev: Evaluator, place: Place, call: ast.Call, statement: ast.stmt) -> bool:
    name = written(place.expression)
    block, at = next(iter(place.file.index.blocks_around(statement)))
    inside = any(one.body is block.body for one, _ in place.file.index.blocks_around(place.statement))
    if inside or name not in map(written, (receiver_of(call), *call.args)):
        return False
    later = block.body[at + 1 :]
    given = [one for one in place.scope.bindings.get(name, ()) if one.statement in later and one.value is not None]
    values = (Place(place.file, one.value, one.statement) for one in given if one.value is not None)
    return bool(given) and all(has_no_graph(ev.evaluate(value)) for value in values)
