"""Names that PyTorch has dropped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class RemovedSymbol(Rule):
    """Use what stands for the names that PyTorch and torchvision have dropped.

    `from torch._six import inf`, `torch.symeig`, `transforms.Scale`: later releases have none of it, and raise where it
    is imported, read or called. Whoever installs the program with what pip brings today comes no further. The message
    says from which release on; a project that is held to older ones below that never gets there.

    Left alone is what is prepared for it: names in a `try` that catches it or in what is done then, behind a test of a
    version or of `hasattr`, in functions and files that are used behind such a test alone, and names that the program
    puts into PyTorch itself. Where `target-torch` is older than what stands for a name, nothing is mended: both may be
    needed.

    https://docs.pytorch.org/docs/stable/linalg.html, https://github.com/pytorch/pytorch/releases
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (
        "symeig", ".eig", "import eig", "lstsq", ".solve", "import solve", "matrix_rank", "rfft", "ifft", "torch.fft(",
        "gels", "gesv", "trtrs", "potr", "btri", "set_deterministic", "is_deterministic", "_six", "string_classes",
        "int_classes", "container_abcs", "utils.ffi", "torch.legacy", "import legacy", "load_lua", "_LinearWithBias",
        "import _accumulate", ", _accumulate", "s._accumulate", "dataset._accumulate", "_DataLoaderIter",
        "zero_gradients", "onnx._export", "import _export", "dynamo_export", "symbolic_registry",
        "torchvision.models.utils", "models.utils.load_state", "transforms.Scale", "import Scale", ", Scale",
        "RandomSizedCrop", "functional_tensor", "model_urls",
    )  # fmt: skip

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.removals import removed_names

        target = file.project.target_torch
        for removed in removed_names(file.evaluator(), file):
            package = "torchvision" if removed.name.startswith("torchvision.") else "PyTorch"
            first = removed.removals[0]
            is_newer = target is not None and any(target < one.since for one in removed.removals)
            instead = " and ".join(dict.fromkeys(one.instead for one in removed.removals))
            where = " where there is one" if is_newer else ""
            yield self.finding(
                removed.place,
                f"raises with {package} {first.release[0]}.{first.release[1]} and later: use {instead}{where}",
                fix=Fix("Use what stands for it", removed.edits, safe=True) if removed.edits and not is_newer else None,
            )
