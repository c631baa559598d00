"""Which calls build objects of a class: a call that runs an inherited `__init__` may build only others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import are_related, family
from torchlint.model.values.value_sets import Class, Function, Instance, Possibility
from torchlint.syntax.around import class_around
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Caller, Place


def callers_for(ev: Evaluator, function: Function, receiver: Possibility | None) -> tuple[Caller, ...]:
    """Return the known callers of a function, without those that only build objects of other classes."""
    callers = ev.callers(function)
    if receiver is None or not isinstance(receiver.value, Instance):
        return callers
    kind = receiver.value.kind
    return tuple(caller for caller in callers if may_build(ev, caller.place, kind))


def may_build(ev: Evaluator, call: Place, kind: Class) -> bool:
    """Tell whether a call of a class, or of its `__init__`, may build an object of a given subclass.

    `Base(model)` builds no `Derived`, nor does `super().__init__(model)` in another subclass of `Base`.
    """
    callee = call.expression.func if isinstance(call.expression, ast.Call) else call.expression
    around = class_around(call)
    if around is not None and are_related(ev, Class(call.file, around), kind):
        # `cls(…)` and `super().__init__(…)` are for the receiver of the method.
        return True
    built = [one.value for one in ev.evaluate(call.at(callee)) if isinstance(one.value, Class)]
    if built:
        return any(kind in family(ev, one) for one in built)
    return around is None or last_name(callee) != "__init__"


def is_ever_built(ev: Evaluator, kind: Class) -> bool:
    """Tell whether any file calls a class or a subclass, by their names."""
    library = ev.project.library
    for name in dict.fromkeys(one.scope.name for one in (kind, *ev.subclasses(kind))):
        files = (file for path in library.using(name) if (file := ev.project.parsed(path)) is not None)
        if any(True for file in files for _ in file.index.calls(name)):
            return True
    return False
