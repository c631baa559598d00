"""Which loops repeat a training step: the innermost around it, and the next if that one only calls each of several.

`for hook in self.hooks: hook.after_step(self)` makes one step, or one for each hook, in every iteration of the loop
around. `for optimizer in optimizers: optimizer.step()` makes one of all the parts of a model. `for _ in range(1)`
repeats nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchlint.model.place import Place
from torchlint.syntax.exits import LoopNode, loops_of
from torchlint.syntax.walk import names_under, walk


def loops_repeating(chain: Sequence[Place]) -> tuple[tuple[LoopNode, ...], bool]:
    """Return the loops that repeat a step, and whether none further out does.

    `chain` are a call that leads to the step, the calls on the path, and the step itself.
    """
    found: list[LoopNode] = []
    for loop in loops_of(chain[0].file.index, chain[0].statement):
        if _runs_once(loop) or (len(chain) == 1 and _updates_each(loop, chain[0].expression)):
            continue
        found.append(loop)
        # `for loss in losses: loss.backward()` iterates over what was computed, possibly of many batches.
        if len(chain) == 1 or not asks_each(loop, chain[0].expression):
            return tuple(found), True
    return tuple(found), False


def asks_each(loop: LoopNode | ast.comprehension, call: ast.expr) -> bool:
    """Tell whether a call is one of a method of the loop variable of a loop or comprehension."""
    match loop, call:
        case (
            ast.For(target=ast.Name(id=each)) | ast.comprehension(target=ast.Name(id=each)),
            ast.Call(func=ast.Attribute(value=ast.Name(id=asked)) | ast.Call(args=[ast.Name(id=asked), *_])),
        ):
            return each == asked
        case _:
            return False


def _runs_once(loop: LoopNode) -> bool:
    """Tell whether a loop has one iteration by its code: `for _ in range(1)`, as in a module's own test."""
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=1)])):
            return True
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=0), ast.Constant(value=1)])):
            return True
        case _:
            return False


def _updates_each(loop: LoopNode, step: ast.expr) -> bool:
    """Tell whether a loop does nothing of a step but to update, by each of several optimizers."""
    match loop, step:
        case ast.For(target=target), ast.Call(func=ast.Attribute(value=owner, attr="step"), args=arguments):
            each = names_under(target)
            is_of_each = any(not each.isdisjoint(names_under(one)) for one in (owner, *arguments))
            return is_of_each and not any(_goes_back(node) for statement in loop.body for node in walk(statement))
        case _:
            return False


def _goes_back(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "backward"
