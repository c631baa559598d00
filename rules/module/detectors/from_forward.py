"""From which `forward` a program reaches a place."""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Instance
from torchlint.syntax.around import class_around, function_around

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


_NO_STORY: tuple[Step, ...] | None = None


@tabled(_NO_STORY)
def from_forward(ev: Evaluator, place: Place, is_out: Callable[[Place], bool]) -> tuple[Step, ...] | None:
    """Return the calls by which the `forward` of a module reaches a place, or None if none is known to.

    Places on the path for which `is_out` is true are not followed.
    """
    function = function_around(place)
    if function is None or place.scope is not function or is_out(place):
        return None
    if function.name == "forward":
        kind = class_around(place)
        return () if kind is not None and is_module(ev, Instance(Class(place.file, kind))) else None
    for caller in islice(ev.callers(Function(place.file, function)), MOST_CALLERS):
        if isinstance(caller.place.expression, ast.Call):
            story = from_forward(ev, caller.place, is_out)
            if story is not None:
                return (*story, caller.place.step(f"`{function.qualified_name}` is called by `forward` here"))
    return None
