"""Where a value is read, and what is made of it: def-use, forward, where all other queries are backward."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.options.command_options import default_for
from torchlint.model.place import Caller, Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.model.values.variable_reads import named_reads, reads_of
from torchlint.syntax.arguments import has_star
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_Next: TypeAlias = "tuple[tuple[tuple[object, ...], Use], ...]"
_NOWHERE: _Next = ()
_NO_DEFAULTS: Mapping[ast.expr, tuple[str, ...]] = {}

# A value that is read more often than this is the program's main one; its fate is clear from the first reads.
MOST_USES = 80
# What is passed to these can be read from the container.
_FILLING = frozenset({"update", "append", "extend", "insert", "setdefault"})


@dataclass(frozen=True, slots=True)
class Use:
    """A read of a value; `is_whole` if it is the value itself, and not the result of a call on it."""

    place: Place
    is_whole: bool
    inside: tuple[int, ...] = ()
    """The positions at which nested tuples hold the value, the outermost last, if what is read is a tuple."""
    before: Use | None = field(default=None, compare=False)
    """The read that the value came from; None where it is made."""

    @property
    def key(self) -> tuple[object, ...]:
        """Return what distinguishes uses, regardless of the path of the value."""
        return (*self.place.key, self.is_whole, self.inside)

    def as_part(self, target: ast.expr, parts: list[ast.expr]) -> tuple[int, ...] | None:
        """Return the position of the value in what unpacking binds a target to, None if it is not in it."""
        if not self.inside or has_star(parts):
            return ()
        *inner, position = self.inside
        return tuple(inner) if parts.index(target) == position else None


def uses_of(ev: Evaluator, place: Place, inside: tuple[int, ...] = ()) -> Iterator[Use]:
    """Yield the reads of a value, the place that makes it first: through names, attributes, returns and arguments.

    There may be more than these: who says something of every read asks `every_use_of`.

    If the place makes a tuple, `inside` is the position of the value in it.
    """
    pending = deque([Use(place, True, inside)])
    seen = {pending[0].key}
    while pending:
        yield (use := pending.popleft())
        for key, one in _next(ev, use) if len(seen) < MOST_USES else ():
            if key not in seen:
                seen.add(key)
                pending.append(replace(one, before=use))
                if len(seen) >= MOST_USES:
                    break


def every_use_of(ev: Evaluator, place: Place, inside: tuple[int, ...] = ()) -> tuple[Use, ...] | None:
    """Return all reads of a value; None where there may be more than are followed."""
    uses = tuple(uses_of(ev, place, inside))
    return uses if len(uses) < MOST_USES else None


@tabled(_NOWHERE)
def _next(ev: Evaluator, use: Use) -> _Next:
    """Return the next reads of a value, each once and by its key: the same regardless of its path."""
    found: dict[tuple[object, ...], Use] = {}
    for one in _followed(ev, use):
        found.setdefault(one.key, one)
        if len(found) >= MOST_USES:
            break
    return tuple(found.items())


def passed_through(ev: Evaluator, use: Use, until: ast.AST) -> Iterator[Function]:
    """Yield the functions of the project that a value is passed to before it reaches what encloses its last read."""
    step: Use | None = use
    while step is not None:
        for parent, child in ancestors(step.place):
            if parent is until:
                break
            if isinstance(parent, ast.Call) and child is not parent.func:
                yield from callees_of(ev, step.place.at(parent))
        step = step.before


def ancestors(place: Place) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the ancestors of an expression within its statement, innermost first, each with its child."""
    parents = place.file.parents_in(place.statement)
    child: ast.AST = place.expression
    while (parent := parents.get(child)) is not None:
        yield parent, child
        child = parent


def _followed(ev: Evaluator, use: Use) -> Iterator[Use]:
    """Yield the next reads of a value."""
    for parent, child in _ancestors_that_matter(use.place):
        if isinstance(parent, ast.Call) and child is not parent.func:
            yield from _received(ev, use, use.place.at(parent), child)
            yield from _put_into(use.place, parent)
        if (outer := held(use, parent, child)) is None:
            return
        use = outer
    match use.place.statement:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _bound(ev, use, target)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            yield from _bound(ev, use, target)
        case ast.For(target=target):
            yield from _bound(ev, Use(use.place, False), target)
        case ast.Return():
            function = Function(use.place.file, use.place.scope)
            yield from (replace(use, place=caller.place) for caller in ev.callers(function))
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _by_default(ev, use)


