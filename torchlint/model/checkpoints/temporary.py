"""Paths in temporary folders: this run wrote the files there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.fixtures import fixture_for
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.model.worlds import ANYWHERE
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Binding

# https://docs.pytest.org/en/stable/how-to/tmp_path.html
_FIXTURES = frozenset({"tmp_path", "tmpdir", "tmp_path_factory", "tmpdir_factory"})
_MAKERS = frozenset({
    "TemporaryDirectory", "NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile", "mkdtemp", "mkstemp",
    "gettempdir",
})  # fmt: skip


def is_temporary(path: Place) -> bool:
    """Tell whether a path is in a temporary folder, as the function shows, or tests that are its only callers."""
    return _mentions_temporary(path.file.project.evaluator(ANYWHERE), path)


@tabled(False)
def _mentions_temporary(ev: Evaluator, path: Place) -> bool:
    for inner in walk(path.expression):
        match inner:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in _MAKERS:
                return True
            case ast.Name(id=name) if name in _FIXTURES:
                return True
            case ast.Name(id=name):
                values = _values(path.scope.bindings.get(name, ()))
                if any(_mentions_temporary(ev, path.at(value)) for value in values):
                    return True
                if _is_always_passed_temporary(ev, path, name) or _is_temporary_fixture(ev, path, name):
                    return True
    return False


def _values(bindings: Iterable[Binding]) -> Iterator[ast.expr]:
    return (binding.value for binding in bindings if binding.value is not None)


def _is_always_passed_temporary(ev: Evaluator, path: Place, name: str) -> bool:
    parameter = next((one for one in path.scope.parameters if one.name == name), None)
    if parameter is None:
        return False
    callers = ev.callers(Function(path.file, path.scope))
    passed = [caller.argument(parameter) for caller in callers if _is_test(caller.place)]
    every = bool(callers) and len(passed) == len(callers)
    return every and all(places and all(_mentions_temporary(ev, at) for at in places) for places in passed)


def _is_temporary_fixture(ev: Evaluator, path: Place, name: str) -> bool:
    """Tell whether pytest passes the result of a fixture of that name, which is in a temporary folder."""
    fixture = fixture_for(path, name)
    if fixture is None:
        return False
    scope = fixture.scope
    given = [(one.value, one) for one in scope.returns] + [(one.value, at) for one, at in scope.yields]
    places = [Place(fixture.file, value, at) for value, at in given if value is not None]
    return bool(places) and all(_mentions_temporary(ev, one) for one in places)


def _is_test(place: Place) -> bool:
    return place.scope.name.startswith("test") or any(one.name in _FIXTURES for one in place.scope.parameters)
