"""`.module` asked of a model that may be bare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class MaybeUnwrappedModule(Rule):
    """Take the wrapper off only where there is one.

    Where a model is wrapped in `DataParallel` only if the machine has several GPUs, it has no `module` on a laptop:
    `'Net' object has no attribute 'module'`, mostly when the first checkpoint is saved.

    Left alone are `.module` behind `hasattr`, `isinstance`, a `try` or the test that the model was wrapped by, helpers
    that unwrap, and models that are always wrapped or of which nothing is known.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".module",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.bare_modules import bare_modules

        for found in bare_modules(file.evaluator(), file):
            word = found.wrapping.word
            owner = found.owner.text
            guarded = f"{owner}.module if hasattr({owner}, {file.quote}module{file.quote}) else {owner}"
            edits = found.place.edits.choose(guarded) if found.owner.is_name else ()
            yield self.finding(
                found.place,
                f"raises AttributeError where nothing wrapped the model: ask for `{word}` first",
                trace=(found.wrapping.place.step(f"wrapped in `{word}` under a condition"), *found.bare.story),
                fix=Fix(
                    "Unwrap where there is a wrapper",
                    edits,
                    safe=False,
                    doubt="a model of its own may have an attribute `module`",
                )
                if edits
                else None,
            )
