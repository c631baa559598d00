"""With which options torch runs CUDA graphs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from torchlint.pytorch.graph_modes import GRAPH_MODES, GRAPH_OPTION, MARK_STEP, SCRIPTING

torch = pytest.importorskip("torch")


def test_the_modes_are_those_that_turn_graphs_on() -> None:
    from torch._inductor import list_mode_options

    assert {mode for mode, options in list_mode_options().items() if options.get(GRAPH_OPTION)} == GRAPH_MODES


def test_a_program_can_say_that_a_step_begins() -> None:
    assert callable(getattr(torch.compiler, MARK_STEP))


class Backend:
    """Runs a graph as it is, and counts how many it was given."""

    def __init__(self) -> None:
        self.graphs = 0

    def __call__(self, graph: Callable[..., object], _: object) -> Callable[..., object]:
        self.graphs += 1
        return graph


_BACKEND = Backend()


def _double(x):  # type: ignore[no-untyped-def]
    return x * 2


_compiled = torch.compile(_double, backend=_BACKEND)


def _through_compiled(x):  # type: ignore[no-untyped-def]
    return _compiled(x)


def test_torchscript_runs_what_is_not_compiled() -> None:
    with pytest.warns(DeprecationWarning, match="torch.jit.script"):
        scripted = torch.jit.script(_through_compiled)

    assert scripted(torch.ones(2)).tolist() == [2, 2]
    assert _BACKEND.graphs == 0
    assert _through_compiled(torch.ones(2)).tolist() == [2, 2]  # type: ignore[no-untyped-call]
    assert _BACKEND.graphs == 1
    assert all(callable(getattr(torch.jit, name.rpartition(".")[2])) for name in SCRIPTING)
