"""A checkpoint loaded onto the device that it was saved from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LoadWithoutMapLocation(Rule):
    """Say where a checkpoint's tensors go: pass `map_location` to `torch.load`.

    A file remembers the device of every tensor in it, and `torch.load` puts each back there. Where that device does
    not exist it raises `Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False`;
    where it does, every rank of a distributed program fills the memory of the GPU that saved the file.

    Left alone are files that hold no checkpoint as far as can be seen, buffers in memory, files that the same function
    or each of its callers has just saved, files of which the project saves only what is on the CPU (and any that is
    not named, where it saves no state from elsewhere), weights that torchvision publishes, by their names, loads that
    come after the training of the same run or roll it back where it failed, branches that only machines with CUDA
    reach, loads whose `except` loads again, and programs that ask for no device at all. An `except` that only goes on
    is no help: the training starts from nothing. Ignore it where everything that is saved is on the CPU.
    `map_location="cpu"` is right nearly everywhere: `load_state_dict` copies the values to where the module is.

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
            if not load.is_published and not load.is_guarded:
                edit = (
                    load.call.edits.last_argument(f"map_location={file.quote}cpu{file.quote}")
                    if location is None
                    else None
                )
                yield self.finding(
                    load.call,
                    'fails where the GPU that saved it is missing: pass `map_location="cpu"`',
                    fix=Fix(
                        "Load onto the CPU",
                        (edit,),
                        safe=False,
                        doubt="what is loaded is on the CPU, where code below may expect it on the GPU",
                    )
                    if edit
                    else None,
                )
