"""Which module an optimizer of PyTorch trains, by the parameters that it received."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import call_at
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Place
from torchlint.model.roles import is_made_as
from torchlint.pytorch.module_attributes import PARAMETERS_OF
from torchlint.pytorch.roles import Role
from torchlint.syntax.last_names import is_dotted_name, last_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator, ParsedFile

    from .called_within import Within

_FOR_OPTIMIZERS = re.compile(r"optim|adam|sgd|rmsprop|param_?groups?|params\w* *\+?=|\.append\(", re.IGNORECASE)
_FOR_OTHERS = re.compile(r"requires_grad *= *False|requires_grad_\(False|numel|clip_grad|\bzip\(")


def is_trained(ev: Evaluator, module: Place, run: Within) -> bool | None:
    """Tell whether some calls step an optimizer that received the parameters of a module, as a whole.

    If what it received is unknown, a statement that reads the module's parameters and mentions an optimizer makes it
    likely: None.
    """
    optimizers = [place for step in run.names("step") for place in (*step.arguments, step.owner) if place is not None]
    received = [one for place in optimizers for one in _received(ev, place)]
    given = [one for it in received for one in _asked(it)]
    if given or (received and all(map(_is_of_names, received))):
        return any(is_one(ev, one, module) for one in given)
    files = dict.fromkeys((module.file, *(one.file for one in origins_of(ev, module))))
    is_likely = any(is_one(ev, one, module) for file in files for one in _asked_for_optimizers(file))
    return None if is_likely else False


def trains(ev: Evaluator, optimizer: Place, module: Place) -> bool:
    """Tell whether an optimizer received the parameters of a module, as a whole."""
    return any(is_one(ev, one, module) for one in given_modules(ev, optimizer))


def are_apart(ev: Evaluator, optimizer: Place, other: Place) -> bool:
    """Tell whether two optimizers received modules that were made for themselves, neither of the other."""
    here, there = (list(given_modules(ev, one)) for one in (optimizer, other))
    return bool(here) and bool(there) and all(_are_made_apart(ev, one, two) for one in here for two in there)


def are_passed_apart(ev: Evaluator, optimizer: Place, other: Place) -> bool:
    """Tell whether two optimizers received modules of two names that the caller passes: most likely two modules."""
    here, there = (list(given_modules(ev, one)) for one in (optimizer, other))
    return bool(here) and bool(there) and all(_are_passed_apart(ev, one, two) for one in here for two in there)


def _are_passed_apart(ev: Evaluator, one: Place, other: Place) -> bool:
    if one.scope is not other.scope or one.code == other.code or origins_of(ev, one) or origins_of(ev, other):
        return False
    bindings = [one.scope.bindings.get(place.code, ()) for place in (one, other)]
    return all(len(group) == 1 and group[0].kind == "parameter" for group in bindings)


def _are_made_apart(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether two names refer to modules that were made by different calls, neither with the other's name."""
    made, made_other = origins_of(ev, one), origins_of(ev, other)
    if not made or not made_other or one.scope is not other.scope:
        return False
    if any(may_be_one_call(at, at_other) for at in made for at_other in made_other):
        return False
    named = {last_name(node) for at in (*made, *made_other) for node in walk(at.expression)}
    return one.is_name and other.is_name and one.word not in named and other.word not in named


def may_be_one_call(one: Place, other: Place) -> bool:
    """Tell whether two origins are one call in the same callers, whatever is assumed of the tests around it."""
    return all(a is b for a, b in zip(_call_string(one), _call_string(other), strict=False))


def _call_string(origin: Place) -> Iterator[ast.expr]:
    """Yield a call, and the calls that entered the functions around it."""
    yield origin.expression
    frame = origin.frame
    while frame is not None and frame.call is not None:
        yield frame.call.expression
        frame = frame.outer


