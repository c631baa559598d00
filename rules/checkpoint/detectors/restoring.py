"""Calls of `load_state_dict` whose result is used as the module or optimizer itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.checkpoints.loading import is_used_as_module
from torchlint.model.place import Place
from torchlint.model.roles import is_a
from torchlint.model.values.def_use import uses_of
from torchlint.model.values.value_sets import Built, Possibility, Unknown, ValueSet
from torchlint.pytorch.moves import MODULE_CASTS, MOVES
from torchlint.pytorch.roles import Role

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_STEPPED = frozenset({Role.OPTIMIZER, Role.SCHEDULER, Role.METRIC_SCHEDULER})
_KEYS, _NOTHING = "the keys that did not match", "`None`"


@dataclass(frozen=True, slots=True)
class Taken:
    """A call of `load_state_dict`, and where its result is used as if it were the module."""

    call: Call
    uses: tuple[Place, ...]
    is_sure: bool
    """Whether the receiver is surely a module or optimizer."""
    returned: str
    """What the call returns instead of what it fills."""


def loaded_for_modules(ev: Evaluator, file: ParsedFile) -> Iterator[Taken]:
    """Yield the calls of `load_state_dict` whose result replaces the module, or is used as one."""
    for call in method_calls_of(file, frozenset({"load_state_dict"})):
        if call.owner is None or call.is_statement or call.callees:
            continue
        possible = ev.evaluate(call.owner)
        sure = bool(possible) and all(_is_filled(ev, one) for one in possible)
        if not sure and not all(isinstance(one.value, Unknown) or _is_filled(ev, one) for one in possible):
            continue
        uses = tuple(_used_as_module(ev, call))
        if uses or call.owner.code in call.bound_to:
            yield Taken(call, uses, sure, _returned(ev, possible) if sure else f"{_KEYS}, or {_NOTHING}")


def _returned(ev: Evaluator, possible: ValueSet) -> str:
    kinds = {is_module(ev, one.value) for one in possible}
    by_kind = {True: f"{_KEYS}, not the module", False: f"{_NOTHING}, not the optimizer"}
    return by_kind[kinds.pop()] if len(kinds) == 1 else f"{_KEYS}, or {_NOTHING}"


def _is_filled(ev: Evaluator, one: Possibility) -> bool:
    is_stepped = isinstance(one.value, Built) and is_a(ev, one.value, _STEPPED)
    return is_stepped or is_module(ev, one.value)


def _used_as_module(ev: Evaluator, call: Call) -> Iterator[Place]:
    for use in uses_of(ev, call):
        parent = use.place.file.parents_in(use.place.statement).get(use.place.expression)
        is_value = use.is_whole and not use.inside
        if is_value and parent is not None and _is_wanted(parent, use.place.expression):
            yield use.place


def _is_wanted(parent: ast.AST, child: ast.AST) -> bool:
    return is_used_as_module(parent, child) or (
        isinstance(parent, ast.Attribute) and parent.attr in MOVES | MODULE_CASTS
    )
