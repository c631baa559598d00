"""Parts that a module is given before it is initialized."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class MissingSuperInit(Rule):
    """Call `super().__init__()` before a module is given its parts.

    `nn.Module.__init__` makes the tables that modules, parameters and buffers are registered in. A constructor that
    assigns one before, or that comes to `Module.__init__` by no way, raises `AttributeError: cannot assign module
    before Module.__init__() call`, and so does `register_buffer`. A `super().__init__()` is not enough where it runs
    the constructor of another base, which calls no `super().__init__()` in turn.

    Left alone are plain values, tensors and lists, which are kept as in any object, constructors that call that of a
    base by its name or by a method, and classes that make or fill their objects in a way of their own.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("__init__",)
    project_words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.early_parts import early_parts

        for part in early_parts(file.evaluator(), file):
            late, elsewhere = part.initializing, part.elsewhere
            trace = [late.step("initialized here, too late")] if late is not None else []
            message = "raises, as the module is not initialized yet: call `super().__init__()` before"
            if elsewhere is not None:
                trace = [elsewhere.step("runs a constructor that does not come to `Module.__init__`"), *trace]
                message = "raises, as no base has initialized the module: call `nn.Module.__init__(self)` before"
            yield self.finding(part.place, message, trace=trace, fix=_mended(part.place, late, part.cure))


def _mended(place: Place, late: Call | None, cure: str) -> Fix | None:
    line = place.edits.line_before(cure) if cure else None
    if line is None:
        return None
    if late is None:
        return Fix("Initialize the module first", (line,), safe=True)
    edits = (line, *late.edits.remove())
    return Fix("Initialize the module first", edits, safe=False, doubt="the base may want what was assigned before")
