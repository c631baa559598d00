"""Lists whose items a loop over devices puts on one GPU each: `[x.to(f"cuda:{i}") for i in range(2)]`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.containers.lists import added_to
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Device, Display, Literal, Tensor
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.arguments import passed
from torchlint.syntax.around import loops_around
from torchlint.syntax.walk import is_written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_Bound: TypeAlias = tuple[str, Place]
"""A loop variable, and what it takes its values from."""
_PREFIX = "cuda:"


@dataclass(frozen=True, slots=True)
class GpuList:
    """The GPUs of the items of a list, in order, and what makes each of them."""

    indices: tuple[int, ...]
    made: Place


def gpu_list(ev: Evaluator, sequence: Place) -> GpuList | None:
    """Return the GPUs of the tensors in a list, if a loop or comprehension surely makes one for each of its values."""
    possible = ev.evaluate(sequence)
    display = possible[0].value if len(possible) == 1 else None
    if not isinstance(display, Display):
        return None
    match display.place.expression:
        case ast.ListComp(elt=element, generators=[ast.comprehension(ifs=[]) as loop]):
            return _along(ev, display.place.at(element), _bound(display.place, loop.target, loop.iter))
        case ast.List(elts=[]):
            added = [one for one, is_whole in added_to(display.place) if not is_whole]
            return made_by_loop(ev, added[0]) if len(added) == 1 else None
        case _:
            return None


def made_by_loop(ev: Evaluator, made: Place) -> GpuList | None:
    """Return the GPUs of a tensor that a statement of a loop makes in each of its iterations."""
    loop = next(iter(loops_around(made)), None)
    if not isinstance(loop, ast.For) or made.statement not in loop.body or _may_end(loop):
        return None
    return _along(ev, made, _bound(Place(made.file, loop.iter, loop, made.frame, made.given), loop.target, loop.iter))


def _may_end(loop: ast.For) -> bool:
    return any(isinstance(one, (ast.Break, ast.Continue, ast.Return)) for one in ast.walk(loop))


def _bound(place: Place, target: ast.expr, values: ast.expr) -> _Bound | None:
    return (target.id, place.at(values)) if isinstance(target, ast.Name) else None


def _along(ev: Evaluator, made: Place, bound: _Bound | None) -> GpuList | None:
    """Return the GPUs of what is made for each value of a loop variable, if that decides which it is."""
    device = _device_of(made.expression)
    if bound is None or device is None:
        return None
    possible = ev.evaluate(made)
    if not possible or not all(isinstance(one.value, Tensor) for one in possible):
        return None
    name, values = bound
    if isinstance(device, ast.Name) and device.id == name:
        indices = _listed(ev, values) or _counted(ev, values)
    else:
        indices = _counted(ev, values) if _is_numbered(ev, made.at(device), name) else ()
    return GpuList(indices, made) if indices else None


def _device_of(node: ast.expr) -> ast.expr | None:
    """Return the device of a tensor as it is written: that of its last move, or where it is made."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=given) if name in MOVES:
            return given[0] if given else passed(node, "device")
        case ast.Call() if (device := passed(node, "device")) is not None:
            return device
        case ast.Call(func=ast.Attribute(value=owner)):
            return _device_of(owner)
        case ast.BinOp(left=left, right=right):
            return _device_of(left) or _device_of(right)
        case _:
            return None


def _listed(ev: Evaluator, values: Place) -> tuple[int, ...]:
    """Return the GPUs that a list names: `["cuda:0", "cuda:1"]`."""
    possible = [one.value for one in ev.evaluate(values)]
    if len(possible) != 1 or not isinstance(possible[0], Display):
        return ()
    match (shown := possible[0].place).expression:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            found = [_named(ev, shown.at(item)) for item in items]
            return tuple(one for one in found if one is not None) if None not in found else ()
        case _:
            return ()


def _named(ev: Evaluator, item: Place) -> int | None:
    match [one.value for one in ev.evaluate(item)]:
        case [Device(kind="cuda", index=int(index))]:
            return index
        case [Literal(value=str(text))] if text.removeprefix(_PREFIX).isdecimal():
            return int(text.removeprefix(_PREFIX))
        case [Literal(value=int(index))]:
            return index
        case _:
            return None


def _counted(ev: Evaluator, values: Place) -> tuple[int, ...]:
    """Return the numbers of a `range` with known ends."""
    match values.expression:
        case ast.Call(func=ast.Name(id="range"), args=[*ends]) if 1 <= len(ends) <= 2:
            found = [[one.value for one in ev.evaluate(values.at(end))] for end in ends]
            numbers = [one[0].value for one in found if len(one) == 1 and isinstance(one[0], Literal)]
            known = [number for number in numbers if isinstance(number, int)]
            return tuple(range(*known)) if len(known) == len(ends) else ()
        case _:
            return ()


def _is_numbered(ev: Evaluator, device: Place, name: str) -> bool:
    """Tell whether a device is the GPU that a loop variable counts: `f"cuda:{i}"`, `"cuda:%d" % i`."""
    match device.expression:
        case ast.JoinedStr(values=[ast.Constant(value=text), ast.FormattedValue(value=ast.Name(id=counter))]):
            return text == _PREFIX and counter == name
        case (
            ast.BinOp(left=ast.Constant(value="cuda:%d" | "cuda:%s" | "cuda:%i"), op=ast.Mod(), right=number)
            | ast.BinOp(
                left=ast.Constant(value="cuda:"), op=ast.Add(), right=ast.Call(func=ast.Name(id="str"), args=[number])
            )
            | ast.Call(func=ast.Attribute(value=ast.Constant(value="cuda:{}"), attr="format"), args=[number])
        ):
            return is_written(number, name)
        case ast.Call(args=[inner]) if _makes_device(ev, device):
            return _is_numbered(ev, device.at(inner), name)
        case ast.Call(args=[ast.Constant(value="cuda"), ast.Name(id=counter)]) if _makes_device(ev, device):
            return counter == name
        case _:
            return False


def _makes_device(ev: Evaluator, call: Place) -> bool:
    return any(isinstance(one.value, Device) for one in ev.evaluate(call))
