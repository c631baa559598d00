"""The calls that make a training step: `backward()`, and `step()` of an optimizer or of a gradient scaler."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.roles import is_a
from torchlint.model.test_files import checks_something, is_of_tests
from torchlint.model.training.frameworks import is_for_another
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Instance, Possibility, Unknown
from torchlint.pytorch.backward import BACKWARD
from torchlint.pytorch.companions.timm import STEPPING_SCALERS
from torchlint.pytorch.roles import Role
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_STEPPING = frozenset({Role.OPTIMIZER, Role.SCALER})
_OPTIMIZER_WORDS = re.compile(r"(?<![a-z])(opt|optims?|optimi[sz]ers?|scaler|sgd|adam)(?![a-z])")
# Text of a file that updates parameters in some way, an optimizer or manually: not one that only computes gradients. A
# file that uses `import torch.optim as optim` says `optim` again.
_OPTIMIZES = r"^(?! *import ).*optim"
_UPDATE = re.compile(rf"\.step\(|\.grad\b(?! *= *None| is |\.zero_\(|\()|{_OPTIMIZES}", re.MULTILINE)
# Tests compare gradients, and benchmarks compute some, so that they update manually only if they say more.
_BY_HAND = r"(-=|\b(sub|add|addcdiv)_\(|\bdata *=(?!=)).*\.grad\b"
_UPDATE_IN_TEST = re.compile(rf"\.step\(|{_OPTIMIZES}|{_BY_HAND}", re.IGNORECASE | re.MULTILINE)


def _is_stepping(one: Possibility) -> bool:
    return isinstance(one.value, Built) and one.value.name in STEPPING_SCALERS


def may_update(chain: Sequence[Place]) -> bool:
    """Tell whether more may come of a `backward()` than gradients, as far as the code around it shows.

    `chain` are the call in a loop that leads to it, the calls on the path, and the `backward()` itself.
    """
    if is_of_tests(chain[0].file):
        return any(_UPDATE_IN_TEST.search(place.file.code_of(place.scope.node)) for place in chain)
    # A loop that itself computes gradients may be short for one that trains; a function shows its purpose.
    return len(chain) == 1 or any(_UPDATE.search(place.file.code) for place in chain)


def is_only_compared(place: Place) -> bool:
    """Tell whether a place is in a function of a test that compares results, and trains nothing with them."""
    code = place.file.code_of(place.scope.node)
    return is_of_tests(place.file) and checks_something(code) and not _UPDATE_IN_TEST.search(code)


def stepping_files(ev: Evaluator) -> Iterator[ParsedFile]:
    """Yield the files that may make a training step, by their bytes."""
    library = ev.project.library
    paths = {**library.holding("backward("), **library.holding(".step("), **library.holding("scaler(")}
    for path in sorted(paths):
        if (file := ev.project.parsed(path)) is not None and not is_for_another(file):
            yield file


def backwards(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    """Yield the calls of a file that compute gradients."""
    for name in BACKWARD:
        for call, statement in file.index.calls(name):
            place = Place(file, call, statement)
            if isinstance(call.func, ast.Attribute) and not _is_own_method(ev, place, name):
                yield place


def updates(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    """Yield the calls of a file by which an optimizer or scaler updates parameters."""
    for call, statement in file.index.calls("step"):
        place = Place(file, call, statement)
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if owner is not None and _may_be_optimizer(call, written(owner).lower()):
            yield from (place,) if _is_optimizer(ev, place.at(owner)) else ()
    for name in sorted(one for one in file.index.called_names() if one.lower().endswith("scaler")):
        for call, statement in file.index.calls(name):
            place = Place(file, call, statement)
            if call.args and any(_is_stepping(one) for one in ev.evaluate(place.at(call.func))):
                yield place


@tabled(frozenset[ast.expr]())
def updating(ev: Evaluator, file: ParsedFile) -> frozenset[ast.expr]:
    """Return the calls of a file by which an optimizer or scaler updates parameters, as a set."""
    return frozenset(one.expression for one in updates(ev, file))


def _may_be_optimizer(call: ast.Call, owner: str) -> bool:
    """Tell by its form whether a `step()` may be an optimizer's, before its owner is evaluated.

    `step()` takes a closure or, in a gradient scaler, an optimizer: `env.step(action)` needs no query.
    """
    if "sched" in owner or len(call.args) > 1 or any(isinstance(argument, ast.Constant) for argument in call.args):
        return False
    return not call.args or _OPTIMIZER_WORDS.search(owner) is not None


def _is_own_method(ev: Evaluator, place: Place, name: str) -> bool:
    """Tell whether `x.backward()` calls a method of the project, whose body is searched itself."""
    call = place.expression
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    if not ev.project.library.holding(f"def {name}(self"):
        return False
    owners = ev.evaluate(place.at(call.func.value))
    return any(isinstance(one.value, Instance) and method_of(ev, one.value.kind, name) is not None for one in owners)


def _is_optimizer(ev: Evaluator, owner: Place) -> bool:
    """Tell whether the owner of a `step()` is an optimizer or scaler; by its name if it is unknown."""
    outcomes = [_steps_parameters(ev, one) for one in ev.evaluate(owner)]
    if True in outcomes:
        return True
    if outcomes and None not in outcomes:
        return False
    text = owner.code.lower()
    return _OPTIMIZER_WORDS.search(text) is not None and not re.search("sched|lr", text)


def _steps_parameters(ev: Evaluator, one: Possibility) -> bool | None:
    if is_a(ev, one.value, _STEPPING):
        return True
    match one.value:
        case Built(name=name):
            return name.endswith("GradScaler") or (None if not name.startswith("torch.") else False)
        case Instance(kind=kind):
            return False if method_of(ev, kind, "step") is not None else None
        case Unknown():
            return None
        case _:
            return False
