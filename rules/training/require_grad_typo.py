"""Misspelled `requires_grad`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class RequireGradTypo(Rule):
    """Write `requires_grad`, with the s and without another.

    Python lets anybody put any attribute on a tensor or a module. `parameter.require_grad = False` makes one that
    autograd never looks at: what was to be frozen trains on, what was to be trained stays as it is, and no error says
    so. The same goes for `requires_grad_ = False`, which replaces the method on that one tensor. A module has no such
    attribute at all, however it is spelled: `module.requires_grad_(False)` asks all its parameters.

    Left alone are names that the program itself reads or declares, and whatever may be no tensor or module.

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.requires_grad.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("requir", "reqir", "requr", "requie", "requri")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.misspelled_flags import misspelled_flags

        for flag in misspelled_flags(file.evaluator(), file):
            cure = "call `requires_grad_()`" if flag.is_of_module else "write `requires_grad`"
            doubt = "autograd listens to it then: what is frozen does not train"
            edit = flag.place.edits.rename("requires_grad")
            fix = Fix("Spell it as autograd does", (edit,), safe=False, doubt=doubt)
            yield self.finding(
                flag.place,
                f"makes an attribute that autograd never looks at: {cure}",
                fix=None if flag.is_of_module else fix,
            )
