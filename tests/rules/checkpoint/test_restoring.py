"""What a call of `load_state_dict` returns is told by what it fills."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

FILLED = {
    "a module": ("net", "the keys that did not match, not the module"),
    "an optimizer": ("torch.optim.Adam(net.parameters())", "`None`, not the optimizer"),
    "either": ("net if fresh else torch.optim.Adam(net.parameters())", "the keys that did not match, or `None`"),
    "nobody knows what": ("made(net)", "the keys that did not match, or `None`"),
}


@pytest.mark.parametrize(("made", "returned"), FILLED.values(), ids=FILLED)
def test_the_message_says_what_is_returned(program: Program, made: str, returned: str) -> None:
    code = "import torch\ndef resume(net: torch.nn.Module, state, fresh, made):\n"
    code += f"    it = {made}\n    it = it.load_state_dict(state)\n    return it\n"
    (finding,) = program(code).findings("assigned-load-state-dict")

    assert f"returns {returned}; call" in finding.message
