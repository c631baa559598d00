"""Where a program reads a clock, and which times it subtracts from each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.used_as_values import comes_by_import, is_used_as_value
from torchlint.model.facts import fact
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Imported
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.walk import written

from .clocks import CLOCKS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class Difference:
    """A time, and what is subtracted from it: `time.time() - self.start`."""

    place: Place
    reading: Place
    """The call that reads the clock at the end."""
    since: Place


def differences(ev: Evaluator, file: ParsedFile, scope: Scope | None = None) -> Iterator[Difference]:
    """Yield where a file, or one of its functions, subtracts something from a time."""
    for node, statement in file.index.expressions(ast.BinOp):
        place = Place(file, node, statement)
        if not isinstance(node.op, ast.Sub) or scope not in {None, place.scope}:
            continue
        if (reading := clock_reading(ev, place.at(node.left))) is not None:
            yield Difference(place, reading, place.at(node.right))


def clock_reading(ev: Evaluator, place: Place) -> Place | None:
    """Return the call of a clock that an expression is, or that its name or attribute is bound to."""
    match place.expression:
        case ast.Call(func=function):
            callee = place.at(function)
            is_asked = comes_by_import(callee) or ev.project.once(uses_clocks_as_values)
            callees = ev.evaluate(callee) if is_asked else ()
            is_clock = any(isinstance(one.value, Imported) and one.value.name in CLOCKS for one in callees)
            return place if is_clock else None
        case ast.Name(id=name):
            return _held_by_name(ev, place, name)
        case ast.Attribute(value=ast.Name()):
            return _held_by_attribute(ev, place)
        case _:
            return None


@fact
def uses_clocks_as_values(ev: Evaluator) -> bool:
    """Tell whether a project uses a clock, or the package that has it, as a value."""
    return is_used_as_value(ev, *CLOCKS)


def _held_by_name(ev: Evaluator, place: Place, name: str) -> Place | None:
    bindings = place.scope.bindings.get(name, ())
    reached = reaching(place.file.index, bindings, place.statement, ev.decide(place)).definitions
    values = [
        Place(place.file, one.value, one.statement)
        for one in reached
        if one.value is not None and one.kind == "assign" and not one.selector
    ]
    if len(values) != len(reached) or not all(isinstance(one.expression, ast.Call) for one in values):
        return None
    # A clock that is read again in every iteration times the iterations, and with them what each waits for.
    return clock_reading(ev, values[0]) if len(values) == 1 else None


def _held_by_attribute(ev: Evaluator, place: Place) -> Place | None:
    """Return the call of a clock that the function itself stores in an attribute, once and before it is read."""
    stored = [
        Place(place.file, one.value, one)
        for one in place.file.assigned(written(place.expression))
        if one.value is not None and place.file.index.home[one][0].scope is place.scope
    ]
    is_before = len(stored) == 1 and stored[0].line < place.line and isinstance(stored[0].expression, ast.Call)
    return clock_reading(ev, stored[0]) if is_before else None
