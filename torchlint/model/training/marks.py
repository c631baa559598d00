"""Tests against a mark that their own branch moves on: `if step >= mark: mark += 100`.

The branch may reset the counter instead: `if step - since >= 100: since = step`. What follows `if step < since + 100:
continue` is such a branch, too. A record moves on as well, `if score > best: best = score`, and is set seldom.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.training.counters import counts, is_counter
from torchlint.syntax.exits import leaves_block, loops_of
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.syntax.index import Index
    from torchlint.syntax.scope import Block


def waits_for_mark(test: Place, left: ast.expr, op: ast.cmpop, right: ast.expr, holds: bool) -> bool:
    """Tell whether a comparison has its outcome once in many iterations, because its branch moves the mark on.

    With a count of single iterations, `if i >= count: count += 1`, every iteration reaches the mark.
    """
    match op:
        case ast.Gt() | ast.GtE():
            reached, mark = (left, right) if holds else (right, left)
        case ast.Lt() | ast.LtE():
            reached, mark = (right, left) if holds else (left, right)
        case _:
            return False
    opened = _opened(test, holds, {written(part) for part in (mark, reached, *_parts(mark), *_parts(reached))})
    is_put_off = any(_puts_off(one, reached, mark) for one in opened) and not _is_limit(test, reached)
    is_moved = is_put_off or any(_resets(one, reached, mark) for one in opened)
    return is_moved or any(_sets_record(test, one, (left, right)) for one in opened)


def _is_limit(test: Place, reached: ast.expr) -> bool:
    """Tell whether what is moved on below an early exit is rather the counter: `if seen >= most: break`."""
    arms = [test.statement.body, test.statement.orelse] if isinstance(test.statement, ast.If) else []
    if not any(leaves_block(arm, test.file.index) for arm in arms):
        return False
    loop = next(loops_of(test.file.index, test.statement), None)
    names = (node.id for node in walk(reached) if isinstance(node, ast.Name))
    bindings = (one for name in names for one in test.scope.bindings.get(name, ()))
    is_moved = loop is not None and any(
        one.statement is loop or test.file.index.is_in_body(one.statement, loop) for one in bindings
    )
    return not is_moved and not is_counter(reached)


def _opened(test: Place, holds: bool, names: set[str]) -> list[ast.stmt]:
    """Return the statements under a test with this outcome that set or clear one of some names."""
    if not isinstance(test.statement, ast.If):
        return []
    index, parents, part = test.file.index, test.file.parents_in(test.statement), test.expression
    while part is not test.statement.test and isinstance(parent := parents.get(part), ast.expr):
        holds = holds is not (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not))
        part = parent
    runs = _runs_opened_by(index, test.statement, holds)
    return [one for block, start in runs for name in names for one in _settings(index, block, name, start)]


def _runs_opened_by(index: Index, statement: ast.If, holds: bool) -> Iterator[tuple[Block, int]]:
    """Yield the blocks that run if a test has this outcome, and from where on: an arm, and what is below an exit."""
    arm, other = (statement.body, statement.orelse) if holds else (statement.orelse, statement.body)
    if arm:
        yield index.home[arm[0]]
    if other and leaves_block(other, index):
        block, position = index.home[statement]
        yield block, position + 1


def _parts(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Call(args=arguments):
            return arguments
        case _:
            return []


def _settings(index: Index, block: Block, name: str, start: int) -> list[ast.stmt]:
    """Return the statements of a block, from a position on, that set or clear something with a name."""
    if (found := index.settings.get(block)) is None:
        found = index.settings[block] = defaultdict(list)
        for position, statement in enumerate(block.body):
            match statement:
                case (
                    ast.AugAssign(target=target)
                    | ast.Assign(targets=[target])
                    | ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr="clear")))
                ):
                    found[written(target)].append(position)
    positions = found.get(name, [])
    return [block.body[position] for position in positions[bisect_left(positions, start) :]]


def _puts_off(statement: ast.stmt, reached: ast.expr, mark: ast.expr) -> bool:
    """Tell whether a statement moves a mark further than the next iteration: `mark += 100`, `mark = step + 100`."""
    match statement:
        case ast.AugAssign(target=target, op=ast.Mult()):
            return written(target) == written(mark)
        case (
            ast.AugAssign(target=target as left, op=ast.Add(), value=portion)
            | ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=portion))
        ) if written(target) == written(mark):
            if written(left) == written(mark):
                return _is_in_portions(reached) or _is_several(portion)
            return written(left) == written(reached) and _is_several(portion)
        case _:
            return False


def _resets(statement: ast.stmt, reached: ast.expr, mark: ast.expr) -> bool:
    """Tell whether a statement resets the counter: `since = step`, `window.clear()`."""
    match reached, statement:
        case ast.BinOp(left=now, op=ast.Sub(), right=since), ast.Assign(targets=[target], value=value):
            return written(target) == written(since) and written(value) == written(now) and _is_several(mark)
        case _, ast.Assign(targets=[target], value=value) if isinstance(mark, ast.BinOp):
            portions = [one for since, one in _both_ways(mark) if written(target) == written(since)]
            return written(value) == written(reached) and any(map(_is_several, portions))
        case (
            ast.Call(func=ast.Name(id="len"), args=[window]),
            ast.Expr(value=ast.Call(func=ast.Attribute(value=cleared, attr="clear")))
            | ast.Assign(targets=[cleared], value=ast.List(elts=[])),
        ):
            return written(cleared) == written(window) and _is_several(mark)
        case _:
            return False


def _sets_record(test: Place, statement: ast.stmt, sides: tuple[ast.expr, ast.expr]) -> bool:
    """Tell whether a statement keeps what was compared as the best so far: `best = loss.item()`.

    What counts iterations is larger than before in each of them.
    """
    match statement:
        case ast.Assign(targets=[target], value=value):
            pairs = [(kept, new) for kept, new in (sides, sides[::-1]) if written(kept) == written(target)]
            return any(written(_read(new)) == written(_read(value)) and not counts(test, new) for _, new in pairs)
        case _:
            return False


def _read(node: ast.expr) -> ast.expr:
    """Return what is read as a number, or copied: `loss` of `loss.item()` and of `loss.detach().clone()`."""
    while isinstance(node, ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(value=inner), args=[]):
                node = inner
            case ast.Call(func=ast.Name(id="float"), args=[inner]):
                node = inner
            case _:
                break
    return node


def _both_ways(node: ast.BinOp) -> list[tuple[ast.expr, ast.expr]]:
    """Return the operands of a sum, either one first."""
    return [(node.left, node.right), (node.right, node.left)] if isinstance(node.op, ast.Add) else []


def _is_in_portions(node: ast.expr) -> bool:
    """Tell whether something is counted in portions: `seconds // 300`, `seen / size`."""
    match node:
        case ast.BinOp(op=ast.FloorDiv() | ast.Div(), right=portion):
            return not (isinstance(portion, ast.Constant) and portion.value == 1)
        case _:
            return False


def _is_several(node: ast.expr) -> bool:
    """Tell whether a portion is more than one iteration: a number, or something with a name."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value > 1
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _is_several(left) or _is_several(right)
        case _:
            return isinstance(node, (ast.Name, ast.Attribute))
