"""A checkpoint of the bare module loaded into its wrapper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Edit, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class WrappedCheckpointLoad(Rule):
    """Load a checkpoint into the module that it was saved from.

    The keys of a module's state dict have no prefix; those that `DataParallel` and `DistributedDataParallel` expect
    start with `module.`. A program that saves the module inside and resumes into the wrapper raises `Missing key(s) in
    state_dict: "module.…"` at the first resume.

    The opposite, a wrapper's state dict for an unwrapped module, is reported where it is saved, by
    `wrapped-state-dict`.

    Not reported:

    - loads that may go into an unwrapped module
    - `strict=False`
    - files that add the prefix themselves
    - checkpoints that the project does not write

    https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("load_state_dict",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.checkpoint_loads import bare_loads

        for load in file.share_of(bare_loads):
            word = load.wrapping.word
            yield self.finding(
                load.place,
                f"{quoted(load.place)} raises: `{word}` expects keys that start with `module.`; load into `.module`",
                trace=(
                    load.saved.step("saved without the prefix here"),
                    load.wrapping.place.step(f"wrapped in `{word}` here"),
                ),
                fix=_loading_inside(file, load.place),
            )


def _loading_inside(file: SourceFile, load: Place) -> Fix | None:
    call = file.call_at(load)
    owner = call.owner if call is not None else None
    if owner is None:
        return None
    return Fix(
        "Load into the module inside the wrapper",
        (Edit(owner.span, f"{owner.text}.module"),),
        safe=False,
        doubt="it raises if the model is not wrapped",
    )
