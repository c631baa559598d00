"""What pytest passes to tests: what the fixture with the name of the parameter returns.

It is in the class of the test, in its file, or in a `conftest.py` of an enclosing folder:
https://docs.pytest.org/en/stable/how-to/fixtures.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Function
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope


def fixture_for(place: Place, name: str) -> Function | None:
    """Return the fixture that fills a parameter of the test or fixture around a place, None if there is none."""
    scope = place.scope
    is_open = any(one.name == name and one.default is None for one in scope.parameters)
    if not is_open or not (scope.name.startswith("test") or any(True for _ in fixture_decorators(scope))):
        return None
    # The argument of a fixture may be the one of the same name further out.
    return next((one for one in _fixtures(place, name) if one.scope is not scope), None)


def _fixtures(place: Place, name: str) -> Iterator[Function]:
    """Yield the fixtures of a name that a test may receive, the nearest first."""
    if place.scope.is_method and place.scope.outer is not None:
        yield from _in_scope(place.file, place.scope.outer, name)
    for file in (place.file, *_conftests(place.file, name)):
        yield from _in_scope(file, file.index.scope, name)


def _conftests(file: ParsedFile, name: str) -> Iterator[ParsedFile]:
    saying = file.project.library.holding(name)
    for folder in file.location.parents:
        if (path := folder / "conftest.py") in saying and (found := file.project.parsed(path)) is not None:
            yield found


def _in_scope(file: ParsedFile, around: Scope, name: str) -> Iterator[Function]:
    for binding in around.bindings.get(name, ()):
        if binding.scope is not None and any(True for _ in fixture_decorators(binding.scope)):
            yield Function(file, binding.scope)


def fixture_decorators(scope: Scope) -> Iterator[ast.expr]:
    """Yield what makes a function a fixture: `@pytest.fixture`, `@pytest.fixture(scope="session")`."""
    for decorator in scope.decorators:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if last_name(called) == "fixture":
            yield decorator
