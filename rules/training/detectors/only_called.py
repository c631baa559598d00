"""Modules that a program only calls, moves and passes on: nothing reads their parameters."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.place import Caller, Place
from torchlint.model.values.def_use import MOST_USES, Use, every_use_of
from torchlint.model.values.value_sets import Class, Function, Instance
from torchlint.pytorch.metadata import METADATA
from torchlint.pytorch.module_attributes import KEEPING_NUMBERS
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.around import class_around

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# Methods that leave the parameters as they are, and give back the module.
_SAME = MOVES | {"float", "train"}
_HARMLESS = _SAME | KEEPING_NUMBERS
# What shows the values of a parameter: `centers.weight.detach()`.
_SHOWING = METADATA | {"detach"}
_LISTED = ("parameters(", "named_parameters(", "modules(", "children(")
_ALL_NAMES = ("locals()", "globals()", "vars(", "__dict__", "getattr(self", "eval(")


def calls_only(ev: Evaluator, made: Place) -> list[Place]:
    """Return the calls of a module that is only called, moved, named and passed on; nothing where it may be more."""
    if any(words in made.file.code for words in _ALL_NAMES) or _is_listed(ev, made):
        return []
    uses = _uses(ev, made)
    if uses is None:
        return []
    called = [call for use in uses if (call := _called(use)) is not None]
    others = [use for use in uses if _called(use) is None]
    return called if all(_is_harmless(ev, use) for use in others) else []


def _uses(ev: Evaluator, made: Place) -> list[Use] | None:
    """Return the reads of a module, and of what moves it; None where there are too many."""
    found: list[Use] = []
    pending = [_moved(made)]
    while pending:
        uses = every_use_of(ev, pending.pop())
        if uses is None or len(found) >= MOST_USES:
            return None
        for use in (one for one in uses if one.is_whole):
            found.append(use)
            if use.before is not None and (moved := _moved(use.place)) != use.place:
                pending.append(moved)
    return found


def _moved(place: Place) -> Place:
    """Return the whole of `module.to(device).train()`."""
    parents = place.file.parents_in(place.statement)
    node = place.expression
    while isinstance(method := parents.get(node), ast.Attribute) and method.attr in _SAME:
        call = parents.get(method)
        if not isinstance(call, ast.Call):
            break
        node = call
    return place.at(node)


def _around(use: Use) -> ast.AST | None:
    return use.place.file.parents_in(use.place.statement).get(use.place.expression)


def _called(use: Use) -> Place | None:
    match _around(use):
        case ast.Call(func=function) as call if function is use.place.expression and not use.inside:
            return use.place.at(call)
        case _:
            return None


def _is_harmless(ev: Evaluator, use: Use) -> bool:
    """Tell whether what stands around a module only names it, moves it, or passes it to a function of the project."""
    place = use.place
    match _around(use):
        case ast.Assign(targets=targets):
            return not any(_is_of_module(ev, place, target) for target in targets)
        case ast.AnnAssign(target=target):
            return not _is_of_module(ev, place, target)
        case ast.Return() | ast.Expr():
            return True
        case ast.Tuple() as several:
            match place.statement:
                case ast.Assign(value=value) | ast.Return(value=value):
                    return value is several
            return False
        case ast.Attribute(attr=name):
            return not use.inside and (name in _HARMLESS or _is_shown(use))
        case ast.Call() as call:
            return _is_received(ev, place.at(call), place.expression)
        case ast.keyword() as word:
            passing = place.file.parents_in(place.statement).get(word)
            return isinstance(passing, ast.Call) and _is_received(ev, place.at(passing), place.expression)
        case _:
            return False


def _is_of_module(ev: Evaluator, place: Place, target: ast.expr) -> bool:
    """Tell whether a target may be an attribute of a module, which makes the value a submodule."""
    match target:
        case ast.Name() | ast.Tuple():
            return False
        case ast.Attribute(value=owner):
            possible = ev.evaluate(place.at(owner))
            own = [one for one in possible if isinstance(one.value, Instance) and not is_module(ev, one.value)]
            return not possible or len(own) < len(possible)
        case _:
            return True


def _is_shown(use: Use) -> bool:
    """Tell whether the value of an attribute of a module is only looked at."""
    parents = use.place.file.parents_in(use.place.statement)
    match parents.get(parents[use.place.expression]):
        case ast.Attribute(attr=name):
            return name in _SHOWING
        case _:
            return False


def _is_received(ev: Evaluator, call: Place, argument: ast.expr) -> bool:
    """Tell whether all that a call may run is functions of the project that give an argument a name."""
    functions = list(callees_of(ev, call))
    return bool(functions) and all(_names(ev, one, call, argument) for one in functions)


def _names(ev: Evaluator, function: Function, call: Place, argument: ast.expr) -> bool:
    """Tell whether a function gives an argument a name; a method of a module may make it a part of that."""
    scope = function.scope
    kind = scope.outer if scope.is_method else None
    if kind is not None and is_module(ev, Instance(Class(function.file, kind))):
        return False
    caller = Caller.of_call(call, 1 if scope.is_method else 0)
    given = [place for one in scope.parameters if not one.star for place in caller.argument(one) or ()]
    return any(place.expression is argument for place in given)


def _is_listed(ev: Evaluator, made: Place) -> bool:
    """Tell whether something of its name is asked for its parameters where it has that: in its function, its class.

    Other files see what is an attribute, or has a name in its file.
    """
    names = _moved(made).bound_to
    texts = [f"{name.rpartition('.')[2]}.{words}" for name in names for words in _LISTED]
    around = class_around(made) or made.scope
    own = made.file.code_of(around.node) if texts else ""
    is_seen = made.scope.kind == "file" or any("." in name for name in names)
    return any(text in own for text in texts) or (is_seen and any(_is_held_elsewhere(ev, made, one) for one in texts))


def _is_held_elsewhere(ev: Evaluator, made: Place, text: str) -> bool:
    others = (ev.project.parsed(path) for path in ev.project.library.holding(text) if path != made.file.location)
    return any(other is not None and may_share_program(ev, made.file, other) for other in others)
