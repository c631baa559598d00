"""A module that is meant to be frozen by an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ModuleRequiresGrad(Rule):
    """Call `requires_grad_()` of a module: it has no attribute `requires_grad`.

    Python lets any code set any attribute of a module. `model.backbone.requires_grad = False` makes one that autograd
    never looks at: the parameters of the backbone train on, and no error says so. `requires_grad_(False)` sets the
    attribute of all parameters of the module.

    Not reported:

    - parameters and other tensors, which have the attribute
    - objects that may not be modules
    - a setting that a class keeps by that name: `self.requires_grad = requires_grad`
    - modules whose class has a property of that name, and programs that read the attribute of a module themselves

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.requires_grad_
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".requires_grad",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.module_flags import module_flags

        for flag in module_flags(file.evaluator(), file):
            target, value = flag.place.text, flag.value.text
            edits = flag.value.edits.instead_of_assigning(f"{target}_(", ")")
            doubt = "the parameters are frozen then, or trained"
            yield self.finding(
                flag.place,
                f"{quoted(f'{target} = {value}')} changes no parameter of the module, and autograd never looks at it;"
                f" call `.requires_grad_({value})`",
                fix=Fix("Call the method", edits, safe=False, doubt=doubt) if edits else None,
            )
