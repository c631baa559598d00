"""Whose graph is used up by a `backward()` that goes back from it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.syntax.walk import walk, written

from .additions import Keeping
from .graphs import BACKWARD, backward_calls, has_no_graph, receiver_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


def is_differentiated(ev: Evaluator, keeping: Keeping) -> bool:
    """Tell whether the sum or list itself is differentiated: then its graph is used up with it.

    A variable of the function is so by the function alone, others by whichever function of the file.
    """
    place = keeping.place
    scopes = {place.scope}
    is_own = keeping.name in place.scope.bindings and keeping.name not in place.scope.outside
    if "." in keeping.root or not is_own:
        home = place.file.index.home
        scopes |= {home[one][0].scope for name in BACKWARD for _, one in place.file.index.calls(name)}
    return any(keeping.root in _gone_back_through(ev, place.file, scope).names for scope in scopes)


def leads_back(ev: Evaluator, place: Place) -> bool:
    """Tell whether a function calls `backward()` on what comes of an expression, if not at once."""
    return place.expression in _gone_back_through(ev, place.file, place.scope).nodes


@dataclass(frozen=True, slots=True)
class _GoneBackThrough:
    """What a function differentiates, what that is computed of, and what that is, all as it is written."""

    names: frozenset[str] = frozenset()
    nodes: frozenset[ast.AST] = frozenset()


@tabled(_GoneBackThrough())
def _gone_back_through(_ev: Evaluator, file: ParsedFile, scope: Scope) -> _GoneBackThrough:
    sources = [node for call, _ in backward_calls(file, scope) for node in (call.func, *call.args)]
    every_name: set[str] = set()
    every_node: set[ast.AST] = set()
    for _ in range(3):
        nodes = [node for source in sources for node in walk(source)]
        names = {written(node) for node in nodes if isinstance(node, (ast.Name, ast.Attribute))}
        every_name |= names
        every_node.update(nodes)
        bindings = (b for one in names for b in scope.bindings.get(one, ()))
        sources = [b.value for b in bindings if b.value is not None]
    return _GoneBackThrough(frozenset(every_name), frozenset(every_node))


def is_freed_with_backward(ev: Evaluator, place: Place) -> bool:
    """Tell whether only an arm that then detaches it goes back from a tensor: `if train: loss.backward(); loss = …`.

    Elsewhere no gradients are computed in the function, and whoever is given the sum may want them.
    """
    calls = backward_calls(place.file, place.scope)
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
