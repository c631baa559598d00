"""Loads of whole modules that let PyTorch load nothing but weights."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.calls import Call
from torchlint.model.checkpoints.loading import is_used_as_module, loads_of
from torchlint.model.guards.catching import is_in_try
from torchlint.model.place import Place
from torchlint.model.values.def_use import Use, ancestors, uses_of
from torchlint.model.values.value_sets import Class, Instance
from torchlint.pytorch.module_attributes import OF_OPTIMIZERS_TOO
from torchlint.syntax.around import class_around, dominating_conditions, is_self
from torchlint.syntax.last_names import last_name
from torchlint.syntax.overwriting import lasting_stores
from torchlint.syntax.walk import walk, written

from .whole_files import is_dict_in_file, module_in_file

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_TELLING_APART = frozenset({"isinstance", "hasattr", "callable", "type"})
# Text that allows classes in a file of weights, or restores the old default in the program.
_ALLOWING = ("safe_globals", "add_safe_globals", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "torch.load =", "torch.load=")


@dataclass(frozen=True, slots=True)
class WholeLoad:
    """A call of `torch.load`, and where what it returns is used as a module, or the module was saved."""

    call: Call
    shown: Place
    is_saved: bool = False


def whole_loads(ev: Evaluator, file: ParsedFile) -> Iterator[WholeLoad]:
    """Yield the loads that raise since `weights_only` is True by default: their file contains a module."""
    if any(ev.project.library.holding(word) for word in _ALLOWING):
        return
    for load in loads_of(file):
        call = load.call
        is_chosen = call.is_open or call.argument("pickle_module", 2) is not None or "weights_only" in call.keywords
        if is_chosen or not load.takes_weights_only or is_in_try(call):
            continue
        if (use := used_as_module(ev, call)) is not None:
            if load.source is None or not _is_of_dict(ev, use, load.source):
                yield WholeLoad(call, use)
        elif load.source is not None and (saved := module_in_file(ev, load.source)) is not None:
            yield WholeLoad(call, saved, is_saved=True)


def _is_of_dict(ev: Evaluator, use: Place, source: Place) -> bool:
    """Tell whether all that a file holds is used as a module, and is a dict: the use raises, and the load does not."""
    used = use.expression.value if isinstance(use.expression, ast.Attribute) else use.expression
    return not isinstance(used, ast.Subscript) and is_dict_in_file(ev, source)


def used_as_module(ev: Evaluator, load: Call) -> Place | None:
    """Return where what a call loads is used as a module, so that the file contains one."""
    for use in uses_of(ev, load):
        place = _as_module(use)
        if place is None or (use.place.scope is not load.scope and _is_other_module(ev, load, use.place)):
            continue
        if _is_told_apart(use, place):
            continue
        if all(_is_of_same_object(ev, one) for one in _reads_before(use)):
            return place
    return None


def shows_module(use: Place) -> bool:
    """Tell whether what is used so can only be a module: an optimizer has a `state_dict()`, too."""
    return not isinstance(use.expression, ast.Attribute) or use.expression.attr not in OF_OPTIMIZERS_TOO


def _is_told_apart(use: Use, module: Place) -> bool:
    """Tell whether a test asks first what the file contains: `if isinstance(saved, nn.Module): net = saved`.

    It may ask about an entry: `if isinstance(saved["net"], dict)`, or else `saved["net"].state_dict()`.
    """
    read = {written(node) for node in walk(module.expression) if isinstance(node, ast.Subscript)}
    step: Use | None = use
    while step is not None:
        read.add(written(step.place.expression))
        step = step.before
    tests = (condition.test for condition in dominating_conditions(use.place))
    return any(_asks_for_kind(node, read) for test in tests for node in walk(test))


def _asks_for_kind(node: ast.AST, read: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[subject, *_]):
            return name in _TELLING_APART and written(subject) in read
        case _:
            return False


def _is_other_module(ev: Evaluator, load: Call, used: Place) -> bool:
    """Tell whether what another function uses may be a module that is made by the program, instead of what it loads."""
    return not _takes_place(load) and any(is_module(ev, one.value) for one in ev.evaluate(used))


def _takes_place(load: Call) -> bool:
    """Tell whether a method replaces a module of its object by what it loads: `self.net = torch.load(path)`."""
    match load.statement:
        case ast.Assign(targets=[ast.Attribute(value=owner) as target], value=value) if value is load.expression:
            stays = any(one.statement is load.statement for one in lasting_stores(load.at(target)))
            return stays and is_self(owner)
        case _:
            return False


def _reads_before(use: Use) -> Iterator[Use]:
    """Yield the reads of attributes that a value came through, the last first."""
    step: Use | None = use
    while step is not None:
        if isinstance(step.place.expression, ast.Attribute):
            yield step
        step = step.before


def _is_of_same_object(ev: Evaluator, use: Use) -> bool:
    """Tell whether an attribute is read of the object that it was stored in: the same name, or of the same class."""
    read, stored = use.place.expression, use.before.place.statement if use.before is not None else None
    if not isinstance(read, ast.Attribute) or not isinstance(stored, ast.Assign):
        return True
    owners = [one.value for one in stored.targets if isinstance(one, ast.Attribute) and one.attr == read.attr]
    if not owners or last_name(read.value) in map(last_name, owners):
        return True
    assert use.before is not None
    around = class_around(use.before.place)
    kinds = (one.value.kind for one in ev.evaluate(use.place.at(read.value)) if isinstance(one.value, Instance))
    return any(isinstance(base, Class) and base.scope is around for kind in kinds for base in family(ev, kind))


def _as_module(use: Use) -> Place | None:
    """Return the expression that uses a loaded value, or an entry of it, as a module: `saved["model"].eval()`."""
    if not use.is_whole or use.inside:
        return None
    for parent, child in ancestors(use.place):
        match parent:
            case ast.Subscript(value=value, slice=ast.Constant(value=str())) if value is child:
                continue
            case ast.Attribute() if is_used_as_module(parent, child) and _is_called(use.place.at(parent)):
                return use.place.at(parent)
            case ast.Call(func=function) if function is child:
                return use.place.at(parent)
            case _:
                return None
    return None


def _is_called(method: Place) -> bool:
    around = next(ancestors(method), (None, method.expression))[0]
    return isinstance(around, ast.Call) and around.func is method.expression
