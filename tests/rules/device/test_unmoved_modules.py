"""Modules that are left on the host: where a module has them as its parts, whoever has that may move them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import torch
from torch import nn
"""


def _holding(base: str) -> str:
    return f"""{HEAD}
class Holder{base}:
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def run(self, x):
        return self.head(x.cuda())
"""


def test_what_a_plain_object_holds_stays_where_it_was_made(program: Program) -> None:
    assert program(_holding("")).reported("device-mismatch") == ["return self.head(x.cuda())"]


@pytest.mark.parametrize("base", ["(nn.Module)", "(nn.Sequential)", "(Base)"])
def test_a_part_of_a_module_is_moved_with_it(program: Program, base: str) -> None:
    code = _holding(base).replace("class Holder", "class Base(nn.Module): pass\nclass Holder")

    assert program(code).reported("device-mismatch") == []


@pytest.mark.parametrize(
    "operation",
    ["host + there", "there + host", "host < there", "0 < host < there", "torch.where(host > 0, host, there)"],
)
def test_either_operand_may_be_the_one_on_the_host(program: Program, operation: str) -> None:
    code = f"import torch\nhost = torch.ones(3)\nthere = torch.ones(3).cuda()\ny = {operation}\n"

    assert program(code).reported("device-mismatch") == [f"y = {operation}"]


@pytest.mark.parametrize("operation", ["host + 2", "2 * there", "count + there", "there + count", "host + host"])
def test_one_tensor_alone_meets_nothing(program: Program, operation: str) -> None:
    code = f"""import torch
def main(count: int):
    host = torch.ones(3)
    there = torch.ones(3).cuda()
    return {operation}
"""

    assert program(code).reported("device-mismatch") == []


def _criterion(made: str, forward: str) -> str:
    return f"""{HEAD}
import torch.nn.functional as F

class Criterion(nn.Module):
    def __init__(self, n):
        super().__init__()
        {made}

    def forward(self, out, labels):
        {forward}

def train(batches):
    net, criterion = nn.Linear(6, 4).cuda(), Criterion(4)
    for x, labels in batches:
        criterion(net(x.cuda()), labels.cuda())
"""


PARAMETER = "self.w = nn.Parameter(torch.randn(n, 4))"
BUFFER = 'self.register_buffer("w", torch.ones(n, 4))'


@pytest.mark.parametrize("made", [PARAMETER, BUFFER])
@pytest.mark.parametrize(
    "forward",
    [
        "return out @ self.w.t()",
        "return F.linear(out, F.normalize(self.w))",
        "return (torch.exp(-self.w) * out).sum()",
        "return (out - self.w[labels]).pow(2).sum()",
        "soft = self.w[:, labels].t(); return (out * soft).sum()",
        "return F.mse_loss(out, self.w)",
        "return out.matmul(self.w.T)",
    ],
)
def test_a_module_that_is_left_behind_has_its_own_tensors_there(program: Program, made: str, forward: str) -> None:
    found = program(_criterion(made, forward)).reported("device-mismatch")

    assert found == ["criterion(net(x.cuda()), labels.cuda())"]


@pytest.mark.parametrize(
    ("made", "forward"),
    [
        ("self.w = nn.Parameter(torch.tensor(1.0))", "return (out * self.w).sum()"),
        (PARAMETER, "return (out * self.w.mean()).sum()"),
        (PARAMETER, "return (out * self.w.to(out)).sum()"),
        (PARAMETER, "return (out.cpu() * self.w).sum()"),
        (PARAMETER, "return out.sum() + len(self.w)"),
        (PARAMETER, "return F.cross_entropy(out, labels)"),
        (BUFFER, "w = self.w.type_as(out); return (out * w).sum()"),
        ("self.w = 3.0", "return (out * self.w).sum()"),
    ],
)
def test_tensors_of_its_own_that_may_meet_the_input(program: Program, made: str, forward: str) -> None:
    assert program(_criterion(made, forward)).reported("device-mismatch") == []


MADE = {
    "torchvision": ("from torchvision import models", "models.resnet18()"),
    "a detector of torchvision": ("import torchvision", "torchvision.models.detection.retinanet_resnet50_fpn()"),
    "timm": ("import timm", "timm.create_model('vit_base_patch16_224')"),
    "transformers": ("from transformers import BertModel", "BertModel.from_pretrained('bert-base-uncased')"),
    "segmentation_models_pytorch": ("import segmentation_models_pytorch as smp", "smp.Unet()"),
}
UNKNOWN = {
    "its map of devices": ("from transformers import BertModel", "BertModel.from_pretrained('b', device_map='auto')"),
    "a tokenizer": ("from transformers import AutoTokenizer", "AutoTokenizer.from_pretrained('b')"),
    "anything from a hub": ("import torch", "torch.hub.load('owner/repository', 'net')"),
    "a class of options": ("from torchvision import models", "models.ResNet18_Weights()"),
}


