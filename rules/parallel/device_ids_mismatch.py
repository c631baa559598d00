"""A wrapper that starts from another GPU than the one its module is on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DeviceIdsMismatch(Rule):
    """Move the module to the first of the wrapper's `device_ids`.

    `DataParallel` copies the module from `device_ids[0]`, by default GPU 0, to the others, and raises `module must have
    its parameters and buffers on device cuda:2 (device_ids[0])` if the parameters are somewhere else;
    `DistributedDataParallel` raises when it is created. A plain `cuda` is the GPU that is current at that line, as set
    by `torch.cuda.set_device` and `torch.cuda.device`.

    `DistributedDataParallel` is created in one process for each GPU, and raises `device_ids can only be None or contain
    a single element` if there are more.

    Not reported:

    - lists with unknown values
    - a single id, as `DataParallel` moves the module there itself
    - modules that are moved to the right GPU after they are wrapped

    https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("DataParallel",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.wrapping_calls import misplaced_modules, wrapped_for_several

        for call in wrapped_for_several(file.evaluator(), file):
            yield self.finding(
                call, f"{quoted(call)} raises for more than one of `device_ids`; pass `device_ids=[local_rank]`"
            )
        for misplaced in misplaced_modules(file):
            actual = " or ".join(str(index) for index in sorted(misplaced.actual.indices))
            place = f"on GPU {actual} by default" if misplaced.is_by_default else f"on GPU {actual}"
            yield self.finding(
                misplaced.place,
                f"{quoted(misplaced.place)} expects the module on GPU {misplaced.first}, but it is {place}; "
                "move it to the first of `device_ids`",
                trace=(misplaced.actual.moved_at.step(f"moved to GPU {actual} here"),),
                confidence=Confidence.MEDIUM if misplaced.is_by_default else None,
            )
