"""What runs a method of an object without its name: loops run `__iter__` and `__next__`, `with` runs `__enter__`.

That visits every loop or `with` of every file that may have such an object, so few functions are queried.
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

ITERATING = ("__iter__", "__next__")
_ENTERING = ("__enter__", "__exit__")
_MOST_FILES = 40
_Comprehension: TypeAlias = "type[ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp]"
_COMPREHENSIONS: tuple[_Comprehension, ...] = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def implicit_calls_of(ev: Evaluator, function: Function) -> Iterator[Place]:
    """Yield the objects in loops and `with` statements which run a method that is a function."""
    kind, name = function.scope.outer, function.scope.name
    if name not in (*ITERATING, *_ENTERING) or kind is None or kind.kind != "class":
        return
    library = ev.project.library
    paths = {**library.holding(kind.name), **library.holding(function.file.location.stem)}
    for path in islice(sorted(paths), _MOST_FILES):
        if (file := ev.project.parsed(path)) is not None:
            objects = _entered(file) if name in _ENTERING else _iterables(file, name.strip("_"))
            yield from (place for place in objects if may_have(ev, place, function))


def may_have(ev: Evaluator, source: Place, function: Function) -> bool:
    """Tell whether an object may have a method, in its class or a base."""
    kinds = [one.value.kind for one in ev.evaluate(source) if isinstance(one.value, Instance)]
    methods = (method_of(ev, kind, function.scope.name) for kind in kinds)
    return any(method is not None and method.scope is function.scope for method in methods)


def _entered(file: ParsedFile) -> Iterator[Place]:
    """Yield what the `with` statements of a file enter, and what it gives to a stack of them."""
    for statement in file.index.statements(ast.With):
        yield from (Place(file, item.context_expr, statement) for item in statement.items)
    for call, home in file.index.calls("enter_context"):
        yield from (Place(file, argument, home) for argument in call.args)


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
