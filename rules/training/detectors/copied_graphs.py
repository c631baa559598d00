"""Copies of modules that hold a tensor with a graph, which `deepcopy` refuses.

Checked on torch 2.13: "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol".
https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module, method_of
from torchlint.model.calls import Call, calls_of
from torchlint.model.containers.displays import elements_of
from torchlint.model.guards.catching import is_in_try
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.tensors.makers import public_name
from torchlint.model.training.grad_mode import is_asked_for, is_recorded
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Display, Function, Imported, Instance, Possibility, Tensor
from torchlint.pytorch.copying import DEEP_COPIES, OWN_COPIES
from torchlint.pytorch.factories import FACTORIES
from torchlint.pytorch.symbols import PARAMETER, VARIABLE
from torchlint.pytorch.views import ONE_VIEW, SAME_NUMBERS
from torchlint.syntax.around import is_self
from torchlint.syntax.walk import walk

from .always_recording import records_as_written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Store

_LEAVES = FACTORIES | {PARAMETER, VARIABLE}
_MAKING, _RUNNING = "__init__", "forward"


@dataclass(frozen=True, slots=True)
class CopiedGraph:
    """A copy of a module, where that keeps a tensor with a graph, and the call that has made it do so."""

    copy: Call
    kept: Place
    run: Place | None
    """The call of the module; None where it keeps the tensor from when it is made."""


def copied_graphs(ev: Evaluator, file: ParsedFile) -> Iterator[CopiedGraph]:
    """Yield the copies in a file of modules that surely hold a tensor with a graph."""
    for copy in calls_of(file, frozenset(DEEP_COPIES)):
        module = copy.arguments[0] if copy.arguments else None
        kinds = _kinds(ev, module) if module is not None else None
        if module is None or not kinds or is_in_try(copy) or not is_reachable(ev, copy):
            continue
        found = _copied(ev, copy, module, kinds)
        if found is not None:
            yield found


def _copied(ev: Evaluator, copy: Call, module: Place, kinds: list[Class]) -> CopiedGraph | None:
    """Return what a copied module holds with a graph, from when it was made or from its last call."""
    for method in (_MAKING, _RUNNING):
        kept = [_kept_in(ev, kind, method) for kind in kinds]
        if None not in kept and (first := kept[0]) is not None and not _is_set_outside(copy, first):
            run = _last_run(ev, copy, module) if method == _RUNNING else None
            return CopiedGraph(copy, first, run) if run is not None or method == _MAKING else None
    return None


def _is_set_outside(copy: Call, kept: Place) -> bool:
    """Tell whether the file of a copy sets the attribute of what may be the module: `model.last = None`."""
    names = {name.rpartition(".")[2] for name in kept.bound_to}
    return any(not is_self(one.target) for name in names for one in copy.file.index.attribute_stores(name))


def _kinds(ev: Evaluator, module: Place) -> list[Class] | None:
    """Return the classes of the project that a module may be of, None if it may be anything else."""
    possible = ev.evaluate(module)
    kinds = [one.value.kind for one in possible if isinstance(one.value, Instance) and is_module(ev, one.value)]
    return kinds if len(kinds) == len(possible) else None


_NOWHERE: Place | None = None


@tabled(_NOWHERE)
def _kept_in(ev: Evaluator, kind: Class, name: str) -> Place | None:
    """Return where a method of a module, or of a part that it runs or makes, keeps what has a graph; else None."""
    method = method_of(ev, kind, name)
    if method is None or any(method_of(ev, kind, one) is not None for one in OWN_COPIES):
        return None
    classes = [one for one in family(ev, kind) if isinstance(one, Class)]
    stores = [(one, store) for one in classes for store in _stores_in(one)]
    for one, store in stores:
        block = one.file.index.home[store.statement][0]
        is_last = not any(_may_replace(kind, store, other) for kind, other in stores)
        if block.owner is method.scope.node and is_last and store.value is not None and _is_kept(ev, one, store):
            return Place(one.file, store.value, store.statement)
    return next((found for part in _parts(ev, method) if (found := _kept_in(ev, part, name)) is not None), None)


def _parts(ev: Evaluator, method: Function) -> Iterator[Class]:
    """Yield the classes of the modules that `__init__` surely makes as attributes, or that `forward` surely runs."""
    for node, statement in method.file.calls_in_scope(method.scope):
        call = Call(method.file, node, statement)
        if call.file.index.home[statement][0].owner is not method.scope.node:
            continue
        is_made = method.scope.name == _MAKING and any(name.startswith("self.") for name in call.bound_to)
        kinds = _kinds(ev, call if is_made else call.callee) if is_made or method.scope.name == _RUNNING else None
        if kinds is not None and len(kinds) == 1 and (is_made or call.callee.code.startswith("self.")):
            yield kinds[0]


def _stores_in(kind: Class) -> Iterator[Store]:
    """Yield the stores of a class into attributes of its own objects."""
    index = kind.file.index
    for store in index.stores:
        is_own = isinstance(store.key, str) and is_self(store.target)
        if is_own and index.home[store.statement][0].scope.outer is kind.scope:
            yield store


def _may_replace(kind: Class, store: Store, other: Store) -> bool:
    """Tell whether another store into the attribute may come after one: those of `__init__` come first."""
    if other is store or other.key != store.key:
        return False
    is_later = other.statement.lineno > store.statement.lineno
    return is_later or kind.file.index.home[other.statement][0].scope.name != _MAKING


def _is_kept(ev: Evaluator, kind: Class, store: Store) -> bool:
    """Tell whether what is stored is surely a tensor with a graph, or a container of some."""
    if store.kind != "assign" or store.selector or store.value is None:
        return False
    place = Place(kind.file, store.value, store.statement)
    if not is_recorded(place) or is_asked_for(place):
        return False
    possible = ev.evaluate(place)
    if possible and all(isinstance(one.value, Display) for one in possible):
        possible = elements_of(ev, possible)
    return bool(possible) and all(_is_computed(ev, one) for one in possible)


def _is_computed(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether something is a tensor that was surely computed from others, and so is no leaf."""
    if not isinstance(one.value, Tensor) or one.value.graph is not True or one.origin is None:
        return False
    match one.origin.expression:
        case ast.BinOp():
            return True
        case ast.Call(func=ast.Attribute(attr=name)) if name in SAME_NUMBERS - ONE_VIEW:
            return False
        case ast.Call(func=function):
            callees = [two.value for two in ev.evaluate(one.origin.at(function))]
            return not any(isinstance(two, Imported) and public_name(two.name) in _LEAVES for two in callees)
        case _:
            return False


