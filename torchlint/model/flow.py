"""Which bindings of a name can still hold at a statement: reaching definitions over structured code.

Python has no `goto`, so the walk needs no graph: from the statement back over its elder siblings, then out of the
block that holds them. Only siblings in which the name is bound are looked into. `decide` answers a test where the
answer is known (what the machine has, what the place itself already presupposes), and so cuts impossible arms.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from torchlint.model.index import Index
from torchlint.model.scope import Binding, BindingKind, Block, Scope

Decide: TypeAlias = "Callable[[ast.expr, ast.stmt], bool | None]"

_EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit", "os.abort", "pytest.skip", "pytest.exit"})


class Definition(Protocol):
    """Whatever gives a variable a value: a binding of a name, a store into an attribute."""

    @property
    def statement(self) -> ast.stmt:
        """Return the statement that gives the value."""

    @property
    def kind(self) -> BindingKind:
        """Return how."""


_Definition = TypeVar("_Definition", bound=Definition)


@dataclass(frozen=True, slots=True)
class Reaching(Generic[_Definition]):
    """The definitions that may hold, nearest first; `open` when an older value may hold as well."""

    definitions: tuple[_Definition, ...]
    open: bool


def reaching(
    index: Index, definitions: Sequence[_Definition], statement: ast.stmt, decide: Decide
) -> Reaching[_Definition]:
    """Return which definitions of one variable may hold where a statement begins."""
    return _Walk(index, definitions, decide).before(statement)


def at_end(index: Index, scope: Scope, name: str, decide: Decide) -> Reaching[Binding]:
    """Return the bindings of a name that may hold where the scope's body ends."""
    return _Walk(index, scope.bindings.get(name, ()), decide).at_end(scope)


def leaves(statement: ast.stmt, index: Index) -> bool:
    """Tell whether control never goes on to the statement after this one."""
    match statement:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.Expr(value=ast.Call(func=function)):
            return _written(function) in _EXITS
        case ast.If(body=body, orelse=orelse):
            return bool(orelse) and leaves_block(body, index) and leaves_block(orelse, index)
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return leaves_block(body, index)
        case ast.Try(body=body, handlers=handlers, finalbody=final):
            ends = leaves_block(body, index) and all(leaves_block(handler.body, index) for handler in handlers)
            return ends or leaves_block(final, index)
        case _:
            return False


def leaves_block(body: Sequence[ast.stmt], index: Index) -> bool:
    """Tell whether control never reaches the end of a block."""
    known = index.leaving.get(id(body))
    if known is None:
        known = index.leaving[id(body)] = any(leaves(statement, index) for statement in reversed(body))
    return known


