"""Operations that mix a tensor on the host with one that is on the device, or with a module there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.containers.refilling import is_refilled
from torchlint.model.devices.default_device import makes_elsewhere
from torchlint.model.devices.operands import is_on_the_device, on_the_host, spread
from torchlint.model.guards.for_host import is_for_host
from torchlint.model.guards.located import is_off_cuda
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.modules.empty_modules import is_empty
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Caller, Place
from torchlint.model.tensors.dimensions import has_dimensions
from torchlint.model.tensors.plain_numbers import is_plain
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Built, Device, Frame, Function, Instance, Possibility, Tensor
from torchlint.pytorch.companions.transformers import GENERATING
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.scope import Scope

from .compared_items import compares_items
from .host_modules import stays_on_host
from .loss_weights import unmoved_weights
from .made_of import is_made_of
from .makers import may_hold_host_tensor
from .meetings import Kind, Meeting, additions_in, called_by, meetings, operations_in
from .optional_moves import is_moved_with_module
from .unmoved_receivers import stays_beside_module
from .unmoved_sources import comes_of_unmoved_module
from .unpacking import unpacked_encodings, unpacked_in

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class Mix:
    """An operation on a tensor on the host together with something on the device."""

    place: Place
    host: Place
    """The operand on the host."""
    made: Possibility
    """The value of the operand, with its origin."""
    other: Place
    """The tensor on the device, or the module."""
    is_call: bool
    """Whether it is an input of a module or loss."""


def mixes(ev: Evaluator, file: ParsedFile) -> Iterator[Mix]:
    """Yield the mixing operations of a file; asked of a machine with CUDA."""
    if makes_elsewhere(ev, file):
        return
    for scope in file.index.scopes:
        if scope.kind != "class" and may_hold_host_tensor(ev, file, scope):
            found = _mixes_in(ev, file, scope, None)
            yield from (mix for mix in found if not _is_all_on_host(ev, mix))


def _is_all_on_host(ev: Evaluator, mix: Mix) -> bool:
    if stays_beside_module(ev, mix.host) or is_beside_host_module(ev, mix.place, mix.other):
        return True
    if not _is_on_chosen_device(ev, mix.other):
        return False
    return is_moved_with_module(ev, mix.host) or comes_of_unmoved_module(ev, mix.other)


def is_beside_host_module(ev: Evaluator, place: Place, other: Place) -> bool:
    """Tell whether what counts as moved is on the device of a module that stays on the host."""
    if not _is_on_chosen_device(ev, other):
        return False
    # If one tensor is found not to be on CUDA, the inputs of the same module are not there either.
    return stays_on_host(ev, place) or any(is_off_cuda(one.test, one.holds) for one in dominating_conditions(place))


def _is_on_chosen_device(ev: Evaluator, other: Place) -> bool:
    """Tell whether something is on a device that is chosen at run time, as the inputs of a module are."""
    devices = {one.value.device for one in ev.evaluate(other) if isinstance(one.value, Tensor)}
    return (devices or {ev.residence(other)}) <= {None, Device()}


def _mixes_in(ev: Evaluator, file: ParsedFile, scope: Scope, frame: Frame | None) -> Iterator[Mix]:
    for place in operations_in(file, scope, frame):
        for mix in _mixed(ev, place) if _may_mix_values(place) else ():
            if is_reachable(ev, place) and not is_for_host(ev, place):
                yield mix
    for addition in additions_in(file, scope, frame):
        yield from _mixed(ev, addition)


def _may_mix_values(place: Place) -> bool:
    """Tell whether a call has any argument that may be a tensor, or hold one."""
    match place.expression:
        case ast.Call(args=arguments, keywords=words):
            given = (*arguments, *(word.value for word in words))
            return any(isinstance(one, ast.Starred) or not is_plain(place.at(one)) for one in given)
        case _:
            return True


def _mixed(ev: Evaluator, place: Place) -> tuple[Mix, ...]:
    """Return the mixes in an operation, those of its first possible callee that mixes."""
    found = (tuple(_in_meeting(ev, one)) for one in meetings(ev, place))
    return next((mixes for mixes in found if mixes), ())


def _in_meeting(ev: Evaluator, meeting: Meeting) -> Iterator[Mix]:
    place, operands = meeting.place, meeting.operands
    match meeting.kind:
        case Kind.OPERATION if not compares_items(place):
            yield from _pairs(ev, place, operands)
        case Kind.BOUNDS:
            yield from _pairs(ev, place, operands, of_any_shape=True)
        case Kind.INDEXING:
            yield from _indexed(ev, place, *operands)
        case Kind.LOSS | Kind.MODULE if meeting.callee is not None:
            called = _loss_called if meeting.kind is Kind.LOSS else _module_called
            yield from called(ev, meeting, meeting.callee)


def _pairs(ev: Evaluator, place: Place, places: Sequence[Place], *, of_any_shape: bool = False) -> Iterator[Mix]:
    """Yield the operand on the host, if another is on the device; scalars are mostly allowed."""
    if sum(not is_plain(one) for one in places) < 2:
        return
    on_host = other = None
    # Of two, the right one is a number more often: then the left one is not evaluated.
    for asked, one in enumerate(places if len(places) > 2 else reversed(places), 1):
        if asked == len(places) and on_host is None and other is None:
            return
        made = on_the_host(ev, one, place, of_any_shape=of_any_shape) if on_host is None else None
        if made is not None:
            on_host = one, made
        elif other is None and is_on_the_device(ev, one):
            other = one
    if on_host is not None and other is not None:
        yield Mix(place, *on_host, other, False)


def _indexed(ev: Evaluator, place: Place, table: Place, key: Place) -> Iterator[Mix]:
    """Yield a table on the host that is indexed with a tensor on the device; the reverse is allowed."""
    if is_plain(key) or is_plain(table):
        return
    is_index = is_on_the_device(ev, key) and all(_is_index(ev, one) for one in ev.evaluate(key))
    if is_index and (made := on_the_host(ev, table, place)) is not None:
        yield Mix(place, table, made, key, False)


def _is_index(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a tensor on the device must index a table there; a scalar is read, and may index any."""
    return one.origin is None or has_dimensions(ev, one)


