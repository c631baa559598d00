"""Communications that return at once, and whose tensor is read before anything waits for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.values.value_sets import Literal
from torchlint.model.values.variable_reads import named_reads
from torchlint.pytorch.distributed import ASYNC_OP, ASYNCHRONOUS, COMMUNICATIONS, SPACES, SYNCHRONIZING
from torchlint.pytorch.metadata import METADATA
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_NAMES = frozenset(
    f"{space}{name}" for space in SPACES for name, row in COMMUNICATIONS.items() if row.written_at is not None
)

# What is put there is read later, and by others.
_HANDING_ON = {*COMMUNICATIONS, "append", "appendleft", "extend", "insert", "add", "put"}


@dataclass(frozen=True, slots=True)
class Unawaited:
    """A communication, the tensor that it writes, where that is read too early, and the name of the work, if any."""

    call: Call
    written: Place
    read: Place
    work: str


def unawaited_communications(ev: Evaluator, file: ParsedFile) -> Iterator[Unawaited]:
    """Yield the communications of a file whose tensor is read before a wait, in source order."""
    for call in calls_of(file, _NAMES):
        written = _written(call) if _is_asynchronous(ev, call) else None
        work = work_of(call) if written is not None else None
        if written is None or work is None:
            continue
        if (read := _first_read(call, written, waited_at(call, work))) is not None:
            yield Unawaited(call, written, read, work)


def _is_asynchronous(ev: Evaluator, call: Call) -> bool:
    if call.method in ASYNCHRONOUS:
        return True
    given = call.keywords.get(ASYNC_OP)
    possible = ev.evaluate(given) if given is not None else ()
    return bool(possible) and all(one.value == Literal(True) for one in possible)


def _written(call: Call) -> Place | None:
    """Return the name of the tensor that a communication writes, None for what is no name."""
    row = COMMUNICATIONS[call.method]
    at = row.written_at
    given = call.argument(row.tensors[at], at) if at is not None else None
    return given if given is not None and given.is_name else None


def work_of(call: Call) -> str | None:
    """Return the name that is given to what a call returns: empty if it is thrown away, None if it is passed on."""
    match call.statement:
        case ast.Expr(value=value) if value is call.expression:
            return ""
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call.expression:
            return "" if name == "_" else name
        case _:
            return None


def waited_at(call: Call, work: str) -> int | None:
    """Return the line on which a program first uses a work, or waits for all; None if it does neither."""
    reads = list(named_reads(call.file, call.scope, work)) if work else []
    lines = [one.line for one in reads if one.line > call.line]
    if reads and not lines:
        return call.line  # in the next iteration of a loop
    lines += [
        node.lineno
        for node, _ in call.file.calls_in_scope(call.scope)
        if node.lineno > call.line and callee_name(node) in SYNCHRONIZING
    ]
    return min(lines, default=None)


def _first_read(call: Call, written: Place, waited: int | None) -> Place | None:
    """Return where the values of a tensor are read after a call, and before the line of the wait."""
    end = call.span.end_line
    bound = [one.statement.lineno for one in call.scope.bindings.get(written.code, ())]
    until = min((line for line in (*bound, waited) if line is not None and line > end), default=None)
    if waited == call.line:
        return None
    for read in named_reads(call.file, call.scope, written.code):
        is_between = read.line > end and (until is None or read.line < until)
        if is_between and read.scope is call.scope and _is_of_values(read) and not exclude_each_other(call, read):
            return read
    return None


def _is_of_values(read: Place) -> bool:
    """Tell whether a read is of the values, and not of the shape, to name them again, or to communicate once more."""
    around = read.parent
    match around.expression if around is not None else read.statement:
        case ast.Attribute(attr=name):
            return name not in METADATA
        case ast.Call(func=function) as passing if function is not read.expression:
            return callee_name(passing) not in _HANDING_ON
        case ast.List() | ast.Tuple() | ast.Dict() | ast.Assign() | ast.AnnAssign():
            return False
        case _:
            return True
