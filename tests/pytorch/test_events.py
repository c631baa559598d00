"""How the events of PyTorch are asked to record the time."""

from __future__ import annotations

import inspect

import pytest

from torchlint.pytorch.events import EVENTS, MEASURING
from torchlint.verify import simulated_cuda

torch = pytest.importorskip("torch", reason="the events are PyTorch's")


def test_enable_timing_is_the_first_argument_of_an_event_of_cuda() -> None:
    parameters = list(inspect.signature(torch.cuda.Event.__new__).parameters)

    assert parameters.index("enable_timing") - 1 == EVENTS["torch.cuda.Event"]


def test_an_event_records_no_time_unless_it_is_asked_to() -> None:
    with simulated_cuda(gpus=1):
        start, end = torch.cuda.Event(), torch.cuda.Event(enable_timing=True)
        start.record()
        end.record()
        end.synchronize()

        with pytest.raises(ValueError, match="Both events must be created with argument 'enable_timing=True'"):
            start.elapsed_time(end)


def test_an_event_of_any_device_takes_its_device_first() -> None:
    assert EVENTS["torch.Event"] is None
    with pytest.raises((TypeError, RuntimeError)):
        torch.Event(True)


@pytest.mark.parametrize("name", sorted(MEASURING))
def test_it_is_measured_by_a_method_of_events_or_a_function(name: str) -> None:
    assert callable(getattr(torch.cuda.Event, name, None) or getattr(torch.cuda, name))
