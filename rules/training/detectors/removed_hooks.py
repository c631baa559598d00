"""Methods of a LightningModule that Lightning called once, and does no more."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import imported_bases
from torchlint.model.headers import name_of
from torchlint.model.options.versions import may_be_from
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Function
from torchlint.pytorch.companions.lightning import MODULES, REMOVED_HOOKS, REMOVED_INDEX

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.pytorch.requirements import Version
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class LostHook:
    """A method that Lightning refuses, or never calls."""

    place: Place
    raises: bool
    since: Version
    instead: str
    parameter: str = ""
    """The parameter that makes it refuse the method; empty where the method itself does."""


def removed_hooks(ev: Evaluator, file: ParsedFile) -> Iterator[LostHook]:
    """Yield the methods of a file that only an older Lightning calls, in source order."""
    for scope in file.index.scopes:
        if scope.is_method and _is_plain(file, scope):
            yield from _removed(ev, file, scope)
            yield from _indexed(ev, file, scope)


def _removed(ev: Evaluator, file: ParsedFile, scope: Scope) -> Iterator[LostHook]:
    for row in REMOVED_HOOKS:
        is_row = row.method == scope.name and _is_of_lightning(ev, file, scope, row.since)
        if is_row and (row.raises or not ev.callers(Function(file, scope))):
            yield LostHook(name_of(file, scope), row.raises, row.since, row.instead)


def _indexed(ev: Evaluator, file: ParsedFile, scope: Scope) -> Iterator[LostHook]:
    method, parameter, since = REMOVED_INDEX
    has_it = any(one.name == parameter and not one.star for one in scope.parameters)
    if scope.name == method and has_it and _is_of_lightning(ev, file, scope, since):
        instead = "call `optimizer.step()` yourself, by manual optimization"
        yield LostHook(name_of(file, scope), True, since, instead, parameter)


def _is_plain(file: ParsedFile, scope: Scope) -> bool:
    """Tell whether a method stands right in its class: under a test it may be for an older version."""
    node = scope.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    # `if pl.__version__[0] != "2":` in it is about what calls it.
    is_for_all = "__version__" not in file.code_of(node)
    return is_for_all and scope.outer is not None and file.index.home[node][0].owner is scope.outer.node


def _is_of_lightning(ev: Evaluator, file: ParsedFile, scope: Scope, since: Version) -> bool:
    """Tell whether a method is one of a LightningModule that a version, or a newer one, may run."""
    assert scope.outer is not None
    bases = MODULES.intersection(imported_bases(ev, Class(file, scope.outer)))
    return bool(bases) and all(may_be_from(file, base.partition(".")[0], since) for base in bases)
