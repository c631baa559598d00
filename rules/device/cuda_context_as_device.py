"""The context manager `torch.cuda.device` used as a device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class CudaContextAsDevice(Rule):
    """Use `torch.device` for a device, not `torch.cuda.device`.

    `torch.cuda.device(1)` is a context manager that selects the current GPU in a `with` block. It is not a device:
    `x.to(it)`, `device=it` and `map_location=it` raise a `TypeError` about an invalid combination of arguments that
    names a type that looks right (`got (device)`). Creating it raises nothing, so the error comes from another line,
    and only on machines with a GPU if the choice depends on that.

    Not reported:

    - `with torch.cuda.device(i):`, also by a variable or an `ExitStack`
    - context managers that are not passed to PyTorch as a device

    https://docs.pytorch.org/docs/stable/generated/torch.cuda.device.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("device", ".to(", ".cuda(", "map_location")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        seen = set()
        context = torchlint.Built("torch.cuda.device")
        from .detectors.cuda_contexts import contexts_as_devices
        from .detectors.device_of_context import device_instead

        for given in contexts_as_devices(file.evaluator(), file):
            for one in given.place.possibilities():
                site = given.site(one)
                is_taken = given.call.method in {"to", "cuda"} or given.is_sure
                if one.value != context or site.key in seen or not is_taken:
                    continue
                seen.add(site.key)
                call = file.call_at(site) if site.path == file.path else None
                used = (given.call.step("used as a device here"),) if given.call.line != site.line else ()
                yield self.finding(
                    site,
                    "`torch.cuda.device` is a context manager, and raises when it is used as a device; "
                    "use `torch.device(…)`",
                    trace=(*one.story, *used),
                    fix=device_instead(call) if call is not None else None,
                )
