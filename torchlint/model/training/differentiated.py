"""Names that `backward()` is called on: their value then is a tensor with a graph, whatever made it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from torchlint.model.devices.made_on_host import is_made_on_host
from torchlint.model.place import Place
from torchlint.model.training.frameworks import imports_torch
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Array, Literal, Number, Possibility, Tensor, Text, Unknown, ValueSet
from torchlint.syntax.exits import suppresses
from torchlint.syntax.scope import Binding, Block, Scope
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_JUMPS = (ast.Return, ast.Break, ast.Continue)
# What `backward()` of these reaches is the tensor itself; a loss of several GPUs is averaged there.
_KEEPING = frozenset({"mean", "sum"})
_NUMBERS = (Number, Literal, Array, Text)
_NO_TENSORS = (Unknown, *_NUMBERS)
_NOWHERE: Mapping[str, set[ast.stmt]] = {}


def as_differentiated(
    ev: Evaluator, place: Place, name: str, possible: ValueSet, definitions: Sequence[Binding] = ()
) -> ValueSet:
    """Return what a name may be, given that the function calls `backward()` on it afterwards.

    Its definitions, if they are known, show whether it was made on the host.
    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
    """
    if not place.file.calls_of(place.scope, "backward") or not any(map(_is_open, possible)):
        return possible
    calls = _backwards(ev, place.file, place.scope).get(name)
    if not calls:
        return possible
    if not _is_differentiated(place, name, calls) or not imports_torch(place.file) or ev.project.once(_has_backward):
        return possible
    kept = [_with_graph(one) for one in possible if not isinstance(one.value, _NUMBERS)]
    if not any(isinstance(one.value, Unknown) for one in kept):
        return tuple(kept) or possible
    is_on_host = bool(definitions) and all(is_made_on_host(ev, place, one) for one in definitions)
    tensor = Tensor(HOST if is_on_host else None, True)
    return tuple(dict.fromkeys(one.of_value(tensor) if isinstance(one.value, Unknown) else one for one in kept))


def _is_open(one: Possibility) -> bool:
    """Tell whether `backward()` may show more of a value: that it is a tensor, or that it has a graph."""
    match one.value:
        case Tensor(graph=graph):
            return graph is None
        case _:
            return isinstance(one.value, _NO_TENSORS)


def _with_graph(one: Possibility) -> Possibility:
    """Return what may be differentiated with a graph, which it has: `backward()` raises for a tensor without."""
    if isinstance(one.value, Tensor) and one.value.graph is None:
        return one.of_value(replace(one.value, graph=True))
    return one


@tabled(_NOWHERE)
def _backwards(_ev: Evaluator, file: ParsedFile, scope: Scope) -> Mapping[str, set[ast.stmt]]:
    """Return the statements of a function that call `backward()`, by the name that each calls it on."""
    found: dict[str, set[ast.stmt]] = defaultdict(set)
    for call, statement in file.calls_of(scope, "backward"):
        is_plain = not call.args and isinstance(statement, ast.Expr) and statement.value is call
        if is_plain and isinstance(call.func, ast.Attribute) and (name := _started_from(call.func.value)):
            found[name].add(statement)
    return found


def _started_from(node: ast.expr) -> str:
    """Return the name of the tensor from which `backward()` starts: `loss` of `scaler.scale(loss.mean())`."""
    match node:
        case ast.Name() | ast.Attribute():
            return written(node)
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[]) if name in _KEEPING:
            return _started_from(owner)
        case ast.Call(func=ast.Attribute(attr="scale"), args=[argument], keywords=[]):
            return _started_from(argument)
        case _:
            return ""


def _is_differentiated(place: Place, name: str, calls: set[ast.stmt]) -> bool:
    """Tell whether every path through a place calls `backward()` on the name's value there, later or before."""
    for block, at in place.file.index.blocks_around(place.statement):
        for back, statement in enumerate(block.body):
            if _calls_backward(statement, calls) and _is_same(place, name, block, at, back):
                return True
    return False


def _calls_backward(statement: ast.stmt, calls: set[ast.stmt]) -> bool:
    """Tell whether every path through a statement makes one of these calls."""
    match statement:
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return not suppresses(statement) and any(_calls_backward(one, calls) for one in body)
        case ast.If(body=body, orelse=orelse):
            return all(any(_calls_backward(one, calls) for one in arm) for arm in (body, orelse))
        case _:
            return statement in calls


def _is_same(place: Place, name: str, block: Block, at: int, back: int) -> bool:
    """Tell whether a name is not rebound between a place and `backward()`, and no path leaves in between.

    If one does, as by `if loss == 0: continue`, the name may hold a number. An exception ends the program.
    """
    between: Sequence[ast.stmt] = block.body[min(at, back) : max(at, back) + 1]
    if at > back and between[-1] is place.statement and not hasattr(place.statement, "body"):
        between = between[:-1]  # `loss = loss.item()` reads the value before
    if _is_any_within(_bound_at(place, name), between):
        return False
    index = place.file.index
    jumps = chain.from_iterable(index.statements(kind) for kind in _JUMPS)
    own = (jump for jump in jumps if index.home[jump][0].scope is place.scope)
    return at >= back or not _is_any_within(own, between)


def _bound_at(place: Place, name: str) -> Iterator[ast.stmt]:
    """Yield the statements that may rebind a name; an attribute also where methods of its object run."""
    owner, _, last = name.rpartition(".")
    yield from (binding.statement for binding in place.scope.bindings.get(name.partition(".")[0], ()))
    if not owner:
        return
    stores = place.file.index.attribute_stores(last)
    yield from (store.statement for store in stores if written(store.target) == owner)
    if any(Place(place.file, store.target, store.statement).scope is not place.scope for store in stores):
        calls = place.file.calls_in_scope(place.scope)
        yield from (
            at for call, at in calls if isinstance(call.func, ast.Attribute) and written(call.func.value) == owner
        )


def _is_any_within(statements: Iterable[ast.stmt], body: Sequence[ast.stmt]) -> bool:
    first, last = body[0].lineno, body[-1].end_lineno or 0
    return any(first <= one.lineno <= last for one in statements)


def _has_backward(ev: Evaluator) -> bool:
    """Tell whether an object of the project may have a `backward()` of its own without arguments."""
    for path in sorted(ev.project.library.holding("def backward(self")):
        file = ev.project.parsed(path)
        for scope in file.index.scopes if file is not None else ():
            needed = [one for one in scope.parameters[1:] if one.default is None and not one.star]
            if scope.name == "backward" and scope.is_method and not needed:
                return True
    return False
