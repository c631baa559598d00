"""`.module` of a model that may be bare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile, Step


class MaybeUnwrappedModule(Rule):
    """Unwrap a model only if it is wrapped.

    If a model is wrapped in `DataParallel` only on machines with several GPUs, it has no `module` on a laptop: `'Net'
    object has no attribute 'module'`, often when the first checkpoint is saved. Accelerate wraps what it prepares only
    with several processes. A model that nothing wraps any more never has a `module`.

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
        from .detectors.bare_modules import bare_modules, never_wrapped
        from .detectors.prepared_modules import prepared_unwrapped

        for found in bare_modules(file.evaluator(), file):
            wrapped = found.wrapping.place.step(f"wrapped in `{found.wrapping.word}` under a condition")
            yield self._raises(file, found.place, found.wrapping.word, (wrapped, *found.bare.story))
        for asked in prepared_unwrapped(file.evaluator(), file):
            wrapped = asked.prepared.step("wrapped here with several processes")
            yield self._raises(file, asked.place, "DistributedDataParallel", (wrapped,), Confidence.MEDIUM)
        for lacking in never_wrapped(file.evaluator(), file):
            made = lacking.possibility.origin
            yield self.finding(
                lacking.place,
                f"{quoted(lacking.place)} raises `AttributeError`, as nothing wraps the model; "
                f"use {quoted(lacking.module)}",
                trace=() if made is None else (made.step("created here"), *lacking.possibility.story),
                fix=_without_wrapper(lacking.place, lacking.module),
            )

    def _raises(
        self, file: SourceFile, place: Place, word: str, trace: tuple[Step, ...], confidence: Confidence | None = None
    ) -> Finding:
        return self.finding(
            place,
            f"{quoted(place)} raises `AttributeError` if the model is not wrapped; check for `{word}` first",
            trace=trace,
            fix=_asking_first(file, place),
            confidence=confidence,
        )


def _without_wrapper(place: Place, module: Place) -> Fix | None:
    edit = place.edits.replace(module.text)
    if edit is None:
        return None
    return Fix("Use the module itself", (edit,), safe=False, doubt="the model may be wrapped elsewhere")


def _asking_first(file: SourceFile, place: Place) -> Fix | None:
    """`model.module` → `model.module if hasattr(model, "module") else model`, if that evaluates nothing twice."""
    owner = place.owner
    if owner is None or not owner.is_name:
        return None
    guarded = f"{owner.text}.module if hasattr({owner.text}, {file.quote}module{file.quote}) else {owner.text}"
    if not (edits := place.edits.choose(guarded)):
        return None
    return Fix(
        "Unwrap only a wrapper",
        edits,
        safe=False,
        doubt="the model itself may have an attribute `module`",
    )