def may_be_trained(ev: Evaluator, module: Place) -> bool:
    """Tell whether the parameters of a module are read anywhere, as a whole, by code that may be about an optimizer."""
    asking = (ev.project.parsed(path) for name in sorted(PARAMETERS_OF) for path in ev.project.library.using(name))
    files = dict.fromkeys((module.file, *(one.file for one in origins_of(ev, module)), *asking))
    return any(is_one(ev, one, module) for file in files if file is not None for one in _asking(file))


def is_one(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether two expressions refer to one module, possibly in a wrapper."""
    if one.code == other.code and (one.scope is other.scope or _is_of_one_object(one, other)):
        return True
    # If what made the one is unknown, it is useless to find what made the other.
    made = origins_of(ev, other)
    return bool(made) and not made.isdisjoint(origins_of(ev, one))


def origins_of(ev: Evaluator, module: Place) -> frozenset[Place]:
    """Return the calls that may have made a module, wrappers and what is in them."""
    possible = ev.evaluate(module)
    inner = (two for one in possible for two in unwrapped(ev, one) or ())
    return frozenset(one.origin for one in (*possible, *inner) if one.origin is not None)


def _is_of_one_object(one: Place, other: Place) -> bool:
    """Tell whether two methods of a class read the same attribute: `self.model`."""
    is_own = one.code.startswith("self.") and one.scope.is_method and other.scope.is_method
    return is_own and one.scope.outer is other.scope.outer


def module_given(made: Call) -> Place | None:
    """Return the module whose parameters alone an optimizer is made with: `net` of `Adam(net.parameters())`."""
    params = made.argument("params", 0)
    asked = call_at(params) if params is not None else None
    return asked.owner if asked is not None and asked.method in PARAMETERS_OF else None


def given_modules(ev: Evaluator, optimizer: Place) -> Iterator[Place]:
    """Yield the modules whose parameters an optimizer received."""
    for one in _received(ev, optimizer):
        yield from _asked(one)


def _received(ev: Evaluator, optimizer: Place) -> Iterator[Place]:
    """Yield what an optimizer received as its parameters."""
    for one in ev.evaluate(optimizer):
        if not is_made_as(ev, one.value, Role.OPTIMIZER) or one.origin is None:
            continue
        made = call_at(one.origin)
        given = made.argument("params", 0) if made is not None else None
        if given is not None:
            yield given


def _is_of_names(received: Place) -> bool:
    """Tell whether an optimizer received tensors by their names, as of an image: `Adam([image])`."""
    parts = received.expression.elts if isinstance(received.expression, (ast.List, ast.Tuple)) else ()
    return bool(parts) and all(map(is_dotted_name, parts))


def _asked(given: Place) -> Iterator[Place]:
    """Yield the modules whose parameters an expression reads, or the value of a variable with one binding."""
    match given.expression:
        case ast.Name(id=name):
            bindings = given.scope.bindings.get(name, ())
            if len(bindings) == 1 and (value := bindings[0].value) is not None and not isinstance(value, ast.Name):
                yield from _asked(Place(given.file, value, bindings[0].statement))
        case expression:
            for node in walk(expression):
                match node:
                    case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in PARAMETERS_OF:
                        if is_dotted_name(owner):
                            yield given.at(owner)


def _asked_for_optimizers(file: ParsedFile) -> Iterator[Place]:
    """Yield the modules whose parameters a file reads in a statement about optimizers, or passes to a function."""
    for one in _asking(file):
        text = file.code_of(one.statement)
        if _FOR_OPTIMIZERS.search(text) is not None and _FOR_OTHERS.search(text) is None:
            yield one


def _asking(file: ParsedFile) -> Iterator[Place]:
    """Yield the modules whose parameters a file reads, or that it passes to a function for that."""
    for name in sorted(one for one in file.index.called_names() if "param" in one.lower()):
        for call, statement in file.index.calls(name):
            asked = [call.func.value] if isinstance(call.func, ast.Attribute) and name in PARAMETERS_OF else call.args
            yield from (Place(file, one, statement) for one in asked if is_dotted_name(one))
