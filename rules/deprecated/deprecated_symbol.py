"""Functions and classes that PyTorch still has, and warns of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DeprecatedSymbol(Rule):
    """Use what stands for the functions and classes that PyTorch warns of.

    `nn.init.kaiming_normal`, `nn.utils.clip_grad_norm`, `F.upsample`, `torch.qr`: each call warns, and one of the next
    releases may be without them, as many names of older ones are gone by now (see `removed-symbol`). Most have another
    name that does the same; of some, the arguments differ, and nothing is mended there.

    Left alone are methods and functions of the project that have such a name, what is behind a test of the version or
    in the `except` of a `try`, and what has nothing to replace it in the torch of `target-torch`. Of names for mixed
    precision, `legacy-amp` speaks, and of arguments `deprecated-argument`. Off by default: nothing breaks yet.

    https://docs.pytorch.org/docs/stable/nn.init.html, https://github.com/pytorch/pytorch/releases
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    default = False
    words = (
        "init", "clip_grad_norm", "upsample", "NLLLoss2d", "Container", "DistributedDataParallelCPU", "weight_norm",
        "functional_call", "sdp_kernel", "memory_cached", "reset_max_memory", "range", "qr", "cholesky",
        "chain_matmul", "lu", "triangular_solve", "set_default_tensor_type", "assert_allclose", "impl_abstract",
        "state_dict",
    )  # fmt: skip

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.deprecated_names import deprecated_names

        for one in deprecated_names(file.evaluator(), file):
            yield self.finding(
                one.callee,
                f"is deprecated, and warns: use {one.replacement.instead}",
                fix=Fix("Use what stands for it", one.edits, safe=True) if one.edits else None,
            )
