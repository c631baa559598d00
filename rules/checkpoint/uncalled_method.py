"""A method named where it was meant to be called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_MESSAGES = {
    "done": "{} is not called and does nothing; add `()`",
    "asked": "{} is a function and therefore always true; call it with `()`",
    "saved": "{} is the bound method, not the state dict that it returns; call it with `()`",
    "shown": "{} is the bound method, not the number that it returns; call it with `()`",
}


class UncalledMethod(Rule):
    """Call the method: without its parentheses nothing happens.

    `optimizer.step`, `model.eval` and `loss.backward` as statements do nothing and raise no error: the program runs and
    does not train. `torch.save(model.state_dict, path)` pickles the bound method and with it the whole module; loading
    it fails with `Expected state_dict to be dict-like, got <class 'method'>`. `torch.cuda.is_available` is true on
    every machine, because functions are.

    Not reported:

    - properties
    - methods that are passed on to be called later
    - attributes with such a name that hold a state dict

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
                    doubt="" if found.is_sure else "the method itself may be intended",
                )
                if called
                else None
            )
            message = _MESSAGES[found.want].format(quoted(found.place))
            yield self.finding(found.place, message, confidence=confidence, fix=fix)
