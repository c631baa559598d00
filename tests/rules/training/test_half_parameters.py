"""Parameters in `float16` under a gradient scaler."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.half_parameters import half_parameters
from torchlint.model import Project

HEAD = """
import torch
from torch import nn
def build():
    return nn.Linear(4, 1)
"""
MODEL = "model = nn.Linear(4, 1){}\n"
STEP = """
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda"{})
scaler.scale(model(x).mean()).backward()
scaler.step(optimizer)
scaler.update()
"""
PLAIN = STEP.format("")


def found_in(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    file = Project(tmp_path).open(path, "main.py")
    return [one.call.code for one in half_parameters(file.evaluator(), file)]


@pytest.mark.parametrize(
    "text",
    [
        MODEL.format(".half()") + PLAIN,
        MODEL.format(".cuda().half()") + PLAIN,
        MODEL.format("").replace("nn.Linear(4, 1)", "build().half()") + PLAIN,
        MODEL.format(".to(torch.float16)") + PLAIN,
        MODEL.format(".to('cuda', torch.half)") + PLAIN,
        MODEL.format("") + "model.half()\n" + PLAIN,
        MODEL.format("") + "model.to(dtype=torch.float16)\nmodel.to('cuda')\n" + PLAIN,
        MODEL.format(".half()") + PLAIN.replace("torch.amp.GradScaler('cuda'", "torch.cuda.amp.GradScaler("),
        MODEL.format(".half()") + STEP.format(", enabled=True"),
    ],
)
def test_a_step_with_gradients_in_float16_is_found(tmp_path: Path, text: str) -> None:
    assert found_in(tmp_path, text) == ["scaler.step(optimizer)"]


@pytest.mark.parametrize(
    "text",
    [
        MODEL.format("") + PLAIN,
        MODEL.format(".bfloat16()") + PLAIN,
        MODEL.format(".half().float()") + PLAIN,
        MODEL.format(".half()") + "model.to(torch.float32)\n" + PLAIN,
        MODEL.format(".half()") + "model.to(dtype)\n" + PLAIN,
        MODEL.format("") + "if fp16:\n    model.half()\n" + PLAIN,
        MODEL.format(".half()") + STEP.format(", enabled=args.amp"),
        MODEL.format(".half()") + STEP.format(", enabled=False"),
        MODEL.format(".half()") + "model = wrap(model)\n" + PLAIN,
        MODEL.format(".half()") + PLAIN.replace("model.parameters()", "copies"),
        MODEL.format(".half()") + "model.requires_grad_(False)\n" + PLAIN,
        MODEL.format("") + "teacher = nn.Linear(4, 1).half()\n" + PLAIN,
        MODEL.format(".half()") + PLAIN.replace("scaler.step(optimizer)", "optimizer.step()"),
        MODEL.format(".half()")
        + PLAIN.replace("scaler.step(optimizer)", "try:\n    scaler.step(optimizer)\nexcept ValueError:\n    pass"),
        MODEL.format(".half()")
        + "from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler\n"
        + PLAIN.replace("torch.amp.GradScaler('cuda')", "ShardedGradScaler()"),
    ],
)
def test_a_step_with_other_gradients_is_not(tmp_path: Path, text: str) -> None:
    if "ShardedGradScaler" in text:
        text = text.replace('torch.amp.GradScaler("cuda")', "ShardedGradScaler()")
    assert not found_in(tmp_path, text)
