"""A checkpoint loaded onto the device that it was saved from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Cause, Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile

_CURE = 'pass `map_location="cpu"`'
_DEVICE = Cause("restores tensors to the device they were saved from", "in the file", _CURE)
_EVERY_RANK = Cause("restores tensors to one GPU on every rank", "in the file", _CURE)


class LoadWithoutMapLocation(Rule):
    """Choose where the tensors of a checkpoint go: pass `map_location`.

    A file stores the device of every tensor in it, and `torch.load` restores each to that device. If the device does
    not exist, it raises `Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False`. If
    it does, every rank of a distributed program allocates memory on the GPU that saved the file. `map_location="cpu"`
    is nearly always right: `load_state_dict` copies the values to the device of the module.

    All such loads in one source file are one finding.

    Not reported:

    - files that hold no checkpoint as far as the linter sees, and buffers in memory
    - the state of a scheduler or a `GradScaler` in a file of its own, which has no tensors
    - files that the same function or each of its callers has just saved
    - files for which the project saves only CPU tensors, and unnamed files if it saves no others
    - weights that torchvision publishes, by their names
    - loads after the training of the same run, or that roll it back after a failure
    - code that only machines with CUDA reach, unless every rank runs it
    - loads in a `try` whose `except` loads again
    - programs that use no device at all

    An `except` that only continues does not help: training then starts from scratch. Ignore the rule if everything that
    is saved is on the CPU.

    https://docs.pytorch.org/docs/stable/generated/torch.load.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("load(",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        if not file.project.library.asks_for_devices:
            return
        for load in file.loads():
            location = load.call.argument("map_location", 1)
            if load.call.is_open or (location is not None and location.literals != (None,)):
                continue
            if not load.is_checkpoint or load.is_own or load.is_from_host:
                continue
            is_shared = load.is_guarded and load.is_every_ranks
            if load.is_published or (load.is_guarded and not is_shared):
                continue
            yield self.finding(
                load.call,
                f"{quoted(load.call)} {_message(is_shared)}",
                fix=_to_the_cpu(load.call, location is None),
                cause=(_EVERY_RANK if is_shared else _DEVICE).at(file.path),
            )


def _message(is_shared: bool) -> str:
    if is_shared:
        return f"restores tensors to the GPU that they were saved from, on every rank; {_CURE}"
    return f"{_DEVICE.happens}, which may not exist here; {_CURE}"


def _to_the_cpu(load: Call, is_left_out: bool) -> Fix | None:
    quote = load.file.quote
    edit = load.edits.last_argument(f"map_location={quote}cpu{quote}") if is_left_out else None
    doubt = "the tensors are loaded to the CPU, and code below may expect them on the GPU"
    return Fix("Load to the CPU", (edit,), safe=False, doubt=doubt) if edit else None
