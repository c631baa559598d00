"""The device of a module that has no such attribute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


_ASKED = "next(….parameters()).device"


class ModuleDeviceAttribute(Rule):
    """Use the device of a parameter: a module has no `device`.

    Tensors have a `device`; modules do not, as their parameters may be on several. Reading it raises `AttributeError:
    'Network' object has no attribute 'device'`. Use `next(net.parameters()).device`, or define a property that does. An
    attribute that is set in the constructor becomes wrong when the module is moved.

    Not reported:

    - classes that define `device` or may get it from elsewhere: assigned from outside, annotated, `__getattr__`, a
      subclass, or an unknown base class such as `LightningModule` or `PreTrainedModel`
    - reads that `hasattr` or `except AttributeError` guards
    - modules from other packages
    - wrappers, which `wrapper-attribute` reports

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
                f"{quoted(lacking.place)} raises `AttributeError`, as modules have no `device`; "
                f"use {quoted(text or _ASKED)}",
                trace=() if made is None else (made.step("created here"), *lacking.possibility.story),
                fix=Fix(
                    "Use the device of a parameter",
                    (edit,),
                    safe=False,
                    doubt="it raises for a module without parameters",
                )
                if edit
                else None,
            )
