"""Programs that are written for CUDA by other words of theirs: quantized by bitsandbytes, kernels in Triton."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.guards.cuda import is_guarded
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Literal
from torchlint.pytorch.kinds import CudaLibrary
from torchlint.pytorch.needs_cuda import CUDA_LIBRARIES

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@tabled("")
def written_for_cuda(ev: Evaluator, file: ParsedFile) -> str:
    """Return what in a file needs CUDA unconditionally, empty if nothing is known to.

    `ev` answers for a machine without it: what is under a test for it is not needed there.
    """
    return next((words for place, words in _uses(ev, file) if not is_guarded(ev, place)), "")


def _uses(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Place, str]]:
    """Yield what uses a library that is made for CUDA, each with the words that say so."""
    for row in CUDA_LIBRARIES:
        if row.keyword:
            yield from _asked(ev, file, row)
        else:
            yield from ((place, place.code) for place in _named(file) if _is_of(place, row))


def _asked(ev: Evaluator, file: ParsedFile, row: CudaLibrary) -> Iterator[tuple[Place, str]]:
    for call, statement in file.index.expressions(ast.Call):
        for word in call.keywords if row.keyword in {one.arg for one in call.keywords} else ():
            place = Place(file, word.value, statement)
            if word.arg == row.keyword and {one.value for one in ev.evaluate(place)} == {Literal(row.value)}:
                yield Place(file, call, statement), f"{word.arg}={place.code}"


def _named(file: ParsedFile) -> Iterator[Place]:
    """Yield what is called in a file, and what decorates its functions."""
    yield from (Place(file, call.func, statement) for call, statement in file.index.expressions(ast.Call))
    for function in file.index.statements(ast.FunctionDef):
        yield from (Place(file, one, function) for one in function.decorator_list)


def _is_of(place: Place, row: CudaLibrary) -> bool:
    return any(name == row.names or (row.names.endswith(".") and name.startswith(row.names)) for name in place.names)
