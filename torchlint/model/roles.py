"""Which role a value plays in training: optimizer, scheduler, loader, gradient scaler."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import imported_bases, method_of
from torchlint.model.values.value_sets import Built, Instance, Value, ValueSet
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.classes import role_of
from torchlint.pytorch.roles import Role

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

SCHEDULERS = frozenset({Role.SCHEDULER, Role.METRIC_SCHEDULER})
LOADERS = frozenset({Role.LOADER, Role.GRAPH_LOADER})


def role_played(ev: Evaluator, value: Value) -> Role | None:
    """Return the role of an object: that of its class, or of the nearest base outside the project that has one."""
    match value:
        case Built(name=name):
            return role_of(canonical(name))
        case Instance(kind=kind):
            return next(filter(None, map(role_of, imported_bases(ev, kind))), None)
        case _:
            return None


def is_a(ev: Evaluator, value: Value, role: Role | Collection[Role]) -> bool:
    """Tell whether an object plays a role, or one of several."""
    return role_played(ev, value) in ({role} if isinstance(role, Role) else role)


def is_made_as(ev: Evaluator, value: Value, role: Role) -> bool:
    """Tell whether an object plays a role, and is constructed with the arguments of PyTorch's own class."""
    return plays_plainly(ev, value, role, "__init__")


def plays_plainly(ev: Evaluator, value: Value, role: Role, method: str) -> bool:
    """Tell whether an object plays a role, and has PyTorch's own method: no class of the project overrides it."""
    has_own = isinstance(value, Instance) and method_of(ev, value.kind, method) is not None
    return is_a(ev, value, role) and not has_own


def may_be_a(ev: Evaluator, place: Place, role: Role) -> bool:
    """Tell whether an expression may be something that plays a role."""
    return any(is_a(ev, one.value, role) for one in ev.evaluate(place))


def are_all(ev: Evaluator, possible: ValueSet, role: Role) -> bool:
    """Tell whether an expression surely is something that plays a role."""
    return bool(possible) and all(is_a(ev, one.value, role) for one in possible)
