"""Expressions whose value does not depend on the call context: constants, imports, definitions.

Most queries are of this kind, and need no other query.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.inference.engine.query import Query
from torchlint.model.options.option_calls import FLAGS
from torchlint.model.values.value_sets import (
    Class,
    Display,
    Function,
    Imported,
    Literal,
    PythonFile,
    ValueSet,
    known,
)
from torchlint.project.dependencies import MemoEntry
from torchlint.pytorch.symbols import GPU_VERSIONS
from torchlint.syntax.slim import both

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Binding, Import, Scope

_DISPLAYS = both({
    ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda,
})  # fmt: skip
# These depend on the machine.
_OF_WORLD = frozenset({"is_cuda", *(name.rpartition(".")[2] for name in GPU_VERSIONS)})
# These depend on the options that the user passes.
_OF_USER = f"{FLAGS}."


class Values(Query["Place", ValueSet]):
    """The query for what expressions may be; plain expressions are not tabled."""

    def __call__(self, key: Place) -> ValueSet:
        """Return what an expression may be."""
        if (found := plain(key)) is None:
            return super().__call__(key)
        self._stack.steps.take()
        return found


def plain(place: Place) -> ValueSet | None:
    """Return the value of a plain expression, None if it takes a query."""
    node = place.expression
    match node:
        case ast.Name(id=name):
            return _seen_from(place, name)
        case ast.Attribute():
            return _attribute(place, node)
        case ast.Constant(value=value) if value is not Ellipsis:
            return known(Literal(value), place)
        case _ if type(node) in _DISPLAYS:
            return known(Display(place), place)
        case _:
            return None


def _attribute(place: Place, node: ast.Attribute) -> ValueSet | None:
    """Return what an attribute of something outside the project is: `nn.functional.relu`."""
    names = [node.attr]
    owner = node.value
    while isinstance(owner, ast.Attribute):
        names.append(owner.attr)
        owner = owner.value
    if not isinstance(owner, ast.Name) or not _OF_WORLD.isdisjoint(names):
        return None
    found = _seen_from(place, owner.id)
    if found is None or not isinstance(found[0].value, Imported):
        return None
    dotted = ".".join((found[0].value.name, *reversed(names)))
    return known(Imported(dotted)) if not dotted.startswith(_OF_USER) else None


def _seen_from(place: Place, name: str) -> ValueSet | None:
    """Return the value of a global name, if it is visible and not shadowed."""
    file, index = place.file, place.file.index
    # Most names are those of a function, and the file has none like it.
    if name not in index.scope.bindings:
        return None
    if (found := _of_file(file, name)) is None or place.statement in index.binding:
        return None
    scope: Scope = index.home[place.statement][0].scope
    if scope.outer is None and index.scope.bindings[name][0].statement.lineno >= place.statement.lineno:
        return None
    while scope.outer is not None:
        if name in scope.bindings:
            return None
        scope = scope.outer
    return found


def _of_file(file: ParsedFile, name: str) -> ValueSet | None:
    """Return the value of a name of a file, None if it is bound more than once, or conditionally."""
    asked = file.project.library.dependencies
    kept = file.plain.get(name)
    if kept is None:
        # Files may import a name from each other, in a cycle.
        file.plain[name] = MemoEntry(None, 0)
        try:
            kept = file.plain[name] = asked.answered(lambda: _bound_once(file, name))
        except BaseException:
            del file.plain[name]
            raise
    return asked.recalled(kept)


def _bound_once(file: ParsedFile, name: str) -> ValueSet | None:
    bindings = file.index.scope.bindings.get(name, ())
    if len(bindings) != 1 or not file.binds_plainly(bindings[0].statement):
        return None
    return _bound(file, bindings[0])


def _bound(file: ParsedFile, binding: Binding) -> ValueSet | None:
    if binding.kind == "function" and binding.scope is not None:
        return known(Function(file, binding.scope))
    if binding.kind == "class" and binding.scope is not None:
        return known(Class(file, binding.scope))
    return _imported(file, binding.imported) if binding.imported is not None else None


def _imported(file: ParsedFile, what: Import) -> ValueSet | None:
    source = file.project.resolve(file, what.module, 0 if what.name is None else what.level)
    if source is not None:
        return known(PythonFile(source)) if what.name is None else _of_file(source, what.name)
    if what.name is None:
        return known(Imported(what.module))
    dotted = f"{what.module}.{what.name}" if what.module else what.name
    inner = file.project.resolve(file, dotted, what.level)
    return known(PythonFile(inner)) if inner is not None else known(Imported(dotted))
