"""What iterates over objects of a class, and so runs its `__iter__` and `__next__`: loops, `iter(…)`, `next(…)`.

That visits every loop of every file that may have such an object, so few functions are queried.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Instance

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.value_sets import Function

_METHODS = ("__iter__", "__next__")
_MOST_FILES = 40
_Comprehension: TypeAlias = "type[ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp]"
_COMPREHENSIONS: tuple[_Comprehension, ...] = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def iterations_over(ev: Evaluator, function: Function) -> Iterator[Place]:
    """Yield where an object is iterated over whose `__iter__` or `__next__` a function is."""
    kind = function.scope.outer
    if function.scope.name not in _METHODS or kind is None or kind.kind != "class":
        return
    library = ev.project.library
    paths = {**library.holding(kind.name), **library.holding(function.file.location.stem)}
    for path in islice(sorted(paths), _MOST_FILES):
        if (file := ev.project.parsed(path)) is not None:
            gone_through = _iterables(file, function.scope.name.strip("_"))
            yield from (place for place in gone_through if iterates_over(ev, place, function))


def iterates_over(ev: Evaluator, source: Place, function: Function) -> bool:
    """Tell whether iterating over something may run a method."""
    kinds = [one.value.kind for one in ev.evaluate(source) if isinstance(one.value, Instance)]
    methods = (method_of(ev, kind, function.scope.name) for kind in kinds)
    return any(method is not None and method.scope is function.scope for method in methods)


def _iterables(file: ParsedFile, name: str) -> Iterator[Place]:
    """Yield what the loops of a file, or its calls of `iter` or `next`, iterate over, wrapped or not.

    `enumerate(tqdm(loader))` iterates over the loader.
    """
    for loop in file.index.statements(ast.For):
        yield from _layers(Place(file, loop.iter, loop))
    for kind in _COMPREHENSIONS:
        for comprehension, statement in file.index.expressions(kind):
            for generator in comprehension.generators:
                yield from _layers(Place(file, generator.iter, statement))
    for call, statement in file.index.calls(name):
        yield from _layers(Place(file, call, statement))


def _layers(source: Place) -> Iterator[Place]:
    yield source
    if isinstance(source.expression, ast.Call):
        for argument in source.expression.args:
            yield from _layers(source.at(argument))
