"""Tensors of CUDA's legacy types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity, quoted

from .retyped import retyped

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LegacyCudaTensor(Rule):
    """Create tensors with `dtype=` and `device=`; `torch.cuda` types need a GPU.

    `torch.cuda.FloatTensor(…)`, `.type(torch.cuda.LongTensor)` and `torch.set_default_tensor_type("torch.cuda.…")` date
    from a time when the device was part of a tensor's type. They raise without a visible GPU, create tensors on the
    current GPU only, and `torch.cuda.FloatTensor(3)` returns uninitialized memory. A default type also creates every
    new tensor on the GPU, and a shuffling loader raises `Expected a 'cuda' device type for generator`.

    Not reported:

    - types that are only compared or looked up
    - code that a machine without CUDA never reaches
    - names with a CPU fallback (`torch.cuda.FloatTensor if use_cuda else torch.FloatTensor`)

    https://docs.pytorch.org/docs/stable/tensors.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("Tensor",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.legacy import legacy_cuda_types

        found = list(legacy_cuda_types(file.evaluator(torchlint.WITHOUT_CUDA), file))
        names = file.device_names(legacy.place for legacy in found)
        for legacy in found:
            if legacy.is_default:
                message = "raises without a GPU and creates every new tensor there; pass `device=` instead"
            else:
                message = "raises without a GPU; create the tensor with `dtype=` and `device=`"
            yield self.finding(
                legacy.place, f"{quoted(legacy.place)} {message}", fix=retyped(legacy.place, file, names)
            )
