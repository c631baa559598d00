"""A string that names no device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.device_strings import RefusedDevice


class InvalidDeviceString(Rule):
    """Name one device, in the form of PyTorch: `cpu`, `cuda`, `cuda:1`.

    A list of GPUs (`cuda:0,1`), a missing colon (`cuda0`), and a negative or padded index (`cuda:-1`, `cuda:01`) raise
    `Invalid device string`; `gpu` and `CUDA` raise `Expected one of cpu, cuda, … device type`. They do so on every
    machine. As `map_location` of `torch.load` they raise if the file holds a tensor; so does `"rb"`, which is a mode of
    `open`. To use several GPUs, name the first one and pass the list to the wrapper: `device_ids=[0, 1]`.

    `0` is the index of a GPU, and `"0"` is no device: an option that holds an index needs `type=int`.

    Not reported:

    - strings that the program translates first, by comparing or looking them up
    - names that packages outside PyTorch add (`npu`, `mlu`), and projects that register a backend
    - calls that are expected to raise

    Ignore the rule if the string becomes valid in a way that the linter cannot follow.

    https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("device", ".to(", ".cuda(", "map_location")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.device_strings import refused_devices

        for refused in refused_devices(file):
            is_unread = refused.may_go_unread
            cure = _cure(refused)
            if is_unread:
                message = f"is not a PyTorch device, and raises if there is a tensor in the file; {cure}"
            elif refused.is_known_kind:
                message = "raises `Invalid device string`; name a single device, such as `cuda:0`"
            else:
                message = f"is not a PyTorch device and raises; {cure}"
            used = (refused.call.step("used as a device here"),) if refused.call.line != refused.place.line else ()
            yield self.finding(
                refused.place,
                f"{quoted(refused.place)} {message}",
                trace=(*refused.story, *used),
                severity=Severity.WARNING if is_unread else None,
            )


def _cure(refused: RefusedDevice) -> str:
    if refused.is_mode:
        return "remove it, as no mode is needed"
    is_index = refused.text.isdecimal() and not refused.may_go_unread
    return "pass the index as an `int`" if is_index else "use `cuda` for a GPU, or `cpu`"
