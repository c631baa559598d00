"""Functions that are alternatives: a program names them in different branches of one `if`.

`if kind == "a": make, run = make_a, run_a` and, in `else`, those of `b`: the result of `make_a` is never passed to
`run_b`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice, product
from typing import TYPE_CHECKING, TypeAlias

from torchlint.inference.limits import NESTED
from torchlint.model.guards.contradictions import are_in_different_arms
from torchlint.model.place import Place
from torchlint.model.values.value_sets import PythonFile
from torchlint.model.values.variable_reads import named_reads

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

Way: TypeAlias = "tuple[Place, ...]"
"""Where a function is named, where the function around that is named, and so on."""
_MOST_WAYS = 16


def are_alternatives(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether all paths to the function of one place exclude those to that of the other."""
    here, there = _outermost(one), _outermost(other)
    if here is None or there is None or here is there:
        return False
    first, second = (
        list(islice(_ways(ev, place.file, scope, 0), _MOST_WAYS)) for place, scope in ((one, here), (other, there))
    )
    if not first or not second or _MOST_WAYS in {len(first), len(second)}:
        return False
    return all(any(are_in_different_arms(*pair) for pair in product(*ways)) for ways in product(first, second))


def _outermost(place: Place) -> Scope | None:
    """Return the function or class around a place that the file defines itself; None if there is none."""
    scope: Scope = place.scope
    if scope.outer is None:
        return None
    while scope.outer is not None and scope.outer.outer is not None:
        scope = scope.outer
    return scope


def _ways(ev: Evaluator, file: ParsedFile, scope: Scope, depth: int) -> Iterator[Way]:
    for read in _reads(file, file.index.scope, scope.name):
        yield from _way(ev, read, scope, depth)
    for path in ev.project.library.holding(scope.name):
        if (there := ev.project.parsed(path)) is not None and there is not file:
            yield from _ways_in(ev, there, file, scope, depth)


def _way(ev: Evaluator, read: Place, named: Scope, depth: int) -> Iterator[Way]:
    """Yield the paths through one place that names a function; recursion leads nowhere."""
    around = _outermost(read)
    if around is named:
        return
    further = list(islice(_ways(ev, read.file, around, depth + 1), _MOST_WAYS)) if around and depth < NESTED else []
    yield from ((read, *way) for way in further or [()])


def _ways_in(ev: Evaluator, there: ParsedFile, file: ParsedFile, scope: Scope, depth: int) -> Iterator[Way]:
    """Yield the paths through another file: what imports the function, or reads it from the imported file."""
    for statement in there.index.statements(ast.ImportFrom):
        names = [alias.asname or alias.name for alias in statement.names if alias.name in {scope.name, "*"}]
        if names and ev.project.resolve(there, statement.module or "", statement.level) is file:
            imported = _start(there, statement)
            reads = list(_reads(there, imported.scope, names[0]))
            for read in reads or [imported]:
                yield from ((imported, *way) for way in _way(ev, read, scope, depth))
    for node, reading in there.attribute_reads(scope.name):
        place = Place(there, node, reading)
        if any(one.value == PythonFile(file) for one in ev.evaluate(place.at(node.value))):
            yield from _way(ev, place, scope, depth)


def _reads(file: ParsedFile, scope: Scope, name: str) -> Iterator[Place]:
    return named_reads(file, scope, name)


def _start(file: ParsedFile, statement: ast.stmt) -> Place:
    return Place(file, ast.copy_location(ast.Constant(None), statement), statement)