def _running(imported: str, made: str, between: str = "") -> str:
    return f"{HEAD}{imported}\nnet = {made}\n{between}\nx = torch.ones(4, 2).cuda()\nnet(x)\n"


@pytest.mark.parametrize(("imported", "made"), MADE.values(), ids=MADE)
def test_a_function_of_a_package_makes_a_model_on_the_host(program: Program, imported: str, made: str) -> None:
    assert program(_running(imported, made)).reported("device-mismatch") == ["net(x)"]


@pytest.mark.parametrize(("imported", "made"), MADE.values(), ids=MADE)
def test_such_a_model_may_be_moved(program: Program, imported: str, made: str) -> None:
    assert program(_running(imported, made, "net = net.cuda()")).reported("device-mismatch") == []


@pytest.mark.parametrize(("imported", "made"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_may_be_elsewhere_or_no_model_is_not_on_the_host(program: Program, imported: str, made: str) -> None:
    assert program(_running(imported, made)).reported("device-mismatch") == []


@pytest.mark.parametrize(
    "between",
    [
        "net.fc = nn.Linear(net.fc.in_features, 2)",
        "net.fc[1] = nn.Linear(2, 2)",
        "print(len(list(net.fc.parameters())))",
    ],
)
def test_a_new_part_leaves_the_others_on_the_host(program: Program, between: str) -> None:
    code = _running("from torchvision import models", "models.resnet18()", between)

    assert program(code).reported("device-mismatch") == ["net(x)"]


@pytest.mark.parametrize("between", ["net.fc.cuda()", "move(net.fc)", "part = net.fc", "net.run()"])
def test_a_part_that_is_taken_may_be_moved(program: Program, between: str) -> None:
    code = _running("from torchvision import models", "models.resnet18()", between)

    assert program(code).reported("device-mismatch") == []


def test_a_batch_of_keywords_is_given_to_a_model(program: Program) -> None:
    code = f"""{HEAD}
from transformers import AutoTokenizer, BertModel
tokenizer, net = AutoTokenizer.from_pretrained("b"), BertModel.from_pretrained("b")
batch = tokenizer("a text", return_tensors="pt").to("cuda")
net(**batch)
"""

    assert program(code).reported("device-mismatch") == ["net(**batch)"]


SEQUENCE = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(2, 4, device=device)
net = nn.Linear(4, 2)
{lines}
"""
BEFORE = {
    "a call": "y = net(x)\nnet.to(device)",
    "its forward": "y = net.forward(x)\nnet.to(device)",
    "bound again": "y = net(x)\nnet = net.to(device)",
    "given away": "y = net(x)\ntrain(net)",
    "made in each iteration": "for fold in range(3):\n    net = nn.Linear(4, 2)\n    y = net(x)\n    net.to(device)",
}
AFTER = {
    "in the last iteration": "for step in range(3):\n    if step:\n        y = net(x)\n    net.to(device)",
    "in a function": "def run():\n    y = net(x)\nnet.to(device)\nrun()",
    "above": "net.to(device)\ny = net.forward(x)",
}


@pytest.mark.parametrize("lines", BEFORE.values(), ids=BEFORE)
def test_a_module_that_is_moved_later_is_on_the_host_until_then(program: Program, lines: str) -> None:
    called = "y = net.forward(x)" if "forward" in lines else "y = net(x)"

    assert program(SEQUENCE.format(lines=lines)).reported("device-mismatch") == [called]


@pytest.mark.parametrize("lines", AFTER.values(), ids=AFTER)
def test_a_module_that_may_have_been_moved_is_not_reported(program: Program, lines: str) -> None:
    assert program(SEQUENCE.format(lines=lines)).reported("device-mismatch") == []


@pytest.mark.parametrize("call", ["net.forward(x)", "net(x)"])
def test_forward_takes_a_batch_as_a_call_does(program: Program, call: str) -> None:
    code = f"""{HEAD}
device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Linear(4, 2).to(device)
x = torch.zeros(2, 4)
y = {call}
"""

    assert program(code).reported("unmoved-batch") == [f"y = {call}"]


INDICES = {
    "the current one": "torch.cuda.current_device()",
    "the local rank": 'int(os.environ["LOCAL_RANK"])',
    "the rank": "dist.get_rank()",
}


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
@pytest.mark.parametrize(
    "made", ["torch.zeros(3, device=index)", "torch.zeros(3).to(index)", "torch.zeros(3).cuda(index)"]
)
def test_a_number_is_the_index_of_a_gpu(program: Program, index: str, made: str) -> None:
    code = f"""{HEAD}
import os
import torch.distributed as dist
index = {index}
y = {made} + torch.ones(3)
"""

    assert program(code).reported("device-mismatch") == [f"y = {made} + torch.ones(3)"]


@pytest.mark.parametrize("operation", ["there > limit", "there != limit", "there + limit"])
def test_what_a_tensor_on_the_gpu_is_compared_with_does_not_move_it(program: Program, operation: str) -> None:
    code = f"""{HEAD}
def count(there, limit):
    there = there.cuda()
    y = ({operation}) * torch.ones(3)
"""

    assert program(code).reported("device-mismatch") == [f"y = ({operation}) * torch.ones(3)"]


ITEMS = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(2, 4, device=device)
heads = {{"a": nn.Linear(4, 2), "b": nn.Linear(4, 3)}}
{lines}
"""
OF_DICT = {
    "by items": "for name, head in heads.items():\n    print(name, name.upper())\n    y = head(x)",
    "by values": "for head in heads.values():\n    y = head(x)",
    "in a comprehension": "y = {name: head(x) for name, head in heads.items()}",
}
MOVED_OF_DICT = {
    "in a loop": "for head in heads.values():\n    head.to(device)\ny = [head(x) for head in heads.values()]",
    "by its key": "for name, head in heads.items():\n    heads[name] = head.to(device)\ny = heads['a'](x)",
    "perhaps": "move(heads)\ny = [head(x) for head in heads.values()]",
}


@pytest.mark.parametrize("lines", OF_DICT.values(), ids=OF_DICT)
def test_the_modules_of_a_dict_stay_where_they_were_made(program: Program, lines: str) -> None:
    found = program(ITEMS.format(lines=lines)).reported("device-mismatch")

    assert found == [lines.rpartition("\n")[2].strip()]


@pytest.mark.parametrize("lines", MOVED_OF_DICT.values(), ids=MOVED_OF_DICT)
def test_the_modules_of_a_dict_may_be_moved(program: Program, lines: str) -> None:
    assert program(ITEMS.format(lines=lines)).reported("device-mismatch") == []


COMPOSED = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms

class Blur:
    def __call__(self, image):
        return {blurred}

class Images(Dataset):
    def __init__(self, transform):
        self.transform = transform
    def __getitem__(self, index):
        return self.transform(torch.zeros(3, 8, 8))

net = nn.Conv2d(3, 4, 3).to("cuda")
for batch in DataLoader(Images(transforms.Compose([transforms.Resize(32), Blur()])), num_workers={workers}):
    net(batch)
"""


def test_a_transform_of_a_chain_may_move_the_samples(program: Program) -> None:
    assert program(COMPOSED.format(blurred="image.cuda()", workers=0)).reported("unmoved-batch") == []
    assert program(COMPOSED.format(blurred="image * 2", workers=0)).reported("unmoved-batch") == ["net(batch)"]


def test_workers_run_the_transforms_of_a_chain(program: Program) -> None:
    found = program(COMPOSED.format(blurred="image.cuda()", workers=2)).reported("cuda-in-forked-process")

    assert found == ["return image.cuda()"]


FILTER = """
def filtered(image):
    conv = nn.Conv2d(1, 1, 3, bias=False)
    kernel = torch.ones(1, 1, 3, 3)
    {}
    return conv(image)

filtered(torch.ones(1, 1, 4, 4).cuda())
"""


@pytest.mark.parametrize(
    "fill",
    [
        "conv.weight = nn.Parameter(kernel.cuda())",
        "conv.weight = nn.Parameter(kernel.to(image.device))",
        "if image.is_cuda:\n        kernel = kernel.cuda()\n    conv.weight = nn.Parameter(data=kernel)",
        "conv.weight.data = kernel.to(image.device)",
    ],
)
def test_a_weight_that_is_replaced_may_be_on_the_gpu(program: Program, fill: str) -> None:
    assert program(HEAD + FILTER.format(fill)).reported("device-mismatch") == []


@pytest.mark.parametrize("fill", ["conv.weight = nn.Parameter(kernel)", "conv.weight.data = kernel", "conv.eval()"])
def test_a_weight_that_is_replaced_on_the_host_stays_there(program: Program, fill: str) -> None:
    assert program(HEAD + FILTER.format(fill)).reported("device-mismatch") == ["return conv(image)"]


TYPED = """
kind = {}
net = nn.Sequential(nn.Linear(2, 2)){}
{}
net(torch.ones(2, 2).cuda())
"""


@pytest.mark.parametrize("kind", ["torch.cuda.FloatTensor", "'torch.cuda.FloatTensor'"])
@pytest.mark.parametrize(("made", "later"), [(".type(kind)", ""), ("", "net.type(kind)"), ("", "net = net.type(kind)")])
def test_a_type_on_the_gpu_moves_a_module(program: Program, kind: str, made: str, later: str) -> None:
    assert program(HEAD + TYPED.format(kind, made, later)).reported("device-mismatch") == []


@pytest.mark.parametrize("kind", ["torch.float32", "torch.FloatTensor"])
@pytest.mark.parametrize(("made", "later"), [(".type(kind)", ""), ("", "net = net.type(kind)")])
def test_another_type_leaves_it_on_the_host(program: Program, kind: str, made: str, later: str) -> None:
    found = program(HEAD + TYPED.format(kind, made, later)).reported("device-mismatch")

    assert found == ["net(torch.ones(2, 2).cuda())"]
