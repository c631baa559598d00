"""Functions that are alternatives: a program names them in different branches of one `if`.

`if kind == "a": make, run = make_a, run_a` and, in `else`, those of `b`: the result of `make_a` is never passed to
`run_b`.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from itertools import islice, product
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.guards.contradictions import are_in_different_arms
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import PythonFile
from torchlint.model.values.variable_reads import named_reads

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

Way: TypeAlias = "tuple[Place, ...]"
"""Where a function is named, where the function around that is named, and so on."""
_Outermost: TypeAlias = "tuple[ParsedFile, Scope]"
"""A function or class of a file that is in no other."""
_Naming: TypeAlias = "tuple[Way, _Outermost | None]"
"""Where a function is named, by way of an import or not, and what is around that."""
_NONE: tuple[_Naming, ...] = ()
_MOST_WAYS = 16


def are_alternatives(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether all paths to the function of one place exclude those to that of the other."""
    here, there = _outermost(one), _outermost(other)
    if here is None or there is None or here is there:
        return False
    first, second = _ways(ev, one.file, here), _ways(ev, other.file, there)
    return bool(first and second) and all(
        any(are_in_different_arms(*pair) for pair in product(*ways)) for ways in product(first, second)
    )


def _outermost(place: Place) -> Scope | None:
    """Return the function or class around a place that the file defines itself; None if there is none."""
    scope: Scope = place.scope
    if scope.outer is None:
        return None
    while scope.outer is not None and scope.outer.outer is not None:
        scope = scope.outer
    return scope


def _ways(ev: Evaluator, file: ParsedFile, scope: Scope) -> list[Way]:
    """Return the paths to a function up to the top of a file, none if there are many; recursion leads nowhere."""
    found: list[Way] = []
    waiting: deque[tuple[Way, tuple[_Outermost, ...]]] = deque([((), ((file, scope),))])
    while waiting:
        if len(found) + len(waiting) >= _MOST_WAYS:
            return []
        way, passed = waiting.popleft()
        further = [((*way, *naming), around) for naming, around in _namings(ev, *passed[-1]) if around not in passed]
        found += [longer for longer, around in further if around is None] if further or not way else [way]
        waiting += [(longer, (*passed, around)) for longer, around in further if around is not None]
    return found


@tabled(_NONE)
def _namings(ev: Evaluator, file: ParsedFile, scope: Scope) -> tuple[_Naming, ...]:
    """Return where a function is named, and what is around that."""
    return tuple(islice(_named_in(ev, file, scope), _MOST_WAYS))


def _named_in(ev: Evaluator, file: ParsedFile, scope: Scope) -> Iterator[_Naming]:
    for read in named_reads(file, file.index.scope, scope.name):
        yield (read,), _around(read)
    for path in ev.project.library.holding(scope.name):
        if (there := ev.project.parsed(path)) is not None and there is not file:
            yield from _named_elsewhere(ev, there, file, scope)


def _named_elsewhere(ev: Evaluator, there: ParsedFile, file: ParsedFile, scope: Scope) -> Iterator[_Naming]:
    """Yield where another file imports the function, or reads it from the imported file."""
    for statement in there.index.statements(ast.ImportFrom):
        names = [alias.asname or alias.name for alias in statement.names if alias.name in {scope.name, "*"}]
        if names and ev.project.resolve(there, statement.module or "", statement.level) is file:
            imported = _start(there, statement)
            for read in list(named_reads(there, imported.scope, names[0])) or [imported]:
                yield (imported, read), _around(read)
    for node, reading in there.attribute_reads(scope.name):
        place = Place(there, node, reading)
        if any(one.value == PythonFile(file) for one in ev.evaluate(place.at(node.value))):
            yield (place,), _around(place)


def _around(read: Place) -> _Outermost | None:
    scope = _outermost(read)
    return (read.file, scope) if scope is not None else None


def _start(file: ParsedFile, statement: ast.stmt) -> Place:
    return Place(file, ast.copy_location(ast.Constant(None), statement), statement)
