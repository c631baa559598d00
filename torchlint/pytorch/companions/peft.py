"""PEFT: modules around a module."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

PASSING_ON = frozenset({"peft.get_peft_model", "peft.mapping_func.get_peft_model"})
"""Functions whose module has the outputs of the one that they are given first."""

COMPANION = Companion(
    "peft",
    "peft 0.21.2",
)
