"""Functions and classes that PyTorch still has, and warns of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DeprecatedSymbol(Rule):
    """Use the replacements of functions and classes that PyTorch deprecates.

    `nn.init.kaiming_normal`, `nn.utils.clip_grad_norm`, `F.upsample`, `torch.qr`: each call warns, and a later release
    may remove them, as it happened to the names that `removed-symbol` reports. Most have another name that does the
    same; if the arguments differ, there is no fix. The rule is off by default: nothing breaks yet.

    Not reported:

    - methods and functions of the project with such a name
    - code behind a test of the version or in the `except` of a `try`
    - names that have no replacement in the torch of `target-torch`
    - names for mixed precision (see `legacy-amp`) and arguments (see `deprecated-argument`)

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
                f"{quoted(one.callee)} is deprecated and warns; use {one.replacement.instead}",
                fix=Fix("Use the replacement", one.edits, safe=True) if one.edits else None,
            )
