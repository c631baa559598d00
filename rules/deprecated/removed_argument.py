"""Arguments that PyTorch has removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.removed_arguments import PassedArgument


class RemovedArgument(Rule):
    """Do not pass arguments that functions and classes of PyTorch no longer have.

    `ReduceLROnPlateau(optimizer, verbose=True)`: the schedulers print nothing since PyTorch 2.7, and a call with
    `verbose` raises a `TypeError`; `scheduler.get_last_lr()` returns what it printed. The same holds for
    `super().__init__(optimizer, last_epoch, verbose)` in a scheduler of your own, and for all other arguments that a
    release from 1.8 on had and the newest one has not. The severity is `error`, and `info` where the project's own
    requirements allow no release without the argument.

    Not reported:

    - arguments that a function still takes, or takes with any others
    - calls in a `try`, and behind a test of the version or of the argument
    - what is passed by `*args` or `**kwargs`
    - a call of `super().__init__` in a class with several bases

    https://docs.pytorch.org/docs/stable/optim.html, https://github.com/pytorch/pytorch/releases
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (
        "ExportedProgram", "FixedQParamsFakeQuantize", "FlatParameter", "HuggingFaceStorageReader",
        "HuggingFaceStorageWriter", "LR(", "MemPool", "Node", "PackageExporter", "ParameterList", "Plateau(",
        "ProcessException", "Restarts(", "SparseSemiStructuredTensor", "UnsupportedOperatorError", "all_to_all",
        "allow_list", "backend_config_dict", "call_spec", "compressed_tensor", "convert_custom_config_dict",
        "convert_fx", "cuda_memory_usage", "einsum", "enable_cpatching", "equality_constraints", "error_queues",
        "example_outputs", "export", "fsdp_auto_wrap_policy", "fuse_custom_config_dict", "gradcheck",
        "ignored_parameters", "include_paths", "is_masked_tensor", "library_paths", "meta_tensor_cutlass",
        "parallelize_module", "prepare_custom_config_dict", "privateuse1_memory_usage", "qconfig_dict", "save_sharded",
        "scalar", "set_current_meta", "shapes_spec", "sparse_tensor_cutlass", "stage_index_to_group_rank",
        "start_processes", "strip_doc_string", "sym_sum", "symbolic_trace", "tensor_list", "threads_masks", "typename",
        "unwrapped_params", "use_cuda", "use_deterministic_algorithms", "use_mtia", "varlen_attn", "verbose",
    )  # fmt: skip

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.removed_arguments import is_kept_out, removed_arguments

        for one in removed_arguments(file.evaluator(), file):
            yield self.finding(
                one,
                f"{_written(one)} raises a `TypeError` in PyTorch {one.row.gone[0]}.{one.row.gone[1]} and later; "
                f"{f'pass `{one.renamed}`' if one.renamed else 'remove it'}",
                fix=_fix(one),
                severity=Severity.INFO if is_kept_out(one) else Severity.ERROR,
            )


def _fix(one: PassedArgument) -> Fix | None:
    doubt = "releases that take the argument print nothing without it"
    edits = one.edits
    return Fix("Remove the argument", edits, safe=one.is_off, doubt="" if one.is_off else doubt) if edits else None


def _written(one: PassedArgument) -> str:
    """Return the argument as it is passed, with its name."""
    if one.is_by_name:
        return quoted(f"{one.row.argument}={one.value.code}")
    return f"{quoted(one.value)}, passed as `{one.row.argument}`,"