def _module_called(ev: Evaluator, meeting: Meeting, callee: Possibility) -> Iterator[Mix]:
    place = meeting.place
    function = _called_in(place)
    where = ev.residence(function)
    if where is None or where == HOST:
        return
    for argument in meeting.operands:
        for part in spread(ev, argument):
            made = on_the_host(ev, part, place)
            if made is not None and _takes_unmoved(ev, place, callee, argument):
                yield Mix(place, argument, made, function, True)
                break
    yield from _unpacked_into(ev, place, callee)


def _unpacked_into(ev: Evaluator, place: Place, callee: Possibility) -> Iterator[Mix]:
    """Yield what is unpacked into the parameters of a module of the project that it mixes unmoved: `net(**inputs)`."""
    call = place.expression
    assert isinstance(call, ast.Call)
    given = unpacked_in(call)
    for one, made in unpacked_encodings(ev, place) if isinstance(callee.value, Built) else ():
        yield Mix(place, one, made, _called_in(place), True)
    method = method_of(ev, callee.value.kind, "forward", callee) if isinstance(callee.value, Instance) else None
    frame = frame_for(place, method, NESTED) if given and method is not None else None
    if method is None or frame is None:
        return
    caller = Caller.of_frame(frame, place)
    names = frozenset(one.name for one in method.scope.parameters[1:] if caller.argument(one) is None)
    inside = _mixes_in(ev, method.file, method.scope, frame)
    if (mix := next((one for one in inside if is_made_of(one.host, names)), None)) is not None:
        yield Mix(place, place.at(given[0]), mix.made, _called_in(place), True)


def _called_in(place: Place) -> Place:
    """Return the module that a call calls: `model` of `model(x)` and `model.generate(x)`."""
    assert isinstance(place.expression, ast.Call)
    function = called_by(place.expression)
    is_method = isinstance(function, ast.Attribute) and function.attr == GENERATING
    return place.at(function.value if isinstance(function, ast.Attribute) and is_method else function)


def _loss_called(ev: Evaluator, meeting: Meeting, callee: Possibility) -> Iterator[Mix]:
    """Yield the target, or the weight that the loss was made with, if the output is on the device."""
    place = meeting.place
    for mix in _pairs(ev, place, meeting.operands):
        yield Mix(place, mix.host, mix.made, mix.other, True)
        return
    function = _called_in(place)
    output = next((one for one in meeting.operands if is_on_the_device(ev, one)), None)
    for weight in unmoved_weights(ev, function, callee) if output is not None else ():
        if output is not None and (made := on_the_host(ev, weight)) is not None:
            yield Mix(place, weight, made, output, True)


@tabled(False)
def _takes_unmoved(ev: Evaluator, place: Place, callee: Possibility, argument: Place) -> bool:
    """Tell whether a module mixes an argument with its own parameters unchanged, without moving it first."""
    inner = unwrapped(ev, callee)
    if inner:
        return all(_takes_unmoved(ev, place, one, argument) for one in inner)
    if not isinstance(callee.value, Instance):
        # What an unknown module reads of a batch is unknown, and whether that was moved.
        return isinstance(callee.value, Built) and not is_empty(ev, callee) and not is_refilled(ev, argument)
    method = method_of(ev, callee.value.kind, "forward", callee)
    frame = frame_for(place, method, NESTED) if method is not None else None
    if method is None or frame is None:
        return False
    names = _parameters_of(method, Caller.of_frame(frame, place), argument)
    inside = _mixes_in(ev, method.file, method.scope, frame)
    return any(is_made_of(mix.host, names) for mix in inside)


def _parameters_of(method: Function, caller: Caller, argument: Place) -> frozenset[str]:
    return frozenset(
        parameter.name
        for parameter in method.scope.parameters
        if any(one.expression is argument.expression for one in caller.argument(parameter) or ())
    )
