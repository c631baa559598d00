"""Modules that surely have parameters to train: new ones whose classes neither freeze nor load them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.calls import call_at
from torchlint.model.containers.module_containers import is_container, modules_in
from torchlint.model.modules.tracked_statistics import parts_of_class
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Class, Instance, Possibility, Tensor
from torchlint.pytorch.layers import WEIGHTED
from torchlint.pytorch.symbols import MODULE, NN, PARAMETER

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# What a class says that fills its parameters by itself, keeps them as they are, or leaves it to an option.
_OWN_WAYS = re.compile(
    r"requires_grad|no_grad|inference_mode|\.data\b|\.copy_\(|load|pretrained|freez|frozen|fixed|optim|momentum|ema\b"
)


@tabled(False)
def is_trainable(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether something is a module that has parameters of its own, which only an optimizer can change."""
    match one.value:
        case Built(name=name) if is_container(one.value):
            return any(is_trainable(ev, part) for part in modules_in(ev, one))
        case Built(name=name):
            return name.startswith(NN) and name.rpartition(".")[2] in WEIGHTED
        case Instance(kind=kind):
            return _has_parameters(ev, kind)
        case _:
            return False


def _is_plain(ev: Evaluator, kind: Class) -> bool:
    """Tell whether a class and its bases neither freeze nor load their parameters."""
    for one in family(ev, kind):
        is_plain = one == MODULE if isinstance(one, str) else not _OWN_WAYS.search(one.file.code_of(one.scope.node))
        if not is_plain:
            return False
    return True


@tabled(False)
def _has_parameters(ev: Evaluator, kind: Class) -> bool:
    """Tell whether a class gives its objects something to train, and leaves that to others."""
    return _is_plain(ev, kind) and any(is_to_be_trained(ev, part) for part in parts_of_class(ev, kind))


def is_to_be_trained(ev: Evaluator, part: Possibility) -> bool:
    """Tell whether a part of a module surely is a parameter that gets gradients, or a module with some."""
    made = call_at(part.origin) if isinstance(part.value, Tensor) and part.origin is not None else None
    if made is not None and PARAMETER in made.callee.names:
        return made.argument("requires_grad", 1) is None and not made.is_open
    return is_trainable(ev, part)
