"""Which modules surely have batch norms, whose running statistics change with every batch in training mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.calls import Call, call_at
from torchlint.model.containers.module_containers import is_container, modules_in
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Class, Instance, Possibility
from torchlint.pytorch.companions.torchvision import MODELS, TRACKING_MODELS
from torchlint.pytorch.layers import TRACKING

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@tabled(False)
def tracks_statistics(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a module surely has a batch norm, itself or in a submodule."""
    match one.value:
        case Built() if is_container(one.value):
            return any(tracks_statistics(ev, part) for part in modules_in(ev, one))
        case Built(name=name):
            made = call_at(one.origin) if one.origin is not None else None
            return made is not None and (_is_norm(made) if name in TRACKING else any(map(_tracks, made.callee.names)))
        case Instance(kind=kind):
            return _has_norm(ev, kind)
        case _:
            return False


@tabled(False)
def _has_norm(ev: Evaluator, kind: Class) -> bool:
    return any(tracks_statistics(ev, part) for part in parts_of_class(ev, kind))


def parts_of_class(ev: Evaluator, kind: Class) -> Iterator[Possibility]:
    """Yield what the constructors of a class and its bases put into attributes."""
    for one in family(ev, kind):
        if isinstance(one, Class):
            for store in one.file.index.stores:
                scope = one.file.index.home[store.statement][0].scope
                if scope.name == "__init__" and scope.outer is one.scope and store.value is not None:
                    yield from ev.evaluate(Place(one.file, store.value, store.statement))


def _is_norm(made: Call) -> bool:
    return not made.is_open and made.argument("track_running_stats", 4) is None


def _tracks(name: str) -> bool:
    """Tell whether a function makes one of torchvision's models with batch norms."""
    model = name.removeprefix(MODELS)
    return model != name and (model.startswith(tuple(TRACKING_MODELS)) or model.endswith("_bn"))
