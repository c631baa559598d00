"""The dtype of a tensor or an ndarray, and what an expression names where a dtype is expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Imported, Literal, Value
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.dtypes import DTYPES, LEGACY_TENSORS, PYTHON_TYPES

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


class Numbers(NamedTuple):
    """The numbers of a tensor or an ndarray: their dtype, and the expression that gave them that."""

    dtype: str
    is_array: bool
    made: Place

    @property
    def is_floating(self) -> bool:
        """Tell whether they are floating-point numbers."""
        return "float" in self.dtype

    def as_tensor(self) -> Numbers:
        """Return the same numbers in a tensor."""
        return self._replace(is_array=False)


Possible: TypeAlias = "frozenset[Numbers | None]"
NO_NUMBERS: Possible = frozenset()
OPEN: Possible = frozenset({None})


def agreed(possible: Possible) -> Numbers | None:
    """Return what all of several are, None where one is unknown or of another dtype."""
    known = [one for one in possible if one is not None]
    kinds = {(one.dtype, one.is_array) for one in known}
    is_sure = len(kinds) == 1 and len(known) == len(possible)
    return min(known, key=lambda one: one.made.key) if is_sure else None


def named_dtype(ev: Evaluator, place: Place) -> str | None:
    """Return the dtype that an expression names: `np.float32`, `torch.int`, `"float64"`; None where that is open."""
    names = {_named(one.value) for one in ev.evaluate(place)}
    return names.pop() if len(names) == 1 else None


def _named(value: Value) -> str | None:
    match value:
        case Imported(name=full):
            name = canonical(full)
            return DTYPES.get(name) or PYTHON_TYPES.get(name) or LEGACY_TENSORS.get(name)
        case Literal(value=str(text)):
            return DTYPES.get(f"numpy.{text}") or LEGACY_TENSORS.get(text)
        case _:
            return None
