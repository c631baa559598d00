"""A CUDA device with no fallback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

import torchlint
from torchlint import Confidence, Rule, Severity

from .portable import portable

if TYPE_CHECKING:
    from torchlint import Finding, OptionValue, SourceFile

_ACCELERATOR_SINCE = (2, 6)


class HardcodedCuda(Rule):
    """Choose the device at run time instead of hard-coding CUDA.

    `model.cuda()`, `x.to("cuda")`, `device="cuda"` and the rest raise as soon as the program runs where no GPU is
    visible: a laptop, a CI runner, a container without the driver.

    Left alone is whatever a machine without CUDA never reaches: behind `torch.cuda.is_available()` in any form
    (ternary, early exit, assert, `try`, a decorator that skips, a helper that raises, a guard in every caller), and
    whatever an option selects whose default is not CUDA; so are modules with nothing to move, such as `nn.MSELoss()`.
    `autocast`, `GradScaler` and `manual_seed_all` only warn. When an option's default is CUDA, the default is reported,
    not its uses; where it is only compared with something, what the test lets through by default. Of a class with a
    `cuda()` of its own, who calls that is reported.

    With the option `accelerator`, and `target-torch` at 2.6 or later, the fix takes whatever accelerator there is, by
    `torch.accelerator`: Apple's and Intel's GPUs too. A name with a number, `cuda:1`, stays with CUDA.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("cuda", ".to(", "device")
    option_defaults: ClassVar[Mapping[str, OptionValue]] = {"accelerator": False}

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.hardcoded import cuda_demands

        demands = list(cuda_demands(file.evaluator(torchlint.WITHOUT_CUDA), file))
        target = file.project.target_torch
        is_any = bool(self.options["accelerator"]) and target is not None and target >= _ACCELERATOR_SINCE
        names = file.device_names((demand.place for demand in demands), is_any_accelerator=is_any)
        for demand in demands:
            trace = (
                (*demand.story, demand.used.step("used as a device here"))
                if demand.used != demand.place
                else demand.story
            )
            yield self.finding(
                demand.place,
                "raises where there is no GPU: choose the device once, with `torch.cuda.is_available()`",
                trace=trace,
                fix=portable(demand, file, names),
            )
