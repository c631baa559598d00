"""Constants that are copied from the host to the GPU at every training step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, call_at, calls_of
from torchlint.model.devices.default_device import may_be_default
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.training.forwards import every_step_or_forward
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import HOST, Device, Tensor
from torchlint.pytorch.factories import OF_DATA, WHERE_DATA
from torchlint.pytorch.moves import MOVES
from torchlint.pytorch.new_tensors import PLACING
from torchlint.syntax.walk import written

from .repeated_waits import is_at_home

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.training.call_paths import Story

# What these ask for is made on the host, or is a leaf there.
_ON_THE_HOST = PLACING - {"device"}


@dataclass(frozen=True, slots=True)
class UploadedConstant:
    """A call that copies a constant, the call that makes it, which may be the same, and why this is at every step."""

    place: Call
    made: Call
    data: Place
    story: Story
    is_sure: bool
    """Whether it is known to be copied to a GPU."""

    @property
    def is_number(self) -> bool:
        """Tell whether it is a number, which `torch.full` writes on the GPU."""
        return not isinstance(self.data.expression, (ast.List, ast.Tuple))

    @property
    def is_filled(self) -> bool:
        """Tell whether all of it is one number."""
        return len({written(one) for one in _numbers(self.data.expression)}) == 1


def uploaded_constants(ev: Evaluator, file: ParsedFile) -> Iterator[UploadedConstant]:
    """Yield what copies a constant to the GPU at every step, or in every `forward`, in source order; `ev` has a GPU."""
    training = step_loops_of(ev.project)
    copied = [
        (made, data, place)
        for made in calls_of(file, OF_DATA)
        if (data := _constant(made)) is not None and (place := _copying(made)) is not None and not place.tests
    ]
    if not copied or may_be_default(ev, file) or is_at_home(ev, file):
        return
    for made, data, place in copied:
        if (story := every_step_or_forward(ev, training, place)) is None:
            continue
        devices = _devices(ev, place)
        if devices and HOST not in devices and is_reachable(ev, place):
            yield UploadedConstant(place, made, data, story, is_sure=all(one.kind == "cuda" for one in devices))


def _constant(made: Call) -> Place | None:
    """Return the data of a call if that is written as numbers, and nothing keeps the tensor on the host."""
    data = None if made.is_open else made.argument("data", WHERE_DATA.get(made.method, 0))
    if data is None or _ON_THE_HOST & made.keywords.keys() or not _is_written(data.expression):
        return None
    return data


def _is_written(node: ast.expr) -> bool:
    """Tell whether an expression is a number, or lists of numbers; an empty one copies nothing."""
    match node:
        case ast.Constant(value=bool() | int() | float()):
            return True
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _is_written(operand)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return bool(items) and all(map(_is_written, items))
        case _:
            return False


def _numbers(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the numbers in a list of lists, or a number itself."""
    if isinstance(node, (ast.List, ast.Tuple)):
        for item in node.elts:
            yield from _numbers(item)
    else:
        yield node


def _copying(made: Call) -> Call | None:
    """Return the call that copies what is made: itself if it has a device, else the one that moves its result."""
    if "device" in made.keywords:
        return made
    attribute = made.parent
    moved = attribute.parent if attribute is not None and attribute.word in MOVES else None
    call = call_at(moved) if moved is not None else None
    return call if call is not None and call.owner == made and not call.is_open else None


def _devices(ev: Evaluator, place: Place) -> list[Device]:
    """Return the devices on which a tensor may be, of an empty kind where unknown; none if it may be no tensor."""
    values = [one.value for one in ev.evaluate(place)]
    if not all(isinstance(one, Tensor) for one in values):
        return []
    return [one.device or Device() for one in values if isinstance(one, Tensor)]
