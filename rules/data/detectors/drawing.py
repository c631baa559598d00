"""What a loader runs for the samples of a dataset, and where that draws from a generator of an object."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function
from torchlint.pytorch.generators import RESEEDING
from torchlint.pytorch.loaders import SAMPLING
from torchlint.syntax.around import is_self

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Scope

_NONE: frozenset[Scope] = frozenset()


def draw_of(kind: Class, name: str, scopes: frozenset[Scope]) -> Place | None:
    """Return where some functions draw from an attribute of their object, if nothing seeds it again."""
    index, reads = kind.file.index, kind.file.attribute_reads(name)
    if any(_seeds(kind, read, at) for read, at in reads):
        return None
    own = (Place(kind.file, read, at) for read, at in reads if is_self(read.value))
    return next((place for place in own if _method_around(index.home[place.statement][0].scope, kind) in scopes), None)


def _method_around(scope: Scope | None, kind: Class) -> Scope | None:
    """Return the method of a class that a scope is, or is within: a comprehension, a function in it."""
    while scope is not None and scope.outer is not kind.scope:
        scope = scope.outer
    return scope


def _seeds(kind: Class, read: ast.Attribute, at: ast.stmt) -> bool:
    parent = kind.file.parents_in(at).get(read)
    return isinstance(parent, ast.Attribute) and parent.attr in RESEEDING


@tabled(_NONE)
def run_for_samples(ev: Evaluator, kind: Class) -> frozenset[Scope]:
    """Return the functions that a loader runs for the samples of a dataset: its methods, and what these call."""
    pending = [method for method in (method_of(ev, kind, name) for name in SAMPLING) if method is not None]
    found = {method.scope for method in pending}
    for method in pending:
        for call, at in method.file.calls_in_scope(method.scope):
            for callee in _called(ev, kind, Place(method.file, call, at)):
                if callee.scope not in found:
                    found.add(callee.scope)
                    pending.append(callee)
    return frozenset(found)


def _called(ev: Evaluator, kind: Class, call: Place) -> list[Function]:
    """Return what a call runs; for a method of the object itself, that of the dataset."""
    assert isinstance(call.expression, ast.Call)
    function = call.expression.func
    if isinstance(function, ast.Attribute) and is_self(function.value):
        own = method_of(ev, kind, function.attr)
        if own is not None:
            return [own]
    return list(callees_of(ev, call))
