"""Functions and classes that PyTorch still has, and warns of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DeprecatedSymbol(Rule):
    """Use the replacements of functions and classes that PyTorch deprecates.

    `nn.init.kaiming_normal`, `nn.utils.clip_grad_norm`, `F.upsample`, `functorch.vmap`, `torch.jit.script`: most warn
    where they are called, and a later release may remove them, as happened to the names that `removed-symbol` reports.
    Which names these are, and since when, is read from the sources of the releases from 1.8 to 2.14. Many have another
    name that does the same; if the arguments or the results differ, there is no fix: `torch.range` makes floats and
    includes its end. The rule is off by default: nothing breaks yet.

    Not reported:

    - methods and functions of the project with such a name
    - code behind a test of the version or in the `except` of a `try`
    - names that have no replacement in the torch of `target-torch`
    - imports, which do not warn
    - names for mixed precision (see `legacy-amp`) and arguments (see `deprecated-argument`)

    https://docs.pytorch.org/docs/stable/nn.init.html, https://docs.pytorch.org/docs/stable/func.migrating.html,
    https://github.com/pytorch/pytorch/releases
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    default = False
    words = (
        "init", "clip_grad", "upsample", "Upsampling", "NLLLoss2d", "Container", "DistributedDataParallelCPU",
        "weight_norm", "functional_call", "sdp_kernel", "memory_cached", "reset_max_memory", "range", "ger",
        "chain_matmul", "lu", "norm", "svd", "triangular_solve", "set_default_tensor_type", "assert_allclose",
        "impl_abstract", "state_dict", "functorch", "_pytree", "SpawnContext", ".jit", "import jit", "quantiz",
        "QConfig", "qconfig_dict", "_check_is_size", "_gather_base", "_scatter_base", "all_gather_into_tensor",
        "gather_into_tensor", "reduce_scatter_tensor", "_set_pg_timeout", "_get_global_rank",
        "_get_pg_default_device", "launch", "register_module_backward_hook", "graph.traverse", "import traverse",
        "apply_shuffle_seed", "_patch_autograd_grad", "reduce_op", "ToTensor", "to_tensor", "get_image_size",
    )  # fmt: skip

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.deprecated_names import deprecated_names

        for one in deprecated_names(file.evaluator(), file):
            yield self.finding(
                one.place,
                f"{quoted(one.place)} is deprecated{one.since}; use {one.replacement.instead}",
                fix=Fix("Use the replacement", one.edits, safe=True) if one.edits else None,
            )