def _last_run(ev: Evaluator, copy: Call, module: Place) -> Place | None:
    """Return the call of a module before its copy, where that is recorded and nothing else has the module since."""
    if not module.is_name:
        return None
    calls = [Call(copy.file, *one) for one in copy.file.calls_in_scope(copy.scope)]
    before = [one for one in calls if one.line < copy.line and not exclude_each_other(one, copy)]
    runs = [one for one in before if one.callee.code == module.code and _precedes(one, copy)]
    last = max(runs, key=lambda one: one.line, default=None)
    if last is None or not is_recorded(last) or not records_as_written(ev, last):
        return None
    since = (one for one in before if one.line > last.line)
    return None if any(_has(one, module) for one in since) or _is_bound_between(last, copy, module) else last


def _precedes(run: Call, copy: Call) -> bool:
    """Tell whether every path to a copy has passed a call in its block, or in one around it."""
    index = run.file.index
    block, position = index.home[run.statement]
    own = dict(index.blocks_around(copy.statement)).get(block)
    return own is not None and position < own


def _has(call: Call, module: Place) -> bool:
    """Tell whether a call runs a module, or is given it."""
    assert isinstance(call.expression, ast.Call)
    given = (call.expression.func, *call.expression.args, *(one.value for one in call.expression.keywords))
    return any(call.at(one).code == module.code for whole in given for one in _whole(whole))


def _whole(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions of an argument that are passed as they are."""
    inner = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
    yield from (one for one in inner if isinstance(one, (ast.Name, ast.Attribute)))


def _is_bound_between(run: Call, copy: Call, module: Place) -> bool:
    names = {one.id for one in walk(module.expression) if isinstance(one, ast.Name)}
    bound = (one for name in names for one in copy.scope.bindings.get(name, ()))
    return any(run.line < one.statement.lineno < copy.line for one in bound)
