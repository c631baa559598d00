"""What a program compiles: modules, functions, and with which `dynamic`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.calls import Call, calls_anywhere
from torchlint.model.modules.made_of import Key, collect_classes
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Function, Instance, Possibility, ValueSet
from torchlint.pytorch.symbols import COMPILED
from torchlint.syntax.last_names import without_call

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@dataclass(frozen=True, slots=True)
class Compiled:
    """A function that a call runs compiled, and where it is compiled."""

    function: Function
    place: Place
    """The call of `torch.compile`, or the decorator."""

    @property
    def dynamic(self) -> bool | None:
        """Return what is passed for `dynamic`, None where that is nothing or unknown."""
        if not isinstance(self.place.expression, ast.Call):
            return None
        call = Call(self.place.file, self.place.expression, self.place.statement)
        given = call.argument("dynamic")
        values = given.literals if given is not None else None
        return values[0] if values is not None and len(values) == 1 and isinstance(values[0], bool) else None


def compiled_by(ev: Evaluator, call: Call) -> Iterator[Compiled]:
    """Yield the functions of the project that a call runs compiled."""
    made = [one.origin for one in ev.evaluate(call.callee) if one.value == Built(COMPILED)]
    for function in call.callees:
        if (decorator := compiling_decorator(function)) is not None:
            yield Compiled(function, decorator)
        elif made and made[0] is not None:
            yield Compiled(function, made[0])


def compiling_decorator(function: Function) -> Place | None:
    """Return the decorator by which a function is compiled, None where it has none."""
    node = function.scope.node
    if not isinstance(node, ast.FunctionDef):
        return None
    for decorator in node.decorator_list:
        place = Place(function.file, decorator, node)
        if COMPILED in place.at(without_call(decorator)).names:
            return place
    return None


def compiled_classes(ev: Evaluator) -> dict[Key, Place]:
    """Return the classes of the project whose modules are compiled, alone or in others, each with where they are."""
    found: dict[Key, Place] = {}
    seen: set[Place] = set()
    for call in calls_anywhere(ev.project, COMPILED.rpartition(".")[2]):
        collect_classes(ev, _compiled_modules(ev, call), call, found, seen)
    return found


def _compiled_modules(ev: Evaluator, call: Call) -> ValueSet:
    """Return what `torch.compile(model)` or `model.compile()` compiles."""
    if call.argument("disable") is not None:
        return ()
    if COMPILED in call.callee.names:
        return ev.evaluate(call.arguments[0]) if call.arguments else ()
    return compiled_in_place(ev, call)


def compiled_in_place(ev: Evaluator, call: Call) -> ValueSet:
    """Return the modules that `model.compile()` compiles; nothing where that may be another method of that name."""
    owner = call.owner if call.method == "compile" else None
    possible = ev.evaluate(owner) if owner is not None else ()
    return possible if all(_has_compile_of_torch(ev, one) for one in possible) else ()


def _has_compile_of_torch(ev: Evaluator, one: Possibility) -> bool:
    if not is_module(ev, one.value):
        return False
    return not isinstance(one.value, Instance) or method_of(ev, one.value.kind, "compile") is None
