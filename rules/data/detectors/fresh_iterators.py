"""First batches of iterators that are made at every step: `next(iter(loader))`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.roles import LOADERS, is_a
from torchlint.model.training.what_trains import step_loops_of
from torchlint.syntax.arguments import passed
from torchlint.syntax.around import loops_around

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import Possibility


@dataclass(frozen=True, slots=True)
class FreshIterator:
    """A call of `next` with a new iterator, the loader, and the path from a training loop to it."""

    call: Call
    loader: Place
    story: tuple[Step, ...]


def fresh_iterators(ev: Evaluator, file: ParsedFile) -> Iterator[FreshIterator]:
    """Yield where a file takes the first batch of a loader at every step, in source order."""
    for call in method_calls_of(file, frozenset({"next"})):
        loader = _iterated(call)
        if loader is None or not _is_loader(ev, call, loader):
            continue
        if (story := step_loops_of(file.project).every_step(call)) is not None:
            yield FreshIterator(call, loader, story)


def _iterated(call: Call) -> Place | None:
    """Return the `loader` of `next(iter(loader))`, or of `next(loader.__iter__())`."""
    match call.expression:
        case ast.Call(
            func=ast.Name(id="next"),
            args=[
                ast.Call(func=ast.Name(id="iter"), args=[loader])
                | ast.Call(func=ast.Attribute(value=loader, attr="__iter__"), args=[])
            ],
        ):
            return call.at(loader)
        case _:
            return None


def _is_loader(ev: Evaluator, call: Call, loader: Place) -> bool:
    """Tell whether something surely is a loader with several batches that was made before the loop."""
    possible = ev.evaluate(loader)
    return bool(possible) and all(is_a(ev, one.value, LOADERS) and _is_kept(call, one) for one in possible)


def _is_kept(call: Call, one: Possibility) -> bool:
    """Tell whether a loader was made outside of the loop, and does not yield its whole data set as one batch."""
    made = one.origin
    if made is None or not isinstance(made.expression, ast.Call):
        return False
    size = passed(made.expression, "batch_size", 1)
    is_whole = isinstance(size, ast.Call) and isinstance(size.func, ast.Name) and size.func.id == "len"
    is_inside = made.file is call.file and any(
        call.file.index.is_in_body(made.statement, loop) for loop in loops_around(call)
    )
    return not is_whole and not is_inside
