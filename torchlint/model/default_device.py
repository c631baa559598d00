"""Programs that say once where new tensors are made, and what draws its order from the CPU's generator there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.devices import devices_of
from torchlint.model.importing import imported_files, may_share_program
from torchlint.model.torch_facts import LOADER, legacy_device
from torchlint.model.values import Imported, Literal

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.sourcefile import SourceFile

_ELSEWHERE = ("set_default_device(", "set_default_tensor_type(", "with torch.device(", "_C._set_default")
_SETTERS = ("torch.set_default_device", "torch.set_default_tensor_type")
_SAMPLER = "torch.utils.data.RandomSampler"
_SPLIT = "torch.utils.data.random_split"
# The position of `generator` where it is no keyword.
_GENERATORS = {LOADER: 12, _SAMPLER: 3, _SPLIT: 2}


def makes_elsewhere(ev: Evaluator, file: SourceFile) -> bool:
    """Tell whether nobody can say where programs with a file make their tensors, or no device but the host is known."""
    library = ev.project.library
    if not library.asks_for_devices:
        return True
    choosing = dict.fromkeys(path for text in _ELSEWHERE for path in library.holding(text))
    files = (ev.project.parsed(path) for path in choosing)
    return any(one is None or may_share_program(ev, one, file) for one in files)


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A call that shuffles with a generator on the CPU, and the call that made the GPU everybody's default."""

    call: Call
    chosen: Call


def shuffles_on_host(ev: Evaluator, file: SourceFile) -> Iterator[Shuffle]:
    """Yield where a file shuffles on the CPU what a default device puts on the GPU, in source order."""
    chosen = _chosen(ev, file)
    if chosen is None:
        return
    for call in file.calls(*_GENERATORS):
        name = min(call.callee.names & _GENERATORS.keys())
        if call.is_open or call.argument("generator", _GENERATORS[name]) is not None:
            continue
        if name != LOADER or _is_shuffled(call):
            yield Shuffle(call, chosen)


def _is_shuffled(call: Call) -> bool:
    shuffle = call.argument("shuffle", 2)
    return shuffle is not None and shuffle.literals == (True,)


def _chosen(ev: Evaluator, file: SourceFile) -> Call | None:
    """Return the only call of the program that chooses a default device, if that may be CUDA."""
    library = ev.project.library
    paths = dict.fromkeys(path for name in _SETTERS for path in library.holding(name.rpartition(".")[2]))
    files = [other for path in paths if (other := ev.project.parsed(path)) is not None]
    calls = [call for other in files for call in other.calls(*_SETTERS)]
    if len(calls) != 1 or not _means_cuda(ev, calls[0]):
        return None
    (only,) = calls
    is_one_program = only.file is file or file in imported_files(ev, only.file) or only.file in imported_files(ev, file)
    return only if is_one_program else None


def _means_cuda(ev: Evaluator, call: Call) -> bool:
    if not call.arguments:
        return False
    possible = ev.evaluate(call.arguments[0])
    names = [one.value.name for one in possible if isinstance(one.value, Imported)]
    names += [
        one.value.value for one in possible if isinstance(one.value, Literal) and isinstance(one.value.value, str)
    ]
    if any(legacy_device(name) == "cuda" for name in names):
        return True
    return any(device.kind == "cuda" for device, _ in devices_of(possible))
