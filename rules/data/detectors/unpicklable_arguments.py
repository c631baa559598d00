"""Arguments of a loader that cannot be pickled, as they are for workers that are spawned.

`fork` copies the process; `spawn` and `forkserver` pickle the dataset, `collate_fn` and `worker_init_fn` of each worker
(torch/utils/data/dataloader.py, torch 2.13). A function is pickled by its name, which a lambda has not, and which of a
function in another one cannot be imported: https://docs.python.org/3/library/pickle.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.calls import Call, calls_of
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.parallel.start_methods import start_methods
from torchlint.model.tensors.loader_arguments import loader_argument
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Class, Display, Function, Instance, Literal, Possibility
from torchlint.pytorch.processes import CONTEXT_ARGUMENT, FORK, PICKLED_ATTRIBUTES, PICKLED_HOOKS, PICKLING
from torchlint.pytorch.symbols import LOADER

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope

# The arguments that the workers get.
_GIVEN = ("dataset", "collate_fn", "worker_init_fn")


@dataclass(frozen=True, slots=True)
class Local:
    """What cannot be pickled: a lambda, or what a function defines; and where it is written, if that is known."""

    kind: str
    written: Place | None
    is_held: bool = False
    """Whether it is a part of what the loader is given."""


_NOTHING: Local | None = None


@dataclass(frozen=True, slots=True)
class Unpicklable:
    """An argument of a loader, and what in it cannot be pickled."""

    argument: Place
    local: Local
    is_chosen: bool
    """Whether the program chooses a start method that pickles; else that is up to the platform."""


def unpicklable_arguments(ev: Evaluator, file: ParsedFile) -> Iterator[Unpicklable]:
    """Yield the arguments of a file's loaders that cannot be pickled for their workers, if they may be pickled."""
    for call in calls_of(file, frozenset({LOADER})):
        workers = loader_argument(call, "num_workers")
        if workers is None or not _are_workers(ev, workers) or not is_reachable(ev, call):
            continue
        for name in _GIVEN:
            argument = loader_argument(call, name)
            local = _in(ev, argument) if argument is not None else None
            if argument is not None and local is not None and FORK not in (methods := _methods(ev, call)):
                yield Unpicklable(argument, local, methods <= PICKLING)


def _are_workers(ev: Evaluator, count: Place) -> bool:
    """Tell whether there are workers by all that is known of their number."""
    values = [one.value.value for one in ev.evaluate(count) if isinstance(one.value, Literal)]
    return bool(values) and all(isinstance(one, int) and one > 0 for one in values)


def _methods(ev: Evaluator, call: Call) -> frozenset[str]:
    context = loader_argument(call, CONTEXT_ARGUMENT[-1])
    return start_methods(ev, call, [context] if context is not None else ())


def _in(ev: Evaluator, place: Place) -> Local | None:
    """Return what cannot be pickled in any of the values that an expression may have, None if one of them can."""
    return _in_all(ev, place, ev.evaluate(place))


def _in_all(ev: Evaluator, place: Place, possible: Iterable[Possibility]) -> Local | None:
    found = [_in_one(ev, place, one) for one in possible]
    return found[0] if found and None not in found else None


@tabled(_NOTHING)
def _in_one(ev: Evaluator, place: Place, one: Possibility) -> Local | None:
    """Return what cannot be pickled in a value, itself or a part; one that holds itself has no more parts."""
    match one.value:
        case Display(place=written) if isinstance(written.expression, ast.Lambda):
            return Local("a lambda", written)
        case Function(scope=scope, receiver=None) if _is_local(scope):
            return Local("a local function", one.origin)
        case Instance(kind=kind) if _is_local(kind.scope):
            return Local("an object of a local class", one.origin)
        case _:
            held = next(_parts(ev, place, one), None)
            return held and replace(held, is_held=True)


def _is_local(scope: Scope) -> bool:
    """Tell whether something is defined within a function."""
    outer = scope.outer
    while outer is not None and outer.kind == "class":
        outer = outer.outer
    return outer is not None and outer.kind == "function"


def _parts(ev: Evaluator, place: Place, one: Possibility) -> Iterator[Local]:
    """Yield what cannot be pickled of what an object keeps."""
    match one.value:
        case Instance(kind=kind) if not _pickles_itself(ev, kind):
            attributes = (ev.attribute(place, one, name) for name in _kept_by(method_of(ev, kind, "__init__")))
            found = [_in_all(ev, place, possible) for possible in attributes]
        case Built(name=name) if name.startswith(PICKLED_ATTRIBUTES) and one.origin is not None:
            found = [_in(ev, argument) for argument in _arguments(one.origin)]
        case Display(place=written):
            found = [_in(ev, item) for item in _items(written)]
        case _:
            return
    yield from (local for local in found if local is not None)


def _pickles_itself(ev: Evaluator, kind: Class) -> bool:
    return any(method_of(ev, kind, name) is not None for name in PICKLED_HOOKS)


def _kept_by(method: Function | None) -> Iterator[str]:
    """Yield the attributes that every call of an `__init__` sets."""
    node = method.scope.node if method is not None else None
    for statement in node.body if isinstance(node, ast.FunctionDef) else ():
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(), attr=name)]):
                yield name
            case ast.AnnAssign(target=ast.Attribute(value=ast.Name(), attr=name), value=ast.expr()):
                yield name


def _arguments(made: Place) -> Iterator[Place]:
    match made.expression:
        case ast.Call(args=arguments, keywords=keywords):
            yield from (made.at(one) for one in (*arguments, *(keyword.value for keyword in keywords)))


def _items(written: Place) -> Iterator[Place]:
    match written.expression:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
            yield from (written.at(item) for item in items)
