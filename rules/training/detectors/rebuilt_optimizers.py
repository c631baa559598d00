"""Optimizers that every epoch or step makes again: their moments and counts of steps begin from nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.headers import header
from torchlint.model.place import Caller, Place
from torchlint.model.test_files import is_of_tests
from torchlint.model.training.epochs import training_loop_around
from torchlint.model.training.throttles import is_thinned
from torchlint.model.training.what_trains import step_loops_of
from torchlint.pytorch.classes import BY_NAME, names_a
from torchlint.pytorch.optimizers import RESTARTED, STATE_BY
from torchlint.pytorch.roles import Role
from torchlint.syntax.walk import walk, written

from .trained_module import module_given

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_OPTIMIZERS = frozenset(name for name, rows in BY_NAME.items() if any(role is Role.OPTIMIZER for _, role in rows))
_ROUNDS = re.compile(r"epoch|loader|batch", re.IGNORECASE)
# Code that says so begins another training, of other parameters or from another state.
_ANEW = re.compile(r"requires_grad|load_state_dict|reset|init|fold|trial|deepcopy|prun|client", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RebuiltOptimizer:
    """A call that makes an optimizer, the loop in each of whose iterations it does, and the call that leads there."""

    made: Call
    loop: Place
    caller: Place | None


def rebuilt_optimizers(ev: Evaluator, file: ParsedFile) -> Iterator[RebuiltOptimizer]:
    """Yield the optimizers of a file that a training loop makes again for the same module, in source order."""
    if not step_loops_of(ev.project).is_anywhere or is_of_tests(file):
        return
    stepped = {(one.scope, one.owner.code) for one in method_calls_of(file, frozenset({"step"})) if one.owner}
    for made in method_calls_of(file, file.words_for(_OPTIMIZERS)):
        if not names_a(made.callee.names, Role.OPTIMIZER) or not _keeps_state(made) or not _is_made_at_each_call(made):
            continue
        if not any((made.scope, name) in stepped for name in made.bound_to):
            continue
        found = training_loop_around(ev, made)
        if found is None or is_thinned(ev, *found):
            continue
        place, loop = found
        if isinstance(loop, ast.For) and _goes_on(made, place, loop) and _is_of_same(ev, made, place, loop):
            caller = place if place.expression is not made.expression else None
            yield RebuiltOptimizer(made, header(place.file, loop), caller)


def _keeps_state(made: Call) -> bool:
    """Tell whether an optimizer surely has a state that is lost with it."""
    names = made.callee.names
    if made.is_open or names & RESTARTED:
        return False
    for name in names & STATE_BY.keys():
        given = made.argument(*STATE_BY[name])
        if given is None or not given.literals or not all(given.literals):
            return False
    return True


def _is_made_at_each_call(made: Call) -> bool:
    """Tell whether the function that makes an optimizer surely does so at each call."""
    owner = made.file.index.home[made.statement][0].owner
    return owner is made.scope.node or isinstance(owner, ast.For)


def _goes_on(made: Call, place: Place, loop: ast.For) -> bool:
    """Tell whether a loop goes over the epochs or batches of one training, and runs a place in each of them."""
    said = f"{written(loop.target)} {written(loop.iter)}"
    is_run = place.file.index.home[place.statement][0].owner is loop
    codes = (place.file.code_of(one) for one in loop.body)
    return is_run and bool(_ROUNDS.search(said)) and not any(map(_ANEW.search, (said, *codes, _code(made))))


def _code(made: Call) -> str:
    return made.file.code_of(made.scope.node) if made.scope.kind == "function" else ""


def _is_of_same(ev: Evaluator, made: Call, place: Place, loop: ast.For) -> bool:
    """Tell whether each iteration makes an optimizer of the same module, with the same arguments."""
    if (module := module_given(made)) is None:
        return False
    bound = {one.id for one in walk(loop.target) if isinstance(one, ast.Name)} | _stored_in(place, loop)
    given = [made.expression] if place.expression is made.expression else list(_passed(made, place))
    if any(isinstance(one, ast.Name) and one.id in bound for whole in given for one in walk(whole)):
        return False
    origins = [one.origin for one in ev.evaluate(module)]
    return bool(origins) and all(one is not None and not _is_made_in(one, made, place, loop) for one in origins)


def _stored_in(place: Place, loop: ast.For) -> set[str]:
    """Return the names that the body of a loop binds."""
    bindings = place.scope.bindings
    index = place.file.index
    return {name for name, bound in bindings.items() if any(index.is_in_body(one.statement, loop) for one in bound)}


def _passed(made: Call, place: Place) -> Iterator[ast.expr]:
    """Yield what the call in a loop passes for what an optimizer is made with."""
    names = {one.id for one in walk(made.expression) if isinstance(one, ast.Name)}
    caller = Caller.of_call(place, 1 if made.scope.is_method else 0)
    for parameter in made.scope.parameters:
        if parameter.name in names and parameter.name != "self":
            yield from (one.expression for one in caller.argument(parameter) or ())


def _is_made_in(origin: Place, made: Call, place: Place, loop: ast.For) -> bool:
    """Tell whether a module is made in the iteration, or in the function that makes the optimizer."""
    is_here = origin.file is place.file and place.file.index.is_in_body(origin.statement, loop)
    return is_here or (origin.scope is made.scope and place.expression is not made.expression)
