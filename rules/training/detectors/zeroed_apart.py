"""Calls that clear gradients beside a step, but never those that the step uses."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.guards.contradictions import are_in_different_arms
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.exits import loops_of
from torchlint.syntax.walk import walk

from .trained_module import are_apart, are_passed_apart

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def is_zeroed_apart(ev: Evaluator, step: Call, optimizer: Place | None, call: Call) -> bool:
    """Tell whether a call zeroes an optimizer of modules that are unrelated to this one's, or in another arm."""
    if call.scope is not step.scope:
        return False
    if is_in_other_arm(step, call):
        return True
    if optimizer is None or call.owner is None:
        return False
    return are_apart(ev, call.owner, optimizer) or are_passed_apart(ev, call.owner, optimizer)


def is_in_other_arm(step: Call, call: Call) -> bool:
    """Tell whether the loop of a step never runs a call, by a test that comes out the same in each iteration."""
    loop = next(iter(loops_of(step.file.index, step.statement)), None)
    if loop is None or not are_in_different_arms(step, call):
        return False
    here, there = ({one.test: one.holds for one in dominating_conditions(place)} for place in (step, call))
    return any(there.get(test, holds) is not holds and _is_fixed(step, test, loop) for test, holds in here.items())


def _is_fixed(step: Call, test: ast.expr, loop: ast.stmt) -> bool:
    """Tell whether nothing that a test reads may change within a loop."""
    if not _is_plain(test):
        return False
    index = step.file.index
    names = {node.id for node in walk(test) if isinstance(node, ast.Name)}
    changed = (one.statement for name in names for one in step.scope.bindings.get(name, ()))
    attributes = {node.attr for node in walk(test) if isinstance(node, ast.Attribute)}
    if any(index.attribute_stores(name) for name in attributes):
        return False
    return not any(one is loop or index.is_in_body(one, loop) for one in changed)


def _is_plain(test: ast.expr) -> bool:
    """Tell whether a test reads a variable or an option alone, such as `args.bf16`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_plain(operand)
        case ast.Attribute(value=owner):
            return _is_plain(owner)
        case _:
            return isinstance(test, ast.Name)
