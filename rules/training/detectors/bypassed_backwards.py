"""Losses of modules that a library has taken over, from which a tensor's own `backward()` starts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, call_at
from torchlint.model.guards.contradictions import are_in_different_arms
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built
from torchlint.syntax.last_names import last_name

from .backward_paths import all_back_through
from .takeovers import Taken, taken

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# A program that reads one of these distinguishes the two kinds of `backward()`.
_KNOWING = re.compile(r"accelerat|amp|apex|deepspeed|engine|fabric|fp16|precision|scaler", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bypass:
    """A `backward()` of a tensor, and whose it should be: `owner` is how that is called there, empty where unknown."""

    call: Call
    taken: Taken
    owner: str


def bypassed_backwards(ev: Evaluator) -> dict[str, list[Bypass]]:
    """Return where a project goes back from the loss of a module past who has taken that over, by file."""
    found: dict[object, Bypass] = {}
    for one in taken(ev):
        for start in all_back_through(ev, [one.call], one.by, by_any_part=True):
            call = call_at(start)
            if call is not None and _is_tensors_own(call) and _is_on_the_way(call, one) and not _knows(call):
                found.setdefault(call.key, Bypass(call, one, _owner(ev, call, one)))
    by_path: dict[str, list[Bypass]] = {}
    for one_found in sorted(found.values(), key=lambda one: one.call.key):
        by_path.setdefault(one_found.call.path, []).append(one_found)
    return by_path


def _is_tensors_own(call: Call) -> bool:
    """Tell whether a call is `loss.backward()`, of an unscaled loss."""
    owner = call.owner
    if call.method != "backward" or owner is None or call.arguments or call.is_open:
        return False
    parts = (node for node in ast.walk(owner.expression) if isinstance(node, ast.Call))
    return not any(last_name(part.func) == "scale" for part in parts)


def _is_on_the_way(call: Call, one: Taken) -> bool:
    """Tell whether a loss is given back to where the module came from: others may call what computes it, too."""
    return call.scope in one.way or (call.scope.is_method and call.scope.outer in one.way)


def _knows(call: Call) -> bool:
    """Tell whether a test on the way says which way back is right, or the other arm of one goes the other way."""
    if any(_KNOWING.search(test.code) for test, _ in call.tests):
        return True
    others = call.file.calls_of(call.scope, "backward")
    return any(other.args and are_in_different_arms(call, Place(call.file, other, at)) for other, at in others)


def _owner(ev: Evaluator, call: Call, one: Taken) -> str:
    """Return the name of the engine or accelerator at `backward()`, empty where it is unknown."""
    if one.row.is_module:
        return one.call.callee.code if one.call.scope is call.scope else ""
    owner = one.by.owner
    if owner is not None and call.scope is one.by.scope:
        return owner.code
    return next(_namesakes(ev, call, one), "")


def _namesakes(ev: Evaluator, call: Call, one: Taken) -> Iterator[str]:
    """Yield what the function around a call calls who has such methods: `accelerator` of `accelerator.print(…)`."""
    classes = {name.rpartition(".")[0] for name in one.row.names}
    for other, statement in call.file.calls_in_scope(call.scope):
        if isinstance(other.func, ast.Attribute) and isinstance(other.func.value, (ast.Name, ast.Attribute)):
            owner = Place(call.file, other.func.value, statement)
            values = [found.value for found in ev.evaluate(owner)]
            if values and all(isinstance(value, Built) and value.name in classes for value in values):
                yield owner.code
