"""Optimizers of parameters that `fully_shard` replaces afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.roles import are_all
from torchlint.pytorch.module_attributes import PARAMETERS_OF
from torchlint.pytorch.roles import Role
from torchlint.pytorch.sharding import SHARDING

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class ShardedLater:
    """The making of an optimizer, and where the module whose parameters it has is sharded."""

    optimizer: Call
    sharding: Call


def sharded_later(ev: Evaluator, file: ParsedFile) -> Iterator[ShardedLater]:
    """Yield the optimizers of a file that are made above the sharding of their module, in source order."""
    shardings = list(calls_of(file, SHARDING))
    for made, module in _optimizers(ev, file) if shardings else ():
        later = (one for one in shardings if _is_of(ev, one, module) and _comes_after(made, one))
        if (sharding := next(later, None)) is not None and not _is_made_again(ev, made, sharding):
            yield ShardedLater(made, sharding)


def _optimizers(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Call, Place]]:
    """Yield the optimizers of a file that are given `module.parameters()`, alone or in groups, with the module."""
    for name in sorted(PARAMETERS_OF):
        for node, statement in file.index.calls(name):
            owner = Call(file, node, statement).owner
            around = (Call(file, one, statement) for one in _calls_around(file, node, statement))
            made = next((one for one in around if are_all(ev, ev.evaluate(one), Role.OPTIMIZER)), None)
            if made is not None and owner is not None:
                yield made, owner


def _calls_around(file: ParsedFile, node: ast.expr, statement: ast.stmt) -> Iterator[ast.Call]:
    parents = file.parents_in(statement)
    parent = parents.get(node)
    while isinstance(parent, (ast.expr, ast.keyword, ast.comprehension)):
        if isinstance(parent, ast.Call):
            yield parent
        parent = parents.get(parent)


def _is_of(ev: Evaluator, sharding: Call, module: Place) -> bool:
    """Tell whether a call shards the same module: by a name that is bound once, or made at one place."""
    given = sharding.argument("module", 0)
    if given is None:
        return False
    if given.is_name and given.code == module.code and len(module.scope.bindings.get(module.code, ())) == 1:
        return given.scope is module.scope
    found = ev.evaluate(given)
    same = {one.origin for one in ev.evaluate(module)}
    return len(found) == 1 and len(same) == 1 and found[0].origin is not None and {found[0].origin} == same


def _comes_after(made: Call, sharding: Call) -> bool:
    return made.scope is sharding.scope and made.line < sharding.line and not exclude_each_other(made, sharding)


def _is_made_again(ev: Evaluator, made: Call, sharding: Call) -> bool:
    """Tell whether a function makes an optimizer below the sharding, too."""
    calls = (Call(made.file, *one) for one in made.file.calls_in_scope(made.scope))
    below = (one for one in calls if one.line > sharding.line and isinstance(one.expression, ast.Call))
    return any(are_all(ev, ev.evaluate(one), Role.OPTIMIZER) for one in below)
