"""Devices whose index the caller chooses: `torch.device("cuda", index)`, where no call in view gives one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Unknown
from torchlint.pytorch.symbols import DEVICE
from torchlint.syntax.arguments import passed
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def given_index(ev: Evaluator, device: Place) -> tuple[Step, ...]:
    """Return the step that assumes that the index of a device is given without a GPU, if none is in view.

    An index that the program writes down, or the default of an option or parameter, is in view.
    """
    index = _index_beside(device) if isinstance(device.expression, ast.Constant) else device.expression
    if index is None or isinstance(device.expression, (ast.Name, ast.Attribute)):
        return ()
    nodes = (node for node in walk(index) if isinstance(node, ast.expr))
    read = (device.at(node) for node in nodes if _is_read(device, node))
    given = next((one for one in read if _is_open(ev, one)), None)
    return (given.step("assumes that this is given on a machine without a GPU", is_assumed=True),) if given else ()


def _index_beside(kind: Place) -> ast.expr | None:
    """Return the index that is passed beside the type of a device: `torch.device("cuda", index)`."""
    around = kind.parent
    if around is None or not isinstance(around.expression, ast.Call):
        return None
    return passed(around.expression, "index", 1) if DEVICE in around.at(around.expression.func).names else None


def _is_read(device: Place, node: ast.expr) -> bool:
    """Tell whether a node is a parameter, or an attribute of an object."""
    match node:
        case ast.Name(id=name):
            return any(one.kind == "parameter" for one in device.scope.bindings.get(name, ()))
        case ast.Attribute(value=ast.Name(id="self")):
            return True
        case _:
            return False


def _is_open(ev: Evaluator, place: Place) -> bool:
    """Tell whether something has no value in view; the rank that `mp.spawn` passes is as good as one."""
    if isinstance(place.expression, ast.Name) and ev.callers_of(place.file, place.scope):
        return False
    possible = ev.evaluate(place)
    return not possible or all(isinstance(one.value, Unknown) for one in possible)
