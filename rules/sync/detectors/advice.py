"""What to do about a wait, which depends on what the program does with the number."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.pytorch.number_arguments import SAVING_ARGUMENTS
from torchlint.syntax.around import loops_around
from torchlint.syntax.last_names import callee_name

from ..every_step import PERTURBATION_WAITS, WAITS
from .indexed_lists import is_index
from .sums import carries_graph
from .waiting import Wait

if TYPE_CHECKING:
    from torchlint import Cause

_SELDOM = "every N steps"
_AFTER = "after the loop"
_ON_DEVICE = {
    "max": "use `torch.maximum`",
    "min": "use `torch.minimum`",
    "any": "use `torch.any` of the stacked tensors",
    "all": "use `torch.all` of the stacked tensors",
}


def needed_by(taker: str) -> str:
    """Return what to do about a wait for what something takes on the host alone."""
    return f"`{taker}` needs it on the host, so batch such calls"


def instead_of_reading(wait: Wait) -> str:
    """Return what to do instead of reading a number in every step."""
    if wait.tensor == wait.place:
        return f"call it {_SELDOM}"
    if _is_added(wait.place):
        detached = "detached " if carries_graph(wait.tensor) else ""
        return f"accumulate {detached}tensors and read the sum {seldom(wait.place)}"
    return f"keep it on the GPU, or read it {seldom(wait.place)}"


def instead_of_number(wait: Wait) -> str:
    """Return what to do where PyTorch takes a number, and reads it from a tensor."""
    if isinstance(wait.tensor.expression, ast.Constant):
        return "leave out `error_if_nonfinite=True`"
    call = wait.place.expression
    if isinstance(call, ast.Subscript) and is_index(call, wait.tensor.expression):
        return "copy all indices with one `tolist()`"
    saving = (row.keyword for row in SAVING_ARGUMENTS if isinstance(call, ast.Call) and row.name == callee_name(call))
    return f"pass `{keyword}`" if (keyword := next(saving, None)) is not None else "pass a number instead"


def waits_around(place: Place) -> Cause:
    """Return the common cause of the waits in the loop around a place."""
    return PERTURBATION_WAITS if _perturbs_inputs(place) else WAITS


def seldom(place: Place) -> str:
    """Return when to read a value: the iterations that perturb an input, as FGSM and PGD do, are few."""
    return _AFTER if _perturbs_inputs(place) else _SELDOM


def _perturbs_inputs(place: Place) -> bool:
    """Tell whether the loop around a place follows the signs of gradients, and has no optimizer that steps."""
    loop = next(loops_around(place), None)
    return loop is not None and _calls(place, loop, "sign") and not _calls(place, loop, "step")


def _calls(place: Place, loop: ast.stmt, name: str) -> bool:
    index = place.file.index
    return any(index.is_in_body(statement, loop) for _, statement in index.calls(name))


def _is_added(place: Place) -> bool:
    """Tell whether a number is added to a sum, as it is or as a multiple."""
    match place.statement:
        case ast.AugAssign(op=ast.Add(), value=ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right)):
            return place.expression in (left, right)
        case ast.AugAssign(op=ast.Add(), value=value):
            return place.expression is value
        case _:
            return False


def instead_of_branching(place: Place) -> str:
    """Return what to do instead of a Python branch on a tensor in every step."""
    match place.expression:
        case ast.Call(func=ast.Name(id=name)) if name in _ON_DEVICE:
            return _ON_DEVICE[name]
    match place.statement:
        case ast.Assert():
            return f"assert it {_SELDOM}"
        case ast.While() | ast.If(orelse=[]) as test if isinstance(test, ast.While) or _only_leaves(test.body):
            return f"test it {_SELDOM}"
        case _:
            return f"use `torch.where`, or test it {_SELDOM}"


def _only_leaves(body: list[ast.stmt]) -> bool:
    """Tell whether a branch ends in a jump, which no tensor operation can replace."""
    return isinstance(body[-1], ast.Break | ast.Continue | ast.Return | ast.Raise)


def instead_of_showing(place: Place) -> str:
    """Return what to do instead of formatting a tensor in every step."""
    return f"{'print' if place.code.startswith('print(') else 'log'} it {seldom(place)}"
