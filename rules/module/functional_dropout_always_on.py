"""Functional dropout that nobody tells whether the module trains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class FunctionalDropoutAlwaysOn(Rule):
    """Tell functional dropout whether the module trains.

    `F.dropout(x, p)` drops wherever it is called: its `training` is True where nobody passes it, and it knows nothing
    of the module around it. After `model.eval()` the module goes on dropping, so that the same input gives another
    output each time, and a worse one than the module could give; no error says so. The same holds for `dropout_p` of
    `scaled_dot_product_attention`, which is applied in either mode.

    Left alone is `training=True`, which says that it is meant, dropout whose probability or whose place is up to a test
    of the mode or to the caller, and what is called after what it samples, in modules for Monte Carlo dropout.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("dropout",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.always_dropping import always_dropping

        for found in always_dropping(file.evaluator(), file):
            cure = "`dropout_p=… if self.training else 0.0`" if found.is_attention else "`training=self.training`"
            by = "" if _has_self(found.call) else ", by an argument of its own"
            fix = _told(found.call, found.rate if found.is_attention else None)
            yield self.finding(found.call, f"drops after `eval()` as well: pass {cure}{by}", trace=found.story, fix=fix)


def _has_self(call: Call) -> bool:
    return any(one.name == "self" for one in call.scope.parameters[:1])


def _told(call: Call, rate: Place | None) -> Fix | None:
    """Return the fix where the module itself drops, by the name that everybody gives it."""
    if not _has_self(call):
        return None
    if rate is not None:
        edits = rate.edits.choose(f"{rate.text} if self.training else 0.0")
    else:
        last = call.edits.last_argument("training=self.training")
        edits = (last,) if last is not None else ()
    return Fix("Drop in training only", edits, safe=False, doubt="outputs after `eval()` change") if edits else None
