"""A module saved whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class PickledModule(Rule):
    """Save the state dict of a module, not the module itself.

    A pickled module is the names of its classes and the values of its attributes. Who loads it needs the same classes
    in the same files, runs whatever the file says, and since PyTorch 2.6 has to ask for that: `torch.load` raises
    `Weights only load failed` by default. A state dict is tensors and their names, and fits every version of the class
    that has them.

    Left alone are modules of `torch.jit` and `torch.export`, which bring their code along, and wrappers, of which
    `wrapped-state-dict` speaks. The rule is opt-in: within one program a pickled module does no harm.

    https://docs.pytorch.org/docs/stable/notes/serialization.html
    """

    severity = Severity.INFO
    confidence = Confidence.HIGH
    default = False
    words = ("save(",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.saved import pickled_modules

        for found in pickled_modules(file.evaluator(), file):
            made = (found.made.origin.step("made here"),) if found.made.origin is not None else ()
            fix = Fix(
                "Save the state dict",
                found.place.edits.append(".state_dict()"),
                safe=False,
                doubt="code that loads the file has to make the module first",
            )
            yield self.finding(
                found.place,
                "is pickled with the names of its classes: save its state dict",
                trace=made,
                fix=fix if all(_is_for_state(load.call) for load in file.project_loads()) else None,
            )


def _is_for_state(load: Call) -> bool:
    """Tell whether what is loaded goes into `load_state_dict`, and is not taken for the module."""
    calls = torchlint.method_calls_of(load.file, frozenset({"load_state_dict"}))
    taking = [call.arguments[0].text for call in calls if call.arguments]
    return any(load.text in text or text.startswith(load.bound_to) for text in taking)
