"""Functional dropout without the mode of its module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile

# By whether it is the dropout of attention, and whether there is a `self` with the mode.
_CURES = {
    (False, True): "`training=self.training`",
    (False, False): "`training` as an argument",
    (True, True): "`dropout_p=… if self.training else 0.0`",
    (True, False): "`dropout_p=0.0` in eval mode",
}


class FunctionalDropoutAlwaysOn(Rule):
    """Pass `training=self.training` to functional dropout.

    `F.dropout(x, p)` always drops: its `training` is `True` by default, and it does not know the mode of the module
    around it. After `model.eval()` the module still applies dropout, so that the same input gives a different and worse
    output each time; no error says so. The same holds for `dropout_p` of `scaled_dot_product_attention`, which is
    applied in either mode. It is a warning where the probability is zero by default, and no caller in view passes one,
    and in a module class that nothing in the project mentions.

    Not reported:

    - `training=True`, which states the intention
    - dropout whose probability or call depends on a test of the mode or on the caller
    - functions named after sampling, and modules for Monte Carlo dropout

    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("dropout",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.always_dropping import always_dropping

        for found in always_dropping(file.evaluator(), file):
            cure = _CURES[found.is_attention, _has_self(found.call)]
            fix = _fix(found.call, found.rate if found.is_attention else None)
            message = f"{quoted(found.call)} applies dropout in eval mode, too; pass {cure}"
            confidence = Confidence.MEDIUM if found.is_zero_so_far else None
            yield self.finding(found.call, message, trace=found.story, fix=fix, confidence=confidence)


def _has_self(call: Call) -> bool:
    return any(one.name == "self" for one in call.scope.parameters[:1])


def _fix(call: Call, rate: Place | None) -> Fix | None:
    """Return the fix if the module itself drops, by the conventional name of its mode."""
    if not _has_self(call):
        return None
    if rate is not None:
        edits = rate.edits.choose(f"{rate.text} if self.training else 0.0")
    else:
        last = call.edits.last_argument("training=self.training")
        edits = (last,) if last is not None else ()
    return (
        Fix("Apply dropout in training only", edits, safe=False, doubt="outputs in eval mode change") if edits else None
    )
