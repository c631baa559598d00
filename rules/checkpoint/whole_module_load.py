"""A whole module loaded as if it were weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class WholeModuleLoad(Rule):
    """Load a whole module with `weights_only=False`, or save its state dict instead.

    Since PyTorch 2.6, `torch.load` has `weights_only=True` by default, which raises `Weights only load failed` for a
    file that holds a module and not the state dict of one, also as an entry of a checkpoint that no code reads. Save
    `model.state_dict()` and load it into a new module; or pass `weights_only=False` if you trust the file, as loading
    it can run any code.

    Not reported:

    - projects whose `target-torch` is older than 2.6, which `unsafe-load` covers
    - loads with `weights_only` or a `pickle_module`, and in a `try`
    - projects that allow classes with `safe_globals`, or set the environment variable that restores the old default

    https://docs.pytorch.org/docs/stable/notes/serialization.html#weights-only
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("load(",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.whole_loads import shows_module, whole_loads

        for load in whole_loads(file.evaluator(), file):
            is_module = load.is_saved or shows_module(load.shown)
            held = "a whole module" if is_module else "a module or optimizer"
            used = "a module" if is_module else held
            step = "saved as a whole module here" if load.is_saved else f"used as {used} here"
            yield self.finding(
                load.call,
                f"{quoted(load.call)} raises for a file with {held} since PyTorch 2.6; "
                "load a state dict, or pass `weights_only=False`",
                trace=(load.shown.step(step),),
            )
