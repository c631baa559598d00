"""Modules that a function moves for its caller: `def switch(net): net.to("cpu")`, called as `switch(net)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.devices.moving import Move, agreed, moved_by, moves_of
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Caller, Place, Residence
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.value_sets import Frame, Function
    from torchlint.syntax.scope import Scope

_Passing: TypeAlias = "tuple[ast.Call, ast.stmt, ast.expr]"
_NO_MOVES: tuple[Place, ...] = ()
_NO_CALLS: Mapping[str, list[_Passing]] = {}
_NAMES = (ast.Name, ast.Attribute)
_WHOLE = (ast.Expr, ast.Assign, ast.Return)
_CALLS = tuple(f".{name}(" for name in sorted(MOVES))


def every_move(ev: Evaluator, module: Place) -> Iterator[Move]:
    """Yield the statements of a function that move a module in place, or call another function which does."""
    name = written(module.expression)
    yield from moves_of(module, name)
    for call, statement, argument in _calls_passing(ev, module.file, module.scope, name):
        if moves_in_callee(ev, _at(module, call, statement), argument):
            yield Move(statement, "assign", call)


def _calls_passing(ev: Evaluator, file: ParsedFile, scope: Scope, module: str) -> Iterator[_Passing]:
    """Yield the calls by which a function passes a module to a function of the project that may move it.

    Where the result is bound to that name, `model = place(model)`, it is the result that counts.
    """
    passing = _all_passing(ev, file, scope).get(module, ())
    bound = {one.statement for one in scope.bindings.get(module, ())} if passing else ()
    return (one for one in passing if one[1] not in bound and _is_defined(ev, callee_name(one[0])))


@tabled(_NO_CALLS)
def _all_passing(_: Evaluator, file: ParsedFile, scope: Scope) -> Mapping[str, list[_Passing]]:
    """Return the calls of a function to which it passes something by name, by that name."""
    found: dict[str, list[_Passing]] = {}
    for call, statement in file.calls_in_scope(scope):
        if isinstance(statement, _WHOLE):
            for argument in _names_given(call):
                found.setdefault(written(argument), []).append((call, statement, argument))
    return found


def moved_by_callee(ev: Evaluator, module: Place, move: Move) -> Residence | None:
    """Return where a call leaves a module that it is passed; None if that depends on what is unknown."""
    argument = _argument(move.call, written(module.expression))
    assert argument is not None
    moves = moves_in_callee(ev, _at(module, move.call, move.statement), argument)
    return agreed(moved_by(ev, one, _method(one), None) for one in moves)


def _is_defined(ev: Evaluator, name: str) -> bool:
    """Tell whether a file that moves something may define a function of a name: most calls are of other packages.

    What it passes on to another file is not followed from there.
    """
    library = ev.project.library
    defining = library.holding(f"def {name}(")
    return any(not defining.keys().isdisjoint(library.holding(move)) for move in _CALLS)


def _at(module: Place, call: ast.Call, statement: ast.stmt) -> Place:
    return Place(module.file, call, statement, module.frame)


def _argument(call: ast.Call, module: str) -> ast.expr | None:
    """Return the argument of a call that is a module, by the text of its name or attribute."""
    return next((one for one in _names_given(call) if written(one) == module), None)


def _names_given(call: ast.Call) -> Iterator[ast.expr]:
    return (one for one in (*call.args, *(word.value for word in call.keywords)) if isinstance(one, _NAMES))


def _method(move: Place) -> str:
    assert isinstance(move.expression, ast.Call)
    assert isinstance(move.expression.func, ast.Attribute)
    return move.expression.func.attr


@tabled(_NO_MOVES)
def moves_in_callee(ev: Evaluator, call: Place, argument: ast.expr) -> tuple[Place, ...]:
    """Return the moves of an argument that the function which a call enters makes in place, of those it reaches."""
    functions = callees_of(ev, call)
    frames = ((one, frame_for(call, one, FRAME_DEPTH)) for one in functions)
    found = (_moves_of(ev, call, one, frame, argument) for one, frame in frames if frame is not None)
    return tuple(move for moves in found for move in moves if is_reachable(ev, move))


def _moves_of(ev: Evaluator, call: Place, function: Function, frame: Frame, argument: ast.expr) -> Iterator[Place]:
    """Yield the statements by which a function, or one that it passes it on to, moves the parameter for an argument."""
    caller = Caller.of_frame(frame, call)
    for parameter in function.scope.parameters:
        if any(one.expression is argument for one in caller.argument(parameter) or ()):
            inside = Place(function.file, argument, function.scope.node.body[0], frame)
            for move in moves_of(inside, parameter.name):
                yield Place(function.file, move.call, move.statement, frame)
            for passing, statement, given in _calls_passing(ev, function.file, function.scope, parameter.name):
                yield from moves_in_callee(ev, _at(inside, passing, statement), given)
