"""Whether a read makes the host wait: what is read has to be a tensor that may be on a device."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.containers.displays import elements_of
from torchlint.model.devices.moving import moved_to
from torchlint.model.devices.operands import is_on_the_device
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.roles import is_a
from torchlint.model.syncs.masks import is_mask
from torchlint.model.values.joins import is_open
from torchlint.model.values.value_sets import HOST, Function, Imported, Literal, Tensor, Unknown, ValueSet
from torchlint.model.worlds import BY_DEFAULT
from torchlint.pytorch.roles import Role
from torchlint.pytorch.scalers import READING
from torchlint.pytorch.streams import SYNCHRONIZING
from torchlint.pytorch.waits import READ_AS_NUMBERS
from torchlint.syntax.last_names import callee_name

from .clocks import is_beside_clock
from .moved_below import is_moved_below
from .read_arguments import reads_number
from .reads import CONVERSIONS, EXTREMES, MATH, QUANTIFIERS, Read, WaitKind

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_MODULE_WORDS = re.compile(r"(?<![a-z])(model|net|module|network|encoder|decoder|ema)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Wait:
    """An expression that makes the host wait, and the tensor that it waits for."""

    place: Place
    tensor: Place
    is_sure: bool
    """Whether what is read is surely a tensor, and not only most likely."""


def wait_of(ev: Evaluator, read: Read, kind: WaitKind) -> Wait | None:
    """Return how a read waits, or None if it does not."""
    return _WAITS[kind](ev, read)


def _scalar(ev: Evaluator, read: Read) -> Wait | None:
    call = read.place.expression
    assert isinstance(call, ast.Call)
    name = callee_name(call)
    if name in READING:
        return Wait(read.place, read.place, True) if _is_scaler(ev, read.tensor) else None
    if name not in READ_AS_NUMBERS and not _means(ev, read.place.at(call.func), name):
        return None
    return _waits_for(ev, read, needs_proof=name != "item")


def _is_scaler(ev: Evaluator, owner: Place) -> bool:
    """Tell whether something is a gradient scaler, whose scale is a tensor; one that is disabled has none."""
    possible = ev.evaluate(owner)
    return bool(possible) and all(is_a(ev, one.value, Role.SCALER) and not _is_off(one.origin) for one in possible)


def _is_off(scaler: Place | None) -> bool:
    """Tell whether a gradient scaler is made for the host, or disabled."""
    call = scaler.expression if scaler is not None else None
    if not isinstance(call, ast.Call):
        return False
    given = [*call.args[:1], *(word.value for word in call.keywords if word.arg in {"device", "enabled"})]
    return any(isinstance(one, ast.Constant) and one.value in {False, "cpu"} for one in given)


def _means(ev: Evaluator, function: Place, name: str) -> bool:
    """Tell whether `float` and `max` are Python's own, and `isnan` that of `math`."""
    is_own = name in {*CONVERSIONS, *EXTREMES, *QUANTIFIERS}
    full = {f"builtins.{name}"} if is_own else {f"math.{name}"} if name in MATH else set()
    return any(isinstance(one.value, Imported) and one.value.name in full for one in ev.evaluate(function))


def _copy(ev: Evaluator, read: Read) -> Wait | None:
    call = read.place.expression
    assert isinstance(call, ast.Call)
    if any(word.arg == "non_blocking" for word in call.keywords) or _is_module(ev, read.tensor):
        return None
    if (name := callee_name(call)) in {"type", "type_as"}:
        return Wait(read.place, read.tensor, True) if _is_brought_home(ev, read, name) else None
    if name == "to" and moved_to(ev, read.place, "to", None) != HOST:
        return None
    return _waits_for(ev, read, needs_proof=False)


def _is_brought_home(ev: Evaluator, read: Read, name: str) -> bool:
    """Tell whether `x.type(torch.FloatTensor)` copies to the host: it is mostly meant to change the type alone."""
    if moved_to(ev, read.place, name, None) != HOST:
        return False
    return is_on_the_device(ev.project.evaluator(BY_DEFAULT), read.tensor)


def _is_module(ev: Evaluator, owner: Place) -> bool:
    """Tell whether the owner of `.cpu()` is a module: moving one at the end of training is no mistake."""
    possible = ev.evaluate(owner)
    if any(is_module(ev, one.value) for one in possible):
        return True
    last = owner.code.rpartition(".")[2]
    return may_be_anything(possible) and _MODULE_WORDS.search(last.lower()) is not None and "(" not in last


