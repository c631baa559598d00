"""Outputs of a CUDA graph that its next run overwrites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.overwritten_outputs import OverwrittenOutput


class OverwrittenGraphOutput(Rule):
    """Clone the outputs of a CUDA graph that are needed after its next run.

    With `mode="reduce-overhead"` or `"max-autotune"`, `torch.compile` runs CUDA graphs, and what the compiled code
    returns is in memory that the next run writes to. A list of outputs, or the output of the first of two calls, then
    raises `RuntimeError: accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run`. On the
    CPU there are no graphs, and the mistake does not show.

    Not reported:

    - outputs that are cloned, moved, or computed with before they are kept
    - two calls while autograd records, as the backward of the first is still to come
    - files that call `torch.compiler.cudagraph_mark_step_begin()`

    https://docs.pytorch.org/docs/stable/torch.compiler_cudagraph_trees.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("append", " for ", "=")
    project_words = ("reduce-overhead", "max-autotune", "triton.cudagraphs")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.overwritten_outputs import overwritten_outputs

        for found in overwritten_outputs(file.evaluator(), file):
            steps = [found.graph.step("compiled with CUDA graphs here")]
            steps += [found.again.step("overwrites it")] if found.again is not None else []
            yield self.finding(found.place, _message(found), trace=steps, fix=_cloned(found))


def _message(found: OverwrittenOutput) -> str:
    when = "the next call" if found.again is not None else "the next iteration"
    return f"{quoted(found.place)} is in memory of a CUDA graph that {when} overwrites; keep a `.clone()` of it"


def _cloned(found: OverwrittenOutput) -> Fix:
    edits = found.place.edits.append(".clone()")
    return Fix("Clone the output", edits, safe=False, doubt="the compiled code has to return a tensor")