def _ancestors_that_matter(place: Place) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the same as `ancestors`, but of a sum of sums the outermost alone: all hold a value alike."""
    parents = place.file.parents_in(place.statement)
    child: ast.AST = place.expression
    while (parent := parents.get(child)) is not None:
        if isinstance(parent, ast.BinOp):
            parent = parents.outermost[parent]
        yield parent, child
        child = parent


def held(use: Use, parent: ast.AST, child: ast.AST) -> Use | None:
    """Return how an expression holds the value of its child; None if it takes out another item."""
    match parent:
        case ast.Call() | ast.comprehension() | ast.BinOp() | ast.Compare() | ast.JoinedStr():
            return Use(use.place, False)
        case ast.Tuple() | ast.List() if isinstance(child, ast.expr):
            position = use.place.file.parents_in(use.place.statement).position(child, parent)
            return Use(use.place, False) if position is None else replace(use, inside=(*use.inside, position))
        case ast.Subscript(value=value, slice=ast.Constant(value=int(index))) if value is child and use.inside:
            *inner, position = use.inside
            return replace(use, inside=tuple(inner)) if index == position else None
        case _:
            return use


def _bound(ev: Evaluator, use: Use, target: ast.expr) -> Iterator[Use]:
    value = use.place
    match target:
        case ast.Name(id=name):
            is_global = value.scope.outside.get(name) == "global"
            scope = value.scope.file_scope if is_global else value.scope
            yield from (replace(use, place=read) for read in reads_of(ev, scope, name, value))
        case ast.Attribute(attr=name):
            for node, statement in value.file.attribute_reads(name):
                yield replace(use, place=Place(value.file, node, statement))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                if (inside := use.as_part(part, parts)) is not None:
                    yield from _bound(ev, replace(use, inside=inside), part)
        case ast.Subscript(value=ast.Name(id=name)):
            yield from _in_container(value, name)


def _put_into(value: Place, call: ast.Call) -> Iterator[Use]:
    """Yield the reads of a container that one of its methods puts a value into: `state.update(loaded)`."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name), attr=method) if method in _FILLING:
            yield from _in_container(value, name)


def _in_container(value: Place, name: str) -> Iterator[Use]:
    return (Use(read, False) for read in named_reads(value.file, value.scope, name) if read.scope is value.scope)


def _received(ev: Evaluator, use: Use, call: Place, argument: ast.AST) -> Iterator[Use]:
    """Yield the reads of the parameter that an argument is passed for."""
    passed = argument.value if isinstance(argument, ast.keyword) else argument
    for function in callees_of(ev, call):
        bound = 1 if function.scope.is_method else 0
        caller = Caller.of_call(call, bound)
        for parameter in function.scope.parameters:
            places = caller.argument(parameter) or ()
            if not parameter.star and any(one.expression is passed for one in places):
                yield from _of_parameter(use, function.file, function.scope, parameter.name)


def _by_default(ev: Evaluator, use: Use) -> Iterator[Use]:
    """Yield the reads of the parameter that a value is the default of, or of the option that fills it."""
    file, value = use.place.file, use.place.expression
    function = file.index.scope_of(use.place.statement)
    for name in _defaulted(ev, Function(file, function)).get(value, ()):
        yield from _of_parameter(replace(use, is_whole=True), file, function, name)


@tabled(_NO_DEFAULTS)
def _defaulted(ev: Evaluator, function: Function) -> Mapping[ast.expr, tuple[str, ...]]:
    """Return the parameters that each default of a function, or of an option that fills one, is the default of."""
    found: dict[ast.expr, tuple[str, ...]] = {}
    for parameter in function.scope.parameters:
        option = default_for(ev, function.file, function.scope, parameter)
        for default in dict.fromkeys((parameter.default, option)):
            if default is not None:
                found[default] = (*found.get(default, ()), parameter.name)
    return found


def _of_parameter(use: Use, file: ParsedFile, function: Scope, name: str) -> Iterator[Use]:
    return (replace(use, place=read) for read in named_reads(file, function, name))


def receiving_calls(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield the calls that receive as an argument a value, a part of it, or a container that it was put into."""
    for use in uses_of(ev, place):
        if not use.is_whole:
            continue
        for parent, child in ancestors(use.place):
            if isinstance(parent, ast.Call) and child is not parent.func:
                yield use.place.at(parent)
            if not isinstance(parent, (ast.Dict, ast.List, ast.Tuple, ast.keyword, ast.Subscript)):
                break
