"""Parameters that DistributedDataParallel waits for in vain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnusedParameters(Rule):
    """Use all parameters of a module under DistributedDataParallel in `forward`.

    `DistributedDataParallel` averages the gradients of all parameters in each iteration, and waits for those that are
    missing. If `forward` never uses a part of the module, its parameters get no gradient, and the second iteration
    raises `Expected to have finished reduction in the prior iteration before starting a new one`. On one GPU, without
    the wrapper, the module trains. `find_unused_parameters=True` searches the graph in every iteration for what is
    missing, which takes time.

    Not reported:

    - wrappers with `find_unused_parameters` or `static_graph`
    - parts that are frozen, replaced or deleted, or that are created under a condition
    - parts that any other code may use, by the attribute or by its name as a string
    - modules that read all of their parts at once, with `children()` or `getattr`

    https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("DistributedDataParallel",)
    project_words = ("backward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.unused_parameters import unused_parameters

        for found in unused_parameters(file.evaluator(), file):
            first = found.parts[0]
            yield self.finding(
                found.wrapping,
                f"{quoted(found.wrapping)} raises in the second iteration, as `forward` never uses `{first.name}`;"
                " remove it or set `find_unused_parameters`",
                trace=(
                    *(part.made.step(f"`{part.name}` is created here, and gets no gradient") for part in found.parts),
                    found.called.step("the wrapped module is trained here"),
                ),
            )
