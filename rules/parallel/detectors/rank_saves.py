"""Files that every rank of a distributed program writes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import are_linked, may_be_one_program
from torchlint.model.call_graph.leading import leading_to
from torchlint.model.checkpoints.saving import parts_of, saving_calls
from torchlint.model.facts import fact_of_each_file
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.parallel.rank_doubts import may_be_kept, may_depend_on_rank
from torchlint.model.parallel.wrappers import Wrapping, makes_distributed, wrapping
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import definitions
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Display, StateDict, ValueSet
from torchlint.pytorch.symbols import DISTRIBUTED
from torchlint.syntax.closure import closure
from torchlint.syntax.walk import is_written, walk, written

from .process_groups import may_be_one_of_several

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_OWN_FILE = re.compile(r"rank|process_index|proc_?id|getpid|\bpid\b|uuid|mkstemp|mkdtemp|[Tt]emp|worker", re.IGNORECASE)
_STARTED = re.compile(r"main.*|run.*|train.*|worker|fit|demo.*|launch.*")
_IN_MEMORY = frozenset({"io.BytesIO", "tempfile.NamedTemporaryFile", "tempfile.TemporaryFile"})


@dataclass(frozen=True, slots=True)
class RankSave:
    """A save that every rank makes, to the same path, of a module that is trained on all of them."""

    place: Place
    wrapping: Wrapping


_NONE: tuple[Wrapping, ...] = ()


@fact_of_each_file
def rank_saves(ev: Evaluator) -> dict[str, list[RankSave]]:
    """Return the saves of distributed modules that no condition limits to one rank, by file."""
    by_path: dict[str, list[RankSave]] = {}
    if not ev.project.once(makes_distributed):
        return by_path
    for save in saving_calls(ev):
        call = save.expression
        assert isinstance(call, ast.Call)
        found = _distributed_in(ev, save.at(call.args[0]))
        beside = [wrapped for wrapped in found if not exclude_each_other(save, wrapped.place)]
        if not beside or _has_file_of_its_own(ev, save) or may_depend_on_rank(ev, save):
            continue
        if (wrapped := next((one for one in beside if _is_run(ev, save, one)), None)) is not None:
            by_path.setdefault(save.path, []).append(RankSave(save, wrapped))
    return by_path


@tabled(_NONE)
def _distributed_in(ev: Evaluator, place: Place) -> tuple[Wrapping, ...]:
    """Return the DistributedDataParallel of what is saved: of its state dict, of that of its module, or itself."""
    found: list[Wrapping] = []
    for one in ev.evaluate(place):
        match one.value:
            case StateDict(owner=owner):
                found += _around(ev, owner)
            case Display(place=written):
                found += [wrapped for part in parts_of(written) for wrapped in _distributed_in(ev, part)]
            case Built():
                found += _around(ev, place)
    return tuple(found)


def _around(ev: Evaluator, owner: Place) -> Iterator[Wrapping]:
    yield from _distributed(ev, ev.evaluate(owner))
    yield from _taken_out(ev, owner)


def _taken_out(ev: Evaluator, module: Place) -> Iterator[Wrapping]:
    """Yield the wrappers that a module is read from: `model.module`, directly or by another name."""
    for place in closure(module, lambda one: reversed(_bound_to(ev, one))):
        match place.expression:
            case ast.Attribute(value=wrapper, attr="module"):
                yield from _distributed(ev, ev.evaluate(place.at(wrapper)))


def _bound_to(ev: Evaluator, module: Place) -> list[Place]:
    """Return the arms of an expression, or what its name is bound to: in a loop, to itself in an arm."""
    match module.expression:
        case ast.IfExp(body=body, orelse=other):
            return [module.at(body), module.at(other)]
        case ast.Name():
            return [
                Place(module.file, one.value, one.statement, module.frame)
                for one in definitions(ev, module)
                if isinstance(one.value, (ast.Attribute, ast.IfExp)) and one.kind == "assign" and not one.selector
            ]
        case _:
            return []


def _distributed(ev: Evaluator, possible: ValueSet) -> Iterator[Wrapping]:
    for one in possible:
        if (found := wrapping(ev, one)) is not None and found.name == DISTRIBUTED:
            yield found


def _has_file_of_its_own(ev: Evaluator, save: Place) -> bool:
    """Tell whether each rank writes to a file of its own: its rank is in the path, or the file is in memory."""
    call = save.expression
    assert isinstance(call, ast.Call)
    path = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "f"), None)
    if path is None:
        return True
    if any(isinstance(one.value, Built) and one.value.name in _IN_MEMORY for one in ev.evaluate(save.at(path))):
        return True
    return any(_OWN_FILE.search(text) for text in _written(save, path))


def _written(save: Place, path: ast.expr) -> Iterator[str]:
    """Yield the text of a path, and those of the values of its names and attributes, and of theirs."""
    yield from map(written, closure(path, lambda one: (value for node in walk(one) for value in _values(save, node))))


def _values(save: Place, node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a name or attribute is bound to."""
    match node:
        case ast.Name(id=name):
            for binding in save.scope.bindings.get(name, ()) or save.scope.file_scope.bindings.get(name, ()):
                if binding.value is not None:
                    yield binding.value
        case ast.Attribute(value=owner, attr=name):
            for store in save.file.index.attribute_stores(name):
                # `self.model` is not what the options `args.model` hold.
                is_same = is_written(store.target, "self") is is_written(owner, "self")
                if store.value is not None and is_same:
                    yield store.value


def _is_run(ev: Evaluator, place: Place, wrapped: Wrapping) -> bool:
    """Tell whether the program reaches a place after it wraps the module, as far as is known."""
    scope = place.scope
    if scope is wrapped.place.scope or scope.kind == "file":
        return True
    leading = leading_to(ev, place)
    if any(_may_be_every_ranks(ev, one, wrapped) for one in leading):
        return True
    return not leading and _STARTED.fullmatch(scope.name.strip("_")) is not None


@tabled(False)
def _may_be_every_ranks(ev: Evaluator, call: Place, wrapped: Wrapping) -> bool:
    """Tell whether every rank may reach a call in the program that wraps the module."""
    if (
        may_be_kept(ev, call)
        or exclude_each_other(call, wrapped.place)
        or not _is_in_program_of(ev, call, wrapped.place)
        or not may_be_one_of_several(ev, call)
    ):
        return False
    leading = leading_to(ev, call) if call.scope is not wrapped.place.scope else []
    passing = [one for one in leading if _passes(ev, one, wrapped)] or leading
    return not passing or any(_may_be_every_ranks(ev, one, wrapped) for one in passing)


def _passes(ev: Evaluator, call: Place, wrapped: Wrapping) -> bool:
    """Tell whether a call passes the wrapped module itself."""
    if not isinstance(call.expression, ast.Call):
        return False
    passed = (*call.expression.args, *(word.value for word in call.expression.keywords))
    found = (one.origin for argument in passed for one in ev.evaluate(call.at(argument)))
    return any(made is not None and made.expression is wrapped.place.expression for made in found)


def _is_in_program_of(ev: Evaluator, caller: Place, wrapped: Place) -> bool:
    if caller.scope.kind == "file":
        return caller.file is wrapped.file or are_linked(ev, caller.file, wrapped.file)
    return may_be_one_program(ev, caller.file, wrapped.file)
