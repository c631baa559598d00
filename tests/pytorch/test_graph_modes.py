"""With which options torch runs CUDA graphs."""

from __future__ import annotations

import pytest

from torchlint.pytorch.graph_modes import GRAPH_MODES, GRAPH_OPTION, MARK_STEP

torch = pytest.importorskip("torch")


def test_the_modes_are_those_that_turn_graphs_on() -> None:
    from torch._inductor import list_mode_options

    assert {mode for mode, options in list_mode_options().items() if options.get(GRAPH_OPTION)} == GRAPH_MODES


def test_a_program_can_say_that_a_step_begins() -> None:
    assert callable(getattr(torch.compiler, MARK_STEP))
