"""An attribute of the module that is read from its wrapper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class WrapperAttribute(Rule):
    """Use the attributes of the module inside a wrapper, not of the wrapper.

    `DataParallel` and `DistributedDataParallel` hold the module as an attribute and forward only calls to it. They do
    not have its layers, methods and settings: `'DataParallel' object has no attribute 'encoder'`. If the model is only
    wrapped on machines with several GPUs, it raises only there.

    The same holds for what `accelerator.prepare` returns: with several processes it is a `DistributedDataParallel`.

    A method that computes with the parameters and is called through `.module` runs on one GPU, and
    `DistributedDataParallel` does not reduce its gradients: in training, call it from `forward`.

    Not reported:

    - attributes that every module has, and those that the program sets on the wrapper
    - attributes behind `hasattr`, or whose error is caught
    - what is unwrapped on another path: `accelerator.unwrap_model(model) if accelerator else model`
    - FSDP and `torch.compile`, which forward all attributes

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
            wrapper, owner = hidden.wrapping.word, hidden.place.owner
            inside = f"{owner.code if owner is not None else ''}.module.{hidden.place.word}"
            yield self.finding(
                hidden.place,
                f"{quoted(hidden.place)} raises `AttributeError`: `{wrapper}` hides it; use {quoted(inside)}",
                trace=(hidden.wrapping.place.step(f"wrapped in `{wrapper}` here"), *hidden.wrapping.possibility.story),
                fix=_asking_inside(hidden.place) if hidden.is_sure else None,
                confidence=Confidence.MEDIUM if hidden.is_launched else None,
            )
        for asked in prepared_attributes(file.evaluator(torchlint.WITH_CUDA), file):
            yield self.finding(
                asked.place,
                f"{quoted(asked.place)} raises with several processes, where `DistributedDataParallel` hides it; "
                "call it from `forward`",
                trace=(asked.prepared.step("wrapped here with several processes"),),
                confidence=Confidence.MEDIUM,
            )


def _asking_inside(place: Place) -> Fix | None:
    owner = place.owner
    if owner is None:
        return None
    return Fix(
        "Use the module inside the wrapper",
        owner.edits.append(".module"),
        safe=False,
        doubt="it raises if the model is not wrapped",
    )
