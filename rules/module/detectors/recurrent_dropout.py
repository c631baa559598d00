"""Dropout of a recurrent layer that is never applied.

`nn.LSTM`, `nn.GRU` and `nn.RNN` drop between their layers: `dropout` is applied to the outputs of each layer but the
last one. With one layer there is no such output, and PyTorch warns (torch 2.13).
https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import calls_of
from torchlint.model.values.value_sets import Literal
from torchlint.pytorch.layers import LAST_DROPOUT
from torchlint.syntax.around import is_in_header

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_LAYERS = 2


def recurrent_dropouts(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    """Yield the arguments that surely set dropout in a recurrent layer of PyTorch with surely a single layer."""
    for call in calls_of(file, frozenset(LAST_DROPOUT)):
        position = next(LAST_DROPOUT[name] for name in sorted(call.callee.names & LAST_DROPOUT.keys()))
        rate = call.argument("dropout", position)
        if call.is_open or rate is None or not _is_some(rate):
            continue
        layers = call.argument("num_layers", _LAYERS)
        if layers is None or _is_one(ev, layers):
            yield rate


def _is_some(rate: Place) -> bool:
    numbers = rate.literals or ()
    return bool(numbers) and all(isinstance(one, (int, float)) and one > 0 for one in numbers)


def _is_one(ev: Evaluator, layers: Place) -> bool:
    """Tell whether a number of layers is one, and not only by default."""
    possible = ev.evaluate(layers)
    is_known = bool(possible) and all(isinstance(one.value, Literal) and one.value.value == 1 for one in possible)
    return is_known and not any(one.origin is not None and is_in_header(one.origin) for one in possible)
