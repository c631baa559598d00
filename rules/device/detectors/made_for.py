"""Values for a single read: assigned in one statement and used up in another.

`eye = torch.eye(3)` and `eye = eye.to(x.device)` do in two statements what one could. They do if the second runs
whenever the first one does, or whenever there is a GPU, and nothing else reads what the first one made.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.guards.contradictions import are_in_different_arms
from torchlint.model.place import Place
from torchlint.model.values.variable_reads import reads_of
from torchlint.pytorch.metadata import METADATA
from torchlint.syntax.around import dominating_conditions, loops_around
from torchlint.syntax.device_words import asks_about_device
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Binding


@dataclass(frozen=True, slots=True)
class MadeFor:
    """The value of a name that has a single read."""

    value: Place
    is_always_read: bool
    """Whether the read runs whenever the value is made, and not only under a test about devices."""
    is_part: bool = False
    """Whether the name is bound to a part of the value, and the names of the other parts have no other read either."""


def made_for(ev: Evaluator, read: Place) -> MadeFor | None:
    """Return the value of a name at a read if it has no other read, else None."""
    binding = _binding_of(ev, read)
    if binding is None or binding.value is None:
        return None
    value = Place(read.file, binding.value, binding.statement, read.frame, read.given)
    tests = _tests_between(value, read)
    if tests is None or not all(map(asks_about_device, tests)) or _is_read_elsewhere(ev, value, read):
        return None
    return MadeFor(value, not tests, bool(binding.selector))


def _binding_of(ev: Evaluator, read: Place) -> Binding | None:
    """Return the assignment of a name that reaches a read, if it is the only one and assigns nothing else."""
    # In a comprehension or a lambda the name is bound to something else.
    if not isinstance(read.expression, ast.Name) or not read.is_local or read.statement in read.file.index.binding:
        return None
    bindings = read.scope.bindings[read.word]
    reached = reaching(read.file.index, bindings, read.statement, ev.decide(read))
    if reached.open or len(reached.definitions) != 1:
        return None
    match reached.definitions[0].statement:
        case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()):
            return reached.definitions[0]
        case ast.Assign(targets=[ast.Tuple(elts=parts)]) if all(isinstance(part, ast.Name) for part in parts):
            return reached.definitions[0]
        case _:
            return None


def _tests_between(value: Place, read: Place) -> list[ast.expr] | None:
    """Return the conditions of a read that the value does not have; None if they run unequally often."""
    if list(loops_around(value)) != list(loops_around(read)):
        return None
    before = _tests(value)
    return [test for test in _tests(read) if test not in before]


def _tests(place: Place) -> list[ast.expr]:
    return [condition.test for condition in dominating_conditions(place)]


def _is_read_elsewhere(ev: Evaluator, value: Place, read: Place) -> bool:
    """Tell whether a value has another read, except where this read does not run.

    If the read rebinds the name, later reads of the name see only that.
    """
    if parts := _parts(value.statement):
        others = (other for part in parts for other in reads_of(ev, read.scope, part, value))
        return any(other.statement is not read.statement and not _looks_on(other) for other in others)
    is_replaced = read.word in {one.id for one in _targets(read.statement) if isinstance(one, ast.Name)}
    for other in reads_of(ev, read.scope, read.word, value):
        if other.expression is read.expression or _looks_on(other) or are_in_different_arms(other, read):
            continue
        if not is_replaced or other.scope is not read.scope or other.statement.lineno <= read.statement.lineno:
            return True
    return False


def _targets(statement: ast.stmt) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else []


def _parts(statement: ast.stmt) -> set[str]:
    """Return the names that an assignment unpacks its value into."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=parts)]):
            return {part.id for part in parts if isinstance(part, ast.Name)}
        case _:
            return set()


def _looks_on(read: Place) -> bool:
    parent = read.file.parents_in(read.statement).get(read.expression)
    return isinstance(parent, ast.Attribute) and parent.attr in METADATA
