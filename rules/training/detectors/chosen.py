"""Whether a choice decides that a program reaches a place: an option, a flag of its own, a result.

The file that was started is no choice, nor are the devices of the machine, and neither are tests that exit the program
or that distinguish the iterations of a loop.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.values.value_sets import Function
from torchlint.syntax.around import dominating_conditions, function_around, loops_around
from torchlint.syntax.exits import is_exit
from torchlint.syntax.facts import atoms
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.syntax.dominating_conditions import Condition
    from torchlint.syntax.scope import Scope

_OF_THE_MACHINE = re.compile(r"__name__|\bis_available\(\)|\bdevice_count\(\)|\.type\b")
# A function with more calls is a library's.
_MOST_CALLS = 10


def unchosen_ways(ev: Evaluator, place: Place) -> Iterator[tuple[Place, tuple[Step, ...]]]:
    """Yield the outermost places from which a program reaches a place without a choice, with the first calls found.

    These are in no function, or in one without known callers.
    """
    entered: set[Scope] = set()
    waiting: list[tuple[Place, tuple[Step, ...]]] = [(place, ())]
    while waiting:
        one, steps = waiting.pop()
        scope = function_around(one)
        if is_chosen(one) or scope in entered:
            continue
        function = Function(one.file, scope) if scope is not None else None
        callers = (*ev.callers(function), *object_callers_of(ev, function)) if function is not None else ()
        if scope is None or not callers:
            yield one, steps
            continue
        entered.add(scope)
        what = f"`{scope.qualified_name}` is called here"
        waiting += [(caller.place, (caller.place.step(what), *steps)) for caller in callers[:_MOST_CALLS]][::-1]


def is_chosen(place: Place) -> bool:
    """Tell whether a test of the same function, or an exception, decides whether a place runs."""
    blocks = place.file.index.blocks_around(place.statement)
    if any(isinstance(block.owner, ast.ExceptHandler) for block, _ in blocks):
        return True
    return any(_chooses(place, one) for one in dominating_conditions(place))


def _chooses(place: Place, condition: Condition) -> bool:
    parts = atoms(condition.test, condition.holds)
    if all(_OF_THE_MACHINE.search(place.file.code_of(test)) for test, _ in parts):
        return False
    return not _ends_the_program(place, condition.statement) and not _is_of_iteration(place, condition.test)


def _ends_the_program(place: Place, statement: ast.stmt) -> bool:
    """Tell whether a statement before a place either ends the program or goes on: `if not files: sys.exit()`."""
    if isinstance(statement, ast.Assert):
        return True
    around = {block.owner for block, _ in place.file.index.blocks_around(place.statement)}
    if not isinstance(statement, ast.If) or statement in around:
        return False
    return any(isinstance(arm[-1], ast.Raise) or is_exit(arm[-1]) for arm in (statement.body, statement.orelse) if arm)


def _is_of_iteration(place: Place, test: ast.expr) -> bool:
    """Tell whether a test reads what a loop around a place binds in each iteration: `if phase == "train":`."""
    names = {node.id for node in walk(test) if isinstance(node, ast.Name)}
    bindings = [one for name in names for one in place.scope.bindings.get(name, ())]
    index = place.file.index
    return any(
        one.statement is loop or index.is_in_body(one.statement, loop)
        for loop in loops_around(place)
        for one in bindings
    )
