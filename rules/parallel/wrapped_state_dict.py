"""A state dict saved through a wrapper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Edit, Finding, Place, SourceFile

    from .detectors.saves import WrappedSave


class WrappedStateDict(Rule):
    """Save the state dict of the module, not of the wrapper around it.

    `DataParallel` and `DistributedDataParallel` hold the module as an attribute, so every key of their state dict
    starts with `module.`; `torch.compile` adds `_orig_mod.`. Loading the file into the unwrapped model raises `Missing
    key(s) in state_dict`, or silently loads nothing with `strict=False`. A pickled wrapper cannot be loaded at all
    without its class.

    If every loader of the project wraps the module first, the project itself runs. The save is still reported, as a
    warning: one GPU cannot load what eight saved, and neither can others who are given the file.

    Not reported:

    - state dicts of FSDP, which removes its prefix from the keys
    - state dicts of `….module`, of a name that still holds the unwrapped module, and of what an unwrapping helper
      returns
    - optimizers and schedulers
    - checkpoints whose prefix a loader of the project removes

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
    """Return the severity of a save: a project that always wraps what it loads into runs by itself."""
    return Severity.ERROR if save.put_back_into is None else Severity.WARNING


def _message(save: WrappedSave) -> str:
    place, into = quoted(save.place), save.put_back_into
    if save.is_pickled:
        word = save.wrapping.word
        return f"{place} is pickled with its `{word}` wrapper, which a load returns; save the module's state dict"
    keys = f"the keys of {place} start with `{save.wrapping.prefix}`"
    if into is None:
        return f"{keys}, so the module itself cannot load them; unwrap it first"
    return f"{keys}, so only a wrapped model can load them; save the state dict of the module"


def _unwrapped(module: Place, needed_by: tuple[Place, ...]) -> Fix | None:
    """Return the fix that takes the module out of its wrapper, wherever the file saves or loads through that.

    None if something else of the project needs the prefix, and would have to be changed with it.
    """
    edits = _inside(module)
    needing = {place.key for place in needed_by}
    if not edits:
        return None
    # What is saved without the prefix cannot be loaded into the wrapper any more.
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
        doubt="code that loads the file into a wrapper has to expect keys without the prefix",
    )


def _inside(module: Place) -> tuple[Edit, ...]:
    """Return the edits that take a module out of its wrapper, with a test for one if there may be none."""
    inside = {wrapping.attribute for wrapping in torchlint.wrappings(module)}
    if len(inside) != 1 or (attribute := inside.pop()) is None:
        return ()
    if torchlint.is_wrapped(module):
        return module.edits.append(f".{attribute}")
    # A computed owner is not to be computed twice.
    if not module.is_name:
        return ()
    quoted = f"{module.file.quote}{attribute}{module.file.quote}"
    return module.edits.choose(f"{module.text}.{attribute} if hasattr({module.text}, {quoted}) else {module.text}")
