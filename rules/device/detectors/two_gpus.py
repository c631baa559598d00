"""Operations in which a tensor on one GPU meets one on another, or a module there.

Asked of a machine that has both. `torch.randn(2, device="cuda:0") + torch.randn(2, device="cuda:1")` raises, even with
scalars, of which only one on the CPU may be combined with a tensor on a GPU.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.devices.operands import alternatives, spread
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.modules.empty_modules import is_empty
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Place
from torchlint.model.tensors.dimensions import has_dimensions
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    SOME_INDEX,
    Built,
    Device,
    Frame,
    Imported,
    Instance,
    Possibility,
    Tensor,
    frame_for,
)
from torchlint.syntax.around import loops_around

from .further_gpus import names_further_gpu
from .gpu_lists import GpuList, gpu_list, made_by_loop
from .meetings import Kind, Meeting, additions_in, meetings, operations_in

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class OnGpu:
    """Something that is surely on a GPU, on one of these."""

    place: Place
    indices: frozenset[int]
    moved_at: Place | None
    """Where a tensor was made there or moved there."""

    @property
    def named(self) -> str:
        """Return the GPUs by their names."""
        return "GPU " + " or ".join(str(index) for index in sorted(self.indices))

    @property
    def step(self) -> Step:
        """Return the step of a trace that shows it."""
        return (self.moved_at or self.place).step(f"on {self.named} here")


@dataclass(frozen=True, slots=True)
class GpuMeeting:
    """An operation in which a tensor on one GPU meets another one, or a module, on another."""

    place: Place
    tensor: OnGpu
    other: OnGpu
    is_of_module: bool


def gpu_meetings(ev: Evaluator, file: ParsedFile) -> Iterator[GpuMeeting]:
    """Yield the operations of a file that raise as two GPUs meet in them; asked of a machine with several."""
    if not names_further_gpu(ev, file):
        return
    for scope in file.index.scopes:
        if scope.kind != "class":
            yield from _in_scope(ev, file, scope, None)


def _in_scope(ev: Evaluator, file: ParsedFile, scope: Scope, frame: Frame | None) -> Iterator[GpuMeeting]:
    met = [one for place in operations_in(file, scope, frame) for one in (*meetings(ev, place), *_sums(ev, place))]
    found: set[ast.expr] = set()
    for meeting in (*met, *additions_in(file, scope, frame)):
        two = _apart(ev, meeting)
        if two is not None and meeting.place.expression not in found and is_reachable(ev, meeting.place):
            found.add(meeting.place.expression)
            yield two


def _apart(ev: Evaluator, meeting: Meeting) -> GpuMeeting | None:
    if meeting.kind is Kind.MODULE:
        return _of_module(ev, meeting)
    if (two := _among_items(ev, meeting) or _added_up(ev, meeting)) is not None:
        return two
    given = [one for operand in meeting.operands if (one := _on_gpu(ev, operand)) is not None]
    if meeting.kind is Kind.INDEXING and not all(has_dimensions(ev, one) for one in ev.evaluate(meeting.operands[1])):
        return None  # a scalar is read, on any device
    pairs = ((one, other) for one in given for other in given if one.indices.isdisjoint(other.indices))
    return next((GpuMeeting(meeting.place, one, other, False) for one, other in pairs), None)


def _sums(ev: Evaluator, place: Place) -> Iterator[Meeting]:
    """Yield the items that Python adds up in a call: `sum(losses)`."""
    match place.expression:
        case ast.Call(func=ast.Name(id="sum") as function, args=[_]):
            callees = [one.value for one in ev.evaluate(place.at(function))]
            if callees == [Imported("builtins.sum")]:
                yield Meeting(place, ())


def _among_items(ev: Evaluator, meeting: Meeting) -> GpuMeeting | None:
    """Return the first two items on different GPUs of a list that an operation takes: `torch.cat(parts)`."""
    match meeting.place.expression:
        case ast.Call(args=[sequence, *_]) if not isinstance(sequence, ast.Starred):
            return _of_two(meeting, gpu_list(ev, meeting.place.at(sequence)))
        case _:
            return None


def _added_up(ev: Evaluator, meeting: Meeting) -> GpuMeeting | None:
    """Return what a loop over devices adds up on different GPUs: `total += x.to(device)`, `total = total + x`."""
    match meeting.place.statement:
        case ast.AugAssign(target=ast.Name(id=total) as target, value=value) if target is meeting.place.expression:
            added = meeting.place.at(value)
        case ast.Assign(targets=[ast.Name(id=total)], value=ast.BinOp(left=ast.Name(id=same), right=right) as whole):
            if total != same or whole is not meeting.place.expression:
                return None
            added = meeting.place.at(right)
        case _:
            return None
    return _of_two(meeting, made_by_loop(ev, added)) if _is_kept_by_loop(added, total) else None


def _is_kept_by_loop(added: Place, total: str) -> bool:
    """Tell whether a loop binds a name by one statement alone, so that each iteration goes on from the one before."""
    loop = next(iter(loops_around(added)), None)
    bindings = added.scope.bindings.get(total, ())
    inside = [one for one in bindings if loop is not None and added.file.index.is_in_body(one.statement, loop)]
    return [one.statement for one in inside] == [added.statement]


def _of_two(meeting: Meeting, items: GpuList | None) -> GpuMeeting | None:
    if items is None or len(set(items.indices)) < 2:
        return None
    first, *others = (OnGpu(items.made, frozenset({index}), items.made) for index in items.indices)
    other = next(one for one in others if one.indices != first.indices)
    return GpuMeeting(meeting.place, first, other, False)


def _on_gpu(ev: Evaluator, place: Place) -> OnGpu | None:
    """Return the GPUs that a tensor surely is on; None if it may be anywhere else, or be anything else."""
    if (item := _item_on_gpu(ev, place)) is not None:
        return item
    possible = alternatives(ev, place)
    indices = frozenset(_index(one.value.device) for one in possible if isinstance(one.value, Tensor))
    if not indices or None in indices or not all(isinstance(one.value, Tensor) for one in possible):
        return None
    return OnGpu(place, frozenset(one for one in indices if one is not None), possible[0].origin)


def _item_on_gpu(ev: Evaluator, place: Place) -> OnGpu | None:
    """Return the GPUs of an item of a list that a loop over devices makes, by its number: `parts[0]`, `parts[i]`."""
    last: int | None
    match place.expression:
        case ast.Subscript(value=item, slice=ast.Slice()):
            return _item_on_gpu(ev, place.at(item))
        case ast.Subscript(value=sequence, slice=ast.Constant(value=int(number))):
            first, last = number, number + 1
        case ast.Subscript(value=sequence, slice=ast.Name(id=name)) if (
            start := _counted_from(place, name)
        ) is not None:
            first, last = start, None
        case _:
            return None
    items = gpu_list(ev, place.at(sequence))
    indices = frozenset(items.indices[first:last]) if items is not None and first >= 0 else frozenset[int]()
    return OnGpu(place, indices, items.made) if items is not None and indices else None


def _counted_from(place: Place, name: str) -> int:
    """Return the first number of a loop's counter: 1 for `for i in range(1, len(parts))`; -1 if it is unknown."""
    for loop in loops_around(place):
        match loop:
            case ast.For(target=ast.Name(id=counter), iter=ast.Call(func=ast.Name(id="range"), args=[start, _])):
                if counter == name:
                    return start.value if isinstance(start, ast.Constant) and isinstance(start.value, int) else -1
    return -1


