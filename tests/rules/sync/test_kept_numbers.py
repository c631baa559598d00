"""What is kept with every step, and may be a number instead of a tensor with a graph."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

COUNTED = """\
import torch

model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
seen = []
for x in torch.utils.data.DataLoader([]):
    loss = model(x).sum()
    if x.any():
        count = model(x).mean()
    else:
        count = {other}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    seen.append(count)
"""


@pytest.mark.parametrize(("other", "severity"), [("model(x).max()", "error"), ("x.size(0)", "warning")])
def test_what_may_be_a_number_instead_is_no_error(
    program: Callable[[str], Checkout], other: str, severity: str
) -> None:
    (found,) = program(COUNTED.format(other=other)).findings("kept-graph")

    assert found.severity.value == severity
