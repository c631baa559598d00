"""A tensor that a module keeps as a plain attribute, and leaves behind when it moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class UnregisteredTensor(Rule):
    """Register the constant tensors of a module as buffers.

    `.to(device)` moves parameters and buffers. A table or mask that is only assigned to an attribute stays on the CPU,
    and the first `forward` on a GPU fails with `Expected all tensors to be on the same device`. The state dict leaves
    it out too; `persistent=False` keeps that so for what can be computed again.

    Reported where the module uses the attribute together with its input, its parameters or the outputs of its layers.
    Left alone are tensors that are moved where they are used, numbers without dimensions, tables that are asked with
    indices on the CPU, attributes that `forward` sets anew each time, and classes that move them in an `_apply` of
    their own. Programs that say once where tensors are made (`torch.set_default_device`) are left alone altogether.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("Module",)
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.misplaced import misplaced_tensors

        for misplaced in misplaced_tensors(file.evaluator(torchlint.WITH_CUDA), file, "attribute"):
            yield self.finding(
                misplaced.place,
                "stays on the CPU when the module moves: keep it with `register_buffer`",
                trace=(misplaced.used.step("used with what is on the module's device here"),),
                fix=_registered(misplaced.place, file),
            )


def _registered(value: Place, file: SourceFile) -> Fix | None:
    """`self.table = t` → `self.register_buffer("table", t, persistent=False)`, where nothing else is kept there."""
    target = value.bound_to[0] if len(value.bound_to) == 1 else ""
    owner, _, name = target.rpartition(".")
    if not owner or "." in owner or len(file.assignments_to(target)) != 1:
        return None
    # A name that is no attribute of the module yet; checkpoints stay as they are.
    quoted = f"{file.quote}{name}{file.quote}"
    edits = value.edits.instead_of_assigning(f"{owner}.register_buffer({quoted}, ", ", persistent=False)")
    return (
        Fix(
            "Register it as a buffer",
            edits,
            safe=False,
            doubt="it joins the state dict, which checkpoints of before do not have it in",
        )
        if edits
        else None
    )
