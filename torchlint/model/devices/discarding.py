"""Tensors that are moved or converted, and whose copies are not used."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.guards.catching import is_tried
from torchlint.model.loop import Loop
from torchlint.model.roles import is_a, is_made_as, may_be_a
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Possibility, Tensor
from torchlint.pytorch.moves import COPYING, MOVING
from torchlint.pytorch.pure import PURE
from torchlint.pytorch.roles import Role
from torchlint.syntax.arguments import passed
from torchlint.syntax.around import loops_around

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope

_COPIES = COPYING | PURE
_NO_STATEMENTS: tuple[ast.stmt, ...] = ()


def discarded_copies(ev: Evaluator, file: ParsedFile) -> Iterator[Call]:
    """Yield the calls that copy what is surely a tensor, as statements of their own, in source order."""
    for call in method_calls_of(file, COPYING):
        owner = call.owner
        if owner is not None and is_discarded(ev, call, owner) and is_tensor(ev, owner):
            yield call


def is_discarded(ev: Evaluator, call: Call, tensor: Place) -> bool:
    """Tell whether the result of a call is not used, and the program reads the original tensor later."""
    if not call.is_statement or not _is_kept(tensor) or call.file.displays(call.statement) or is_tried(call):
        return False
    return _is_read_on(ev, tensor, ev.evaluate(tensor))


def is_tensor(ev: Evaluator, place: Place) -> bool:
    """Tell whether something is a tensor, by all its definitions."""
    possible = ev.evaluate(place)
    return bool(possible) and all(is_surely_tensor(ev, one) for one in possible)


@tabled(False)
def is_surely_tensor(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether something is a tensor by what made it, and not by how it is used."""
    if not isinstance(one.value, Tensor):
        return False
    call = one.origin.expression if one.origin is not None else None
    if one.origin is not None and isinstance(call, ast.Subscript):
        # An item is no more certain to be one than its container.
        owners = ev.evaluate(one.origin.at(call.value))
        return all(is_surely_tensor(ev, owner) for owner in owners if isinstance(owner.value, Tensor))
    if one.origin is None or not isinstance(call, ast.Call):
        return True
    makers = ev.evaluate(one.origin)
    if any(is_a(ev, made.value, Role.GRAPH_LOADER) for made in makers):
        # What a loader of graphs yields moves in place: `Data.to` returns the graph itself.
        return False
    if any(is_made_as(ev, made.value, Role.LOADER) for made in makers):
        # The result of another `collate_fn` may move in place, as the batches of tokenizers and graphs do.
        return passed(call, "collate_fn") is None and all(word.arg is not None for word in call.keywords)
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in MOVING:
        return True
    owners = ev.evaluate(one.origin.at(call.func.value))
    return bool(owners) and all(is_surely_tensor(ev, owner) for owner in owners)


def _is_kept(owner: Place) -> bool:
    """Tell whether something has a name by which the program may read it later."""
    return isinstance(owner.expression, (ast.Name, ast.Attribute, ast.Subscript))


def _is_read_on(ev: Evaluator, owner: Place, possible: tuple[Possibility, ...]) -> bool:
    """Tell whether the tensor is read again, as if the copy had replaced it; a benchmark reads nothing."""
    if not isinstance(owner.expression, ast.Name):
        return True
    loops = list(loops_around(owner))
    is_target = any(owner.code in Loop(owner.file, loop).targets for loop in loops)
    is_loaded = any(one.origin is not None and may_be_a(ev, one.origin, Role.LOADER) for one in possible)
    if is_target and not is_loaded:
        return True
    # Whatever the outermost loop contains is read again in its next iteration.
    start = loops[-1].lineno if loops else owner.line
    end = (loops[-1].end_lineno or start) if loops else owner.line
    reads = _last_reads(ev, owner.file, owner.scope, owner.expression.id)
    after = (one for one in takewhile(lambda one: one.lineno > start, reads) if one is not owner.statement)
    return any(one.lineno > owner.line or one.lineno <= end for one in after)


@tabled(_NO_STATEMENTS)
def _last_reads(_: Evaluator, file: ParsedFile, scope: Scope, name: str) -> tuple[ast.stmt, ...]:
    """Return the statements of a scope that do more with a name than discard a copy of it, the last first."""
    home = file.index.home
    reads = (one for _, one in file.name_reads_within(scope, name) if home[one][0].scope is scope)
    return tuple(sorted((one for one in reads if not _discards(one, name)), key=lambda one: -one.lineno))


def _discards(statement: ast.stmt, name: str) -> bool:
    """Tell whether all that a statement does with a name is to discard another copy of it."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=found), attr=method))):
            return found == name and method in _COPIES
        case _:
            return False
