"""Invalid device strings: `c10/core/Device.cpp`, checked on torch 2.13."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import call_at
from torchlint.model.checkpoints.loading import Load
from torchlint.model.devices.device_arguments import DeviceArgument, device_arguments
from torchlint.model.guards.catching import is_tried
from torchlint.model.values.value_sets import Literal, Possibility, Text, Unknown
from torchlint.model.worlds import ANYWHERE, BY_DEFAULT, WITH_CUDA
from torchlint.pytorch.device_arguments import HOST_AND_CUDA, KINDS_OF_DEVICES
from torchlint.pytorch.moves import TO_GPU
from torchlint.pytorch.symbols import LOAD
from torchlint.syntax.walk import walk

from .refused_calls import is_never_entered

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_FORM = re.compile(r"([a-z0-9_]+?)(:(0|[1-9][0-9]*))?")
# Device types of packages outside PyTorch; importing one makes its name a device.
_BACKENDS = frozenset("npu mlu musa dml sdaa gcu rbln tpu neuron openreg supa txda".split())
_MODE = re.compile(r"[rwa][bt]?\+?")
_MAPPED_BY = frozenset({"replace", "get", "startswith", "endswith", "removeprefix", "add_argument"})


@dataclass(frozen=True, slots=True)
class RefusedDevice:
    """A string that is no device, and the call with it as a device argument."""

    place: Place
    """The string itself, or the argument of the call if the string is in another file."""
    text: str
    call: Place
    story: tuple[Step, ...]

    @property
    def is_known_kind(self) -> bool:
        """Tell whether the string starts with a kind of device, and continues wrongly."""
        return self.text.startswith(HOST_AND_CUDA)

    @property
    def is_mode(self) -> bool:
        """Tell whether the string is a mode of `open`, which `torch.load` has no argument for."""
        return _MODE.fullmatch(self.text) is not None

    @property
    def may_go_unread(self) -> bool:
        """Tell whether it is for a file in which there may be no tensors, whose places it would be."""
        call = call_at(self.call)
        return call is not None and LOAD in call.callee.names and not Load(call).is_checkpoint


def refused_devices(file: ParsedFile) -> Iterator[RefusedDevice]:
    """Yield the device arguments of the calls of a file that are invalid strings, in source order."""
    if file.project.library.holding("rename_privateuse1_backend"):
        return
    found: dict[tuple[str, int, int, int, int], RefusedDevice] = {}
    anywhere, by_default = file.project.evaluator(ANYWHERE), file.project.evaluator(BY_DEFAULT)
    for given in device_arguments(anywhere, file, lambda argument: _may_be_refused(anywhere, argument)):
        # A string that is known only in part may be known completely with the defaults of options.
        is_partial = any(isinstance(one.value, Text) for one in anywhere.evaluate(given.place))
        for ev in (anywhere, by_default) if is_partial else (anywhere,):
            for one in _refused_by(ev, given):
                found.setdefault(one.place.key, one)
    for key in sorted(found):
        yield found[key]


def is_device(text: str) -> bool:
    """Tell whether a string names a device."""
    match = _FORM.fullmatch(text)
    return match is not None and match[1] in KINDS_OF_DEVICES | _BACKENDS


def _may_be_refused(ev: Evaluator, argument: Place) -> bool:
    """Tell whether an argument may be a string that is no device."""
    for one in ev.evaluate(argument):
        match one.value:
            case Text():
                return True
            case Literal(value=str(text)) if not is_device(text):
                return True
    return False


def _refused_by(ev: Evaluator, given: DeviceArgument) -> Iterator[RefusedDevice]:
    for one in ev.evaluate(given.place):
        match one.value:
            case Literal(value=str(text)) if not is_device(text) and _is_sure(ev, given, one, text):
                yield RefusedDevice(given.site(one), text, given.call, one.story)


def _is_with_cuda(argument: Place, text: str) -> bool:
    """Tell whether an argument may be a string where there is a GPU: `-1` is often the index where there is none."""
    possible = argument.file.project.evaluator(WITH_CUDA).evaluate(argument)
    return any(isinstance(one.value, (Text, Unknown)) or one.value == Literal(text) for one in possible)


def _is_sure(ev: Evaluator, given: DeviceArgument, one: Possibility, text: str) -> bool:
    """Tell whether PyTorch surely receives the string unchanged, and the program does not expect the exception."""
    call = given.call
    # No other class has a `.to("cuda:1,0")`.
    if not given.is_sure and not (call.method in TO_GPU and text.lower().startswith("cuda")):
        return False
    if (
        is_tried(call)
        or is_never_entered(ev, call, one.origin)
        or (text.startswith("cuda") and not _is_with_cuda(given.place, text))
    ):
        return False
    is_written_there = one.origin is not None and one.origin.key == given.place.key
    files = {call.file, *((one.origin.file,) if one.origin is not None else ())}
    if not is_written_there and any(_means_something(file, text) for file in files):
        return False
    # The default of an option means little if undecided tests are in between.
    return ev.world is ANYWHERE or ("," in text and all(place.truth(ev.world) is not None for place, _ in call.tests))


def _means_something(file: ParsedFile, text: str) -> bool:
    """Tell whether a file compares with a string or looks it up: then the program has a meaning of its own for it."""
    if not file.holds_text(text):
        return False
    for node in walk(file.tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                sides: list[ast.expr | None] = [left, *others]
            case ast.Dict(keys=keys):
                sides = list(keys)
            case ast.MatchValue(value=value) | ast.Subscript(slice=value):
                sides = [value]
            case ast.Call(func=ast.Attribute(attr=name), args=arguments) if name in _MAPPED_BY:
                sides = list(arguments)
            case _:
                continue
        if any(_holds(side, text) for side in sides):
            return True
    return False


def _holds(node: ast.expr | None, text: str) -> bool:
    match node:
        case ast.Constant(value=value):
            return value == text
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return any(_holds(item, text) for item in items)
        case _:
            return False
