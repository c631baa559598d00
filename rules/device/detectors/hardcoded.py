"""Where a program requests CUDA whatever the machine has."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.attributes.namespaces import given_by_name
from torchlint.model.devices.requests import DeviceRequest, cuda_requests
from torchlint.model.guards.cuda import is_guarded
from torchlint.model.options.defaults import settings
from torchlint.model.options.option_calls import default_expression
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Device, Possibility
from torchlint.syntax.around import function_around

from .passed_devices import named_devices, names_cuda, receipts
from .probed_devices import is_only_probed

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile

_Key: TypeAlias = "tuple[str, int, int, int, int]"
"""Where a place is."""
_NO_READS: Mapping[_Key, list[Place]] = {}
_NO_REQUESTS: Mapping[_Key, list[tuple[DeviceRequest, Possibility]]] = {}


@dataclass(frozen=True, slots=True)
class CudaDemand:
    """A place where CUDA is requested without a guard."""

    place: Place
    """The call that means CUDA, or the literal that becomes a device."""
    used: Place
    """The call that needs the device."""
    story: tuple[Step, ...]

    @property
    def is_used_where_it_stands(self) -> bool:
        """Tell whether the place is part of the call that needs the device, and no constant or option decides it."""
        return self.place.file is self.used.file and self.place.statement is self.used.statement


def cuda_demands(ev: Evaluator, file: ParsedFile) -> Iterator[CudaDemand]:
    """Yield what in a file demands CUDA; `ev` answers for a machine without it."""
    found: dict[_Key, CudaDemand] = {}
    for request in cuda_requests(ev, file):
        for demand in _demands(ev, request):
            found.setdefault(demand.place.key, demand)
    for name, default in _held(file):
        reads = _reads(ev, name).get(default.key, []) if _says_cuda(default.expression) else []
        for demand in _used_elsewhere(ev, default, reads):
            found.setdefault(demand.place.key, demand)
        for demand in _received_elsewhere(ev, default, reads) if default.key not in found else ():
            found.setdefault(default.key, demand)
    for device in named_devices(file):
        for demand in _received_elsewhere(ev, device, [device]) if device.key not in found else ():
            found.setdefault(device.key, demand)
    for key in sorted(found):
        yield found[key]


def _demands(ev: Evaluator, request: DeviceRequest) -> Iterator[CudaDemand]:
    file = request.call.file
    if _is_asked_by_name(request.call) or is_only_probed(ev, request.call):
        return
    for device, one in request.devices(ev):
        # A device that was read from a tensor was requested where the tensor was moved.
        if device.kind != "cuda" or (one is not None and one.origin is None):
            continue
        site = _site(ev, request, one)
        if site is None or site.file is not file:
            continue
        # A device is named below its guard more often than it is used there: `"cuda" if is_available() else "cpu"`.
        named = (one.origin if one is not None else None) or request.call
        if not is_guarded(ev, named) and not is_guarded(ev, request.call):
            yield CudaDemand(site, request.call, one.story if one is not None else ())


def _is_asked_by_name(call: Place) -> bool:
    """Tell whether a place is in a method called `cuda`: a call of that requests CUDA, and is reported."""
    around = function_around(call)
    return around is not None and around.is_method and around.name == "cuda"


def _site(ev: Evaluator, request: DeviceRequest, one: Possibility | None) -> Place | None:
    """Return the place to report: the literal in this file, else the use of a constant that another file defines.

    One that is used in its own file is reported there, once for all.
    """
    if one is None or one.origin is None:
        return request.call
    if one.origin.file is request.call.file:
        return one.origin
    # A value that is a device already, and not its name, is judged where `torch.device` made it.
    if isinstance(one.value, Device):
        return None
    # What another file passes is that file's mistake; the default of an option is reported where it is declared.
    is_told = bool(one.story) or _is_item(one.origin) or _is_held(one.origin)
    if is_told or _is_passed_on(ev, one.origin, request.argument):
        return None
    return None if _use_of(ev, one.origin, one.origin.file) is not None else request.argument


def _is_item(literal: Place) -> bool:
    """Tell whether a function puts a literal into a container, which others receive."""
    around = literal.parent.expression if literal.parent is not None else None
    return literal.scope.kind == "function" and isinstance(around, (ast.Dict, ast.List, ast.Tuple, ast.Set))


def _received_elsewhere(ev: Evaluator, device: Place, starts: Sequence[Place]) -> Iterator[CudaDemand]:
    """Yield the demands that a device becomes in other files, along the calls that pass it on from `starts`."""
    got = receipts(ev, starts if starts and not is_guarded(ev, device) else ())
    for file in got.reads:
        for request, demand in _uses_of(ev, device, file):
            if got.has(request.argument):
                yield demand


def _is_passed_on(ev: Evaluator, device: Place, argument: Place | None) -> bool:
    """Tell whether what another file passes on is a mistake of that file: of its literal, or only of this argument."""
    return _is_reported(ev, device) if names_cuda(device.expression) else receipts(ev, [device]).has(argument)


@tabled(False)
def _is_reported(ev: Evaluator, device: Place) -> bool:
    """Tell whether a named device becomes a demand in a file that receives it: then it is reported where it stands."""
    return any(_received_elsewhere(ev, device, [device]))


def _is_held(literal: Place) -> bool:
    """Tell whether a literal is the value of an option, a namespace or a setting."""
    return any(place.key == literal.key for _, place in _held(literal.file))


def _held(file: ParsedFile) -> Iterator[tuple[str, Place]]:
    """Yield the values of options, namespaces and settings in a file, with their names."""
    yield from _options(file)
    yield from given_by_name(file)
    yield from settings(file)


def _options(file: ParsedFile) -> Iterator[tuple[str, Place]]:
    """Yield the defaults of the options that a file declares, with the names of these."""
    for name, declarations in file.options.items():
        for call, statement in declarations:
            if (default := default_expression(call)) is not None:
                yield name, Place(file, default, statement)


def _says_cuda(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and str(node.value).startswith("cuda")


def _used_elsewhere(ev: Evaluator, default: Place, reads: Iterable[Place]) -> Iterator[CudaDemand]:
    """Yield the demand that what is held by a name becomes in other files of the project, which read it there."""
    files = dict.fromkeys(read.file for read in reads if read.file is not default.file)
    yield from islice((used for file in files if (used := _use_of(ev, default, file)) is not None), 1)


@tabled(_NO_READS)
def _reads(ev: Evaluator, name: str) -> Mapping[_Key, list[Place]]:
    """Return where a program reads what is held by a name, by what that is: many may be called the same."""
    found: dict[_Key, list[Place]] = defaultdict(list)
    files = (ev.project.parsed(path) for path in ev.project.library.holding(f".{name}"))
    for file in (one for one in files if one is not None):
        for node, statement in file.attribute_reads(name):
            place = Place(file, node, statement)
            for key in {one.origin.key for one in ev.evaluate(place) if one.origin is not None}:
                found[key].append(place)
    return dict(found)


def _use_of(ev: Evaluator, literal: Place, file: ParsedFile) -> CudaDemand | None:
    """Return the demand that a literal becomes in a file, or None if the file does not use it as a device."""
    return next((demand for _, demand in _uses_of(ev, literal, file)), None)


def _uses_of(ev: Evaluator, literal: Place, file: ParsedFile) -> Iterator[tuple[DeviceRequest, CudaDemand]]:
    for request, one in _named(ev, file).get(literal.key, ()):
        if not is_guarded(ev, request.call):
            yield request, CudaDemand(literal, request.call, one.story)


@tabled(_NO_REQUESTS)
def _named(ev: Evaluator, file: ParsedFile) -> Mapping[_Key, list[tuple[DeviceRequest, Possibility]]]:
    """Return the requests of a file for a CUDA device, by the place that names it."""
    found: dict[_Key, list[tuple[DeviceRequest, Possibility]]] = defaultdict(list)
    for request in cuda_requests(ev, file):
        for device, one in request.devices(ev):
            if device.kind == "cuda" and one is not None and one.origin is not None:
                found[one.origin.key].append((request, one))
    return dict(found)
