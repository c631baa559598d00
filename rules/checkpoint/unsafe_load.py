"""A file that may run code when it is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Cause, Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile, Step

# Before 1.13 `torch.load` passes `weights_only` on to the unpickler, which raises; since 2.6 it is True by default.
_KNOWN_SINCE = (1, 13)
_CURE = "pass `weights_only=True`"
_OF_MODULE = "save a `state_dict()`, not the module, and pass `weights_only=True`"
_OF_OBJECT = "save plain values only, then pass `weights_only=True`"
_NEWER = "upgrade to PyTorch 1.13 or later and pass `weights_only=True`"
_ADVICE = {
    _CURE: _CURE,
    _OF_MODULE: "save state dicts instead of modules",
    _OF_OBJECT: _OF_OBJECT,
    _NEWER: "upgrade PyTorch and pass `weights_only=True`",
}
_BEFORE, _LOADED = " before PyTorch 2.6", " it loads"
# What a file loads is trusted or not: the loads of a file with the same cure are one decision.
_LOADS = {
    (cure, until): Cause(f"can run any code{until or _LOADED}", "in the file", advice)
    for cure, advice in _ADVICE.items()
    for until in ("", _BEFORE)
}


class UnsafeLoad(Rule):
    """Load files with `weights_only=True`.

    A file of `torch.save` is a pickle, and loading a pickle can run any code: anyone who can change the file can run
    programs as you. With `weights_only=True`, the default since PyTorch 2.6, only tensors and plain containers are
    loaded, and everything else raises `Weights only load failed`. A custom `pickle_module` switches this off.

    If the project's `target-torch` is older than 2.6, calls without `weights_only` are reported as well. Before 1.13
    there is no `weights_only`, and the fix is a newer PyTorch. A file that contains a whole module needs another file:
    save the `state_dict()` of the module. Where the program saves other objects, such as the result of `parse_args()`,
    save plain values, `vars(args)`, or allow their classes with `torch.serialization.safe_globals`. Ignore the rule if
    the file needs more than that and only trusted users can write it.

    Loads in one source file that need the same change are one finding.

    Not reported:

    - buffers in memory
    - files that the same function has just saved
    - arguments whose value is unknown

    https://docs.pytorch.org/docs/stable/notes/serialization.html#weights-only
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("load(",)
    # Local, needs a user to open the file, and then does everything: AV:L/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H.
    cvss = 7.8

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.saved_objects import object_in_file
        from .detectors.whole_loads import used_as_module

        unsafe = [one for one in file.loads() if self._runs_code(one.call, by_default=not one.takes_weights_only)]
        unsafe = [one for one in unsafe if not one.is_own]
        # Together they say what holds for all of them.
        together = _BEFORE if all(_is_by_default(one.call) for one in unsafe) else ""
        for load in unsafe:
            module = used_as_module(file.evaluator(), load.call)
            # A module is no weights, nor is any other object: with the argument alone, the load would raise.
            saved = object_in_file(file.evaluator(), load.call, load.source) if module is None else None
            is_known = _knows_weights_only(load.call)
            cure = _cure(module, saved, is_known=is_known)
            # The oldest PyTorch that a project supports is not the one that a fresh install brings.
            until = _BEFORE if _is_by_default(load.call) else ""
            yield self.finding(
                load.call,
                f"{quoted(load.call)} can run any code in the file{until}; {cure}",
                trace=_trace(module, saved),
                fix=_weights_only(load.call) if cure == _CURE else None,
                cause=_LOADS[cure, together].at(file.path),
            )

    def _runs_code(self, call: Call, *, by_default: bool) -> bool:
        if call.is_open:
            return False
        weights_only = call.argument("weights_only")
        if weights_only is not None:
            return weights_only.literals == (False,)
        pickling = call.argument("pickle_module", 2)
        if pickling is not None and pickling.literals != (None,):
            return pickling.literals is None
        return by_default


def _cure(module: Place | None, saved: Place | None, *, is_known: bool) -> str:
    if module is not None:
        return _OF_MODULE
    if not is_known:
        return _NEWER
    return _OF_OBJECT if saved is not None else _CURE


def _trace(module: Place | None, saved: Place | None) -> tuple[Step, ...]:
    if module is not None:
        from .detectors.whole_loads import shows_module

        return (module.step(f"used as a module {'' if shows_module(module) else 'or optimizer '}here"),)
    return (saved.step("`weights_only=True` refuses this object, saved here"),) if saved is not None else ()


def _is_by_default(call: Call) -> bool:
    """Tell whether a call runs code only because of the default that PyTorch 2.6 has changed."""
    pickling = call.argument("pickle_module", 2)
    is_own = pickling is not None and pickling.literals != (None,)
    return call.argument("weights_only") is None and not is_own


def _knows_weights_only(call: Call) -> bool:
    """Tell whether every PyTorch that the project supports has the argument; code that passes it needs it anyway."""
    target = call.file.oldest_torch
    return target is None or target >= _KNOWN_SINCE or "weights_only" in call.keywords


def _weights_only(call: Call) -> Fix | None:
    """`torch.load(path)` → `torch.load(path, weights_only=True)`; another unpickler is removed."""
    said, edits = call.argument("weights_only"), call.edits.drop_argument("pickle_module")
    if said is not None:
        edits += (said.edits.replace("True"),)
    elif call.argument("pickle_module", 2) is not None and not edits:
        return None
    elif (edit := call.edits.last_argument("weights_only=True")) is not None:
        edits += (edit,)
    return (
        Fix("Load only weights", edits, safe=False, doubt="a file that contains more than weights no longer loads")
        if edits
        else None
    )
