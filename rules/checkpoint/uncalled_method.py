"""A method named where it was meant to be called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_MESSAGES = {
    "done": "does nothing without parentheses: call it",
    "asked": "is a function, and so always true: call it",
    "saved": "is the method, not the state dict that it returns: call it",
    "shown": "is the method, not the number that it returns: call it",
}


class UncalledMethod(Rule):
    """Call the method: without its parentheses nothing happens.

    `optimizer.step`, `model.eval` and `loss.backward` as statements do nothing, and nobody says so: the program runs
    and learns nothing. `torch.save(model.state_dict, path)` pickles the bound method and with it the whole module,
    which fails to load with `Expected state_dict to be dict-like, got <class 'method'>`. `torch.cuda.is_available` is
    true on every machine, because functions are.

    Left alone are properties, methods that are passed on to be called later, and attributes of objects that hold a
    state dict by that name.

    https://docs.pytorch.org/docs/stable/notes/serialization.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("step", "state_dict", "eval", "train", "backward", "zero_grad", "is_", "cuda", "item", "barrier")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.uncalled import uncalled_methods

        for found in uncalled_methods(file.evaluator(), file):
            confidence = None if found.is_sure else Confidence.MEDIUM
            called = found.place.edits.open_call()
            fix = (
                Fix(
                    "Call it",
                    (called,),
                    safe=found.is_sure,
                    doubt="" if found.is_sure else "the method itself may be what is meant",
                )
                if called
                else None
            )
            yield self.finding(found.place, _MESSAGES[found.want], confidence=confidence, fix=fix)
