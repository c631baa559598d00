"""Names that PyTorch has removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class RemovedSymbol(Rule):
    """Use the replacements of names that PyTorch, torchvision and torchaudio removed.

    `from torch._six import inf`, `torch.symeig`, `matrix.qr()`, `iter(loader).next()`, `transforms.Scale`,
    `torchaudio.info`: later releases have none of these, and raise where the name is imported, read or called.
    `torch.stft` of a real signal raises without `return_complex`. The program fails with the release that pip installs
    today; the message says since which one it does. The severity is `error`, and `info` where the project's own
    requirements allow no such release.

    Not reported:

    - names in a `try` that handles their absence, and in its handler
    - code behind a test of a version or of `hasattr`, and functions and files that are only used behind such a test
    - names that the program itself adds to PyTorch
    - imports of functions that still exist and raise where they are called: the call is reported
    - methods of what may not be a tensor

    If `target-torch` is older than the replacement, there is no fix: both names may be needed.

    https://docs.pytorch.org/docs/stable/linalg.html, https://github.com/pytorch/pytorch/releases
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (
        "cholesky", "qr", ".next", "stft", "variable", "multigpu", "distributed.pipeline", "import pipeline",
        "PairwiseParallel", "auto_wrap_policy", "dynamic_dim", "export_for_", "traceable", "nested_tensor",
        "ExecutionGraphObserver", "bottleneck", "pt2e", "quantizer", "sparsity", "_download_url_to_file",
        "_sparse_coo_tensor_unsafe", "to_pretty_string", "ExportOptions", "functional_pil", "datapoints",
        "ToImageTensor", "ConvertDtype", "Kinetics400", "ops.misc", "VideoReader", "read_video", "write_video",
        "torchaudio", "symeig", ".eig", "import eig", "lstsq", ".solve", "import solve", "matrix_rank", "rfft",
        "ifft", "torch.fft(", "gels", "gesv", "trtrs", "potr", "btri", "set_deterministic", "is_deterministic",
        "_six", "string_classes", "int_classes", "container_abcs", "utils.ffi", "torch.legacy", "import legacy",
        "load_lua", "_LinearWithBias", "import _accumulate", ", _accumulate", "s._accumulate", "dataset._accumulate",
        "_DataLoaderIter", "zero_gradients", "onnx._export", "import _export", "dynamo_export", "symbolic_registry",
        "torchvision.models.utils", "models.utils.load_state", "transforms.Scale", "import Scale", ", Scale",
        "RandomSizedCrop", "functional_tensor", "model_urls",
    )  # fmt: skip

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.removals import is_kept_out, removed_names

        target = file.oldest_torch
        for removed in removed_names(file.evaluator(), file):
            top = removed.name.partition(".")[0]
            package = top if top in {"torchvision", "torchaudio"} else "PyTorch"
            first = removed.removals[0]
            is_newer = target is not None and any(target < one.since for one in removed.removals)
            instead = " and ".join(dict.fromkeys(one.instead for one in removed.removals))
            where = " where PyTorch has it" if is_newer else ""
            yield self.finding(
                removed.place,
                f"{quoted(removed.place)} raises in {package} {first.release[0]}.{first.release[1]} and later; "
                f"use {instead}{where}",
                fix=Fix("Use the replacement", removed.edits, safe=True) if removed.edits and not is_newer else None,
                severity=Severity.INFO if is_kept_out(removed) else Severity.ERROR,
            )
