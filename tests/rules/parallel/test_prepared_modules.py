"""Which methods are asked of what `accelerator.prepare` gives back."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.prepared_modules import prepared_attributes, prepared_unwrapped
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

HEAD = """\
from accelerate import Accelerator
from torch import nn
import torch


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Linear(4, 2), nn.Linear(2, 4)

    def encode(self, x):
        return self.down(x)

    def forward(self, x):
        return self.up(self.encode(x))


accelerator = Accelerator()
coder = Coder()
optimizer = torch.optim.SGD(coder.parameters(), lr=0.1)
x = torch.ones(2, 4)
"""


def prepared(folder: Path, body: str) -> list[str]:
    """Return the attributes that a program asks of what it had prepared."""
    path = folder / "main.py"
    path.write_text(HEAD + body)
    file = Project(folder).open(path, "main.py")
    return [found.place.text for found in asked(prepared_attributes, file, WITH_CUDA)]


@pytest.mark.parametrize(
    "body",
    {
        "alone": "coder = accelerator.prepare(coder)\ncoder.encode(x)\n",
        "beside its optimizer": "coder, optimizer = accelerator.prepare(coder, optimizer)\ncoder.encode(x)\n",
        "behind its optimizer": "optimizer, coder = accelerator.prepare(optimizer, coder)\ncoder.encode(x)\n",
        "as a model": "coder = accelerator.prepare_model(coder)\ncoder.encode(x)\n",
        "in a function": "def run(coder):\n    return coder.encode(x)\nrun(accelerator.prepare(coder))\n",
    }.values(),
)
def test_a_method_of_the_module_is_asked_of_the_wrapper(tmp_path: Path, body: str) -> None:
    assert prepared(tmp_path, body) == ["coder.encode"]


@pytest.mark.parametrize(
    "body",
    {
        "before it is prepared": "coder.encode(x)\ncoder = accelerator.prepare(coder)\n",
        "by the name of the module itself": "model = accelerator.prepare(coder)\ncoder.encode(x)\n",
        "unwrapped": "coder = accelerator.prepare(coder)\naccelerator.unwrap_model(coder).encode(x)\n",
        "unwrapped under its name": "coder = accelerator.prepare(coder)\n"
        "coder = accelerator.unwrap_model(coder)\ncoder.encode(x)\n",
        "what every module has": "coder = accelerator.prepare(coder)\ncoder.eval()\ncoder(x)\n",
        "nothing of it is trained": "coder.requires_grad_(False)\ncoder = accelerator.prepare(coder)\ncoder.encode(x)\n",
        "where there is one process": "coder = accelerator.prepare(coder)\n"
        "if accelerator.num_processes == 1:\n    coder.encode(x)\n",
        "prepared by somebody else": "class Own:\n    def prepare(self, one):\n        return one\n"
        "coder = Own().prepare(coder)\ncoder.encode(x)\n",
    }.values(),
)
def test_the_module_itself_may_be_asked(tmp_path: Path, body: str) -> None:
    assert prepared(tmp_path, body) == []


CALLED = """
def run(coder, accelerator=None):
    {inner}
    return inner.encode(x)


model = accelerator.prepare(coder)
run(model, accelerator=accelerator)
run(coder)
"""
INSIDE = """
def inside(model, accelerator):
    if accelerator is not None:
        return {inside}
    return model


coder = accelerator.prepare(coder)
inside(coder, accelerator).encode(x)
"""


@pytest.mark.parametrize(
    "inner",
    {
        "in the other arm": "inner = accelerator.unwrap_model(coder) if accelerator is not None else coder",
        "negated": "inner = coder if accelerator is None else accelerator.unwrap_model(coder)",
        "by its attribute": "inner = coder.module if accelerator else coder",
        "by another statement": "inner = coder\n    if accelerator:\n        inner = accelerator.unwrap_model(coder)",
        "in an arm": "if accelerator:\n        inner = accelerator.unwrap_model(coder)\n    else:\n        inner = coder",
        "under its name": "coder = accelerator.unwrap_model(coder) if accelerator else coder\n    inner = coder",
    }.values(),
)
def test_what_is_unwrapped_on_another_path_may_be_on_the_one_that_wraps(tmp_path: Path, inner: str) -> None:
    assert prepared(tmp_path, CALLED.format(inner=inner)) == []


def test_a_function_that_unwraps_at_times_may_do_so_here(tmp_path: Path) -> None:
    assert prepared(tmp_path, INSIDE.format(inside="accelerator.unwrap_model(model)")) == []
    assert prepared(tmp_path, INSIDE.format(inside="model")) == ["inside(coder, accelerator).encode"]


@pytest.mark.parametrize(
    "inner",
    {
        "alone": "inner = coder",
        "in both arms": "inner = coder if accelerator is not None else coder",
        "by another name": "inner = coder\n    if accelerator:\n        bare = accelerator.unwrap_model(coder)",
        "overwritten": "inner = accelerator.unwrap_model(coder) if accelerator else coder\n    inner = coder",
    }.values(),
)
def test_what_no_path_unwraps_is_the_wrapper(tmp_path: Path, inner: str) -> None:
    assert prepared(tmp_path, CALLED.format(inner=inner)) == ["inner.encode"]


def unwrapped(folder: Path, body: str) -> list[str]:
    """Return where a program takes the wrapper off what it had prepared."""
    path = folder / "main.py"
    path.write_text(HEAD + body)
    file = Project(folder).open(path, "main.py")
    return [found.place.text for found in asked(prepared_unwrapped, file, WITH_CUDA)]


@pytest.mark.parametrize(
    "body",
    {
        "alone": "coder = accelerator.prepare(coder)\ncoder.module.down(x)\n",
        "beside its optimizer": "coder, optimizer = accelerator.prepare(coder, optimizer)\ncoder.module.down(x)\n",
        "in a function": "def run(coder):\n    return coder.module.down(x)\nrun(accelerator.prepare(coder))\n",
        "on one rank": "coder = accelerator.prepare(coder)\n"
        "if accelerator.is_main_process:\n    torch.save(coder.module.state_dict(), 'x.pt')\n",
    }.values(),
)
def test_a_single_process_wraps_nothing(tmp_path: Path, body: str) -> None:
    assert unwrapped(tmp_path, body) == ["coder.module"]


@pytest.mark.parametrize(
    "body",
    {
        "asked for": "bare = coder.module if hasattr(coder, 'module') else coder\n",
        "asked by the type": "if isinstance(coder, nn.parallel.DistributedDataParallel):\n    coder.module.down(x)\n",
        "several processes": "if accelerator.num_processes > 1:\n    coder.module.down(x)\n",
        "its absence is caught": "try:\n    coder.module.down(x)\nexcept AttributeError:\n    coder.down(x)\n",
        "unwrapped": "accelerator.unwrap_model(coder).down(x)\n",
    }.values(),
)
def test_whoever_asks_first_may_unwrap(tmp_path: Path, body: str) -> None:
    assert unwrapped(tmp_path, f"coder = accelerator.prepare(coder)\n{body}") == []


def test_a_plugin_wraps_in_a_single_process_too(tmp_path: Path) -> None:
    body = "accelerator = Accelerator(fsdp_plugin=plugin)\ncoder = accelerator.prepare(coder)\ncoder.module.down(x)\n"

    assert unwrapped(tmp_path, body) == []
