"""Tensors of CUDA's old types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity

from .retyped import retyped

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LegacyCudaTensor(Rule):
    """Make tensors with `dtype=` and `device=`; the types in `torch.cuda` need a GPU.

    `torch.cuda.FloatTensor(…)`, `.type(torch.cuda.LongTensor)` and `torch.set_default_tensor_type("torch.cuda.…")` are
    from a time when the device was part of a tensor's type. They raise where no GPU is visible, make tensors on the
    current GPU and no other, and `torch.cuda.FloatTensor(3)` holds whatever was in memory. A default type also sends
    every new tensor to the GPU, and a shuffling loader stops with `Expected a 'cuda' device type for generator`.

    Left alone are types that are only compared with or looked up, whatever a machine without CUDA never reaches, and
    names that stand for the CPU's type there (`torch.cuda.FloatTensor if use_cuda else torch.FloatTensor`).

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
                message = "raises where there is no GPU, and sends every new tensor to it: pass `device=` instead"
            else:
                message = "raises where there is no GPU: make the tensor with `dtype=` and `device=`"
            yield self.finding(legacy.place, message, fix=retyped(legacy.place, file, names))
