"""Wrappers of modules: what becomes of the keys of the state dict, and of the data."""

from __future__ import annotations

from torchlint.pytorch.companions import COMPANIONS
from torchlint.pytorch.kinds import Wrapper
from torchlint.pytorch.symbols import COMPILED, DATA_PARALLEL, DISTRIBUTED, SHARDED

_ROWS = (
    Wrapper(DATA_PARALLEL, "torch 2.13.0", "module.", "module"),
    Wrapper(DISTRIBUTED, "torch 2.13.0", "module.", "module", divides_data=True),
    Wrapper(SHARDED, "torch 2.13.0", "", "module", holds_shards=True, divides_data=True),
    Wrapper(COMPILED, "torch 2.13.0", "_orig_mod.", "_orig_mod"),
    *(row for companion in COMPANIONS for row in companion.wrappers),
)
WRAPPERS = {row.name: row for row in _ROWS}
"""What wraps a module, by its full name."""
_WORDS = frozenset(name.rpartition(".")[2] for name in WRAPPERS)


def wrapped_as(name: str | None) -> str | None:
    """Return the attribute in which a wrapper, by its full name, holds its module; None if it is no wrapper."""
    row = WRAPPERS.get(name or "")
    return row.attribute if row else None


def holds_module(attribute: str) -> bool:
    """Tell whether any wrapper holds its module in an attribute."""
    return any(row.attribute == attribute for row in WRAPPERS.values())


def wraps_by_word(word: str) -> bool:
    """Tell whether the full name of any wrapper ends in a word: `DataParallel`."""
    return word in _WORDS