def _index(device: Device | None) -> int | None:
    """Return the index of a device if it is a GPU with a known one."""
    if device is None or device.kind != "cuda" or device.index is None or device.index == SOME_INDEX:
        return None
    return device.index


def _of_module(ev: Evaluator, meeting: Meeting) -> GpuMeeting | None:
    """Return the input of a module whose parameters are on another GPU."""
    call = meeting.place.expression
    assert isinstance(call, ast.Call)
    module = meeting.place.at(call.func)
    if meeting.callee is None or (index := _index(ev.residence(module))) is None:
        return None
    there = OnGpu(module, frozenset({index}), None)
    for argument in meeting.operands:
        for part in spread(ev, argument):
            one = _on_gpu(ev, part)
            if one is not None and index not in one.indices and _takes(ev, meeting.place, meeting.callee):
                return GpuMeeting(meeting.place, one, there, True)
    return None


@tabled(False)
def _takes(ev: Evaluator, place: Place, callee: Possibility) -> bool:
    """Tell whether a module uses its input without moving it: a layer does, and what passes it on to one."""
    if inner := unwrapped(ev, callee):
        return all(_takes(ev, place, one) for one in inner)
    if not isinstance(callee.value, Instance):
        return isinstance(callee.value, Built) and not is_empty(ev, callee)
    method = method_of(ev, callee.value.kind, "forward", callee)
    frame = frame_for(place, method, NESTED) if method is not None else None
    if method is None or frame is None:
        return False
    return any(True for _ in _in_scope(ev, method.file, method.scope, frame))
