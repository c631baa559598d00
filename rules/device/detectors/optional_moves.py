"""Tensors that their function moves by an option that is off here: `if self.use_gpu: classes = classes.cuda()`.

A self-test of the file may be all that makes the module, and leave the option off. A module that counts as moved, since
any code may import and move it, is used with the option on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.devices.operands import is_on_the_device
from torchlint.model.place import Place
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def is_moved_by_option(ev: Evaluator, host: Place) -> bool:
    """Tell whether a tensor, or what it is computed from, is moved above, under a test that does not dominate it."""
    tests = {one.test for one in dominating_conditions(host)}
    return any(
        any(one.test not in tests for one in dominating_conditions(move)) and is_on_the_device(ev, move)
        for move in _moves(host)
    )


def _moves(host: Place) -> Iterator[Place]:
    """Yield where the function of a place binds a name to a result of its method: `x = x.to(device)`, in either arm."""
    names = {node.id for node in walk(host.expression) if isinstance(node, ast.Name)}
    for name in sorted(names):
        for bound in host.scope.bindings.get(name, ()):
            if bound.value is None or bound.statement.lineno > host.statement.lineno:
                continue
            arms = (bound.value.body, bound.value.orelse) if isinstance(bound.value, ast.IfExp) else (bound.value,)
            yield from (Place(host.file, arm, bound.statement) for arm in arms if _is_of(arm, name))


def _is_of(value: ast.expr, name: str) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=moved))):
            return moved == name
        case _:
            return False
