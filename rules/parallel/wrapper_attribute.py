"""An attribute of the module looked for on its wrapper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class WrapperAttribute(Rule):
    """Ask the module inside a wrapper for its attributes, not the wrapper.

    `DataParallel` and `DistributedDataParallel` hold the module as an attribute and pass only `forward` on to it. Its
    own layers, methods and settings are not theirs: `'DataParallel' object has no attribute 'encoder'`, and where the
    model is only wrapped on machines with several GPUs, it raises only there.

    So it is with what `accelerator.prepare` gives back: with several processes it is a `DistributedDataParallel`.

    Left alone is what every module has, what the program itself puts on the wrapper, what it asks for with `hasattr`
    or catches, and FSDP and `torch.compile`, which pass everything on. A method that computes with the parameters and
    is called through `.module` runs on one GPU, and leaves the gradients of `DistributedDataParallel` unreduced:
    in training let `forward` call it.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".",)
    project_words = ("DataParallel", "ccelerat")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.prepared_modules import prepared_attributes
        from .detectors.wrapper_attributes import hidden_attributes

        for hidden in hidden_attributes(file.evaluator(torchlint.WITH_CUDA), file):
            wrapper = hidden.wrapping.word
            yield self.finding(
                hidden.place,
                f"raises AttributeError, as a `{wrapper}` hides it: ask the module inside, `.module`",
                trace=(hidden.wrapping.place.step(f"wrapped in `{wrapper}` here"), *hidden.wrapping.possibility.story),
                fix=_asking_inside(hidden.place) if hidden.is_sure else None,
                confidence=Confidence.MEDIUM if hidden.is_launched else None,
            )
        for asked in prepared_attributes(file.evaluator(torchlint.WITH_CUDA), file):
            yield self.finding(
                asked.place,
                "raises AttributeError with several processes, in `DistributedDataParallel`: let `forward` call it",
                trace=(asked.prepared.step("wrapped here where there are several processes"),),
                confidence=Confidence.MEDIUM,
            )


def _asking_inside(place: Place) -> Fix | None:
    owner = place.owner
    if owner is None:
        return None
    return Fix(
        "Ask the module inside the wrapper",
        owner.edits.append(".module"),
        safe=False,
        doubt="it raises in a run that does not wrap the model",
    )
