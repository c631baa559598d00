"""The callers of a function of the project."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import built_by, family, method_of
from torchlint.model.call_graph.mapped import ITERATING, item_of, parts_of
from torchlint.model.call_graph.returned import calls_of_returned, names_of_returned
from torchlint.model.options.command_options import makes_command
from torchlint.model.place import Caller, Place
from torchlint.model.results.own_functions import is_own_function
from torchlint.model.values.distinctive import COMMON, is_distinctive
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Instance, Possibility
from torchlint.syntax.arguments import has_star
from torchlint.syntax.last_names import IN_TABLE, callee_name
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile, Targets

OBJECT_CALLS = ("__call__", "forward")
_MOST_FILES = 40
# Functions that call their argument with `args`, and how many arguments they pass before these.
# https://docs.pytorch.org/docs/stable/multiprocessing.html: spawned functions are called as fn(i, *args).
_STARTING = {"spawn": 1, "start_processes": 1, "Process": 0, "Thread": 0, "Timer": 0, "apply_async": 0}
_PYTHONS_OWN = frozenset(name for kind in (list, dict, set, str, bytes, float) for name in dir(kind) if name[0] != "_")
_NOBODY: tuple[Caller, ...] = ()
# Functions that call their argument with the arguments that follow.
_PASSING_ON = frozenset({"submit", "run_in_executor", "to_thread", "checkpoint", "register"})


def callers_of(ev: Evaluator, function: Function) -> tuple[Caller, ...]:
    """Return every known caller of a function, in the order of files and lines.

    A file, with its `return`, has none, and nothing calls a property by its name: `boxes(…)` calls what it returns.
    """
    if function.scope.kind == "file" or (function.scope.is_method and function.scope.is_decorated_as("property")):
        return ()
    built = built_by(ev, function)
    names = {function.scope.name, *(kind.name for kind in built)}
    if is_own_function(ev, function):
        names.add("apply")
    names |= names_of_returned(ev, function)
    found: dict[tuple[str, int, int, int, int], Caller] = {}
    for name in sorted(names):
        for file, word in _said(ev, function, name):
            # Most files that hold a word neither call nor pass what has that name.
            if (targets := ev.targets.of(file, word)) is None:
                continue
            calling = (*_calling(ev, targets, function, word), *_building(targets, built))
            for caller in (*calling, *_handing_on(ev, targets, function)):
                found.setdefault(caller.place.key, caller)
    for caller in calls_of_returned(ev, function):
        found.setdefault(caller.place.key, caller)
    if function.scope.name == "__call__" and function.scope.is_method:
        for caller in callers_of_built(ev, function):
            found.setdefault(caller.place.key, caller)
    return tuple(found[key] for key in sorted(found))


def callers_of_built(ev: Evaluator, function: Function) -> Iterator[Caller]:
    """Yield the calls of objects by the names that the files which build them use: `net(x)`, and `self(x)`.

    A function that is no method of a class has none.
    """
    if function.scope.outer is None or not function.scope.is_method:
        return
    kind = function.scope.outer.name
    for path in islice(ev.project.library.using(kind), _MOST_FILES):
        if (file := ev.project.parsed(path)) is None:
            continue
        built = (Place(file, call, statement) for call, statement in file.index.calls(kind))
        for name in sorted({"self", *(name.rpartition(".")[2] for place in built for name in place.kept_as)}):
            for call, statement in file.index.calls(name):
                place = Place(file, call, statement)
                if any(_is_called_by(ev, callee, function) for callee in ev.evaluate(place.at(call.func))):
                    yield Caller.of_call(place, 1)


def _is_called_by(ev: Evaluator, callee: Possibility, function: Function) -> bool:
    """Tell whether calling an object runs a method."""
    if not isinstance(callee.value, Instance):
        return False
    methods = (method_of(ev, callee.value.kind, name, callee) for name in OBJECT_CALLS)
    return any(method is not None and method.scope is function.scope for method in methods)


@tabled(_NOBODY)
def object_callers_of(ev: Evaluator, function: Function) -> tuple[Caller, ...]:
    """Return the calls of objects whose `__call__` or `forward` a function is: `scaler(loss, optimizer)`.

    That visits every call of every file that may have such an object, so few functions are queried.
    """
    kind = function.scope.outer
    if function.scope.name not in OBJECT_CALLS or kind is None or kind.kind != "class":
        return ()
    library = ev.project.library
    paths = sorted({**library.holding(kind.name), **library.holding(function.file.location.stem)})[:_MOST_FILES]
    files = (file for path in paths if (file := ev.project.parsed(path)) is not None)
    return tuple(caller for file in files for caller in _calling_objects(ev, file, function))


def _said(ev: Evaluator, function: Function, name: str) -> Iterator[tuple[ParsedFile, str]]:
    """Yield the words by which files may call what has a name, including the tables that hold it."""
    # A file that registers a class need not name it again.
    own = (function.file,) if name != function.scope.name else ()
    for file in dict.fromkeys((*own, *_files(ev, function, name))):
        for word in file.words_of(name):
            yield file, word
            if word.endswith(IN_TABLE) and (table := word.removesuffix(IN_TABLE)) in file.index.scope.bindings:
                yield from ((other, one) for other in _looking_up(ev, table) for one in other.words_of(word))


def _looking_up(ev: Evaluator, table: str) -> Iterator[ParsedFile]:
    """Yield the files that look something up in a table of that name."""
    library = ev.project.library
    paths = sorted({**library.holding(f"{table}["), **library.holding(f"{table}.get(")})
    for path in paths[:_MOST_FILES]:
        if (file := ev.project.parsed(path)) is not None:
            yield file


def _files(ev: Evaluator, function: Function, name: str) -> Iterator[ParsedFile]:
    """Yield the files that may call a function: its own, and those that use its name and name its origin."""
    library = ev.project.library
    outer = function.scope.outer if function.scope.is_method else None
    paths: Iterable[Path] = library.using(name)
    if name == "__init__" and outer is not None:
        # By this name, only instances of subclasses call it.
        paths = library.using_with(name, library.heirs(outer.name), ())
    elif outer is None or name in COMMON or len(library.using(name)) > _MOST_FILES:
        words = {*function.file.words, *((outer.name,) if outer is not None else ())}
        paths = library.using_with(name, words, _homes(ev, function))
    for path in islice(paths, 4 * _MOST_FILES):
        if (file := ev.project.parsed(path)) is not None:
            yield file


def _homes(ev: Evaluator, function: Function) -> set[Path]:
    """Return the files of a function: its own, and those of the bases that call it on `self`."""
    outer = function.scope.outer
    if outer is None or not function.scope.is_method:
        return {function.file.location}
    return {one.file.location for one in family(ev, Class(function.file, outer)) if isinstance(one, Class)}


def _calling(ev: Evaluator, targets: Targets, function: Function, name: str) -> Iterator[Caller]:
    for place, callee in targets.calls.get(function.scope, ()):
        if isinstance(callee, Function):
            yield Caller.of_call(place, 1 if callee.receiver is not None else 0, callee.fixed)
    for place in targets.unknown if name == function.scope.name else ():
        assert isinstance(place.expression, ast.Call)
        if is_distinctive(ev, function, place.expression):
            yield Caller.of_call(place, 1)


def _building(targets: Targets, kinds: Iterable[Scope]) -> Iterator[Caller]:
    for kind in kinds:
        for place, callee in targets.calls.get(kind, ()):
            if isinstance(callee, Class):
                yield Caller.of_call(place, 1)


def _calling_objects(ev: Evaluator, file: ParsedFile, function: Function) -> Iterator[Caller]:
    for call, statement in file.index.expressions(ast.Call):
        if not isinstance(call.func, (ast.Name, ast.Attribute)) or not call.args or _is_pythons_own(ev, call.func):
            continue
        place = Place(file, call, statement)
        if any(_is_called_by(ev, callee, function) for callee in ev.evaluate(place.at(call.func))):
            yield Caller.of_call(place, 1)


def _is_pythons_own(ev: Evaluator, callee: ast.expr) -> bool:
    """Tell whether a callee's name is a method of lists, strings and the like, and no attribute is stored under it."""
    if not isinstance(callee, ast.Attribute) or callee.attr not in _PYTHONS_OWN:
        return False
    return not ev.project.library.holding(f".{callee.attr} =")


