"""`.module` asked of a model that may be bare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class MaybeUnwrappedModule(Rule):
    """Unwrap a model only if it is wrapped.

    If a model is wrapped in `DataParallel` only on machines with several GPUs, it has no `module` on a laptop: `'Net'
    object has no attribute 'module'`, often when the first checkpoint is saved.

    Not reported:

    - `.module` behind `hasattr`, `isinstance`, a `try` or the test under which the model was wrapped
    - helpers that unwrap
    - models that are always wrapped, or of unknown origin

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
                f"{quoted(found.place)} raises `AttributeError` if the model is not wrapped; check for `{word}` first",
                trace=(found.wrapping.place.step(f"wrapped in `{word}` under a condition"), *found.bare.story),
                fix=Fix(
                    "Unwrap only a wrapper",
                    edits,
                    safe=False,
                    doubt="the model itself may have an attribute `module`",
                )
                if edits
                else None,
            )
