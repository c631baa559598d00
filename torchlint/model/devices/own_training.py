"""Files that train modules on the host: a lesson, or an agent, beside the programs of a project that use a GPU.

Such a file makes the modules and moves nothing, or moves them to the CPU. Whatever data it is given, the forward pass
would raise if they were on a GPU and the module is not. What is done with a module that the function returns once it is
trained does not matter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.calls import Call
from torchlint.model.devices.default_device import makes_elsewhere
from torchlint.model.devices.host_programs import FOLLOWING, placing
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Class, Function, Imported, Instance
from torchlint.model.values.variable_reads import named_reads
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.backward import BACKWARD
from torchlint.pytorch.classes import names_a
from torchlint.pytorch.copying import DEEP_COPIES
from torchlint.pytorch.module_attributes import PARAMETERS_OF
from torchlint.pytorch.roles import Role
from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import written
from torchlint.words import DEVICE_WORDS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_WORDS = (*DEVICE_WORDS, ".to(", "DataParallel", "prepare(")


@tabled(False)
def trains_on_host(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether each optimizer of a file has the parameters of a module that is left, or moved to, on the host."""
    if not file.says("optim") or makes_elsewhere(ev, file):
        return False
    found = list(_optimizers(file))
    is_left = _is_moved_to_host if _mentions_device(file.code) else _is_of_own_module
    return bool(found) and all(is_left(ev, call) for call in found)


def _mentions_device(code: str) -> bool:
    said = any(word in code for word in _WORDS)
    return said and any(word in FOLLOWING.sub("", placing(code)) for word in _WORDS)


def _optimizers(file: ParsedFile) -> Iterator[Call]:
    for node, statement in file.index.expressions(ast.Call):
        if passed(node, "params", 0) is None:
            continue
        if names_a((call := Call(file, node, statement)).callee.names, Role.OPTIMIZER):
            yield call


def _is_moved_to_host(ev: Evaluator, optimizer: Call) -> bool:
    """Tell whether an optimizer has the parameters of a module that is moved to the CPU, also where there is a GPU."""
    given = optimizer.argument("params", 0)
    match given.expression if given is not None else None:
        case ast.Call(func=ast.Attribute(value=module, attr=asked)) if asked in PARAMETERS_OF:
            return ev.project.evaluator(WITH_CUDA).residence(optimizer.at(module)) == HOST
        case _:
            return False


def _is_of_own_module(ev: Evaluator, optimizer: Call) -> bool:
    given = optimizer.argument("params", 0)
    module = _module_of(given.expression) if given is not None else None
    if module is None:
        return False
    place = optimizer.at(module)
    return _is_made_here(ev, place) and all(
        _is_left(ev, read) for read in named_reads(place.file, place.scope, module.id)
    )


def _module_of(parameters: ast.expr) -> ast.Name | None:
    """Return the module whose parameters an optimizer has: `net.parameters()`, `[net.mean, net.scale]`."""
    match parameters:
        case ast.Call(func=ast.Attribute(value=ast.Name() as module, attr=asked)) if asked in PARAMETERS_OF:
            return module
        case ast.List(elts=[ast.Attribute(value=ast.Name() as module), *_] as parts):
            owners = [one.value for one in parts if isinstance(one, ast.Attribute)]
            is_same = len(owners) == len(parts) and {written(one) for one in owners} == {module.id}
            return module if is_same else None
        case _:
            return None


def _is_made_here(ev: Evaluator, module: Place) -> bool:
    """Tell whether a name stands for modules of the project that the file makes, and whose classes move nothing."""
    possible = ev.evaluate(module)
    return bool(possible) and all(
        isinstance(one.value, Instance)
        and is_module(ev, one.value)
        and one.origin is not None
        and one.origin.file is module.file
        and module.code in one.origin.bound_to
        and not any(_mentions_device(base.file.code_of(base.scope.node)) for base in _classes(ev, one.value))
        for one in possible
    )


def _classes(ev: Evaluator, made: Instance) -> Iterator[Class]:
    return (base for base in family(ev, made.kind) if isinstance(base, Class))


def _is_left(ev: Evaluator, read: Place) -> bool:
    """Tell whether a read calls the module, asks it for something, or passes it to what moves nothing."""
    parent = read.parent
    match parent.expression if parent is not None else None:
        case ast.Attribute():
            return True
        case ast.Call(func=function) if parent is not None:
            return function is read.expression or _moves_nothing(ev, parent.at(function))
        case _:
            return isinstance(read.statement, ast.Return) and read.statement.value is read.expression and _trains(read)


def _trains(read: Place) -> bool:
    """Tell whether the function around a place makes training steps itself."""
    return any(callee_name(call) in BACKWARD for call, _ in read.file.calls_in_scope(read.scope))


def _moves_nothing(ev: Evaluator, callee: Place) -> bool:
    """Tell whether a callee is PyTorch's, or a function of the project that mentions no device."""
    called = [one.value for one in ev.evaluate(callee)]
    return bool(called) and all(
        (isinstance(one, Function) and not _mentions_device(one.file.code_of(one.scope.node)))
        or (isinstance(one, Imported) and (one.name.startswith("torch.") or one.name in DEEP_COPIES))
        for one in called
    )
