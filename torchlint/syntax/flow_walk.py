"""The walk backward over structured code that finds which bindings of a name may still hold."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Generic, TypeAlias

from torchlint.syntax.definitions import AnyDefinition, Reaching
from torchlint.syntax.elif_chains import blocks_around_chains
from torchlint.syntax.exits import LoopNode, first_leaving, jumps, leaves_block, runs_forever, suppresses
from torchlint.syntax.index import Index
from torchlint.syntax.layout import Layout
from torchlint.syntax.patterns import captures, is_catch_all, may_be_taken
from torchlint.syntax.scope import Block, Scope

# A dozen possibilities are kept: what comes after so many definitions is hardly among these.
MOST_DEFINITIONS = 40

Decide: TypeAlias = "Callable[[ast.expr, ast.stmt], bool | None]"


class Walk(Generic[AnyDefinition]):
    """A walk backward from one place, for the definitions of one variable that may hold there."""

    def __init__(self, index: Index, layout: Layout[AnyDefinition], decide: Decide) -> None:
        self._index = index
        self._layout = layout
        self._decide = decide
        self._is_cut = False
        self.has_asked = False
        """Whether it asked for the outcome of a test."""

    def before(self, statement: ast.stmt) -> Reaching[AnyDefinition]:
        """Return the definitions that may hold where a statement begins."""
        found: list[AnyDefinition] = []
        if isinstance(statement, ast.While):
            # Its test is evaluated again after each iteration.
            self._through_body(statement.body, found)
            self._through_jumps(statement, found)
        is_open = self._climb(statement, found)
        return self._completed(found, is_open, self._index.home[statement][0].scope)

    def at_end(self, scope: Scope) -> Reaching[AnyDefinition]:
        """Return the definitions that may hold where control leaves the body of a scope."""
        found: list[AnyDefinition] = []
        # A function that returns on every path is left by these alone; after an exception, nothing in it reads a
        # variable.
        ends = not scope.returns or not leaves_block(scope.node.body, self._index)
        is_open = self._leave(scope, found) if ends else False
        for statement in scope.returns:
            is_open |= self._climb(statement, found)
        return self._completed(found, is_open, scope)

    def _leave(self, scope: Scope, found: list[AnyDefinition]) -> bool:
        """Collect what holds at the end of a scope's body, or at a statement of it that never completes."""
        block = self._block(scope.node.body)
        last = first_leaving(block.body, self._index)
        if last is not None:
            found += reversed(self._layout.inside(block, last))
        return self._through(block, last, found)

    def _completed(self, found: list[AnyDefinition], is_open: bool, scope: Scope) -> Reaching[AnyDefinition]:
        """Add what functions bind by `global` or `nonlocal`, at any time, and the parameter that may still hold."""
        others = self._layout.bound_outside(scope)
        is_open |= self._is_cut
        parameter = self._layout.parameters if is_open else ()
        return Reaching(tuple(dict.fromkeys([*found, *others, *parameter])), is_open and not parameter)

    def _climb(self, statement: ast.stmt, found: list[AnyDefinition], until: LoopNode | None = None) -> bool:
        """Collect what holds before a statement; tell whether what held at the start of the scope still may.

        With `until` the statement is a jump of that loop, and the climb ends at the start of the loop's body.
        """
        if until is None:
            statement = self._layout.beyond(statement)
        else:
            found += self._bound_on_leaving(statement, until)
        for block, position in blocks_around_chains(self._index, statement):
            if not self._through(block, position, found):
                return False
            if block.outer is None or block.owner is block.scope.node or block.owner is until:
                break
            if not self._enter(block, position, found):
                return False
        return True

    def _bound_on_leaving(self, jump: ast.stmt, loop: LoopNode) -> Iterator[AnyDefinition]:
        """Yield what the `finally`s bind that a jump of a loop runs."""
        for block, _ in blocks_around_chains(self._index, jump):
            if isinstance(block.outer, ast.Try) and block.arm != "finalbody":
                yield from self._layout.bound_in(block.outer.finalbody)
            if block.owner is loop:
                return

    def _enter(self, block: Block, position: int, found: list[AnyDefinition]) -> bool:
        """Step out of a block through its head: what the head binds, what a loop carries over, what `try` leaves."""
        match block.owner, block.arm:
            case (ast.For() | ast.AsyncFor() | ast.While()) as loop, "orelse":
                found += self._own(loop)
                found += self._layout.bound_in(loop.body)
            case (ast.For() | ast.AsyncFor() | ast.While()) as loop, _ if not self._own(loop):
                # What the head of a loop binds again is not carried over from the iteration before.
                self._through(block, None, found, after=position)
                self._through_jumps(loop, found)
            case _, "finalbody":
                found += self._bound_in_try(block, {"body", "orelse"})
            case ast.ExceptHandler(), _:
                found += self._bound_in_try(block, {"body"})
            case _, "orelse" if isinstance(block.outer, ast.Try):
                return self._through_body(block.outer.body, found)
        return not self._head_binds(block, found)

    def _through_jumps(self, loop: LoopNode, found: list[AnyDefinition]) -> None:
        """Collect what holds where an iteration of a loop ends early, and the next one begins."""
        if self._block(loop.body) not in self._layout.positions:
            return
        if (brought := self._layout.brought_back.get(loop)) is None:
            walk, brought = Walk(self._index, self._layout, self._decide), []
            for jump in jumps(self._index, loop, ast.Continue):
                walk._climb(jump, brought, loop)
            self.has_asked |= walk.has_asked
            self._is_cut |= walk._is_cut
            if not (walk.has_asked or walk._is_cut):
                self._layout.brought_back[loop] = brought
        found += brought

    def _head_binds(self, block: Block, found: list[AnyDefinition]) -> bool:
        """Add what the head of the statement around a block binds; tell whether that surely holds in the block."""
        if block.outer is None or block.arm != "body":
            return False
        heads = self._own(block.outer)
        match block.owner:
            case ast.ExceptHandler(name=name):
                heads = [] if name is None else heads
            case ast.match_case(pattern=pattern):
                heads = [] if not captures(pattern) else heads
            case ast.Try():
                return False
        found += heads
        return bool(heads)

    def _through(self, block: Block, end: int | None, found: list[AnyDefinition], after: int = -1) -> bool:
        """Collect what holds at a position of a block (None: its end); tell whether what held at its start may too."""
        if end is None and leaves_block(block.body, self._index) and after < 0:
            return False
        for position in self._layout.backwards(block, end, after):
            if len(found) > MOST_DEFINITIONS:
                self._is_cut = True
                return False
            if not self._across(block, position, found):
                return False
        return True

    def _across(self, block: Block, position: int, found: list[AnyDefinition]) -> bool:
        """Collect what a statement leaves bound; tell whether what held before it may still hold."""
        self._index.steps.take()
        statement = block.body[position]
        if isinstance(statement, ast.If):
            return self._across_if(statement, found)
        own = self._own(statement)
        match statement:
            case ast.With() | ast.AsyncWith():
                found += self._layout.inside(block, position) if suppresses(statement) else own
                return (self._through_body(statement.body, found) or suppresses(statement)) and not own
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._across_loop(statement, own, found)
            case ast.Try():
                return self._across_try(statement, own, found)
            case ast.Match(cases=cases):
                found += own
                self.has_asked |= any(case.guard is not None for case in cases)
                taken = (case for case in cases if may_be_taken(case, statement, self._decide))
                arms = [self._through_body(case.body, found) for case in taken]
                return any(arms) or not is_catch_all(cases[-1])
            case _:
                found += own
                return not own

    def _across_loop(self, loop: LoopNode, own: list[AnyDefinition], found: list[AnyDefinition]) -> bool:
        """Collect what a loop leaves bound: at the end of an iteration, and where it is left early."""
        ends = self._through_body(loop.orelse, found) and not runs_forever(loop)
        passing = [self._climb(jump, found, loop) for jump in jumps(self._index, loop, ast.Break)]
        if ends or any(passing):
            self._through_body(loop.body, found)
            self._through_jumps(loop, found)
            found += own
        return ends or any(passing)

    def _across_if(self, branch: ast.If, found: list[AnyDefinition]) -> bool:
        """Collect what an `if` leaves bound, its `elif`s in turn: there may be more than Python's stack holds."""
        self.has_asked = True
        passes = is_bound = False
        while True:
            answer, own = self._decide(branch.test, branch), self._own(branch)
            found += own
            is_bound |= bool(own)
            if answer is not False:
                passes |= self._through_body(branch.body, found) and not is_bound
            if answer is True:
                return passes
            if (below := self._elif(branch, found)) is None:
                return passes | (self._through_body(branch.orelse, found) and not is_bound)
            branch = below

    def _elif(self, branch: ast.If, found: list[AnyDefinition]) -> ast.If | None:
        """Return the `elif` of a branch, if something in it binds the variable."""
        match branch.orelse:
            case [ast.If() as below] if self._block(branch.orelse) in self._layout.positions:
                if len(found) > MOST_DEFINITIONS or leaves_block(branch.orelse, self._index):
                    return None
                self._index.steps.take()
                return below
            case _:
                return None

    def _across_try(self, statement: ast.Try, own: list[AnyDefinition], found: list[AnyDefinition]) -> bool:
        if statement.finalbody and not self._through_body(statement.finalbody, found):
            return False
        passes = self._through_body(statement.orelse, found) and self._through_body(statement.body, found)
        for handler in statement.handlers:
            if not leaves_block(handler.body, self._index) and self._through_body(handler.body, found):
                found += self._layout.bound_in(statement.body)
                passes = True
        found += own
        return passes

    def _through_body(self, body: list[ast.stmt], found: list[AnyDefinition]) -> bool:
        return self._through(self._block(body), None, found) if body else True

    def _bound_in_try(self, block: Block, arms: set[str]) -> Iterator[AnyDefinition]:
        """Yield what may be bound where a `try` raised anywhere in these arms, or in a handler before `finally`."""
        if isinstance(block.outer, ast.Try):
            handlers = [handler.body for handler in block.outer.handlers] if "orelse" in arms else []
            for body in (*reversed(handlers), block.outer.orelse if "orelse" in arms else [], block.outer.body):
                yield from self._layout.bound_in(body)

    def _block(self, body: list[ast.stmt]) -> Block:
        return self._index.home[body[0]][0]

    def _own(self, statement: ast.stmt) -> list[AnyDefinition]:
        """Return what the statement itself binds, without the blocks in it."""
        return self._layout.own.get(statement, [])
