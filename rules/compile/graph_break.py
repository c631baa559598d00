"""Code that Dynamo cannot take into a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Cause, Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.graph_breaks import BrokenGraph

_CAUSE = Cause("breaks the graph of compiled code", "of the same", "move them out of it")
_ADVICE = {
    "NUMBER": "compute with the tensor itself",
    "READ": "use `index_select` or a fixed size",
    "SHAPE": "use `torch.where` or a fixed size",
    "BRANCH": "use `torch.where` or `torch.cond`",
    "SYMBOL": "use `torch.where` or `torch.cond`",
    "VALUE": "compute with tensors",
    "TEXT": "make the text outside",
    "OUTPUT": "print and log outside",
    "CALL": "call it outside",
    "GRADIENT": "call it outside",
    "UPDATE": "compile it alone",
    "PARAMETER": "make it in `__init__`",
    "RECURRENT": "compile what is around it",
    "ATTRIBUTE": "set it outside",
    "DISABLED": "call it outside",
}


class GraphBreak(Rule):
    """Keep out of compiled code what `torch.compile` cannot trace.

    Dynamo traces a function into a graph, which the backend compiles. Where it meets something that it cannot trace, it
    breaks the graph: what comes before and after is compiled as two, and Python runs what is between. Each break costs
    a launch of its own in every call, and nothing is fused across it; a break in a loop, a `try` or a `with` of a lock
    leaves the whole function to Python. With `fullgraph=True`, and in `torch.export`, most of them raise.

    Reported are numbers that are read from tensors, branches on the value of a tensor, results whose size depends on
    data, output, and functions of Python and PyTorch that Dynamo does not trace, in the functions that a program
    compiles and in what these call. A Trainer of Transformers with `torch_compile`, an Accelerator with a
    `dynamo_backend`, and the Trainer of Lightning that is given a compiled module compile, too. What breaks a graph is
    listed for PyTorch 2.13, and the tests run each entry of the list.

    The severity is `error` where the break raises, `warning` where the code runs in every step of a loop, and otherwise
    `info`. It is `info`, too, for `backward()`, steps of optimizers and recurrent layers, where PyTorch breaks the
    graph on purpose.

    Not reported:

    - what is behind `torch.compiler.is_compiling()`, and functions with `torch.compiler.disable`
    - what an option of `torch._dynamo.config` lets Dynamo trace, where the project names that option
    - code that runs only sometimes, in an `except` block or every N steps

    https://docs.pytorch.org/docs/stable/compile/programming_model.graph_breaks_index.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    default = False
    words = ("def ",)
    project_words = ("compile", ".export", "dynamo_backend", "dynamo_plugin")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.graph_breaks import graph_breaks

        for found in graph_breaks(file.evaluator(torchlint.WITH_CUDA), file):
            entry = found.way.entry
            yield self.finding(
                found.place,
                f"{quoted(found.place)} {_happens(found)}: it {found.untraced.value}; {_ADVICE[found.untraced.name]}",
                trace=(entry.place.step("traced from here"), *found.way.story),
                severity=_severity(found),
                cause=None if found.raises else _CAUSE.at(entry.place.path, entry.place.span),
            )


def _happens(found: BrokenGraph) -> str:
    tracing = found.way.entry.tracing
    if not found.raises or tracing is None:
        return _CAUSE.happens
    return f"raises under `{tracing.value}`" if tracing.name == "WHOLE" else "raises in `torch.export`"


def _severity(found: BrokenGraph) -> Severity:
    if found.raises:
        return Severity.ERROR
    return Severity.INFO if found.loop is None or found.is_accepted else Severity.WARNING
