"""What tokenizers return: an encoding has tensors on the host, until it is moved in place.

https://huggingface.co/docs/transformers/main_classes/tokenizer
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import HOST, UNKNOWN, Built, Possibility, Tensor, ValueSet, known
from torchlint.pytorch.companions.transformers import ENCODING, ENCODING_METHODS, IDS_METHODS, TOKENIZER
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.arguments import passed
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def encoded(ev: Evaluator, place: Place, method: str = "__call__") -> ValueSet:
    """Return what a method of a tokenizer returns at a call: tensors only if it is asked for those of PyTorch."""
    kind = passed(place.expression, "return_tensors")
    values = [one.value for one in ev.evaluate(place.at(kind))] if kind is not None else []
    if not isinstance(kind, ast.Constant) or kind.value != "pt" or not values:
        return UNKNOWN
    if method in IDS_METHODS:
        return known(Tensor(HOST, False), place)
    return known(Built(ENCODING), place) if method in ENCODING_METHODS else UNKNOWN


def is_tokenizer(one: Possibility) -> bool:
    """Tell whether something is a tokenizer, or a processor of images or sound."""
    return one.value == Built(TOKENIZER)


def part_of_encoding(one: Possibility) -> ValueSet:
    """Return what is under a key of an encoding: a tensor."""
    return known(Tensor(HOST if is_on_host(one) else None, False), one.origin)


def is_on_host(one: Possibility) -> bool:
    """Tell whether something is an encoding that nothing moves in place, or fills with other tensors."""
    made = one.origin
    if one.value != Built(ENCODING) or made is None or isinstance(made.statement, ast.Return):
        return False
    names, index = made.bound_to, made.file.index
    moves = (call.func for name in MOVES for call, _ in index.calls(name))
    is_moved = any(isinstance(one, ast.Attribute) and written(one.value) in names for one in moves)
    return not is_moved and not any(written(store.target) in names for store in index.stores)
