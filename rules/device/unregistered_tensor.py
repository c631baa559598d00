"""A tensor that a module keeps as a plain attribute, which does not move with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class UnregisteredTensor(Rule):
    """Register the constant tensors of a module as buffers.

    `.to(device)` moves parameters and buffers. A table or mask that is a plain attribute stays on the CPU, and the
    first `forward` on a GPU raises `Expected all tensors to be on the same device`. It is not in the state dict either;
    for a buffer that can be computed again, `persistent=False` keeps it out. A tensor with `requires_grad=True` should
    be an `nn.Parameter`: `parameters()` does not yield a plain attribute, and no optimizer changes it.

    Reported are attributes that the module uses together with its input, its parameters or the outputs of its layers.
    It is an error if the project moves a module of the class, or with one, to a GPU, and a warning if nothing does.

    Not reported:

    - tensors that are moved where they are used, and tensors without dimensions
    - tables that are indexed on the CPU
    - attributes that `forward` sets in each call
    - classes that move them in an `_apply` of their own
    - programs that set the default device once (`torch.set_default_device`)

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    # A module inherits from `nn.Module`, or its constructor calls that of a base which does.
    words = ("Module", "super(", "__init__(self")
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.learned_tensors import is_to_be_learned
        from .detectors.misplaced import misplaced_tensors
        from .detectors.moved_classes import class_on_gpu
        from .detectors.premises import runs_by_default

        ev = file.evaluator(torchlint.WITH_CUDA)
        for misplaced in misplaced_tensors(ev, file, "attribute"):
            name = quoted(misplaced.place.bound_to[0]) if misplaced.place.bound_to else quoted(misplaced.place)
            is_learned = is_to_be_learned(misplaced.place)
            advice = "make it an `nn.Parameter`" if is_learned else "register it with `register_buffer`"
            used = misplaced.used.step("used with a tensor on the module's device here")
            yield self.finding(
                misplaced.place,
                f"{name} stays on the CPU when the module is moved; {advice}",
                trace=(*runs_by_default(ev, misplaced.used), *class_on_gpu(ev, misplaced.other), used),
                fix=None if is_learned else _registered(misplaced.place, file),
            )


def _registered(value: Place, file: SourceFile) -> Fix | None:
    """`self.table = t` → `self.register_buffer("table", t, persistent=False)`, if nothing else is stored there."""
    target = value.bound_to[0] if len(value.bound_to) == 1 else ""
    owner, _, name = target.rpartition(".")
    if not owner or "." in owner or len(file.assignments_to(target)) != 1:
        return None
    # A name that is no attribute of the module yet; checkpoints do not change.
    quoted = f"{file.quote}{name}{file.quote}"
    edits = value.edits.instead_of_assigning(f"{owner}.register_buffer({quoted}, ", ", persistent=False)")
    return (
        Fix(
            "Register it as a buffer",
            edits,
            safe=False,
            doubt="a buffer may be part of the state dict, and older checkpoints do not have it",
        )
        if edits
        else None
    )
