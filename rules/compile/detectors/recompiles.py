"""Numbers for which compiled code is compiled again with every step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call
from torchlint.model.place import Caller
from torchlint.model.training.what_trains import step_loops_of
from torchlint.pytorch.recompiling import ALWAYS, Constant
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

from .compiled import compiled_by
from .counting_modules import counted_by_modules, set_by_steps
from .step_numbers import counts_steps, spells_steps

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.training.call_paths import Story
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class Recompile:
    """A number that compiled code is compiled again for."""

    place: Place
    """The argument that is passed, or the attribute that a module changes."""
    constant: Constant
    compiled: Place
    """Where the module or function is compiled."""
    name: str
    """The name of the function, if it is one."""
    story: Story


def recompiles(ev: Evaluator, file: ParsedFile) -> Iterator[Recompile]:
    """Yield the numbers of a file for which compiled code is compiled again and again."""
    for counted in (*counted_by_modules(ev, file), *set_by_steps(ev, file)):
        yield Recompile(counted.place, Constant.ATTRIBUTE, counted.compiled, "", counted.story)
    training = step_loops_of(ev.project)
    for expression, statement in file.index.expressions(ast.Call) if training.is_in(file) else ():
        call = Call(file, expression, statement)
        if any(counts_steps(one) or spells_steps(one) for one in (*call.arguments, *call.keywords.values())):
            story = training.every_step(call)
            yield from _passed(ev, call, story) if story is not None else ()


def _passed(ev: Evaluator, call: Call, story: Story) -> Iterator[Recompile]:
    """Yield the first argument of a call for each value of which the function is compiled."""
    for compiled in compiled_by(ev, call):
        function = compiled.function
        caller = Caller.of_call(call, 1 if function.scope.is_method else 0)
        for parameter in function.scope.parameters:
            for given in caller.argument(parameter) or ():
                constant = _constant(function.scope, parameter.name, given)
                if constant is not None and compiled.dynamic in ALWAYS[constant]:
                    yield Recompile(given, constant, compiled.place, function.scope.name, story)
                    return


def _constant(function: Scope, name: str, given: Place) -> Constant | None:
    """Return what a function takes an argument for that changes with every step, None where it needs no other graph."""
    if spells_steps(given):
        return Constant.TEXT if _used(function, name) is not None else None
    return _used(function, name) if counts_steps(given) else None


def _used(function: Scope, name: str) -> Constant | None:
    """Return what a function takes a parameter for, None where it does not read it, or in a text alone."""
    told = {id(node) for text in walk(function.node) if isinstance(text, ast.JoinedStr) for node in walk(text)}
    names = (one for one in walk(function.node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))
    if not any(one.id == name and id(one) not in told for one in names):
        return None
    return Constant.ROUNDS if any(_goes_over(node, name) for node in walk(function.node)) else Constant.ARGUMENT


def _goes_over(node: ast.AST, name: str) -> bool:
    """Tell whether a node is a `range` up to or from a number, and not from what is left of a division."""
    if not isinstance(node, ast.Call) or callee_name(node) != "range":
        return False
    parts = [part for argument in node.args for part in walk(argument)]
    is_bounded = any(
        isinstance(part, ast.Call) or isinstance(getattr(part, "op", None), (ast.Mod, ast.FloorDiv)) for part in parts
    )
    return not is_bounded and any(isinstance(part, ast.Name) and part.id == name for part in parts)
