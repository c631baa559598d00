"""Softmaxes without a dimension: `F.softmax(x)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.pytorch.softmaxes import FUNCTIONS, MODULES

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


def implicit_softmaxes(file: ParsedFile) -> Iterator[Call]:
    """Yield the softmaxes of a file that choose their dimension themselves."""
    for names, position in ((FUNCTIONS, 1), (MODULES, 0)):
        for call in method_calls_of(file, file.words_for(names)):
            if _says_nothing(call, position) and call.callee.names & names and not call.is_partial:
                yield call


def _says_nothing(call: Call, position: int) -> bool:
    """Tell whether a call passes no dimension; most of them do, which takes no query to see."""
    dimension = call.argument("dim", position)
    return not call.is_open and (dimension is None or dimension.text == "None")
