"""Modules that are never initialized, or get parts before they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class MissingSuperInit(Rule):
    """Call `super().__init__()` in a module's constructor, before its parts are set.

    `nn.Module.__init__` creates the tables in which modules, parameters and buffers are registered. A constructor that
    assigns one before, or that never calls `Module.__init__`, raises `AttributeError: cannot assign module before
    Module.__init__() call`; so does `register_buffer`. A `super().__init__()` is not enough if it calls the constructor
    of another base class that does not call `super().__init__()` in turn. A module without parts, such as a loss, can
    be made without it, and raises `AttributeError` where it is called.

    Not reported:

    - plain values, tensors and lists, which any object can hold
    - constructors that call the one of a base class by name or in a method
    - classes that create or fill their objects in their own way
    - classes without `forward` and without parts, and those that a subclass may initialize

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("__init__",)
    project_words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.early_parts import early_parts
        from .detectors.uninitialized_modules import uninitialized_modules

        for part in early_parts(file.evaluator(), file):
            late, elsewhere = part.initializing, part.elsewhere
            trace = [late.step("initialized here, too late")] if late is not None else []
            message = "raises, as the module is not initialized yet; call `super().__init__()` first"
            if elsewhere is not None:
                trace = [elsewhere.step("runs a constructor that does not call `Module.__init__`"), *trace]
                message = "raises, as no base class initializes the module; call `nn.Module.__init__(self)` first"
            target = part.place.bound_to[0] if part.place.bound_to else ""
            what = f"assigning {quoted(target)}" if target else quoted(part.place)
            yield self.finding(part.place, f"{what} {message}", trace=trace, fix=_mended(part.place, late, part.cure))
        for constructor in uninitialized_modules(file.evaluator(), file):
            yield self.finding(
                constructor,
                f"{quoted(constructor)} never runs `Module.__init__`, without which a call of the module raises; "
                "call `super().__init__()` first",
            )


def _mended(place: Place, late: Call | None, cure: str) -> Fix | None:
    line = place.edits.line_before(cure) if cure else None
    if line is None:
        return None
    if late is None:
        return Fix("Initialize the module first", (line,), safe=True)
    edits = (line, *late.edits.remove())
    return Fix("Initialize the module first", edits, safe=False, doubt="the base class may use what is assigned")
