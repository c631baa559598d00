"""Tests and functions whose marks require a GPU: without one they are skipped, or run elsewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.guards.set_up import is_skipped_before
from torchlint.model.place import Place
from torchlint.syntax.scope import Scope
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def is_marked(place: Place) -> bool:
    """Tell whether a place is in a parameter set with marks of its own: `pytest.param("cuda", marks=needs_gpu)`."""
    sets = {call for call, statement in place.file.index.calls("param") if statement is place.statement}
    parents = place.file.parents_in(place.statement) if sets else {}
    node = parents.get(place.expression)
    while node is not None and node not in sets:
        node = parents.get(node)
    marks = [written(word.value).lower() for word in node.keywords if word.arg == "marks"] if node in sets else []
    return any(re.search("cuda|gpu", text) for text in marks)


def skips(ev: Evaluator, place: Place, function: Scope) -> bool:
    """Tell whether a decorator or mark of a function, its class or its file skips it, or what runs before it does."""
    marks = (*_decorated(function), *_marks(place))
    return is_skipped_before(ev, place, function) or any(
        _skips_without_cuda(ev, place, one, node) for one, node in marks
    )


def _marks(place: Place) -> Iterator[tuple[ast.expr, ast.stmt]]:
    """Yield the marks of a whole file: https://docs.pytest.org/en/stable/example/markers.html#marking-whole-classes-or-modules."""
    for binding in place.file.index.scope.bindings.get("pytestmark", ()):
        match binding.value:
            case ast.List(elts=marks) | ast.Tuple(elts=marks):
                yield from ((mark, binding.statement) for mark in marks)
            case ast.expr() as mark:
                yield mark, binding.statement


def _decorated(function: Scope) -> Iterator[tuple[ast.expr, ast.stmt]]:
    scope: Scope | None = function
    while scope is not None and not isinstance(scope.node, ast.Module):
        for decorator in scope.node.decorator_list:
            yield decorator, scope.node
        scope = scope.outer


def _skips_without_cuda(ev: Evaluator, place: Place, decorator: ast.expr, node: ast.stmt) -> bool:
    name = written(decorator.func if isinstance(decorator, ast.Call) else decorator).lower()
    if not isinstance(decorator, ast.Call):
        # `requires_cuda = unittest.skipUnless(torch.cuda.is_available(), …)`, or such a helper of another package.
        return bool(re.search(r"(require|skip|only|need).*(cuda|gpu)|(cuda|gpu).*(require|only)", name))
    if any(re.search("cuda|gpu", word.arg or "") for word in decorator.keywords):
        # `@RunIf(min_cuda_gpus=1)`, the mark of Lightning's tests.
        return True
    if not decorator.args:
        return False
    outcome = ev.truth(Place(place.file, decorator.args[0], node))
    if "skipunless" in name:
        return outcome is False
    return ("skipif" in name and outcome is True) or bool(re.search(r"(require|need).*(cuda|gpu)", name))
