"""Operations in which a tensor on one GPU meets one on another, or a module there.

Asked of a machine that has both. `torch.randn(2, device="cuda:0") + torch.randn(2, device="cuda:1")` raises, even with
scalars, of which only one on the CPU may be combined with a tensor on a GPU.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS, NESTED
from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.devices.operands import spread
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.modules.empty_modules import is_empty
from torchlint.model.modules.held import receiver_of
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Place
from torchlint.model.tensors.dimensions import has_dimensions
from torchlint.model.tensors.mappings import CallersOfBuilt
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    Built,
    Frame,
    Function,
    Imported,
    Instance,
    Possibility,
)
from torchlint.model.worlds import GPUS_BY_DEFAULT

from .device_loops import first_items, in_iterations
from .further_gpus import has_further_default, itself_names_further_gpu, names_further_gpu
from .loss_weights import unmoved_weights
from .meetings import Kind, Meeting, additions_in, called_by, meetings, operations_in
from .on_gpus import OnGpu, index_of, on_gpu, those_on_gpus

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

_CUDA = "cuda"


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
    sure = {two.place.expression: two for two in _in_file(ev, file)}
    yield from sure.values()
    # What meets a GPU that an option names is on one that is named here.
    if _CUDA not in file.code or not has_further_default(ev, file):
        return
    by_default = ev.project.evaluator(GPUS_BY_DEFAULT)
    for two in _in_file(by_default, file):
        if two.place.expression not in sure:
            yield GpuMeeting(two.place, _by_default(ev, two.tensor), _by_default(ev, two.other), two.is_of_module)


def _in_file(ev: Evaluator, file: ParsedFile) -> Iterator[GpuMeeting]:
    for scope in file.index.scopes:
        found: set[ast.expr] = set()
        for frame in (None, *_calls_on_gpus(ev, file, scope)) if scope.kind != "class" else ():
            for two in _in_scope(ev, file, scope, frame):
                if two.place.expression not in found:
                    found.add(two.place.expression)
                    yield two


def _calls_on_gpus(ev: Evaluator, file: ParsedFile, scope: Scope) -> Iterator[Frame]:
    """Yield the calls of a function that give it a tensor on a certain GPU, or whose module is there."""
    own = Function(file, scope)
    callers = ev.callers(own) if scope.kind == "function" else ()
    of_modules = ev.project.once(CallersOfBuilt(own)) if scope.is_method and scope.name == "forward" else ()
    # A module is put on a certain GPU where that is named.
    naming = (one for one in (*callers, *of_modules) if itself_names_further_gpu(ev, one.place.file))
    for caller in islice(naming, MOST_CALLERS):
        for place in (caller.place, *in_iterations(ev, caller.place)):
            for function in ev.callees(place) if isinstance(place.expression, ast.Call) else ():
                frame = frame_for(place, function, NESTED) if function.scope is scope else None
                if frame is not None and _is_on_gpus(ev, frame, place):
                    yield frame


def _is_on_gpus(ev: Evaluator, frame: Frame, call: Place) -> bool:
    """Tell whether a call is about a certain GPU, and what it passes to a module is on that of the module."""
    assert isinstance(call.expression, ast.Call)
    receiver = receiver_of(frame)
    index = index_of(ev.residence(receiver)) if receiver is not None else None
    passed = [call.at(one) for one in call.expression.args if not isinstance(one, ast.Starred)]
    given = [one for argument in passed if (one := on_gpu(ev, argument)) is not None]
    return (bool(given) or index is not None) and (index is None or all(index in one.indices for one in given))


def _by_default(ev: Evaluator, one: OnGpu) -> OnGpu:
    """Return the same, and whether it is there only if an option has its default."""
    index = index_of(ev.residence(one.place)) if one.moved_at is None else None
    surely = on_gpu(ev, one.place) if one.moved_at is not None else None
    is_sure = index in one.indices or (surely is not None and surely.indices == one.indices)
    return replace(one, is_by_default=not is_sure)


def _in_scope(ev: Evaluator, file: ParsedFile, scope: Scope, frame: Frame | None) -> Iterator[GpuMeeting]:
    found: set[ast.expr] = set()
    # A loop over devices is where these are named.
    has_loops = itself_names_further_gpu(ev, file)
    for place in (*operations_in(file, scope, frame), *additions_in(file, scope, frame)):
        places = (place, *(in_iterations(ev, place) if has_loops else ()))
        for at in places if place.expression not in found else ():
            two = next((two for one in _meetings(ev, at) if (two := _apart(ev, one)) is not None), None)
            if two is not None and is_reachable(ev, at):
                found.add(place.expression)
                yield two
                break


def _meetings(ev: Evaluator, place: Place) -> Iterator[Meeting]:
    yield from (*meetings(ev, place), *_sums(ev, place))


def _apart(ev: Evaluator, meeting: Meeting) -> GpuMeeting | None:
    if meeting.kind is Kind.MODULE:
        return _of_module(ev, meeting)
    given = those_on_gpus(ev, [*meeting.operands, *_items(ev, meeting), *_weights(ev, meeting)])
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


def _items(ev: Evaluator, meeting: Meeting) -> tuple[Place, ...]:
    """Return what makes the first items of a list that an operation takes: `torch.cat(parts)`."""
    match meeting.place.expression:
        case ast.Call(args=[sequence, *_]) if not isinstance(sequence, ast.Starred):
            return tuple(first_items(ev, meeting.place.at(sequence)))
        case _:
            return ()


def _weights(ev: Evaluator, meeting: Meeting) -> Iterator[Place]:
    """Yield the weights of the loss that is called."""
    call = meeting.place.expression
    if meeting.callee is not None and isinstance(call, ast.Call):
        yield from unmoved_weights(ev, meeting.place.at(called_by(call)), meeting.callee)


def _of_module(ev: Evaluator, meeting: Meeting) -> GpuMeeting | None:
    """Return the input of a module whose parameters are on another GPU."""
    call = meeting.place.expression
    assert isinstance(call, ast.Call)
    module = meeting.place.at(called_by(call))
    if meeting.callee is None or (index := index_of(ev.residence(module))) is None:
        return None
    there = OnGpu(module, frozenset({index}), None)
    for argument in meeting.operands:
        for part in spread(ev, argument):
            one = on_gpu(ev, part)
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
