"""The device of a module that has no such attribute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ModuleDeviceAttribute(Rule):
    """Ask a module's parameters where it is; modules have no device of their own.

    Tensors have a `device`, modules do not: their parameters may be on several. Reading it raises `AttributeError:
    'Network' object has no attribute 'device'`. Ask `next(net.parameters()).device`, or give the class a property
    that does. An attribute set in the constructor goes stale when the module is moved.

    Left alone are classes that define `device` or may get it from elsewhere (assigned from outside, annotated and left
    to others, `__getattr__`, a subclass, a base class that cannot be looked into, such as a `LightningModule` or
    `PreTrainedModel`), reads that `hasattr` or `except AttributeError` guards, and modules that come from other
    packages. What a wrapper lacks is reported by `wrapper-attribute`.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".device",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.lacking import lacking_modules

        for lacking in lacking_modules(file.evaluator(), file, "device"):
            made, owner = lacking.possibility.origin, lacking.place.owner
            text = f"next({owner.text}.parameters()).device" if owner is not None and owner.is_name else ""
            edit = lacking.place.edits.replace(text) if text else None
            yield self.finding(
                lacking.place,
                "is no attribute of a module and raises `AttributeError`: ask `next(….parameters()).device`",
                trace=() if made is None else (made.step("made here"), *lacking.possibility.story),
                fix=Fix("Ask a parameter", (edit,), safe=False, doubt="a module without parameters has none to ask")
                if edit
                else None,
            )
