"""Facts about PyTorch are rows of `torchlint/pytorch`: what is written elsewhere may only become less."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_CHECKOUT = Path(__file__).parents[2]
_FULL_NAME = re.compile(r"torch(\.\w+)+\.?")
_MOST = 220
"""How often a full name of PyTorch is written in the model, the rules and what finds their mistakes."""


def test_names_of_pytorch_that_are_written_elsewhere_become_fewer() -> None:
    paths = [path for top in ("torchlint/model", "rules") for path in (_CHECKOUT / top).rglob("*.py")]
    found = sum(_names_in(path) for path in paths)

    assert found <= _MOST, "put the fact into a table of torchlint/pytorch, with its version and a test"
    assert found == _MOST, "there are fewer now: write down how many"


def _names_in(path: Path) -> int:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return sum(1 for text in texts if _FULL_NAME.fullmatch(text))
