"""Tensors that their function moves as the module says: `if self.use_gpu: x = x.cuda()`, `x = x.to(self.device)`.

A self-test of the file may be all that makes the module, and leave the option off, or the device to the default. A
module that counts as moved, since any code may import and move it, says something else then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.devices.operands import is_on_the_device
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Instance
from torchlint.syntax.arms import arms_of
from torchlint.syntax.around import class_around, dominating_conditions, is_self
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def is_moved_with_module(ev: Evaluator, host: Place) -> bool:
    """Tell whether a method of a module moves a tensor on the host to where the module says that it is."""
    kind = class_around(host)
    if kind is None or not is_module(ev, Instance(Class(host.file, kind))):
        return False
    # A device that a module only remembers is not the one that it was moved to.
    moves_itself = "self.to(" in host.file.code_of(kind.node)
    return _is_moved_by_option(ev, host) or (moves_itself and any(map(_is_by_attribute, _moves(host))))


def _is_moved_by_option(ev: Evaluator, host: Place) -> bool:
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
            yield from (Place(host.file, arm, bound.statement) for arm in arms_of(bound.value) if _is_of(arm, name))


def _is_of(value: ast.expr, name: str) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(value=receiver)):
            return any(isinstance(node, ast.Name) and node.id == name for node in walk(receiver))
        case _:
            return False


def _is_by_attribute(move: Place) -> bool:
    """Tell whether a tensor is moved to an attribute of the object: `x.to(self.device)`."""
    match move.expression:
        case ast.Call(func=ast.Attribute(attr="to"), args=[ast.Attribute(value=owner), *_]):
            return is_self(owner)
        case _:
            return False