def _branch(ev: Evaluator, read: Read) -> Wait | None:
    if not _asks_itself(ev, read):
        return None
    if not is_on_device(ev.evaluate(read.tensor)) or is_moved_below(ev, read.tensor):
        return None
    return Wait(read.place, read.tensor, True)


def _asks_itself(ev: Evaluator, read: Read) -> bool:
    """Tell whether Python evaluates the truth of what is read: it is in a test, or Python's own `max` compares it."""
    call = read.place.expression
    if read.tensor.expression is call or not isinstance(call, ast.Call):
        return True
    return _means(ev, read.place.at(call.func), callee_name(call))


def _text(ev: Evaluator, read: Read) -> Wait | None:
    if isinstance(read.place.expression, ast.Call):
        callees = ev.evaluate(read.place.at(read.place.expression.func))
        if any(isinstance(one.value, Function) for one in callees):
            return None  # a function of the project, whose body is searched itself
    if isinstance(read.tensor.expression, ast.Starred):
        possible = elements_of(ev, ev.evaluate(read.tensor.at(read.tensor.expression.value)))
    else:
        possible = ev.evaluate(read.tensor)
    return Wait(read.place, read.tensor, True) if is_on_device(possible) else None


def _shape(ev: Evaluator, read: Read) -> Wait | None:
    if isinstance(read.place.expression, ast.Subscript) and not is_mask(ev, read.tensor):
        return None
    return Wait(read.place, read.tensor, True) if is_on_device(ev.evaluate(read.tensor)) else None


def _number(ev: Evaluator, read: Read) -> Wait | None:
    return Wait(read.place, read.tensor, True) if reads_number(ev, read.place, read.tensor) else None


def _synchronize(ev: Evaluator, read: Read) -> Wait | None:
    """`torch.cuda.synchronize()`, except near a clock, which needs it."""
    assert isinstance(read.place.expression, ast.Call)
    callees = ev.evaluate(read.place.at(read.place.expression.func))
    if not any(isinstance(one.value, Imported) and one.value.name in SYNCHRONIZING for one in callees):
        return None
    return None if is_beside_clock(ev, read.place) else Wait(read.place, read.tensor, True)


def _waits_for(ev: Evaluator, read: Read, *, needs_proof: bool) -> Wait | None:
    possible = ev.evaluate(read.tensor)
    if is_moved_below(ev, read.tensor):
        return None
    if may_be_on_device(possible):
        return Wait(read.place, read.tensor, True)
    if needs_proof or (possible and not any(map(is_open, possible))):
        return None
    # Without any possibility, a test on the path has ruled out all of them.
    return Wait(read.place, read.tensor, False) if possible or is_reachable(ev, read.place) else None


def may_be_on_device(possible: ValueSet) -> bool:
    """Tell whether an expression may be a tensor that is not known to be on the host."""
    return any(isinstance(one.value, Tensor) and one.value.device != HOST for one in possible)


def is_on_device(possible: ValueSet) -> bool:
    """Tell whether an expression is a tensor that is not known to be on the host, and nothing else."""
    return not may_be_no_tensor(possible) and may_be_on_device(possible)


def may_be_no_tensor(possible: ValueSet) -> bool:
    """Tell whether an expression may be something known that is no tensor."""
    return any(not isinstance(one.value, (Tensor, Unknown)) for one in possible)


def may_be_flag(possible: ValueSet) -> bool:
    """Tell whether an expression may be True or False."""
    return any(isinstance(one.value, Literal) and isinstance(one.value.value, bool) for one in possible)


def is_on_the_host(possible: ValueSet) -> bool:
    """Tell whether an expression surely is a tensor on the host."""
    return bool(possible) and all(isinstance(one.value, Tensor) and one.value.device == HOST for one in possible)


def waits_for_nothing(possible: ValueSet) -> bool:
    """Tell whether an expression surely is a tensor on the host, or may be something that is no tensor."""
    return may_be_no_tensor(possible) or is_on_the_host(possible)


def may_be_anything(possible: ValueSet) -> bool:
    """Tell whether an expression is unknown."""
    return not possible or any(isinstance(one.value, Unknown) for one in possible)


_WAITS: dict[WaitKind, Callable[[Evaluator, Read], Wait | None]] = {
    "scalar": _scalar,
    "copy": _copy,
    "branch": _branch,
    "text": _text,
    "shape": _shape,
    "number": _number,
    "synchronize": _synchronize,
}
