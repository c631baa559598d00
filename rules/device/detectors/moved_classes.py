"""Where the project moves an object of a class of modules, or of one that uses it, to a GPU: no call has to show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import are_related
from torchlint.model.holding import files_holding
from torchlint.model.parallel.wrappers import without_wrappers
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Class, Instance
from torchlint.pytorch.moves import TO_GPU

from .moved_owners import classes_using, owner_on_gpu

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator

_STEPS: tuple[Step, ...] = ()


@tabled(_STEPS)
def class_on_gpu(ev: Evaluator, tensor: Place) -> tuple[Step, ...]:
    """Return the step that shows, or assumes, that objects of the class are moved to a GPU, if a tensor needs that.

    The device of what a class keeps is decided when one is made, and of its parameters when one is moved: both are
    known without a call.
    """
    owner = owner_on_gpu(ev, tensor)
    if not any(step.is_assumed for step in owner):
        return owner
    kinds = classes_using(ev, tensor)
    of_these = (one for one in _moves(ev) if _is_of_any(ev, one, kinds))
    moved = next((one for one in of_these if ev.residence(one) not in {None, HOST}), None)
    return owner if moved is None else (moved.step("a module of this class, or with one, is moved here"),)


def _moves(ev: Evaluator) -> Iterator[Place]:
    """Yield the calls of the project that may move something to a GPU."""
    for name in TO_GPU:
        for file in files_holding(ev, (f".{name}(",)):
            yield from (Place(file, call, statement) for call, statement in file.index.calls(name))


def _is_of_any(ev: Evaluator, moved: Place, kinds: tuple[Class, ...]) -> bool:
    found = [one.value for outer in ev.evaluate(moved) for one in without_wrappers(ev, outer)]
    return any(isinstance(one, Instance) and are_related(ev, kind, one.kind) for one in found for kind in kinds)
