"""What comes through a collective."""

from __future__ import annotations

import pytest

from torchlint.pytorch.gathers import GATHER, GIVEN, RESULTS

torch = pytest.importorskip("torch")


def test_what_is_gathered_has_no_graph() -> None:
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    given, result = torch.ones(2, requires_grad=True) * 2, torch.zeros(2)

    getattr(torch.distributed, GATHER.rpartition(".")[2])(**{RESULTS: [result], GIVEN: given})
    torch.distributed.destroy_process_group()

    assert torch.equal(result, given)
    assert not result.requires_grad
