"""Whether what is added to was there before the step, and will be there after it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.syntax.around import is_self
from torchlint.syntax.exits import LOOPS
from torchlint.syntax.scope import Scope
from torchlint.syntax.walk import written

from .additions import Addition
from .counting_up import counts_up
from .namesakes import is_of_same_object, owner_of_kept
from .starting import is_reset, resets

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.training.what_trains import Training


def outlives(ev: Evaluator, training: Training, addition: Addition) -> bool:
    """Tell whether something is added every step to a value that was there before the step, and will be after it."""
    place = addition.place
    if training.every_step(place) is None:
        return False
    loop = training.loop_of_update(place)
    if is_reset(place.file, place.scope, loop, addition) or not counts_up(addition, loop):
        return False
    if "." in addition.root:
        return not starts_with_every_step(ev, training, addition)
    return loop is not None or is_kept_outside(training, addition)


def is_kept_outside(training: Training, addition: Addition) -> bool:
    """Tell whether a function adds to a variable of an enclosing function or file, which outlives the steps."""
    place = addition.place
    owner = owner_of(place.scope, addition.name)
    if owner is None or owner is place.scope or "." in addition.root or training.has_function(place.file, owner):
        return False
    started = (statement for statement in _starts(place.file, addition, owner) if statement is not place.statement)
    return not any(_is_of_step(training, place.file, statement) for statement in started)


def owner_of(scope: Scope, name: str) -> Scope | None:
    """Return the function or file whose variable a name is in a function, None if it is never assigned."""
    around: Scope | None = scope
    while around is not None and (name not in around.bindings or name in around.outside or around.kind == "class"):
        around = around.outer
    is_variable = around is not None and any(one.kind == "assign" for one in around.bindings[name])
    return around if is_variable else None


def _starts(file: ParsedFile, addition: Addition, owner: Scope) -> Iterator[ast.stmt]:
    """Yield where a variable is assigned or emptied, in any function."""
    home = file.index.home
    yield from (one.statement for one in owner.bindings[addition.name] if one.kind != "augment")
    yield from (one for one in resets(file, addition.root) if owner_of(home[one][0].scope, addition.name) is owner)


def _is_of_step(training: Training, file: ParsedFile, statement: ast.stmt) -> bool:
    blocks = file.index.blocks_around(statement)
    is_in_loop = any(training.has_loop(file, block.owner) for block, _ in blocks if isinstance(block.owner, LOOPS))
    return is_in_loop or training.has_function(file, file.index.home[statement][0].scope)


def starts_with_every_step(ev: Evaluator, training: Training, addition: Addition) -> bool:
    """Tell whether another method that runs at every step resets an attribute: `self.state = zeros(…)`.

    So does code that empties it under an alias of the object: `self.seen.clear()` for `memory.seen`.
    """
    owner, last = owner_of_kept(addition), addition.root.rpartition(".")[2]
    saying = ev.project.library.holding(f".{last}")
    return owner is not None and any(
        is_of_same_object(ev, owner, Place(file, owner.expression, statement), name)
        or (file is addition.place.file and name == addition.root and not is_self(owner.expression))
        for file in training.files
        if file.location in saying
        for name in _written_with(file, last)
        for statement in resets(file, name)
        if file.index.home[statement][0].scope is not addition.place.scope
        and _is_run_in_step(ev, training, Place(file, owner.expression, statement))
    )


def _is_run_in_step(ev: Evaluator, training: Training, place: Place) -> bool:
    """Tell whether each step may run a statement: in a function that it calls, or where the step is itself."""
    scope = place.scope
    if scope in training.functions or _may_be_called_in_step(ev, training, scope):
        return True
    return training.loop_of_update(place) is not None


@tabled(False)
def _may_be_called_in_step(ev: Evaluator, training: Training, method: Scope) -> bool:
    """Tell whether each step calls a method of an unknown object by its name: of one of `net.modules()`."""
    return method.is_method and any(
        training.every_step(call) is not None and not any(True for _ in ev.callees(call))
        for file in training.files
        for call in (Place(file, *pair) for pair in file.index.calls(method.name))
    )


def _written_with(file: ParsedFile, last: str) -> set[str]:
    """Return the attributes of a name in a file, as text."""
    owners = [node.value for node, _ in file.attribute_reads(last)]
    owners += [store.target for store in file.index.attribute_stores(last)]
    return {f"{written(owner)}.{last}" for owner in owners}
