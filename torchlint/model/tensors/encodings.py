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
    from torchlint.model.place import Place


def encoded(place: Place, method: str = "__call__") -> ValueSet:
    """Return what a method of a tokenizer returns at a call: tensors only if it is asked for those of PyTorch."""
    kind = passed(place.expression, "return_tensors")
    if not isinstance(kind, ast.Constant) or kind.value != "pt":
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
    names = made.bound_to
    is_filled = any(written(store.target) in names for store in made.file.index.stores)
    return not is_filled and not made.file.is_called_on(names, MOVES)
