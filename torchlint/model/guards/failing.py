"""Which calls never return in a world: every path through them ends with an assert, a `raise` or an exit."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Literal
from torchlint.pytorch.distributed import GPU_BACKENDS, INIT_PROCESS_GROUP
from torchlint.syntax.arguments import passed
from torchlint.syntax.exits import is_exit, suppresses
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def never_returns(ev: Evaluator, call: Place) -> bool:
    """Tell whether every function that a call may run raises before it returns; that of a class is its constructor."""
    assert isinstance(call.expression, ast.Call)
    if _starts_gpu_backend(ev, call):
        return True
    callees = [one.value for one in ev.evaluate(call.at(call.expression.func))]
    run = [method_of(ev, one, "__init__") if isinstance(one, Class) else one for one in callees]
    functions = [one for one in run if isinstance(one, Function)]
    if not functions or len(functions) < len(run):
        return False
    return all(not _is_abstract(one.scope.node.body) and always_fails(ev, one) for one in functions)


def _starts_gpu_backend(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call makes a process group that needs a GPU, without one."""
    assert isinstance(call.expression, ast.Call)
    if ev.has_cuda is not False or callee_name(call.expression) != INIT_PROCESS_GROUP.rpartition(".")[2]:
        return False
    backend = passed(call.expression, "backend", 0)
    named = [one.value for one in ev.evaluate(call.at(backend))] if backend is not None else []
    needs_gpu = bool(named) and all(isinstance(one, Literal) and one.value in GPU_BACKENDS for one in named)
    return needs_gpu and INIT_PROCESS_GROUP in call.at(call.expression.func).names


def leads_to_gpu_backend(ev: Evaluator, place: Place) -> bool:
    """Tell whether the next statement makes a process group that needs a GPU.

    `torch.cuda.set_device(rank)` is before `init_process_group("nccl")` in most programs of several processes: they
    need a GPU in any case.
    """
    block, position = place.file.index.home[place.statement]
    for call, statement in place.file.index.calls(INIT_PROCESS_GROUP.rpartition(".")[2]):
        beside, last = place.file.index.home[statement]
        if beside.body is not block.body or not position <= last or not _is_plain(block.body[position : last + 1]):
            continue
        if _starts_gpu_backend(ev, Place(place.file, call, statement, place.frame, place.given)):
            return True
    return False


def _is_plain(statements: Sequence[ast.stmt]) -> bool:
    """Tell whether control goes from each statement to the next."""
    return all(isinstance(one, (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign)) for one in statements)


@tabled(False)
def always_fails(ev: Evaluator, function: Function) -> bool:
    """Tell whether every path through a function ends with an exception, or with a test that is skipped."""
    return _fails(ev, function, function.scope.node.body) is True


def fails_at(ev: Evaluator, statement: Place) -> bool:
    """Tell whether every path through a statement fails: `if …: … else: assert not gpus`."""
    function = Function(statement.file, statement.scope)
    return _end(ev, function, statement.statement) is True


@tabled(False)
def fails_to_load(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether loading a file fails: then none of its functions is ever called."""
    body = [one for one in file.tree.body if isinstance(one, (ast.Assert, ast.If))]
    return _fails(ev, Function(file, file.index.scope), body) is True


def _is_abstract(body: Sequence[ast.stmt]) -> bool:
    """Tell whether a function does nothing but raise: a subclass is meant to override it."""
    return all(
        isinstance(one, (ast.Raise, ast.Pass)) or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        for one in body
    )


def _fails(ev: Evaluator, function: Function, body: Sequence[ast.stmt]) -> bool | None:
    """Tell whether control leaves a block by failing, or may leave it by a mere `return`; None if it goes on."""
    for statement in body:
        end = _end(ev, function, statement)
        if end is not None:
            return end
    return None


def _end(ev: Evaluator, function: Function, statement: ast.stmt) -> bool | None:
    match statement:
        case ast.Return(value=ast.Call() as call):
            return never_returns(ev, Place(function.file, call, statement))
        case ast.Return():
            return False
        case ast.Raise():
            return True
        case ast.Assert(test=test):
            return True if ev.truth(Place(function.file, test, statement)) is False else None
        case ast.If(test=test, body=then, orelse=otherwise):
            outcome = ev.truth(Place(function.file, test, statement))
            arms = [arm for arm, holds in ((then, True), (otherwise, False)) if outcome is not (not holds)]
            ends = {_fails(ev, function, arm) for arm in arms}
            return False if False in ends else None if None in ends else True
        case ast.With(body=inner) if not suppresses(statement):
            return _fails(ev, function, inner)
        case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
            at = Place(function.file, call, statement)
            return True if is_exit(statement) or never_returns(ev, at) else None
        case ast.For() | ast.While() | ast.Try():
            lines = range(statement.lineno, (statement.end_lineno or 0) + 1)
            return False if any(one.lineno in lines for one in function.scope.returns) else None
        case _:
            return None
