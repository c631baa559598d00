"""Reads of a kept state in a later iteration than the one that kept it: the steps in between have changed it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.holding import files_holding
from torchlint.model.place import Place
from torchlint.model.values.def_use import ancestors, receiving_calls
from torchlint.model.values.variable_reads import reads_of
from torchlint.pytorch.symbols import SAVE
from torchlint.syntax.dominating_conditions import Condition, conditions
from torchlint.syntax.exits import leaves_block
from torchlint.syntax.overwriting import stores_into
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.walk import walk, written

from .records import is_of_record

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.exits import LoopNode


def reads_later(ev: Evaluator, place: Place, target: ast.expr, loop: LoopNode, *, is_module: bool) -> Iterator[Place]:
    """Yield the reads after further training that expect what was kept in a target."""
    is_best = is_module and is_of_record(place, loop)
    for read in _reads(ev, place, target):
        if _is_after(ev, place, target, read, loop) and (_is_wanted(ev, read) or (is_best and _is_used(read))):
            yield read


def _reads(ev: Evaluator, place: Place, target: ast.expr) -> Iterator[Place]:
    match target:
        case ast.Name(id=name):
            yield from reads_of(ev, place.scope, name, place)
        case ast.Attribute(attr=name):
            for file in files_holding(ev, (f".{name}",)):
                yield from (Place(file, node, statement) for node, statement in file.attribute_reads(name))
        case ast.Subscript(value=ast.Name() | ast.Attribute() as container):
            yield from _reads(ev, place, container)


def _is_after(ev: Evaluator, place: Place, target: ast.expr, read: Place, loop: LoopNode) -> bool:
    """Tell whether a read may be in a later iteration: outside the loop, above the place, or where that did not run."""
    if read.file is not place.file or read.scope is not place.scope:
        return True
    index = place.file.index
    if index.is_in_body(place.statement, loop):
        return not index.is_in_body(read.statement, loop) or _is_of_earlier(ev, place, target, read, loop)
    return read.line < place.line or _is_of_earlier(ev, place, target, read, loop)


def _is_of_earlier(ev: Evaluator, place: Place, target: ast.expr, read: Place, loop: LoopNode) -> bool:
    """Tell whether a read below may get what an earlier iteration has kept, as this one keeps nothing."""
    if read.line <= place.line or not _is_skipped(place, target, read, loop):
        return False
    match target:
        case ast.Name(id=name):
            bindings = read.scope.bindings.get(name, ())
            found = reaching(read.file.index, bindings, read.statement, ev.decide(read))
            return any(not read.file.index.is_in_body(one.statement, loop) for one in found.definitions)
        case ast.Attribute():
            return not _is_stored_before(place, target)
        case _:
            return False


def _is_skipped(place: Place, target: ast.expr, read: Place, loop: LoopNode) -> bool:
    """Tell whether an iteration may pass by the `if` around a place, and come to the read all the same."""
    index = place.file.index
    around = (one for one in conditions(index, read.statement, loop) if isinstance(one, Condition))
    asked = {written(one.test) for one in around if one.holds}
    for block, _ in index.blocks_around(place.statement):
        owner = block.owner
        if owner is loop or owner is place.scope.node:
            break
        if not isinstance(owner, ast.If):
            continue
        if index.is_in_body(read.statement, owner) or written(owner.test) in asked:
            return False
        if block.body is owner.body and not _stores(owner.orelse, target) and not leaves_block(owner.orelse, index):
            return True
    return False


def _stores(body: list[ast.stmt], target: ast.expr) -> bool:
    text = written(target)
    return any(
        isinstance(node, ast.Assign) and any(written(one) == text for one in node.targets)
        for statement in body
        for node in walk(statement)
    )


def _is_stored_before(place: Place, target: ast.expr) -> bool:
    """Tell whether each call of the function, or each iteration, stores into an attribute above a place."""
    index = place.file.index
    around = list(index.blocks_around(place.statement))
    stores = (
        index.home[one.statement] for one in stores_into(place.at(target)) if one.statement is not place.statement
    )
    return any(block is outer and before < position for block, before in stores for outer, position in around)


def _is_wanted(ev: Evaluator, read: Place) -> bool:
    """Tell whether a read returns the value, loads it, saves it, or passes it to a callee that does."""
    if isinstance(read.statement, ast.Return):
        return any(parent is read.statement for parent, _ in ancestors(read))
    parent = read.file.parents_in(read.statement).get(read.expression)
    if isinstance(parent, ast.Attribute):
        return parent.attr in {"state_dict", "items", "eval"}
    for call in receiving_calls(ev, read):
        assert isinstance(call.expression, ast.Call)
        function = call.at(call.expression.func)
        if function.word in {"load_state_dict", "update"} or SAVE in function.names:
            return True
    return False


def _is_used(read: Place) -> bool:
    """Tell whether a read calls a module, passes it on, or gives it another name."""
    parent = read.file.parents_in(read.statement).get(read.expression)
    return isinstance(parent, (ast.Call, ast.keyword, ast.Assign))
