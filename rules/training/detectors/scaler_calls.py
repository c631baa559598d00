"""The calls of one gradient scaler in one function, and what else there may use it.

Only what surely is an enabled scaler counts: none that is disabled or unknown.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.calls import Call, call_at, calls_anywhere, method_calls_of
from torchlint.model.values.value_sets import Built, Class, Instance, Literal, Possibility, Unknown, Value
from torchlint.pytorch.classes import role_of
from torchlint.pytorch.roles import Role
from torchlint.pytorch.scalers import ASIDE, ITERATION
from torchlint.syntax.last_names import last_name
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import Function
    from torchlint.syntax.scope import Scope


def scales(one: Possibility) -> bool:
    """Tell whether something is an enabled gradient scaler."""
    if not _is_of_torch(one.value):
        return False
    made = call_at(one.origin) if one.origin is not None else None
    enabled = made.keywords.get("enabled") if made is not None else None
    return enabled is None or enabled.literals != (False,)


def scalings(ev: Evaluator, file: ParsedFile) -> Iterator[Scaling]:
    """Yield the calls of each scaler that a file has, by functions."""
    groups: dict[tuple[Scope, str], list[Call]] = {}
    for call in method_calls_of(file, ITERATION):
        if call.owner is not None and call.owner.is_name and not _is_put_off(call):
            groups.setdefault((call.scope, call.owner.code), []).append(call)
    for (_, name), calls in groups.items():
        if all(call.owner is not None and _is_scaler(ev, call.owner) for call in calls):
            yield Scaling(ev, name, tuple(calls))


def _is_put_off(call: Call) -> bool:
    """Tell whether a call is in a `lambda`, which runs later."""
    parents = call.file.parents_in(call.statement)
    around: ast.AST | None = call.expression
    while around is not None and not isinstance(around, ast.Lambda):
        around = parents.get(around)
    return around is not None


def _is_scaler(ev: Evaluator, owner: Place) -> bool:
    # A call on None was excluded by a test before.
    possible = [one for one in ev.evaluate(owner) if one.value != Literal(None)]
    return any(map(scales, possible)) and all(_is_of_torch(one.value) or _stands_in(one) for one in possible)


def _is_of_torch(value: Value) -> bool:
    return isinstance(value, Built) and role_of(value.name) is Role.SCALER


def _stands_in(one: Possibility) -> bool:
    """Tell whether something is of a class of the project for versions of PyTorch without a scaler."""
    match one.value:
        case Instance(kind=Class(scope=scope)):
            return scope.name == "GradScaler"
        case _:
            return False


def optimizer_of(call: Call) -> str | None:
    """Return the expression for the optimizer that a scaler receives, None if it is computed."""
    optimizer = call.argument("optimizer", 0)
    return optimizer.code if optimizer is not None and optimizer.is_name else None


def when(call: Place) -> tuple[int, int]:
    """Return where a call ends: calls of one block are made in this order."""
    return (call.expression.end_lineno or 0, call.expression.end_col_offset or 0)


class _InTime:
    """Calls in the order in which they end."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self._calls = sorted(calls, key=when)

    def between(self, after: tuple[int, int], before: tuple[int, int]) -> list[Call]:
        """Return the calls that end between two positions."""
        start = bisect_right(self._calls, after, key=when)
        return self._calls[start : bisect_left(self._calls, before, start, key=when)]


