"""Which expressions of a file may break a graph, each with what tells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.place import Place
from torchlint.model.syncs.branching import asked
from torchlint.model.syncs.masks import sized_by_data
from torchlint.model.tensors.sure_tensors import is_surely_tensor
from torchlint.pytorch.graph_breaks import ASSIGNED_ATTRIBUTES
from torchlint.pytorch.untraced import Untraced
from torchlint.syntax.stores import store_target

from .breaking_subscripts import of_mask, of_subscript
from .untraced import of_call, of_test

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.value_sets import Frame

_Judge: TypeAlias = "Callable[[Evaluator, Place], Untraced | None]"


@dataclass(frozen=True, slots=True)
class Suspect:
    """An expression that may break a graph, the operand that decides, and what tells."""

    place: Place
    operand: Place
    judge: _Judge

    def untraced(self, ev: Evaluator, frame: Frame | None) -> Untraced | None:
        """Return why Dynamo cannot trace the expression in a call context, None where it can or that is unknown."""
        return self.judge(ev, self.operand.within(frame))


def suspects(file: ParsedFile) -> Iterator[Suspect]:
    """Yield the expressions of a file that may break a graph: calls, tests, subscripts, texts, and attributes set."""
    for call, statement in file.index.expressions(ast.Call):
        place = Place(file, call, statement)
        yield Suspect(place, place, of_call)
    for place in asked(file):
        yield Suspect(place, place, of_test)
    yield from _subscripts(file)
    yield from _texts(file)
    yield from _stores(file)


def _subscripts(file: ParsedFile) -> Iterator[Suspect]:
    for place, _ in sized_by_data(file):
        if isinstance(place.expression, ast.Subscript):
            yield Suspect(place, place, of_mask)
    for subscript, statement in file.index.expressions(ast.Subscript):
        if not isinstance(subscript.slice, ast.Constant):
            place = Place(file, subscript, statement)
            yield Suspect(place, place, of_subscript)


def _texts(file: ParsedFile) -> Iterator[Suspect]:
    for operation, statement in file.index.expressions(ast.BinOp):
        if isinstance(operation.op, ast.Mod) and isinstance(operation.left, ast.Constant):
            place = Place(file, operation, statement)
            yield Suspect(place, place.at(operation.right), _put_into_text)


def _stores(file: ParsedFile) -> Iterator[Suspect]:
    for store in file.index.stores:
        if store.kind == "assign" and isinstance(store.key, str) and store.key in ASSIGNED_ATTRIBUTES:
            owner = Place(file, store.target, store.statement)
            yield Suspect(owner.at(store_target(store)), owner, _made_here if store.key == "data" else _assigned)


def _put_into_text(ev: Evaluator, given: Place) -> Untraced | None:
    """Return why `"…" % x` breaks the graph: `x` is a tensor, or holds one."""
    node = given.expression
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return Untraced.TEXT if any(is_surely_tensor(ev, given.at(one)) for one in parts) else None


def _assigned(ev: Evaluator, owner: Place) -> Untraced | None:
    return Untraced.ATTRIBUTE if is_surely_tensor(ev, owner) else None


def _made_here(ev: Evaluator, owner: Place) -> Untraced | None:
    made = [one.origin for one in ev.evaluate(owner)]
    is_here = all(one is not None and one.scope is owner.scope for one in made)
    return _assigned(ev, owner) if is_here else None
