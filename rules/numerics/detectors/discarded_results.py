"""Operations whose result is discarded: `x.clamp(0)` as a statement of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.devices.discarding import is_discarded, is_tensor
from torchlint.model.loop import Loop
from torchlint.pytorch.events import MEASURING
from torchlint.pytorch.grad_modes import COMPUTING_MODES
from torchlint.pytorch.pure import CHANGING_TWINS, INPLACE_POSITION, PURE, PURE_FUNCTIONS
from torchlint.syntax.around import loops_around
from torchlint.syntax.last_names import callee_name, last_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_FUNCTIONS = PURE_FUNCTIONS | {f"torch.{name}" for name in PURE}
_WORDS = PURE | {name.rpartition(".")[2] for name in PURE_FUNCTIONS}
# What a benchmark does right before or after what it measures.
_MEASURING = MEASURING | frozenset("time perf_counter perf_counter_ns monotonic process_time time_ns tic toc".split())


@dataclass(frozen=True, slots=True)
class Discarded:
    """An operation whose result is discarded."""

    call: Call
    tensor: Place
    """The tensor that it was meant to change."""
    twin: str
    """The method that changes the tensor in place, empty if there is none."""


def discarded_results(ev: Evaluator, file: ParsedFile) -> Iterator[Discarded]:
    """Yield the operations on tensors without an effect whose result is discarded, in source order."""
    for call in method_calls_of(file, _WORDS):
        if not call.is_statement or call.is_open or _is_measured(call) or _is_shown(ev, call):
            continue
        tensor = _operand(ev, call)
        if tensor is not None and is_discarded(ev, call, tensor):
            has_twin = not call.callee.names and call.method in CHANGING_TWINS
            yield Discarded(call, tensor, f"{call.method}_" if has_twin else "")


def _operand(ev: Evaluator, call: Call) -> Place | None:
    """Return the tensor of a pure operation, None if it may be another call."""
    names = call.callee.names
    if names:
        is_pure = names <= _FUNCTIONS and not _changes(call, names) and not call.is_partial
        return call.argument("input", 0) if is_pure else None
    owner = call.owner
    is_method = owner is not None and call.method in PURE and "out" not in call.keywords and is_tensor(ev, owner)
    return owner if is_method else None


def _changes(call: Call, names: frozenset[str]) -> bool:
    """Tell whether a function writes to its argument."""
    positions = (INPLACE_POSITION.get(name) for name in names)
    return "out" in call.keywords or any(call.argument("inplace", position) is not None for position in positions)


def _is_measured(call: Call) -> bool:
    """Tell whether a call may be made for the time or the memory that it takes."""
    return _is_watched(call) or _is_repeated(call) or any(map(_measures, _neighbours(call)))


def _is_watched(call: Call) -> bool:
    """Tell whether a block around a call may observe what runs in it: a profiler, a timer, a test."""
    entered = (one.expression for one in call.contexts)
    return any(last_name(one.func if isinstance(one, ast.Call) else one) not in COMPUTING_MODES for one in entered)


def _is_repeated(call: Call) -> bool:
    """Tell whether a loop consists only of calls, the same in every iteration."""
    loop = next(loops_around(call), None)
    if not isinstance(loop, ast.For) or not all(isinstance(one, ast.Expr) for one in loop.body):
        return False
    names = {node.id for one in loop.body for node in walk(one) if isinstance(node, ast.Name)}
    return names.isdisjoint(Loop(call.file, loop).targets)


def _is_shown(ev: Evaluator, call: Call) -> bool:
    """Tell whether a script lists expressions, as a session shows their values: `a + b`."""
    return call.scope.kind == "file" and any(_is_listed(ev, call, one) for one in _neighbours(call))


def _is_listed(ev: Evaluator, call: Call, statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(value, ast.Call):
        beside = Call(call.file, value, statement)
        is_pure = any(name.startswith("torch.") for name in beside.callee.names) and "out" not in beside.keywords
        return is_pure and not beside.method.endswith("_") and is_tensor(ev, beside)
    return isinstance(value, (ast.BinOp, ast.Compare, ast.UnaryOp))


def _neighbours(call: Call) -> Iterator[ast.stmt]:
    """Yield the statements right before and after a call, and around its loops."""
    for block, position in call.file.index.blocks_around(call.statement):
        yield from block.body[max(position - 1, 0) : position]
        yield from block.body[position + 1 : position + 2]
        if not isinstance(block.owner, (ast.For, ast.While, ast.With)):
            return


def _measures(statement: ast.stmt) -> bool:
    if not isinstance(statement, (ast.Expr, ast.Assign)):
        return False
    return any(isinstance(node, ast.Call) and callee_name(node) in _MEASURING for node in walk(statement))