@dataclass(frozen=True)
class Scaling:
    """The calls of a scaler in a function, in source order."""

    ev: Evaluator
    name: str
    """The expression for the scaler: `self.scaler`."""
    calls: tuple[Call, ...]

    @property
    def file(self) -> ParsedFile:
        """Return the file of the function."""
        return self.calls[0].file

    @property
    def scope(self) -> Scope:
        """Return the function, or the file if it is none."""
        return self.calls[0].scope

    def made(self, *methods: str) -> Iterator[Call]:
        """Yield the calls of some methods."""
        return (call for method, call in self._named if method in methods)

    @cached_property
    def _named(self) -> list[tuple[str, Call]]:
        return [(call.method, call) for call in self.calls]

    @cached_property
    def _own(self) -> _InTime:
        return _InTime(self.calls)

    @cached_property
    def _others(self) -> _InTime:
        own = {call.expression for call in self.calls}
        calls = self.file.calls_in_scope(self.scope)
        return _InTime(Call(self.file, call, statement) for call, statement in calls if call not in own)

    def is_made_between(self, one: Call, other: Call, *methods: str) -> bool:
        """Tell whether some methods are called between two calls, or something else may use the scaler there."""
        after, before = when(one), when(other)
        return any(call.method in methods for call in self._own.between(after, before)) or self.is_lent(after, before)

    def is_lent(self, after: tuple[int, int], before: tuple[int, int]) -> bool:
        """Tell whether another call between two positions may use the scaler, or is one of its own."""
        return self._is_bound(after, before) or any(map(self._may_use, self._others.between(after, before)))

    def _is_bound(self, after: tuple[int, int], before: tuple[int, int]) -> bool:
        bindings = self.scope.bindings.get(self.name, ())
        return any(after < (one.statement.lineno, one.statement.col_offset) < before for one in bindings)

    def _may_use(self, call: Call) -> bool:
        return self._is_given(call) or self._may_use_inside(call, set())

    def _may_use_inside(self, call: Call, seen: set[Function]) -> bool:
        functions = list(callees_of(self.ev, call))
        if not functions:
            return self._is_own_method(call)
        return any(self._is_used_in(function, seen) for function in functions if function not in seen)

    def _is_given(self, call: Call) -> bool:
        """Tell whether a call receives the scaler itself, or the object that has it."""
        whole = {self.name, self._holder} - {""}
        assert isinstance(call.expression, ast.Call)
        parents = call.file.parents_in(call.statement)
        passed = (*call.expression.args, *(word.value for word in call.expression.keywords))
        parts = (node for one in passed for node in walk(one) if isinstance(node, (ast.Name, ast.Attribute)))
        return any(written(one) in whole and not isinstance(parents.get(one), ast.Attribute) for one in parts)

    def _is_used_in(self, function: Function, seen: set[Function]) -> bool:
        seen.add(function)
        word = self.name.rpartition(".")[2]
        if self._holder or self._sees(function):
            attributes, is_passed_on = _reads(function.scope.node, lambda node: last_name(node) == word)
            if is_passed_on or not attributes <= ASIDE:
                return True
        inside = function.file.calls_in_scope(function.scope)
        return any(self._may_use_inside(Call(function.file, call, statement), seen) for call, statement in inside)

    def _sees(self, function: Function) -> bool:
        """Tell whether a function may read the variable: it is nested, or the variable is one of the file."""
        is_global = self.name not in self.scope.bindings and self.name not in function.scope.bindings
        return function.scope.outer is self.scope or (is_global and function.file is self.file)

    def _is_own_method(self, call: Call) -> bool:
        """Tell whether a call is of a method of the object that has the scaler, and not of something stored there."""
        is_own = bool(self._holder) and call.owner is not None and call.owner.code == self._holder
        return is_own and not call.file.index.attribute_stores(call.method)

    @property
    def is_own(self) -> bool:
        """Tell whether the scaler is a variable that the function assigns."""
        bindings = self.scope.bindings.get(self.name, ())
        return bool(bindings) and all(one.kind != "parameter" for one in bindings)

    @property
    def reads(self) -> tuple[frozenset[str], bool]:
        """Return which attributes of the scaler the function reads, and whether it passes the scaler itself on."""
        return _reads(self.scope.node, lambda node: written(node) == self.name)

    def may_call(self, method: str, *, is_here: bool) -> bool:
        """Tell whether a method of the scaler may be called anywhere; with `is_here`, of a variable only here."""
        if self.is_own or (is_here and self.name in self.scope.bindings):
            attributes, is_passed_on = self.reads
            return is_passed_on or method in attributes
        return any(self._may_be_it(call) for call in calls_anywhere(self.ev.project, method))

    def _may_be_it(self, call: Call) -> bool:
        if call.owner is None:
            return False
        values = [one.value for one in self.ev.evaluate(call.owner)]
        is_unknown = not values or any(isinstance(one, Unknown) for one in values)
        return any(map(_is_of_torch, values)) or (is_unknown and "scal" in call.owner.code.lower())

    @property
    def _holder(self) -> str:
        """Return the object that has the scaler: `self` of `self.scaler`; empty if it is a variable."""
        return self.name.rpartition(".")[0]


def _reads(code: ast.AST, is_it: Callable[[ast.expr], bool]) -> tuple[frozenset[str], bool]:
    """Return which attributes of something some code reads, and whether it uses the object in another way."""
    attributes: set[str] = set()
    owners: set[ast.AST] = set()
    is_passed_on = False
    for node in walk(code):
        if isinstance(node, ast.Attribute) and is_it(node.value):
            attributes.add(node.attr)
            owners.add(node.value)
        elif isinstance(node, (ast.Name, ast.Attribute)) and node not in owners and is_it(node):
            is_passed_on |= isinstance(node.ctx, ast.Load)
    return frozenset(attributes), is_passed_on
