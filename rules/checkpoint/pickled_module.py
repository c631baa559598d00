"""A module saved whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class PickledModule(Rule):
    """Save the state dict of a module, not the module itself.

    A pickled module consists of the import paths of its classes and the values of its attributes. To load it takes the
    same classes in the same files, runs any code in the file, and since PyTorch 2.6 has to be requested: by default
    `torch.load` raises `Weights only load failed`. A state dict holds names and tensors only, and loads into every
    version of the class that has them.

    The rule is opt-in: within one program a pickled module does no harm.

    Not reported:

    - modules of `torch.jit` and `torch.export`, whose files contain their code
    - wrappers, which `wrapped-state-dict` reports

    https://docs.pytorch.org/docs/stable/notes/serialization.html
    """

    severity = Severity.INFO
    confidence = Confidence.HIGH
    default = False
    words = ("save(",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.saved import pickled_modules

        for found in pickled_modules(file.evaluator(), file):
            made = (found.made.origin.step("created here"),) if found.made.origin is not None else ()
            fix = Fix(
                "Save the state dict",
                found.place.edits.append(".state_dict()"),
                safe=False,
                doubt="code that loads the file has to create the module first",
            )
            yield self.finding(
                found.place,
                f"{quoted(found.place)} is pickled together with the import path of its class; save its `state_dict()`",
                trace=made,
                fix=fix if all(_is_for_state(load.call) for load in file.project_loads()) else None,
            )


def _is_for_state(load: Call) -> bool:
    """Tell whether what is loaded goes into `load_state_dict`, and is not used as the module."""
    calls = torchlint.method_calls_of(load.file, frozenset({"load_state_dict"}))
    taking = [call.arguments[0].text for call in calls if call.arguments]
    return any(load.text in text or text.startswith(load.bound_to) for text in taking)
