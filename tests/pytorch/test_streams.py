"""What is said to order streams, against torch."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.streams import ORDERING, ORDERING_STREAMS

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")


@pytest.mark.parametrize("name", sorted(ORDERING))
def test_a_stream_or_a_tensor_has_it_and_the_host_does_not_wait(name: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    with simulated_cuda() as simulation:
        stream, other = torch.cuda.Stream(), torch.cuda.Stream()
        event, tensor = torch.cuda.Event(), torch.ones(2, device="cuda")
        before = simulation.log.total
        {
            "wait_stream": lambda: stream.wait_stream(other),
            "wait_event": lambda: stream.wait_event(event),
            "record_event": lambda: stream.record_event(event),
            "record_stream": lambda: tensor.record_stream(stream),
        }[name]()

        assert simulation.log.total == before


def test_an_event_is_waited_for_and_a_stream_is_made_the_current_one() -> None:
    from torchlint.verify.sim import simulated_cuda

    with simulated_cuda() as simulation:
        stream, event = torch.cuda.Stream(), torch.cuda.Event()
        before = simulation.log.total
        event.wait(stream)
        torch.cuda.set_stream(stream)

        assert torch.cuda.current_stream() == stream
        assert simulation.log.total == before
    assert {"wait", "set_stream"} == ORDERING_STREAMS - ORDERING
