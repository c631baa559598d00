"""What converts nothing on a GPU: an operation with an ndarray, a test for what tensors have, a method of ndarrays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

RULE = "numpy-of-device-tensor"
CODE = """\
import numpy as np
import torch
from torch import nn


def shown(rows, info):
    {body}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, rows, info):
        out = self.layer(rows.cuda())
        shown({given}, info)
        return out


net = Net().cuda()
"""
HOST = "out.detach().cpu().numpy()"
NOT_ON_GPU = {
    "product with an ndarray": (HOST, "return np.round(rows * info[2])"),
    "quotient of an ndarray": (HOST, "return np.round(rows[:, :2] / info[2])"),
    "comparison with one": (HOST, "return np.where((rows[:, 0] >= 0) & (rows[:, 1] < info[1] + 2))[0]"),
    "another comparison": (HOST, "return np.flatnonzero(info[0] > rows[0])"),
    "a copy of an ndarray": ("rows", "return np.ceil(rows.copy())"),
    "a copy under a name": ("rows", "own = rows.copy()\n    own[:, :2] = np.ceil(own[:, :2] / 2)"),
    "a histogram": ("out.detach()", "counts, edges = torch.histogram(rows, 8)\n    return np.asarray(counts)"),
    "a histogram by a method": ("out.detach()", "return rows.histogram(8).hist.numpy()"),
    "what has no data": ("out", "if not hasattr(rows, 'data'):\n        rows = rows.numpy()"),
    "what has no device": ("out.detach()", "return rows.cpu() if hasattr(rows, 'device') else np.asarray(rows)"),
}
ON_GPU = {
    "product with a number": ("out.detach()", "return np.round(rows * 2)"),
    "comparison with another": ("out.detach()", "return np.where(rows[:, 1] < info[1] + 2)[0]"),
    "a clone": ("out.detach()", "return np.ceil(rows.clone())"),
    "what has data": ("out.detach()", "if hasattr(rows, 'data'):\n        rows = rows.numpy()"),
    "another histogram": ("out.detach()", "return np.asarray(torch.histc(rows, 8))"),
    "what may have a name": ("out.detach()", "if not hasattr(rows, 'label'):\n        rows = rows.numpy()"),
}


@pytest.mark.parametrize(("given", "body"), NOT_ON_GPU.values(), ids=NOT_ON_GPU)
def test_it_is_not_on_a_gpu(program: Callable[[str], Checkout], given: str, body: str) -> None:
    assert program(CODE.format(body=body, given=given)).reported(RULE) == []


@pytest.mark.parametrize(("given", "body"), ON_GPU.values(), ids=ON_GPU)
def test_it_is_on_one(program: Callable[[str], Checkout], given: str, body: str) -> None:
    assert len(program(CODE.format(body=body, given=given)).findings(RULE)) == 1


DETECTOR = """\
import numpy as np
import torch
from torch import nn
from images import opened


def crop(image):
    if isinstance(image, {kind}):
        return image[:4, :4].copy()
    if isinstance(image, torch.Tensor):
        return image[:4, :4].byte()
    return image.crop((0, 0, 4, 4))


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, image):
        return self.layer(torch.from_numpy(np.float32(crop(image))).cuda())


detector = Detector().cuda()
detector(opened("face.png"))
"""


@pytest.mark.parametrize("kind", ["np.ndarray", "(list, np.ndarray)", "Image.Image"])
def test_an_input_that_may_be_an_image_is_where_it_was_read(kind: str, program: Callable[[str], Checkout]) -> None:
    assert program(DETECTOR.format(kind=kind)).findings(RULE) == []


def test_an_input_that_may_be_none_of_these_is_with_the_module(
    program: Callable[[str], Checkout],
) -> None:
    assert len(program(DETECTOR.format(kind="str")).findings(RULE)) == 1
