"""Whether a program uses what inherits from `nn.Module` as one: it has a `forward`, or its parameters are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import are_related, family, method_of
from torchlint.model.calls import calls_anywhere
from torchlint.model.headers import name_of
from torchlint.model.values.value_sets import Class, Instance
from torchlint.pytorch.module_attributes import PARAMETERS_OF, USING
from torchlint.pytorch.moves import TO_GPU
from torchlint.pytorch.symbols import MODULE

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_CALLED = ("forward", "__call__")


def used_as_module(ev: Evaluator, kind: Class) -> tuple[Step, ...]:
    """Return the step that assumes that the objects of a class are used as modules, unless a line shows it.

    A server that holds its clients needs no base class, and what holds nothing is not missed there.
    """
    kinds = (kind, *ev.subclasses(kind))
    if any(isinstance(base, str) and base != MODULE for base in family(ev, kind)):
        return ()
    if any(method_of(ev, one, name) is not None for one in kinds for name in _CALLED) or _is_asked(ev, kind):
        return ()
    words = "assumes that it is used as a module, without a `forward`"
    return (name_of(kind.file, kind.scope).step(words, is_assumed=True),)


def _is_asked(ev: Evaluator, kind: Class) -> bool:
    """Tell whether the project moves an object of the class, or asks it for what a module has."""
    return any(
        call.owner is not None and _may_be(ev, kind, call.owner)
        for name in (*TO_GPU, *PARAMETERS_OF, *USING)
        for call in calls_anywhere(ev.project, name)
    )


def _may_be(ev: Evaluator, kind: Class, owner: Place) -> bool:
    found = (one.value for one in ev.evaluate(owner))
    return any(isinstance(one, Instance) and are_related(ev, one.kind, kind) for one in found)
