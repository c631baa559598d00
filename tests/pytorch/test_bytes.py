"""Where PyTorch puts what it reads from memory."""

from __future__ import annotations

import io

import pytest

torch = pytest.importorskip("torch")


def test_what_shares_memory_is_on_the_host_whatever_the_default() -> None:
    with torch.device("meta"):
        assert torch.frombuffer(bytearray(8), dtype=torch.uint8).device.type == "cpu"


def test_what_was_saved_on_the_host_is_loaded_there_whatever_the_default() -> None:
    buffer = io.BytesIO()
    torch.save(torch.zeros(3, requires_grad=True) * 2, buffer)

    with torch.device("meta"):
        read = torch.load(io.BytesIO(buffer.getvalue()), weights_only=True, map_location="cpu")

    assert read.device.type == "cpu"
    assert read.grad_fn is None
