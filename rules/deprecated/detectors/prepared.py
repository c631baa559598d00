"""Whether a program that uses a name which PyTorch no longer has handles that.

It may catch the exception, or check the version or the name first; here, around the function or class, or where the
file or the function is used.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import imported_by, imports_itself
from torchlint.model.call_graph.mentions import mentions_in
from torchlint.model.guards.reachability import never_runs
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.dominating_conditions import Condition, conditions
from torchlint.syntax.exits import suppresses
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_CATCHES = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "TypeError", "RuntimeError", "IndexError", "Exception"}
)
_CATCHES_ALL = frozenset({"BaseException"}) | _CATCHES
# Python's own version says nothing about PyTorch.
_VERSION = re.compile(r"version(?!_?info)|(?<![a-z])ver(?![a-z])|torch_?(ge|gt|le|lt|v?\d)", re.IGNORECASE)
_ASKING = frozenset({"hasattr", "getattr", "find_spec", "dir", "vars", "is_torch_version"})
_MOST_FILES = 20


@tabled(False)
def is_prepared(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place is only reached if the name exists, or its exception is caught."""
    if _is_prepared_here(ev, place) or never_runs(ev, place):
        return True
    uses = list(_uses(ev, place))
    return bool(uses) and all(is_prepared(ev, one) for one in uses)


def _is_prepared_here(ev: Evaluator, place: Place) -> bool:
    if any(_tells_releases_apart(ev, test, holds) for test, holds in place.tests):
        return True
    return any(_is_attempted(place.file, one) or _is_asked_around(ev, place.file, one) for one in _around(place))


def _around(place: Place) -> Iterator[ast.stmt]:
    """Yield the statement of a place, and the enclosing functions and classes."""
    yield place.statement
    scope = place.scope
    while scope.outer is not None:
        assert not isinstance(scope.node, ast.Module)
        yield scope.node
        scope = scope.outer


def _is_attempted(file: ParsedFile, statement: ast.stmt) -> bool:
    """Tell whether a statement is in a `try` that catches a missing name, in its handler, or in `suppress()`."""
    for block, _ in file.index.blocks_around(statement):
        match block.owner:
            case ast.Try(handlers=handlers) if block.arm == "body" and any(map(_catches, handlers)):
                return True
            case ast.ExceptHandler() as handler if _catches(handler):
                return True
            case ast.With() | ast.AsyncWith() as entered if suppresses(entered):
                return True
    return False


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(node, ast.Name) and node.id in _CATCHES_ALL for node in nodes)


def _is_asked_around(ev: Evaluator, file: ParsedFile, statement: ast.stmt) -> bool:
    """Tell whether a condition of a function or class checks the version."""
    tests = (one for one in conditions(file.index, statement) if isinstance(one, Condition))
    return any(_tells_releases_apart(ev, Place(file, one.test, one.statement), one.holds) for one in tests)


def _tells_releases_apart(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a test checks a version, with an outcome that not all versions have: `assert version >= "1.8"`."""
    return _asks(ev, test) and ev.truth(test) is not holds


def _asks(ev: Evaluator, test: Place) -> bool:
    """Tell whether a test checks a version, or the existence of a name: itself, or what it is computed from."""
    return any(_is_asking(ev, test.at(node)) for node in walk(test.expression) if isinstance(node, ast.expr))


def _is_asking(ev: Evaluator, place: Place) -> bool:
    match place.expression:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _ASKING:
            return True
        case ast.Attribute(attr="modules"):
            return "sys.modules" in place.names
        case ast.Attribute(value=owner, attr="__version__") if _is_of_others(place.at(owner)):
            return False
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _VERSION.search(name) is not None or _comes_of_asking(ev, place)
        case _:
            return False


def _is_of_others(package: Place) -> bool:
    """Tell whether a package surely is not PyTorch's: `assert timm.__version__ == "0.3.2"`."""
    names = package.names
    return bool(names) and not any(name.startswith("torch") for name in names)


@tabled(False)
def _comes_of_asking(ev: Evaluator, place: Place) -> bool:
    """Tell whether a name has the outcome of such a test, or is a function that makes one."""
    bindings = place.scope.bindings.get(place.word) or place.file.index.scope.bindings.get(place.word) or []
    if isinstance(place.expression, ast.Name) and any(
        one.value is not None and _asks(ev, Place(place.file, one.value, one.statement)) for one in bindings
    ):
        return True
    for one in ev.evaluate(place):
        if isinstance(one.value, Function):
            return _names_a_version(one.value)
        if one.origin is not None and one.origin.expression is not place.expression and _asks(ev, one.origin):
            return True
    return False


def _names_a_version(function: Function) -> bool:
    text = function.file.code_of(function.scope.node)
    return "__version__" in text or "hasattr(" in text or "find_spec(" in text


def _uses(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield where the function around a place is used, or its file imported if it is in none."""
    scope = place.scope
    while scope.outer is not None and scope.outer.kind == "function":
        scope = scope.outer
    if scope.kind == "function" and not scope.is_method:
        yield from (caller.place for caller in ev.callers(Function(place.file, scope)))
        for one in mentions_in(place.file, frozenset({scope.name})):
            if isinstance(one.node, ast.expr) and one.statement is not scope.node:
                yield Place(one.file, one.node, one.statement)
    elif scope.kind == "file":
        yield from _imports_of(ev, place.file)


def _imports_of(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    """Yield where the files of the project import a file, as places."""
    name = file.location.parent.name if file.is_package else file.location.stem
    for path in list(ev.project.library.holding(name))[:_MOST_FILES]:
        other = ev.project.parsed(path) if imports_itself(ev, path, file.location) else None
        for statement in other.index.imports if other is not None and other is not file else ():
            assert other is not None
            if any(one is file for one in imported_by(ev, other, statement)):
                yield import_place(other, statement, statement.names[0])


def import_place(file: ParsedFile, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> Place:
    """Return the place of an imported name in its statement."""
    name = ast.Name(alias.name, ast.Load())
    return Place(file, ast.copy_location(name, alias), statement)
