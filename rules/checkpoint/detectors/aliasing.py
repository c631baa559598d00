"""The best state so far, kept by reference: every later step changes it, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.training.counters import is_of_last_iteration
from torchlint.model.training.epochs import updating_loop_around
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.def_use import ancestors
from torchlint.model.values.value_sets import StateDict
from torchlint.syntax.dominating_conditions import Condition, conditions
from torchlint.syntax.exits import leaves_block
from torchlint.syntax.overwriting import replacing_stores
from torchlint.syntax.unpacking import assigned_pairs
from torchlint.syntax.walk import written

from .aliases import StateAlias
from .later_reads import reads_later
from .made_within import is_made_within
from .reset_states import reset_aliases

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.exits import LoopNode

# These copy the container and not its values.
_SHALLOW = frozenset({"copy.copy", "builtins.dict", "collections.OrderedDict"})


def state_aliases(ev: Evaluator, file: ParsedFile) -> Iterator[StateAlias]:
    """Yield the state dicts and modules that a file keeps by reference while training goes on."""
    training = step_loops_of(ev.project)
    if not training.is_anywhere:
        return
    for place, target, is_module in (*_kept_states(ev, file), *_kept_modules(ev, file)):
        if (around := updating_loop_around(ev, place)) is None:
            continue
        inside, loop = around
        if not _is_conditional(place, loop) or is_made_within(ev, place, inside, loop, is_module=is_module):
            continue
        if isinstance(target, ast.Attribute) and _is_swap(place, target, loop):
            continue
        if inside.scope is not place.scope and _ends_with_call(place, target):
            continue
        if (read := next(reads_later(ev, place, target, loop, is_module=is_module), None)) is not None:
            yield StateAlias(place, header(inside.file, loop), read, is_module)
    yield from reset_aliases(ev, file)


def _kept_states(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Place, ast.expr, bool]]:
    """Yield the calls of `state_dict` that are assigned without a copy of the values, each with the target."""
    for call, statement in file.index.calls("state_dict"):
        place = Place(file, call, statement)
        if not any(isinstance(one.value, StateDict) for one in ev.evaluate(place)):
            continue
        for target, value in _pairs(statement) if isinstance(statement, ast.Assign) else ():
            if _is_uncopied(place, value):
                yield place, target, False


def _kept_modules(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Place, ast.expr, bool]]:
    """Yield the modules that are assigned to another name: `best = model`."""
    for statement in file.index.statements(ast.Assign):
        for target, value in _pairs(statement) if _is_in_if(file, statement) else ():
            place = Place(file, value, statement)
            if isinstance(value, (ast.Name, ast.Attribute)) and ev.is_module(place):
                yield place, target, True


def _pairs(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what is assigned to what: of `best, state = score, model.state_dict()` each by itself."""
    return chain.from_iterable(assigned_pairs(target, statement.value) for target in statement.targets)


def _is_in_if(file: ParsedFile, statement: ast.stmt) -> bool:
    return any(isinstance(block.owner, ast.If) for block, _ in file.index.blocks_around(statement))


def _is_uncopied(place: Place, value: ast.expr) -> bool:
    """Tell whether the values of a call are assigned unchanged: in a dict, a shallow copy, a part."""
    for parent, child in ancestors(place):
        if child is value:
            return True
        match parent:
            case ast.Dict() | ast.Tuple() | ast.List() | ast.Attribute(attr="copy" | "items"):
                continue
            case ast.Call(func=function) if function is child or place.at(function).names & _SHALLOW:
                continue
            case ast.comprehension():
                continue
            case ast.DictComp(value=ast.Name()):
                continue
            case ast.keyword():
                continue
            case _:
                return False
    return place.expression is value


def _is_conditional(place: Place, loop: LoopNode) -> bool:
    """Tell whether only some iterations keep the state, perhaps not the last one, and training goes on after that.

    A separate function that keeps the state and returns, as an early stopper does, leaves no loop of its caller.
    """
    is_within = place.file.index.is_in_body(place.statement, loop)
    for block, _ in place.file.index.blocks_around(place.statement):
        if block.owner is loop or block.owner is block.scope.node:
            break
        if is_within and isinstance(block.owner, ast.If) and leaves_block(block.body, place.file.index):
            return False
    around = (one for one in conditions(place.file.index, place.statement, loop) if isinstance(one, Condition))
    behind = [one for one in around if not _only_refuses(place, one)]
    return bool(behind) and not any(one.holds and is_of_last_iteration(one.test) for one in behind)


def _only_refuses(place: Place, condition: Condition) -> bool:
    """Tell whether the other branch of a test ends the program: all iterations pass `assert`, or `if wrong: raise`."""
    match condition.statement:
        case ast.Assert():
            return True
        case ast.If(body=body, orelse=orelse) as owner:
            other = orelse if condition.holds else body
            is_above = (owner.end_lineno or 0) < place.statement.lineno
            return is_above and bool(other) and isinstance(other[-1], ast.Raise)
        case _:
            return False


def _ends_with_call(place: Place, target: ast.expr) -> bool:
    """Tell whether what is kept is local to the function, and gone when it returns."""
    scope = place.scope
    if not isinstance(target, ast.Name) or scope.kind != "function":
        return False
    return not scope.yields and target.id not in scope.outside


def _is_swap(place: Place, target: ast.Attribute, loop: LoopNode) -> bool:
    """Tell whether an attribute gets its own value back before training continues, here or below: `net.head = own`."""
    index = place.file.index
    is_within = index.is_in_body(place.statement, loop)
    if any(not is_within or index.is_in_body(one.statement, loop) for one in replacing_stores(place.at(target))):
        return True
    bindings = place.scope.bindings.get(place.word, ()) if isinstance(place.expression, ast.Name) else ()
    return any(one.value is not None and written(one.value) == written(target) for one in bindings)
