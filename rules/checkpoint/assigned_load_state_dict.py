"""The result of `load_state_dict` used as the module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class AssignedLoadStateDict(Rule):
    """Call `load_state_dict` for what it does, not for what it returns.

    It fills the module in place, and returns the missing and unexpected keys; for an optimizer it returns `None`.
    `model = model.load_state_dict(…)` loses the module, and its first use raises `'_IncompatibleKeys' object is not
    callable`, or `has no attribute 'eval'`.

    Not reported:

    - results that are used as keys (`missing, unexpected = …`)
    - classes with a `load_state_dict` of their own, which may return anything

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("load_state_dict(",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.restoring import loaded_for_modules

        for taken in loaded_for_modules(file.evaluator(), file):
            yield self.finding(
                taken.call,
                f"{quoted(taken.call)} returns {taken.returned}; call it on a line of its own",
                trace=tuple(use.step("the result is used here") for use in taken.uses[:1]),
                confidence=None if taken.is_sure else Confidence.MEDIUM,
                fix=_apart(taken.call) if taken.is_sure else None,
            )


def _apart(call: Call) -> Fix | None:
    """`model = Net().load_state_dict(state)` → `model = Net()`, and the call on a line of its own."""
    if len(call.bound_to) != 1 or call.owner is None:
        return None
    (target,) = call.bound_to
    if call.owner.text == target:
        edits = call.edits.unassign()
    else:
        edits = call.owner.edits.break_line(target)
    return Fix("Call it on a line of its own", edits, safe=True) if edits else None
