"""Misspelled `requires_grad`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class RequireGradTypo(Rule):
    """Spell `requires_grad` correctly.

    Python allows any attribute on a tensor or a module. `parameter.require_grad = False` creates one that autograd
    ignores: parameters that should be frozen are trained, parameters that should be trained are not, and no error says
    so. The same holds for `requires_grad_ = False`, which replaces the method on that one tensor. A module has no such
    attribute, however it is spelled: use `module.requires_grad_(False)`, which sets it for all parameters.

    Not reported:

    - names that the program itself reads or declares
    - objects that may not be tensors or modules

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.requires_grad.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("requir", "reqir", "requr", "requie", "requri")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.misspelled_flags import misspelled_flags

        for flag in misspelled_flags(file.evaluator(), file):
            cure = "call `requires_grad_()`" if flag.is_of_module else "write `requires_grad`"
            doubt = "it has an effect then: frozen parameters do not train"
            edit = flag.place.edits.rename("requires_grad")
            fix = Fix("Rename to `requires_grad`", (edit,), safe=False, doubt=doubt)
            yield self.finding(
                flag.place,
                f"{quoted(flag.place)} sets an attribute that autograd ignores; {cure}",
                fix=None if flag.is_of_module else fix,
            )
