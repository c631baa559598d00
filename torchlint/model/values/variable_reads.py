"""Where a variable that is bound to a value is read, in its own function and in nested ones."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from heapq import merge
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

_Reads: TypeAlias = "Mapping[ast.stmt | None, list[tuple[int, Place]]]"
_NO_READS: _Reads = {}


def reads_of(ev: Evaluator, scope: Scope, name: str, bound: Place) -> Iterator[Place]:
    """Yield the reads of a name that may see what a statement bound it to."""
    reads: _Reads = _reads_by_binding(ev, bound.file, scope, name, bound.scope)
    pairs = merge(reads.get(bound.statement, ()), reads.get(None, ()), key=itemgetter(0))
    return (place for _, place in pairs)


@tabled(_NO_READS)
def _reads_by_binding(ev: Evaluator, file: ParsedFile, scope: Scope, name: str, own: Scope) -> _Reads:
    """Return the reads of a name, numbered, by the statement that bound it; under None, those of inner scopes."""
    found: dict[ast.stmt | None, list[tuple[int, Place]]] = defaultdict(list)
    bindings = scope.bindings.get(name, [])
    for number, place in enumerate((*named_reads(file, scope, name), *_changed_in_place(file, scope, name))):
        if place.scope not in {scope, own}:
            found[None].append((number, place))
            continue
        reached = reaching(file.index, bindings, place.statement, ev.decide(place)).definitions
        for statement in dict.fromkeys(binding.statement for binding in reached):
            found[statement].append((number, place))
    return dict(found)


def named_reads(file: ParsedFile, scope: Scope, name: str) -> Iterator[Place]:
    """Yield the reads of a name in its scope, and in nested functions that do not shadow it."""
    for node, statement in file.name_reads_within(scope, name):
        if _sees(file.index.home[statement][0].scope, scope, name):
            yield Place(file, node, statement)


def _changed_in_place(file: ParsedFile, scope: Scope, name: str) -> Iterator[Place]:
    """Yield where a statement reads a name to give it another value: `action += noise`."""
    for binding in scope.bindings.get(name, ()):
        if isinstance(binding.statement, ast.AugAssign):
            yield Place(file, binding.statement.target, binding.statement)


def inner_reads(function: Function) -> tuple[Place, ...]:
    """Return every read of a nested function: its name is local to the outer one."""
    node, outer = function.scope.node, function.scope.outer
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or outer is None or outer.kind != "function":
        return ()
    return tuple(named_reads(function.file, outer, node.name))


def _sees(inner: Scope, scope: Scope, name: str) -> bool:
    current: Scope | None = inner
    while current is not None and current is not scope:
        declared = current.outside.get(name)
        if declared == "global":
            return scope.kind == "file"
        if name in current.bindings and declared is None:
            return False
        current = current.outer
    return current is scope
