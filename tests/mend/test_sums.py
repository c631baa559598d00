"""Sums of what is read with every step, which are read once after the loop instead."""

from __future__ import annotations

from pathlib import Path

from tests.mend.fixing import job_of, mended_text, reports_of

PROGRAM = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
{head}
    total = 0.0
    for batch in {batches}:
        loss = net(batch.to(device)).mean()
        loss.backward()
        total += loss{end}
    {after}print({read})
"""
EPOCHS = {"head": "for epoch in range(3):", "batches": "loader", "after": ""}
PARTS = {"head": "for batches in loader:", "batches": "batches.chunk(4)", "after": "optimizer.step()\n    "}


def test_the_sum_of_an_epoch_is_read_once(tmp_path: Path) -> None:
    bad = PROGRAM.format(**EPOCHS, end=".item()", read="total")

    mended = mended_text(tmp_path, bad, "item-in-training-loop")

    assert mended == PROGRAM.format(**EPOCHS, end=".detach()", read="float(total)")


def test_the_sum_over_the_parts_of_a_batch_would_still_be_read_with_every_step(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(PROGRAM.format(**PARTS, end=".item()", read="total"))

    (report,) = reports_of(job_of(tmp_path, ["item-in-training-loop"])).values()

    assert [finding.fix for finding in report.findings] == [None]
