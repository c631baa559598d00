"""A text that names no device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class InvalidDeviceString(Rule):
    """Name one device, as PyTorch spells it: `cpu`, `cuda`, `cuda:1`.

    A device is one device. A list of GPUs (`cuda:0,1`), a missing colon (`cuda0`), a negative or padded index
    (`cuda:-1`, `cuda:01`) raise `Invalid device string`, and `gpu` or `CUDA` raise `Expected one of cpu, cuda, … device
    type`, on every machine. To use several GPUs, name the first and give the list to the wrapper: `device_ids=[0, 1]`.

    Left alone are texts that the program translates first (it compares with them or looks them up), names that
    packages outside PyTorch bring (`npu`, `mlu`), projects that register a backend of their own, and calls that are
    expected to raise. Ignore it where the text is made valid on a way that the linter cannot follow.

    https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("device", ".to(", ".cuda(", "map_location")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.device_strings import refused_devices

        for refused in refused_devices(file):
            if refused.is_known_kind:
                message = "raises `Invalid device string`: name one device, such as `cuda:0`"
            else:
                message = "is no device of PyTorch's and raises: write `cuda` for a GPU, `cpu` for none"
            used = (refused.call.step("used as a device here"),) if refused.call.line != refused.place.line else ()
            yield self.finding(refused.place, message, trace=(*refused.story, *used))
