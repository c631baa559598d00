"""Transposed tensors that `view` cannot flatten."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.numerics.detectors.transposed_views import transposed_views
from torchlint.model import Project

HEAD = "import torch\noutput, target = torch.randn(8, 10), torch.randint(10, (8,))\n"
RANKED = "_, pred = output.topk(5, 1)\n"
TURNED = RANKED + "pred = pred.t()\n"
FUNCTION = """
def accuracy(output, target, topk=(1,)):
    _, pred = output.topk(max(topk), 1, True, True)
    correct = pred.t().eq(target.view(1, -1))
    return [correct[:k].view(-1).sum() for k in topk]
"""


def found_in(tmp_path: Path, text: str) -> list[int]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    file = Project(tmp_path).open(path, "main.py")
    return [one.count for one in transposed_views(file.evaluator(), file)]


@pytest.mark.parametrize(
    "text",
    [
        TURNED + "pred[:3].view(-1)",
        TURNED + "pred[0:3].view(-1)",
        TURNED + "pred.eq(target.view(1, -1).expand_as(pred))[:3].view(-1)",
        TURNED + "correct = pred == target.view(1, -1)\ncorrect[:3].float().view(-1)",
        TURNED + "correct = target.view(1, -1) == pred\ncorrect[:3].view(-1)",
        TURNED + "correct = torch.eq(pred, target.unsqueeze(0))\ncorrect[:3].view(-1)",
        TURNED + "k = 3\npred.float().cpu()[:k].view(-1)",
        RANKED + "pred.T[:3].view(-1)",
        RANKED + "pred.transpose(0, 1)[:3].view(-1)",
        RANKED + "pred.permute(1, 0)[:3].view(-1)",
        "output.topk(5)[1].t()[:3].view(-1)",
        "output.topk(k=5, dim=-1).indices.t()[:3].view(-1)",
        "torch.topk(output, 5, 1)[0].t()[:3].view(-1)",
    ],
)
def test_several_rows_of_a_transposed_tensor_are_found(tmp_path: Path, text: str) -> None:
    assert found_in(tmp_path, text) == [3]


@pytest.mark.parametrize(
    "text",
    [
        TURNED + "pred[:1].view(-1)",
        TURNED + "pred[:n].view(-1)",
        TURNED + "pred[0].view(-1)",
        TURNED + "pred[2:3].view(-1)",
        TURNED + "pred[:3].view(3, -1)",
        TURNED + "pred[:3].reshape(-1)",
        TURNED + "pred[:3].contiguous().view(-1)",
        TURNED + "pred.contiguous()[:3].view(-1)",
        TURNED + "target.repeat(5, 1).eq(pred)[:3].view(-1)",
        TURNED + "try:\n    pred[:3].view(-1)\nexcept RuntimeError:\n    pass",
        TURNED + "if flag:\n    pred = pred.contiguous()\npred[:3].view(-1)",
        RANKED + "pred[:3].view(-1)",
        RANKED + "pred.transpose(0, 0)[:3].view(-1)",
        RANKED + "pred.permute(0, 1)[:3].view(-1)",
        "_, pred = output.topk(5, 0)\npred.t()[:3].view(-1)",
        "scores.t()[:3].view(-1)",
    ],
)
def test_what_is_in_order_or_may_be_is_not(tmp_path: Path, text: str) -> None:
    assert not found_in(tmp_path, text)


@pytest.mark.parametrize(
    ("calls", "found"),
    {
        "accuracy(output, target)": [],
        "accuracy(output, target, (1, 5))": [5],
        "accuracy(output, target, (1,))": [],
    }.items(),
)
def test_the_calls_say_how_many_rows_there_are(tmp_path: Path, calls: str, found: list[int]) -> None:
    assert found_in(tmp_path, FUNCTION + calls) == found
