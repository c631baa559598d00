"""Tests that are skipped by what runs before them: `setUp` of their class, a fixture that they or all tests use."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.call_graph.fixtures import fixture_decorators
from torchlint.model.guards.failing import always_fails
from torchlint.model.values.value_sets import Class, Function
from torchlint.syntax.arguments import passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope

# https://docs.python.org/3/library/unittest.html#unittest.TestCase.setUp and
# https://docs.pytest.org/en/stable/how-to/xunit_setup.html
_OF_CLASSES = ("setUp", "setUpClass", "asyncSetUp", "setup_method", "setup_class")
_OF_FILES = ("setUpModule", "setup_module", "setup_function")


def is_skipped_before(ev: Evaluator, place: Place, function: Scope) -> bool:
    """Tell whether what runs before a test fails, or skips it, without CUDA."""
    if not function.name.startswith("test"):
        return False
    return any(always_fails(ev, one) for one in _run_before(ev, place, function))


def _run_before(ev: Evaluator, place: Place, test: Scope) -> Iterator[Function]:
    if test.is_method and test.outer is not None:
        kind = Class(place.file, test.outer)
        found = (method_of(ev, kind, name) for name in _OF_CLASSES)
        yield from (one for one in found if one is not None)
        yield from _fixtures(place, test, test.outer)
    scope = place.file.index.scope
    yield from (one for name in _OF_FILES for one in _named(place, scope, name))
    yield from _fixtures(place, test, scope)


def _fixtures(place: Place, test: Scope, scope: Scope) -> Iterator[Function]:
    """Yield the fixtures of a file or class that a test uses: by name, or because every test does."""
    given = {parameter.name for parameter in test.parameters}
    for name in scope.bindings:
        for one in _named(place, scope, name):
            if any(name in given or is_for_all for is_for_all in _as_fixture(one)):
                yield one


def _named(place: Place, scope: Scope, name: str) -> Iterator[Function]:
    for binding in scope.bindings.get(name, ()):
        if binding.kind == "function" and binding.scope is not None:
            yield Function(place.file, binding.scope)


def _as_fixture(function: Function) -> Iterator[bool]:
    """Yield for each decorator that makes a function a fixture whether every test uses it."""
    for decorator in fixture_decorators(function.scope):
        word = passed(decorator, "autouse") if isinstance(decorator, ast.Call) else None
        yield isinstance(word, ast.Constant) and bool(word.value)
