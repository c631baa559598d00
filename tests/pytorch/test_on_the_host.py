"""What takes its arguments on the host alone, held against the PyTorch that is installed."""

from __future__ import annotations

import inspect
import operator

import pytest

from torchlint.pytorch.on_the_host import ENVIRONMENT_MAKERS, HOST_ARGUMENTS

torch = pytest.importorskip("torch")
_OWN = [(name, row) for row in HOST_ARGUMENTS for name in row.names if name.startswith("torch.")]


def test_what_is_of_pytorch_says_so_itself_and_takes_the_argument_there() -> None:
    for name, row in _OWN:
        function = operator.attrgetter(name.removeprefix("torch."))(torch)

        assert "must be on the CPU" in " ".join((function.__doc__ or "").split())
        assert list(inspect.signature(function).parameters).index(row.keyword) == row.position


def test_lengths_on_another_device_are_refused() -> None:
    lengths = torch.empty(2, dtype=torch.int64, device="meta")

    with pytest.raises(RuntimeError, match="'lengths' argument should be a 1D CPU int64 tensor"):
        torch.nn.utils.rnn.pack_padded_sequence(torch.empty(2, 3, 4, device="meta"), lengths, batch_first=True)


def test_what_is_made_is_of_a_class_whose_methods_are_known() -> None:
    names = {name for row in HOST_ARGUMENTS for name in row.names}

    assert all(f"{made}.step" in names for made in ENVIRONMENT_MAKERS.values())
