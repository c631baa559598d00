"""A checkpoint that holds something else than what is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.mismatched_loads import MismatchedLoad


class MismatchedCheckpoint(Rule):
    """Load from a checkpoint what was saved in it.

    A checkpoint is often a dict: the state dict of the model under one key, that of the optimizer and the epoch under
    others. `load_state_dict` of the whole dict raises `Missing key(s) in state_dict`, with the keys of the checkpoint
    as unexpected ones. A key that was never saved raises `KeyError`, as does any key of a file that holds the state
    dict alone.

    Not reported:

    - files that the project does not save, or of which a test asks what they hold
    - `strict=False`, and classes with a `load_state_dict` of their own
    - calls in a `try`, or that are expected to raise

    https://docs.pytorch.org/tutorials/recipes/recipes/saving_and_loading_a_general_checkpoint.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("load_state_dict",)
    project_words = ("save(",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.mismatched_loads import mismatched_loads

        for found in mismatched_loads(file.evaluator(), file):
            yield self.finding(
                found.call,
                f"{quoted(found.call)} raises: {_reason(found)}",
                trace=(found.saved.call.step("saved here"),),
                fix=_fix(found),
            )


def _reason(found: MismatchedLoad) -> str:
    """Return what the file holds, and what to load instead."""
    keys = found.saved.keys
    if keys is None:
        return f"the file is a state dict, without the key `{found.key}`; load it as a whole"
    if found.key is None:
        states = [key for key, is_state in keys.items() if is_state and found.into_module]
        entry = f"its entry `{states[0]}`" if len(states) == 1 else "one of its entries"
        return f"it is given a whole checkpoint, not a state dict; load {entry}"
    return f"the checkpoint is saved without the key `{found.key}`; use one that is there"


def _fix(found: MismatchedLoad) -> Fix | None:
    """Return the fix that takes out of a whole checkpoint the one state dict of a module in it."""
    keys = found.saved.keys or {}
    states = [key for key, is_state in keys.items() if is_state]
    if found.key is not None or not found.into_module or len(states) != 1:
        return None
    edit = found.state.edits.after(f'["{states[0]}"]')
    return Fix("Load the state dict", (edit,), safe=False, doubt="the file may be one that another program saved")