def _handing_on(ev: Evaluator, targets: Targets, function: Function) -> Iterator[Caller]:
    for place, argument in targets.passed.get(function.scope, ()):
        call = place.expression
        assert isinstance(call, ast.Call)
        bound = 1 if function.scope.is_method else 0
        yield from list(_called_back(ev, place, argument, function)) or [_passed(ev, place, call, argument, bound)]


def _called_back(ev: Evaluator, place: Place, argument: ast.expr, function: Function) -> Iterator[Caller]:
    """Yield the calls of the parameter to which a function of the project receives another function."""
    call = place.expression
    assert isinstance(call, ast.Call)
    for callee in ev.evaluate(place.at(call.func)):
        taking = callee.value
        if not isinstance(taking, Function) or taking.scope is function.scope:
            continue
        caller = Caller.of_call(place, 1 if taking.receiver is not None else 0, taking.fixed)
        for parameter in taking.scope.parameters:
            is_given = any(one.expression is argument for one in caller.argument(parameter) or ())
            if is_given and (targets := ev.targets.of(taking.file, parameter.name)) is not None:
                yield from _calling(ev, targets, function, parameter.name)


def _passed(ev: Evaluator, place: Place, call: ast.Call, argument: ast.expr, bound: int) -> Caller:
    """Return what is known of the arguments of a function that is passed to something that calls it."""
    words = {word.arg: word.value for word in call.keywords if word.arg is not None}
    name = callee_name(call)
    rest = call.args[call.args.index(argument) + 1 :] if argument in call.args else []
    if name in _STARTING:
        given = words.get("args", rest[0] if rest else None)
        if isinstance(given, (ast.Tuple, ast.List)):
            return Caller(place, tuple(given.elts), _written_keywords(words), False, bound + _STARTING[name])
    if name == "partial":
        return Caller.of_partial(place, bound)
    if name in _PASSING_ON:
        return Caller(place, tuple(rest), words, has_star(rest), bound)
    if name in ITERATING and (item := item_of(place, rest)) is not None:
        parts = parts_of(item, is_taken_apart=ITERATING[name])
        return Caller(place, parts, {}, has_star(parts), bound, written=item)
    return Caller(place, (), {}, True, bound, is_of_user=makes_command(ev, place))


def _written_keywords(words: Mapping[str, ast.expr]) -> dict[str, ast.expr]:
    """Return what `kwargs={"model": net}` passes."""
    match words.get("kwargs"):
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {str(key.value): value for key, value in pairs if isinstance(key, ast.Constant)}
        case _:
            return {}
