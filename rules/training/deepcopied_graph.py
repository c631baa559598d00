"""Modules that are copied with a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DeepcopiedGraph(Rule):
    """Keep no tensor with a graph in a module that is copied.

    `copy.deepcopy` copies all attributes of a module, and raises `Only Tensors created explicitly by the user (graph
    leaves) support the deepcopy protocol` for a tensor that was computed from parameters: an output, a loss or a map of
    attention that `forward` keeps in `self`, or a product of parameters that `__init__` computes. So does an average of
    the weights (`AveragedModel`), which copies the module. Keep `.detach()` of it, return it, or compute it in
    `forward`.

    Not reported:

    - tensors that a later call may replace, as an evaluation under `no_grad` does
    - tensors that are kept under a condition, or by another method
    - classes that determine what is copied by `__deepcopy__` or `__getstate__`

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("deepcopy", "AveragedModel")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.copied_graphs import copied_graphs

        for found in copied_graphs(file.evaluator(), file):
            steps = [found.kept.step("kept in the module here, with its graph")]
            steps += [found.run.step("`forward` runs here")] if found.run is not None else []
            yield self.finding(
                found.copy,
                f"{quoted(found.copy)} raises, as the module holds {quoted(found.kept)} with its graph;"
                " keep it with `.detach()`",
                trace=tuple(steps),
            )
