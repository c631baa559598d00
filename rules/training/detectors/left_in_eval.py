"""Modules that a loop puts into eval mode to evaluate them, and trains afterwards: nothing puts them back.

In eval mode dropout drops nothing, and batch norm neither normalizes by the batch nor learns from it.
https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.training.epochs import training_loops_around
from torchlint.model.training.last_iterations import leaves_further_down
from torchlint.model.training.made_calls import calls_in
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.tabled import tabled
from torchlint.pytorch.backward import BACKWARD
from torchlint.pytorch.module_attributes import ALL_OF_MODULES
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.dominating_conditions import Condition, conditions
from torchlint.syntax.exits import LoopNode, is_exit
from torchlint.syntax.facts import atoms
from torchlint.syntax.last_names import called_as, is_dotted_name
from torchlint.syntax.walk import walk, written

from .called_within import Within, within
from .mode_changes import is_put_back
from .switches import Switch, only_switches, switches_by_method
from .trained_by_contract import is_trained_by_contract
from .trained_module import is_trained, may_be_trained, origins_of
from .two_modes import has_modes, shows_modes

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.index import Index
    from torchlint.syntax.scope import Block, Scope

_EVAL = frozenset({"eval"})
# Members of a module that do not compute.
_ASIDE = ALL_OF_MODULES - {"forward"}


@dataclass(frozen=True, slots=True)
class LeftInEval:
    """A call that puts a module into eval mode, the call in a loop that leads to it, and what trains next."""

    switch: Call
    way: Place
    loop: Place
    trains: Call
    start: Place | None
    """The first statement in the loop, if the module has its name there."""
    is_in_view: bool
    """Whether a layer with two modes and what trains it are seen; else they may be what a caller passes."""


def left_in_eval(ev: Evaluator, file: ParsedFile) -> Iterator[LeftInEval]:
    """Yield the calls of a file after which a loop continues to train a module in eval mode."""
    training = step_loops_of(ev.project)
    for switch in method_calls_of(file, _EVAL) if training.is_anywhere else ():
        if not switch.is_statement or switch.owner is None or not switch.owner.is_name or switch.arguments:
            continue
        # To find the loop takes far longer than to see that nothing is evaluated, or nothing trained.
        if not _evaluates(ev, switch) or not _may_be_trained(ev, switch.owner) or not has_modes(ev, switch.owner):
            continue
        ways = (_left(ev, switch, *around) for around in training_loops_around(ev, switch))
        if (found := next((one for one in ways if one is not None), None)) is not None:
            yield found


def _left(ev: Evaluator, switch: Call, way: Place, loop: LoopNode) -> LeftInEval | None:
    module = switch.owner
    assert module is not None
    calls = list(calls_in(way.file, loop))
    run = within(ev, calls)
    if is_put_back(ev, module, run) or _is_another(ev, module, way, loop, run):
        return None
    trains = [call for call in calls if _trains(within(ev, [call])) and not _is_other_run(way, call)]
    if not trains or not _comes_between(switch, way, loop, trains):
        return None
    is_seen = is_trained(ev, module, run)
    if is_seen is False and not is_trained_by_contract(ev, module):
        return None
    is_in_view = is_seen is True and shows_modes(ev, module)
    is_named = way.expression is switch.expression and isinstance(loop.body[0], ast.stmt)
    start = _start(way.file, loop) if is_named else None
    return LeftInEval(switch, way, header(way.file, loop), trains[0], start, is_in_view)


def _may_be_trained(ev: Evaluator, module: Place) -> bool:
    return may_be_trained(ev, module) or is_trained_by_contract(ev, module)


def _start(file: ParsedFile, loop: LoopNode) -> Place | None:
    """Return an expression of the first statement of a loop, None if that has none of its own."""
    found = (node for node in walk(loop.body[0]) if isinstance(node, ast.expr))
    return next((Place(file, node, loop.body[0]) for node in found), None)


def _trains(run: Within) -> bool:
    return any(call.method in BACKWARD and call.owner is not None for call, _ in run.calls)


def _evaluates(ev: Evaluator, switch: Call) -> bool:
    """Tell whether the function calls the module afterwards, or passes it or its owner to what does.

    If the function only switches modules, its callers do.
    """
    assert switch.owner is not None
    by_method = switches_by_method(ev, Switch(switch, switch.owner))
    if _is_used_after(ev, switch, switch.owner.code):
        return True
    if any(_is_used_after(ev, one.call, one.module.code) for one in by_method):
        return True
    callers = ev.callers_of(switch.file, switch.scope) if only_switches(switch) else ()
    return any(_goes_on(ev, place) for place in callers)


def _goes_on(ev: Evaluator, place: Place) -> bool:
    """Tell whether what calls a function that only switches uses its object, or what it is passed, afterwards."""
    call = place.expression
    if not isinstance(call, ast.Call) or place.tests:
        return False
    owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    named = (written(one) for one in (*owner, *call.args) if is_dotted_name(one))
    return any(_is_used_after(ev, place, one) for one in named)


def _is_used_after(ev: Evaluator, place: Place, module: str) -> bool:
    owner, _, last = module.rpartition(".")
    used = [_last_used(ev, place.file, place.scope, one) for one in (module, owner) if one]
    return place.line < max(_last_called(ev, place.file, place.scope, module, last), *used)


@tabled(0)
def _last_called(_ev: Evaluator, file: ParsedFile, scope: Scope, module: str, last: str) -> int:
    """Return the last line on which a function calls a module or passes it on, 0 if it never does."""
    home = file.index.home
    called = [call for call, _ in file.calls_of(scope, last) if written(call.func) == module]
    passed_on = ((call, argument) for call, argument, at in file.mentions(last) if home[at][0].scope is scope)
    called += (call for call, argument in passed_on if written(argument) == module)
    return max((call.lineno for call in called), default=0)


@tabled(0)
def _last_used(_ev: Evaluator, file: ParsedFile, scope: Scope, owner: str) -> int:
    """Return the last line on which a function calls a method of an object, 0 if it never does."""
    calls = ((call, at) for call, at in file.calls_on(owner.rpartition(".")[2]) if called_as(call) not in _ASIDE)
    own = (call for call, at in calls if file.index.home[at][0].scope is scope)
    return max((call.lineno for call in own if _is_method_of(call, owner)), default=0)


def _is_method_of(call: ast.Call, owner: str) -> bool:
    return isinstance(call.func, ast.Attribute) and written(call.func.value) == owner


def _comes_between(switch: Call, way: Place, loop: LoopNode, trains: list[Call]) -> bool:
    """Tell whether an iteration that trains comes after one that evaluates, and not intentionally in eval mode."""
    index = way.file.index
    around = [one for one, _ in index.blocks_around(way.statement)]
    arms = list(takewhile(lambda block: block.owner is not loop, around))
    # A loop whose body ends with `exit()` or `break` has one iteration.
    if any(_is_for_once(index, arm, loop) for arm in around[: len(arms) + 1]) or _is_of_one_iteration(way, loop):
        return False
    if way.expression is not switch.expression:
        # A function that trains itself switches before that, if on purpose.
        return all(call.expression is not way.expression for call in trains)
    if all(call.line < way.line for call in trains):
        return True
    branches = [arm for arm in arms if isinstance(arm.owner, ast.If)]
    return bool(branches) and not any(_is_in(call, branches[-1]) for call in trains)


def _is_other_run(way: Place, trains: Call) -> bool:
    """Tell whether a flag that is passed in lets a run of a loop reach one of two places alone."""
    flags = dict(_flags(way))
    return any(flags.get(name, holds) is not holds for name, holds in _flags(trains))


def _flags(place: Place) -> Iterator[tuple[str, bool]]:
    """Yield the parameters, which nothing rebinds, that lead to a place: `if not train:`."""
    for test, holds in (atom for one in dominating_conditions(place) for atom in atoms(one.test, one.holds)):
        bindings = place.scope.bindings.get(test.id, ()) if isinstance(test, ast.Name) else ()
        if isinstance(test, ast.Name) and [one.kind for one in bindings] == ["parameter"]:
            yield test.id, holds


def _is_in(call: Call, arm: Block) -> bool:
    return any(block is arm for block, _ in call.file.index.blocks_around(call.statement))


def _is_for_once(index: Index, arm: Block, loop: LoopNode) -> bool:
    """Tell whether an arm handles an exception, or leaves the loop, here or further down."""
    last = arm.body[-1]
    leaves = isinstance(last, (ast.Break, ast.Return, ast.Raise)) or is_exit(last)
    return isinstance(arm.owner, ast.ExceptHandler) or leaves or leaves_further_down(index, arm, loop)


def _is_of_one_iteration(way: Place, loop: LoopNode) -> bool:
    """Tell whether a place is reached in one iteration alone, by its conditions: `if epoch == epochs - 1`."""
    behind = conditions(way.file.index, way.statement, loop)
    return any(isinstance(one, Condition) and _is_one_number(one) for one in behind)


def _is_one_number(condition: Condition) -> bool:
    match condition.test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            is_counted = any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) for node in (left, right))
            is_text = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in (left, right))
            return condition.holds and not is_counted and not is_text
        case _:
            return False


def _is_another(ev: Evaluator, module: Place, way: Place, loop: LoopNode, run: Within) -> bool:
    """Tell whether a loop makes the module again in its iterations."""
    index = way.file.index
    made = origins_of(ev, module)
    if any(one.scope in run.scopes or (one.file is way.file and index.is_in_body(one.statement, loop)) for one in made):
        return True
    bindings = module.scope.bindings.get(module.code.partition(".")[0], ())
    if way.scope is not module.scope and any(one.kind != "parameter" for one in bindings):
        # `copied = copy.deepcopy(model)` is made where that is evaluated.
        return True
    stores = index.attribute_stores(module.word) if module.word != module.code else ()
    return any(
        _is_within(index, one.statement, loop, run) for one in (*bindings, *stores) if one.statement in index.home
    )


def _is_within(index: Index, statement: ast.stmt, loop: LoopNode, run: Within) -> bool:
    return statement is loop or index.is_in_body(statement, loop) or index.home[statement][0].scope in run.scopes
