"""Compiled modules that are never run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.lost_compiles import LostCompile


class DiscardedCompile(Rule):
    """Run what `torch.compile` returns: it does not change what it is given.

    `torch.compile(model)` returns a new callable. As a statement of its own, or assigned to a name that is not read
    again, it compiles nothing, and the model runs as before without a word. `self = torch.compile(self)` has no
    effect either: `self` is a local name, and the caller still has the plain module. `self.compile()` compiles a module
    in place (PyTorch 2.2 and later).

    Of a module, only `forward` is compiled. Other methods run as they are, also when they are called on the result: a
    module with `update` and `act`, but without `forward`, has nothing compiled. `model.update =
    torch.compile(model.update)` compiles one method.

    Not reported:

    - modules that may get a `forward` in another way, and those whose `forward` is never called
    - results that are returned, stored or passed on, and names of a file that others import
    - calls in a `try`, or that are expected to raise

    https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("compile(",)
    project_words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.lost_compiles import lost_compiles

        for lost in lost_compiles(file.evaluator(), file):
            if lost.name == "self":
                message = "is only assigned to the local name `self`, and never run; call `self.compile()`"
            elif lost.name:
                cure = "run it" if lost.call.scope.kind == "file" else "return it, or run it"
                message = f"is assigned to `{lost.name}`, which is not read again; {cure}"
            elif lost.kind:
                message = f"compiles `forward`, which `{lost.kind}` does not have; compile the method that is called"
            else:
                message = "returns a compiled callable that is discarded; assign it, and run that"
            yield self.finding(lost.call, f"{quoted(lost.call)} {message}", fix=_compiled_in_place(lost))


def _compiled_in_place(lost: LostCompile) -> Fix | None:
    """Return the fix of `self = torch.compile(self)`; the parameters of `self.compile` depend on the version."""
    call = lost.call
    if lost.name != "self" or call.keywords or call.is_open or [one.text for one in call.arguments] != ["self"]:
        return None
    edits = (*call.edits.unassign(), call.edits.replace("self.compile()"))
    return Fix(
        "Compile the module in place", edits, safe=False, doubt="the module is compiled then, when it first runs"
    )
