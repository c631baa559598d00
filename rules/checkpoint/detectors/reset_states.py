"""States to which a program resets a module before it trains it again, kept by reference: `m.load_state_dict(start)`.

The module's steps have changed what is loaded, so that the load copies each parameter onto itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.training.epochs import training_loop_around
from torchlint.model.values.value_sets import StateDict
from torchlint.model.values.variable_reads import reads_of
from torchlint.syntax.walk import written

from .aliases import StateAlias

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_LOAD = "load_state_dict"


def reset_aliases(ev: Evaluator, file: ParsedFile) -> Iterator[StateAlias]:
    """Yield the state dicts that are kept by reference, and loaded into their own module by a loop that trains it."""
    loads = list(file.index.calls(_LOAD))
    for call, statement in file.index.calls("state_dict") if loads else ():
        match statement, call.func:
            case ast.Assign(targets=[ast.Name(id=name)], value=value), ast.Attribute(value=module) if value is call:
                place = Place(file, call, statement)
                if _is_bound_once(place, name) and _is_bound_once(place, written(module)):
                    yield from _reset_by_loop(ev, place, name, written(module))
            case _:
                continue


def _reset_by_loop(ev: Evaluator, place: Place, name: str, module: str) -> Iterator[StateAlias]:
    reads = list(reads_of(ev, place.scope, name, place))
    # Other code that has the dict may put other values into it.
    if not reads or not all(_is_load_or_shown(read, module) for read in reads):
        return
    for read in reads:
        around = training_loop_around(ev, read) if read.scope is place.scope else None
        if around is None or around[0].statement is not read.statement:
            continue
        loop = around[1]
        if place.file.index.is_in_body(place.statement, loop) or not _is_state_of_module(ev, place):
            continue
        yield StateAlias(place, header(place.file, loop), read, is_module=False)
        return


def _is_state_of_module(ev: Evaluator, place: Place) -> bool:
    assert isinstance(place.expression, ast.Call)
    assert isinstance(place.expression.func, ast.Attribute)
    is_state = any(isinstance(one.value, StateDict) for one in ev.evaluate(place))
    return is_state and ev.is_module(place.at(place.expression.func.value))


def _is_bound_once(place: Place, name: str) -> bool:
    """Tell whether a name, or what owns an attribute, is bound once: it is the same object wherever it is read."""
    root, _, attribute = name.partition(".")
    if attribute and len(place.file.index.attribute_stores(attribute.rpartition(".")[2])) > 1:
        return False
    return len(place.scope.bindings.get(root, ())) <= 1


def _is_load_or_shown(read: Place, module: str) -> bool:
    """Tell whether a read only loads the dict into its own module, or prints it."""
    match read.file.parents_in(read.statement).get(read.expression):
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name == _LOAD:
            return written(owner) == module
        case ast.Call(func=ast.Name(id=name)):
            return name in {"print", "len"}
        case _:
            return False
