"""What an error about devices rests on: that its operation runs by default, and that something there is on a GPU.

What no line in view proves is assumed, and a finding that rests on it is no error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.calls import calls_anywhere
from torchlint.model.guards.off_by_default import off_by_default
from torchlint.model.parallel.wrappers import moves_inputs
from torchlint.model.place import Place
from torchlint.model.test_files import is_of_tests
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Instance
from torchlint.syntax.around import class_around, function_around

from .meetings import called_by
from .moved_owners import owner_on_gpu

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator

_GPU = "cuda"
_DEFAULT: Place | None = None


def premises(ev: Evaluator, operation: Place, operand: Place) -> tuple[Step, ...]:
    """Return the steps that show, or assume, that an operation runs, with an operand that is on a GPU."""
    return (*runs_by_default(ev, operation), *_is_called_bare(ev, operation), *_on_gpu(ev, operation, operand))


def runs_by_default(ev: Evaluator, operation: Place) -> tuple[Step, ...]:
    """Return the step that assumes that an option is set, if an operation does not run by default."""
    test = _unset(ev, operation)
    return (test.step("assumes that this is not the default", is_assumed=True),) if test is not None else ()


@tabled(_DEFAULT)
def _unset(ev: Evaluator, place: Place) -> Place | None:
    """Return a test that keeps a place from running by default, in its function or on every path to that."""
    if (test := off_by_default(ev, place)) is not None:
        return test
    tests = [_unset(ev, one) for one in islice(_entries(ev, place), MOST_CALLERS)]
    return tests[0] if tests and all(test is not None for test in tests) else None


def _entries(ev: Evaluator, operation: Place) -> list[Place]:
    """Return the calls of the function around a place; of a method that others call, those that make its object."""
    function = function_around(operation)
    if function is None:
        return []
    callers = [caller.place for caller in ev.callers(Function(operation.file, function))]
    kind = class_around(operation)
    return callers if callers or kind is None else list(_objects_made(ev, Class(operation.file, kind)))


def _objects_made(ev: Evaluator, kind: Class) -> Iterator[Place]:
    calls = calls_anywhere(ev.project, kind.scope.name)
    return (call for call in calls if any(one.value == Instance(kind) for one in ev.evaluate(call)))


def _is_called_bare(ev: Evaluator, operation: Place) -> tuple[Step, ...]:
    """Return the step that assumes that no wrapper is called that moves its inputs, if one may be."""
    if not isinstance(operation.expression, ast.Call):
        return ()
    callees = ev.evaluate(operation.at(called_by(operation.expression)))
    made = next((one.origin for one in callees if one.origin is not None and moves_inputs(ev, one)), None)
    return (made.step("assumes that the module is not wrapped here", is_assumed=True),) if made is not None else ()


def _on_gpu(ev: Evaluator, operation: Place, operand: Place) -> tuple[Step, ...]:
    # A test chooses its device itself: the options and defaults of the program do not count there.
    if is_of_tests(operation.file) and _GPU not in operation.file.code:
        return (operand.step("assumes that the test runs on a GPU", is_assumed=True),)
    return owner_on_gpu(ev, operand)
