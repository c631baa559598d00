"""What an `or` lets through beside a throttle: `if i % 100 == 0 or finished:`.

A flag, an option or an end beside the counter adds an iteration here and there, as a throttle is intended. Unless it is
known to hold in most: an option that is set, a test of the rank, a counter that is past some number, or a test that
holds as a rule.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.guards.counting import truth_of_value
from torchlint.model.parallel.ranks import keeps_ranks_out
from torchlint.model.place import Place
from torchlint.model.tensors.data_tests import is_an_exception
from torchlint.model.training.counters import is_counter
from torchlint.model.values.tabled import tabled
from torchlint.syntax.connectives import is_so_by
from torchlint.syntax.device_words import asks_about_device
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def adds_few_iterations(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a test beside a throttle may have its outcome in few iterations only."""
    return is_so_by(test.expression, holds, lambda part, so: _adds_few(ev, test.at(part), so))


def _adds_few(ev: Evaluator, test: Place, holds: bool) -> bool:
    match test.expression:
        case ast.NamedExpr(value=value):
            return adds_few_iterations(ev, test.at(value), holds)
        case ast.Attribute(attr="training"):
            return not holds
        case ast.Name() if _computed(ev, test):
            return _holds_few(ev, test, holds)
        case _ if is_an_exception(ev, test, holds):
            return True
        case _ if is_an_exception(ev, test, not holds):
            return False
        case ast.Compare() as comparison:
            is_few = not _is_past(comparison, holds) and ev.truth(test) is not holds
        case _:
            is_few = _is_open(ev, test, holds)
    return is_few and not _is_of_one_rank(ev, test, holds)


def _computed(ev: Evaluator, test: Place) -> list[Place]:
    """Return what a name may have been assigned, without constants, which are in its value."""
    return [one for one in assigned(ev, test) if not isinstance(one.expression, ast.Constant)]


def assigned(ev: Evaluator, test: Place) -> list[Place]:
    """Return what the name in a test may have been assigned."""
    assert isinstance(test.expression, ast.Name)
    bindings = test.scope.bindings.get(test.expression.id, ())
    reached = reaching(test.file.index, bindings, test.statement, ev.decide(test)).definitions
    return [
        Place(test.file, one.value, one.statement) for one in reached if one.value is not None and one.kind == "assign"
    ]


@tabled(False)
def _holds_few(ev: Evaluator, flag: Place, holds: bool) -> bool:
    return all(adds_few_iterations(ev, one, holds) for one in _computed(ev, flag))


def _is_open(ev: Evaluator, flag: Place, holds: bool) -> bool:
    """Tell whether a flag or option does not have this outcome by default."""
    outcomes = {truth_of_value(one.value) for one in ev.evaluate(flag)}
    return holds not in outcomes or (not holds) in outcomes


def _is_past(test: ast.Compare, holds: bool) -> bool:
    """Tell whether a counter or size is past some number, as in most iterations it is: `i > 100`, `len(queue) > 1`."""
    past = (ast.Gt, ast.GtE) if holds else (ast.Lt, ast.LtE)
    if not isinstance(test.ops[0], past) or not isinstance(test.comparators[0], ast.Constant):
        return False
    return is_counter(test.left) or isinstance(test.left, (ast.Call, ast.Subscript))


def _is_of_one_rank(ev: Evaluator, test: Place, holds: bool) -> bool:
    return asks_about_device(test.expression) or keeps_ranks_out(ev, test, holds)
