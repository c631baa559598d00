"""A state dict saved through a wrapper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Edit, Finding, Place, SourceFile

    from .detectors.saves import WrappedSave


class WrappedStateDict(Rule):
    """Save the state dict of the module, not of the wrapper around it.

    `DataParallel` and `DistributedDataParallel` hold the module as an attribute, so every key of the wrapper's state
    dict starts with `module.`, and `torch.compile` puts `_orig_mod.` there. Whoever loads the file into the bare model
    gets `Missing key(s) in state_dict`, or nothing at all with `strict=False`. A wrapper pickled whole cannot even be
    opened without it.

    Left alone are state dicts of FSDP, which takes its prefix out of the keys again, of `….module`, of a name that
    still holds the bare module, of whatever an unwrapping helper returns, of optimizers and schedulers, and checkpoints
    that a loader of the project rids of the prefix. Where every loader of the project wraps the module first, its own
    programs run: that is a warning, for one GPU cannot load what eight saved, nor can whoever is given the file.

    https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html#saving-torch-nn-dataparallel-models
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("state_dict", "save")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.saves import wrapped_saves

        for save in file.share_of(wrapped_saves):
            wrapped = [one.place.step(f"wrapped in `{one.word}` here") for one in (save.wrapping, *save.others)]
            saved = () if save.is_pickled else (save.saved_at.step("saved here"),)
            loaded = () if save.put_back_into is None else (save.put_back_into.step("loaded into a wrapper here"),)
            module = save.place if save.is_pickled else file.call_at(save.place)
            owner = module if save.is_pickled else module and module.owner
            fix = _unwrapped(owner, save.needed_by) if owner is not None else None
            trace = (*wrapped, *save.story, *saved, *loaded)
            yield self.finding(save.place, _message(save), trace=trace, fix=fix, severity=_severity(save))


def _severity(save: WrappedSave) -> Severity:
    """Return how grave a save is: a project that always wraps what it loads into runs by itself."""
    return Severity.ERROR if save.put_back_into is None else Severity.WARNING


def _message(save: WrappedSave) -> str:
    into = save.put_back_into
    if save.is_pickled:
        return f"pickles the `{save.wrapping.word}` wrapper: save the state dict of the module inside it"
    if into is None:
        return f"keys will start with `{save.wrapping.prefix}` and fail to load into the bare module: unwrap it first"
    return f"only a wrapped model can load this file, as `{into.text}` does here: save the module inside it"


def _unwrapped(module: Place, needed_by: tuple[Place, ...]) -> Fix | None:
    """Return the fix that takes the module out of its wrapper, wherever the file saves or loads through that.

    None where something else of the project needs the prefix, and would have to be changed with it.
    """
    edits = _inside(module)
    needing = {place.key for place in needed_by}
    if not edits:
        return None
    # What is saved without the prefix is no longer what the wrapper loads.
    for load in torchlint.method_calls_of(module.file, frozenset({"load_state_dict"})):
        if load.owner is not None and load.owner.text == module.text and torchlint.wrappings(load.owner):
            loaded = _inside(load.owner)
            if not loaded:
                return None
            edits += loaded
            needing.discard(load.owner.key)
    if needing:
        return None
    return Fix(
        "Unwrap the module" if torchlint.is_wrapped(module) else "Unwrap the module where it is wrapped",
        edits,
        safe=False,
        doubt="code that loads the file into a wrapper has to expect the bare keys",
    )


def _inside(module: Place) -> tuple[Edit, ...]:
    """Return the edits that take a module out of its wrapper, and ask for one first where there may be none."""
    inside = {wrapping.attribute for wrapping in torchlint.wrappings(module)}
    if len(inside) != 1 or (attribute := inside.pop()) is None:
        return ()
    if torchlint.is_wrapped(module):
        return module.edits.append(f".{attribute}")
    # What is computed is not to be computed twice.
    if not module.is_name:
        return ()
    quoted = f"{module.file.quote}{attribute}{module.file.quote}"
    return module.edits.choose(f"{module.text}.{attribute} if hasattr({module.text}, {quoted}) else {module.text}")
