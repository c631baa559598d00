"""Which rules a file may concern does not depend on the files before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.engine.prefilter import Prefilter
from torchlint.project.library import Library
from torchlint.registry import builtin_rules

_PADDING = b"\nvalue = other + 1" * 400
_PROGRAMS = {
    "the same names": b"import torch\ntorch.load(path)",
    "a word in a name": b"import torch\nmy_load_state_dict = torch.reload",
    "no word": b"import os",
    "a text": b"import torch\nx = 'cuda:0'",
}


@pytest.mark.parametrize("padding", [b"", _PADDING], ids=["short", "long"])
def test_what_a_file_contains_is_found_after_others(tmp_path: Path, padding: bytes) -> None:
    rules = [rule() for rule in builtin_rules().values()]
    one_after_the_other = Prefilter(rules, Library(tmp_path))

    for program in (*_PROGRAMS.values(), *reversed(_PROGRAMS.values())):
        alone = Prefilter(rules, Library(tmp_path)).rules_for(program + padding)

        assert one_after_the_other.rules_for(program + padding) == alone
        assert bool(alone) is (b"torch" in program)