def _written(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            return f"{_written(value)}.{attr}"
        case _:
            return ""


def _body_of(index: Index, scope: Scope) -> Block | None:
    body = scope.node.body
    return index.home[body[0]][0] if body else None


class _Walk(Generic[_Definition]):
    def __init__(self, index: Index, definitions: Sequence[_Definition], decide: Decide) -> None:
        self._index = index
        self._definitions = definitions
        self._decide = decide
        # Where the name is bound, as seen from each block: the positions of the statements that hold a definition.
        self._within: dict[Block, dict[int, list[_Definition]]] = defaultdict(dict)
        for definition in definitions:
            for block, position in index.blocks_around(definition.statement):
                self._within[block].setdefault(position, []).append(definition)

    def before(self, statement: ast.stmt) -> Reaching[_Definition]:
        found: list[_Definition] = []
        if isinstance(statement, ast.While):
            # Its test is asked again after each round.
            self._through_body(statement.body, found)
        is_open = self._climb(statement, found)
        return self._with_parameter(found, is_open)

    def at_end(self, scope: Scope) -> Reaching[_Definition]:
        found: list[_Definition] = []
        is_open = self.through(_body_of(self._index, scope), None, found)
        # What a function binds by `global` or `nonlocal` may have been bound at any time.
        found += (d for d in self._definitions if d.kind != "parameter" and self._scope_of(d) is not scope)
        return self._with_parameter(found, is_open)

    def _with_parameter(self, found: list[_Definition], is_open: bool) -> Reaching[_Definition]:
        """Add the parameter where what the caller passed may still hold."""
        parameter = [d for d in self._definitions if d.kind == "parameter"] if is_open else []
        return Reaching(tuple(dict.fromkeys([*found, *parameter])), is_open and not parameter)

    def _scope_of(self, definition: _Definition) -> Scope:
        return self._index.home[definition.statement][0].scope

    def _climb(self, statement: ast.stmt, found: list[_Definition]) -> bool:
        """Collect what holds before a statement; return whether the name may be unbound since the scope's start."""
        for block, position in self._index.blocks_around(statement):
            if not self.through(block, position, found):
                return False
            if block.outer is None or block.owner is block.scope.node:
                break
            if not self._enter(block, position, found):
                return False
        return True

    def _enter(self, block: Block, position: int, found: list[_Definition]) -> bool:
        """Step out of a block through its head: what the head binds, what a loop brings back, what `try` leaves."""
        owner = block.owner
        # What the head of a loop binds anew brings nothing over from the round before.
        renewed = any(definition.statement is owner for definition in self._definitions)
        if isinstance(owner, (ast.For, ast.AsyncFor, ast.While)) and block.arm == "body" and not renewed:
            self.through(block, None, found, after=position)
        if isinstance(owner, ast.excepthandler) or block.arm == "finalbody":
            found += self._bound_in_try(block)
        elif block.arm == "orelse" and isinstance(owner, (ast.For, ast.AsyncFor, ast.While)):
            found += self._bound_in(owner.body)
        elif block.arm == "orelse" and isinstance(owner, ast.Try):
            return self._through_body(owner.body, found)
        return not self._head_binds(block, found)

    def _head_binds(self, block: Block, found: list[_Definition]) -> bool:
        """Add what the head of the statement around a block binds; tell whether that is sure in the block."""
        if block.outer is None or block.arm != "body":
            return False
        home, position = self._index.home[block.outer]
        heads = [b for b in self._within.get(home, {}).get(position, ()) if b.statement is block.outer]
        if isinstance(block.outer, ast.Try) and not isinstance(block.owner, ast.excepthandler):
            return False
        found += heads
        return bool(heads)

    def through(self, block: Block | None, end: int | None, found: list[_Definition], after: int = -1) -> bool:
        """Collect what holds at a position of a block (None: its end); tell whether what held at its start may too."""
        if block is None:
            return True
        if end is None and leaves_block(block.body, self._index) and after < 0:
            return False
        positions = self._within.get(block, {})
        for position in sorted(positions, reverse=True):
            if (end is not None and position >= end) or position < after:
                continue
            if not self._across(block.body[position], positions[position], found):
                return False
        return True

    def _across(self, statement: ast.stmt, definitions: list[_Definition], found: list[_Definition]) -> bool:
        """Collect what a statement leaves bound; tell whether what held before it may still hold."""
        match statement:
            case ast.If():
                return self._across_if(statement, found)
            case ast.With() | ast.AsyncWith():
                found += (own := [b for b in definitions if b.statement is statement])
                return self._through_body(statement.body, found) and not own
            case ast.For() | ast.AsyncFor() | ast.While():
                found += reversed(definitions)
                return not self._surely_runs(statement, definitions)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                return self._across_try(body, handlers, orelse, final, definitions, found)
            case ast.Match(cases=cases):
                arms = [self._through_body(case.body, found) for case in cases]
                return any(arms) or not _is_catch_all(cases[-1])
            case _:
                own = [b for b in definitions if b.statement is statement]
                found += own
                return not own

    def _across_if(self, statement: ast.If, found: list[_Definition]) -> bool:
        answer = self._decide(statement.test, statement)
        walrus = [b for b in self._own(statement) if b.statement is statement]
        found += walrus
        passes = False
        if answer is not False:
            passes |= self._through_body(statement.body, found)
        if answer is not True:
            passes |= self._through_body(statement.orelse, found)
        return passes and not walrus

    def _surely_runs(self, statement: ast.stmt, definitions: list[_Definition]) -> bool:
        """A loop may run zero times; `while True` does not, and binds what its body binds on every path."""
        if not isinstance(statement, ast.While) or not isinstance(statement.test, ast.Constant):
            return False
        home = self._index.home
        return any(home[b.statement][0].owner is statement for b in definitions)

    def _across_try(
        self,
        body: list[ast.stmt],
        handlers: list[ast.ExceptHandler],
        orelse: list[ast.stmt],
        final: list[ast.stmt],
        definitions: list[_Definition],
        found: list[_Definition],
    ) -> bool:
        if final and not self._through_body(final, found):
            return False
        passes = self._through_body(orelse, found) and self._through_body(body, found)
        for handler in handlers:
            if leaves_block(handler.body, self._index):
                continue
            if self._through_body(handler.body, found):
                found += self._bound_in(body)
                passes = True
        found += [b for b in definitions if b.kind == "except"]
        return passes

    def _through_body(self, body: list[ast.stmt], found: list[_Definition]) -> bool:
        return self.through(self._index.home[body[0]][0], None, found) if body else True

    def _bound_in(self, body: list[ast.stmt]) -> Iterator[_Definition]:
        block = self._index.home[body[0]][0]
        for _, definitions in sorted(self._within.get(block, {}).items(), reverse=True):
            yield from reversed(definitions)

    def _bound_in_try(self, block: Block) -> Iterator[_Definition]:
        if isinstance(block.outer, ast.Try):
            yield from self._bound_in(block.outer.body)

    def _own(self, statement: ast.stmt) -> list[_Definition]:
        block, position = self._index.home[statement]
        return self._within.get(block, {}).get(position, [])


def _is_catch_all(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None
