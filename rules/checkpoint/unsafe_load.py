"""A file that may run code when it is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Cause, Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile

# Before 1.13 `torch.load` passes `weights_only` on to the unpickler, which raises; since 2.6 it is True by default.
_KNOWN_SINCE = (1, 13)
_CURE = "pass `weights_only=True`"
_OF_MODULE = "save a `state_dict()` instead of the module, and load that with `weights_only=True`"
_NEWER = "upgrade to PyTorch 1.13 or later and pass `weights_only=True`"
# What a file loads is trusted or not: the loads of a file with the same cure are one decision.
_LOADS = {
    cure: Cause("can run any code it loads", "in the file", advice)
    for cure, advice in ((_CURE, _CURE), (_OF_MODULE, "save state dicts instead of modules"), (_NEWER, _NEWER))
}


class UnsafeLoad(Rule):
    """Load files with `weights_only=True`.

    A file of `torch.save` is a pickle, and loading a pickle can run any code: anyone who can change the file can run
    programs as you. With `weights_only=True`, the default since PyTorch 2.6, only tensors and plain containers are
    loaded, and everything else raises `Weights only load failed`. A custom `pickle_module` switches this off.

    If the project's `target-torch` is older than 2.6, calls without `weights_only` are reported as well. Before 1.13
    there is no `weights_only`, and the fix is a newer PyTorch. A file that contains a whole module needs another file:
    save the `state_dict()` of the module. Allow the classes that a file needs with `torch.serialization.safe_globals`.
    Ignore the rule if the file needs more than that and only trusted users can write it.

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
        from .detectors.whole_loads import used_as_module

        for load in file.loads():
            if not self._runs_code(load.call, by_default=not load.takes_weights_only) or load.is_own:
                continue
            module = used_as_module(file.evaluator(), load.call)
            is_known = _knows_weights_only(load.call)
            # A module is no weights: with the argument alone, the load would raise.
            cure = _OF_MODULE if module is not None else _CURE if is_known else _NEWER
            yield self.finding(
                load.call,
                f"{quoted(load.call)} can run any code in the file; {cure}",
                trace=(module.step("used as a module here"),) if module is not None else (),
                fix=_weights_only(load.call) if is_known and module is None else None,
                cause=_LOADS[cure].at(file.path),
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


def _knows_weights_only(call: Call) -> bool:
    """Tell whether every PyTorch that the project supports has the argument; code that passes it needs it anyway."""
    target = call.file.project.target_torch
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
