"""A CUDA device with no fallback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import torchlint
from torchlint import Cause, Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Fix, OptionValue, SourceFile

_ACCELERATOR_SINCE = (2, 6)
_ONCE = "choose the device once"
# A constant or an option is a decision of its own, and all literals that are used directly are one.
_USES = Cause("raises on a machine without CUDA", "in the file", _ONCE)


class HardcodedCuda(Rule):
    """Choose the device at run time instead of hard-coding CUDA.

    `model.cuda()`, `x.to("cuda")`, `device="cuda"` and similar code raise if the program runs without a visible GPU: on
    a laptop, a CI runner, or in a container without the driver.

    All places in a file are one finding, since choosing the device once fixes them all. A constant and the default of
    an option are findings of their own.

    If the default of an option is CUDA, the default is reported, not its uses; if the option is only compared, the code
    that runs by default is reported. If a class has its own `cuda()`, its callers are reported.

    With the option `accelerator`, and `target-torch` at 2.6 or later, the fix uses any accelerator through
    `torch.accelerator`, including Apple's and Intel's GPUs. A device with an index, `cuda:1`, stays CUDA.

    If a file needs CUDA for another reason, such as `load_in_4bit=True` or a Triton kernel, the finding has severity
    `info` and names that reason.

    Not reported:

    - code that a machine without CUDA never reaches: behind `torch.cuda.is_available()` in any form (ternary, early
      exit, assert, `try`, a decorator that skips, a helper that raises, a guard in every caller)
    - code that an option selects whose default is not CUDA
    - modules without parameters and buffers, such as `nn.MSELoss()`
    - `autocast`, `GradScaler` and `manual_seed_all`, which do not raise

    https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("cuda", ".to(", "device")
    option_defaults: ClassVar[Mapping[str, OptionValue]] = {"accelerator": False}

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.given_indices import given_index
        from .detectors.hardcoded import cuda_demands
        from .detectors.portable import portable
        from .detectors.used_there import used_there
        from .detectors.written_for_cuda import written_for_cuda

        demands = list(cuda_demands(file.evaluator(torchlint.WITHOUT_CUDA), file))
        other = written_for_cuda(file.evaluator(torchlint.WITHOUT_CUDA), file) if demands else ""
        target = file.oldest_torch
        is_any = bool(self.options["accelerator"]) and target is not None and target >= _ACCELERATOR_SINCE
        names = file.device_names((demand.place for demand in demands), is_any_accelerator=is_any)
        for demand in demands:
            story = (*given_index(file.evaluator(torchlint.WITHOUT_CUDA), demand.place), *demand.story)
            trace = (*story, used_there(demand.used)) if demand.used != demand.place else story
            fix = portable(demand, file, names)
            index = "device " if demand.place.code.isdecimal() else ""
            yield self.finding(
                demand.place,
                f"{index}{quoted(demand.place)} raises on a machine without CUDA"
                + (
                    f", which {quoted(other)} needs too; {_ONCE}"
                    if other
                    else f"; {_cure(fix, names.own(demand.place))}"
                ),
                trace=trace,
                fix=fix,
                severity=Severity.INFO if other else None,
                cause=(_written_for_cuda(other) if other else _USES).at(file.path)
                if demand.is_used_where_it_stands
                else None,
            )


def _written_for_cuda(other: str) -> Cause:
    return replace(_USES, happens=f"{_USES.happens}, which {quoted(other)} needs too")


def _cure(fix: Fix | None, own: str | None) -> str:
    """Return what to do: use the file's own device if a fix does, which knows what it is needed for."""
    from .detectors.portable import GUARDED

    if fix is not None and fix.title == GUARDED:
        return "call it only if `torch.cuda.is_available()`"
    if fix is not None and own is not None and any(own in edit.text for edit in fix.edits):
        return f"use {quoted(own)}"
    return "choose the device once, with `torch.cuda.is_available()`"
