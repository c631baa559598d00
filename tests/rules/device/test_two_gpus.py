"""Which operations raise as what is on one GPU meets what is on another, against PyTorch on pretend GPUs."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from rules.device.detectors.further_gpus import names_further_gpu
from tests.checkout import Checkout
from torchlint import Confidence, Severity
from torchlint.model.worlds import WITH_GPUS
from torchlint.verify import simulated_cuda

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import os
import torch
import torch.nn.functional as F
from torch import nn

x = torch.rand(4, 3).to("cuda:0")
y = torch.rand(4, 3, device="cuda:1")
rank = int(os.environ.get("LOCAL_RANK", 1))
"""
MEETING = {
    "operator": "x + y",
    "comparison": "x == y",
    "in place": "x += y",
    "product": "x @ y.T",
    "method": "x.mul(y)",
    "list": "torch.cat([x, y])",
    "tuple": "torch.stack((x, y))",
    "function": "F.mse_loss(x, y)",
    "choice": "torch.where(x > 0, x, y)",
    "bounds": "x.clamp(max=y)",
    "loss": "nn.MSELoss()(x, y)",
    "number": "x + y.sum()",
    "indices": "x[torch.arange(2, device='cuda:1')]",
    "mask": "x[y > 0]",
    "likeness": "x + torch.zeros_like(y)",
    "bare index": "torch.ones(2).to(0) + torch.ones(2).cuda(1)",
    "device object": "x + torch.rand(4, 3, device=torch.device('cuda', 1))",
    "formatted": "x + torch.rand(4, 3, device=f'cuda:{0 + 1}')",
    "another's device": "x + torch.rand(4, 3).to(y.device)",
    "another's index": "x + torch.rand(4, 3).cuda(y.device.index)",
    "layer": "nn.Linear(3, 2).to('cuda:1')(x)",
    "layer made there": "nn.Linear(3, 2, device='cuda:1')(x)",
    "helper": """
        def gpu(i):
            return torch.device(f"cuda:{i}") if torch.cuda.device_count() > i else torch.device("cpu")
        torch.ones(2, device=gpu(0)) * torch.ones(2, device=gpu(1))
        """,
    "count": """
        if torch.cuda.device_count() >= 2:
            x - y
        """,
    "current": """
        torch.cuda.set_device(1)
        torch.rand(4, 3, device="cuda") + x
        """,
    "block": """
        def made():
            return torch.rand(4, 3).cuda()
        with torch.cuda.device(1):
            z = made()
        z + x
        """,
    "whole": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 2)
            def forward(self, inputs):
                return self.layer(inputs.relu())
        net = Net().cuda(1)
        net(x)
        """,
    "halves": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(3, 4).to("cuda:0")
                self.second = nn.Linear(4, 2).to("cuda:1")
            def forward(self, inputs):
                hidden = self.first(inputs.to("cuda:0")).relu()
                return self.second(hidden)
        Net()(x)
        """,
    "targets": """
        model = nn.Linear(3, 3).to("cuda:1")
        F.mse_loss(model(y), x)
        """,
}
APART = {
    "moved": "x.to('cuda:1') + y",
    "moved with another": "x.to(y.device) + y",
    "moved like another": "x.to(y) + y",
    "copied": "x.copy_(y)",
    "stored": "x[0] = y[0]",
    "indices on the host": "x[torch.arange(2)]",
    "number on the host": "y + torch.tensor(1.0)",
    "one number as an index": "x[torch.tensor(1, device='cuda:1')]",
    "chosen by the rank": "torch.ones(4, 3, device=f'cuda:{rank}') + y",
    "object of the rank": "torch.ones(4, 3).to(torch.device('cuda', rank)) + y",
    "number of the rank": "torch.ones(4, 3).cuda(rank) + y",
    "device of the rank": "z = torch.ones(4, 3, device=f'cuda:{rank}')\ntorch.ones(4, 3, device=z.device) + y",
    "current rank": "torch.cuda.set_device(rank)\ntorch.ones(4, 3).cuda() + y",
    "current": "torch.cuda.set_device(1)\ntorch.ones(4, 3).cuda() + y",
    "first": "torch.ones(4, 3).cuda() + x",
    "shapes alone": "torch.broadcast_tensors(x, y)",
    "dimensions alone": "torch.atleast_2d(x, y)",
    "types alone": "torch.result_type(x, y)",
    "a loss of one": "nn.MSELoss()(x, y.cuda(0))",
    "without parameters": "nn.ReLU().to('cuda:1')(x)",
    "asked first": "if x.device != y.device:\n    x = x.to(y.device)\nx + y",
    "either": "device = 'cuda:0' if rank == 0 else 'cuda:1'\ntorch.ones(4, 3, device=device) + y",
    "moves its input": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 2)
            def forward(self, inputs):
                return self.layer(inputs.to(self.layer.weight.device))
        Net().cuda(1)(x)
        """,
    "halves": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(3, 4).to("cuda:0")
                self.second = nn.Linear(4, 2).to("cuda:1")
            def forward(self, inputs):
                hidden = self.first(inputs.to("cuda:0")).relu()
                return self.second(hidden.to("cuda:1"))
        F.mse_loss(Net()(x), y[:, :2])
        """,
    "wrapper": "nn.DataParallel(nn.Linear(3, 2).cuda(0), device_ids=[0, 1])(y)",
}


def found(program: Program, body: str) -> list[str]:
    """Return the messages of what meets in a program."""
    return [finding.message for finding in program(HEAD + dedent(body)).findings("device-mismatch")]


@pytest.mark.parametrize("name", MEETING)
def test_what_is_on_two_gpus_does_not_meet(program: Program, name: str) -> None:
    messages = found(program, MEETING[name])

    assert len(messages) == 1, messages
    assert "GPU 0" in messages[0]
    assert "GPU 1" in messages[0]


@pytest.mark.parametrize("name", APART)
def test_what_is_brought_together_first_may_meet_and_so_may_what_nobody_knows(program: Program, name: str) -> None:
    assert found(program, APART[name]) == []


@pytest.mark.parametrize("name", MEETING)
def test_pytorch_refuses_it(name: str) -> None:
    pytest.importorskip("torch", reason="PyTorch itself is asked")

    with simulated_cuda(gpus=2), pytest.raises(RuntimeError, match=r"device|indices should be"):
        exec(HEAD + dedent(MEETING[name]), {"__name__": "program"})


@pytest.mark.parametrize("name", APART)
def test_pytorch_takes_it(name: str) -> None:
    pytest.importorskip("torch", reason="PyTorch itself is asked")

    with simulated_cuda(gpus=2):
        exec(HEAD + dedent(APART[name]), {"__name__": "program"})


DEVICES = 'devices = ["cuda:0", "cuda:1"]\n'
LISTED = "gpus = [torch.device(f'cuda:{i}') for i in range(2)]\n"
PARTS = DEVICES + "parts = [torch.ones(3, device=d) for d in devices]\n"


@pytest.mark.parametrize(
    "code",
    [
        PARTS + "whole = torch.cat(parts)",
        PARTS + "whole = sum(parts)",
        PARTS + "whole = parts[0] * parts[1]",
        "parts = [torch.ones(3).to(f'cuda:{i}') for i in range(2)]\nwhole = torch.stack(parts)",
        "parts = [torch.ones(3).to('cuda:%d' % i) for i in range(2)]\nwhole = torch.stack(parts)",
        "parts = [torch.ones(3).to('cuda:' + str(i)) for i in range(2)]\nwhole = torch.stack(parts)",
        "parts = [torch.ones(3).to(torch.device('cuda:{}'.format(i))) for i in range(2)]\nwhole = torch.stack(parts)",
        "parts = [torch.ones(3).cuda(i) for i in range(2)]\nwhole = torch.stack(parts)",
        "parts = [torch.ones(3, device=torch.device('cuda', i)) for i in range(2)]\nwhole = torch.stack(parts)",
        "parts = [torch.ones(3).cuda(i) for i in range(torch.cuda.device_count())]\nwhole = torch.stack(parts)",
        DEVICES + "parts = []\nfor d in devices:\n    parts.append(torch.ones(3).to(d))\nwhole = torch.cat(parts)",
        DEVICES + "whole = 0\nfor d in devices:\n    whole = whole + torch.ones(3).to(d)",
        "whole = torch.ones(3).cuda(0)\nfor i in range(2):\n    whole += torch.ones(3).cuda(i)",
        PARTS + "for i in range(1, len(parts)):\n    parts[0][:] += parts[i]",
        PARTS + "whole = parts[0] * parts[-1]",
        PARTS + "for i, part in enumerate(parts[1:]):\n    parts[0] + part",
        LISTED + "first, second = gpus\ntorch.ones(3, device=first) + torch.ones(3, device=second)",
        LISTED + "torch.ones(3, device=gpus[0]) + torch.ones(3, device=gpus[1])",
        "gpus = {i: f'cuda:{i}' for i in range(2)}\ntorch.ones(3, device=gpus[0]) + torch.ones(3, device=gpus[1])",
        "x = torch.ones(3).cuda(0)\nfor i in range(2):\n    x = nn.Linear(3, 3).cuda(i)(x)",
        "x = torch.ones(3).cuda(0)\nfor i in range(4):\n    if i > 0:\n        x + torch.ones(3).cuda(i)",
        LISTED + "last = None\nfor d in gpus:\n    if last is not None:\n        last + torch.ones(3).to(d)\n"
        "    last = torch.ones(3).to(d)",
        LISTED + "nets = [nn.Linear(3, 3).to(d) for d in gpus]\nfor net in nets:\n    net(torch.ones(3).to(gpus[0]))",
        LISTED + "nets = [nn.Linear(3, 3).to(d) for d in gpus]\nnets[1](torch.ones(3).to(gpus[0]))",
        LISTED + "nets = [nn.Linear(3, 3).to(d) for d in gpus]\nx = torch.ones(3).cuda(0)\n"
        "made = [net(x) for net, d in zip(nets, gpus)]",
        LISTED + "nets = nn.ModuleList(nn.Linear(3, 3) for _ in gpus)\nfor net, d in zip(nets, gpus):\n    net.to(d)\n"
        "x = torch.ones(3).cuda(0)\nfor net in nets:\n    x = net(x)",
        "nets = nn.ModuleList()\nfor i in range(2):\n    nets.append(nn.Linear(3, 3).cuda(i))\nnets[1](torch.ones(3).cuda(0))",
    ],
)
def test_a_loop_over_devices_leaves_an_item_on_each(program: Program, code: str) -> None:
    assert len(program(f"import torch\nfrom torch import nn\n{code}\n").reported("device-mismatch")) == 1


@pytest.mark.parametrize(
    "code",
    [
        PARTS + "whole = [part * 2 for part in parts]",
        PARTS + "whole = parts[0] * parts[0]",
        PARTS + "whole = torch.cat([part.cpu() for part in parts])",
        "parts = [torch.ones(3).cuda(i).cpu() for i in range(2)]\nwhole = torch.stack(parts)",
        "parts = [torch.ones(3).to('cuda:%d' % (i // 2)) for i in range(2)]\nwhole = torch.stack(parts)",
        "gpu = 1\nparts = [torch.ones(i).to('cuda:%d' % gpu) for i in range(2)]\nwhole = torch.cat(parts)",
        "parts = [torch.ones(3).cuda(i) for i in range(1)]\nwhole = torch.stack(parts)",
        "parts = [torch.ones(i).cuda(0) for i in range(2)]\nwhole = torch.cat(parts)",
        DEVICES
        + "parts = []\nfor d in devices:\n    parts.append(torch.ones(3).to(d).cpu())\nwhole = torch.cat(parts)",
        DEVICES
        + "parts = []\nfor d in devices:\n    parts.append(torch.ones(3).to(d))\n    break\nwhole = torch.cat(parts)",
        DEVICES + "for d in devices:\n    whole = torch.zeros(3).to(d)\n    whole += torch.ones(3).to(d)",
        DEVICES + "whole = {}\nfor d in devices:\n    whole[d] = 0\n    whole[d] += torch.ones(3).to(d)",
        PARTS + "for i in range(1, len(parts)):\n    parts[0][:] += parts[i].to(parts[0].device)",
        PARTS + "for i in range(len(parts)):\n    parts[i] += 1",
        PARTS + "parts.reverse()\nwhole = parts[0] * torch.ones(3, device='cuda:1')",
        PARTS + "for part in parts[1:2]:\n    part + torch.ones(3, device='cuda:1')",
        LISTED
        + "nets = [nn.Linear(3, 3).to(d) for d in gpus]\nfor net, d in zip(nets, gpus):\n    net(torch.ones(3).to(d))",
        "x = torch.ones(3).cuda(0)\nfor i in range(2):\n    x = nn.Linear(3, 3).cuda(i)(x.cuda(i))",
        LISTED + "nets = nn.ModuleList(nn.Linear(3, 3).to(d) for d in gpus)\nfor net in nets:\n    net.to(gpus[0])\n"
        "nets[1](torch.ones(3).cuda(0))",
        "nets = nn.ModuleList()\nfor i in range(2):\n    nets.append(nn.Linear(3, 3).cuda(i))\n"
        "nets.cuda(0)\nnets[1](torch.ones(3).cuda(0))",
        "x = torch.ones(3).cuda(0)\nfor i in range(4):\n    if i == 0:\n        x + torch.ones(3).cuda(i)",
        "x = torch.ones(3).cuda(0)\nfor i in range(count):\n    x + torch.ones(3).cuda(i)",
        "for i in range(2):\n    x = torch.ones(3).cuda(i)\n    for _ in range(3):\n        x = x + torch.ones(3).cuda(i)",
        LISTED + "for _ in range(2):\n    last = None\n    for d in gpus:\n        if last is not None:\n"
        "            last.to(d) + torch.ones(3).to(d)\n        last = torch.ones(3).to(d)",
        LISTED + "for d in gpus:\n    if d == gpus[0]:\n        x = torch.ones(3).to(d)\n    else:\n"
        "        x = x.to(d) + torch.ones(3).to(d)",
    ],
)
def test_items_on_their_own_gpus_may_not_meet(program: Program, code: str) -> None:
    assert program(f"import torch\nfrom torch import nn\n{code}\n").reported("device-mismatch") == []


OPTIONS = """\
import argparse
import torch
from torch import nn
parser = argparse.ArgumentParser()
parser.add_argument("--gpu", default="cuda:1")
parser.add_argument("--gpu_id", type=int, default=1)
parser.add_argument("--cuda", type=str, default="1")
parser.add_argument("--first", default="cuda")
parser.add_argument("--open")
args = parser.parse_args()
"""
BY_DEFAULT = {
    "nn.Linear(3, 3).to(args.gpu)(torch.ones(3).cuda())": True,
    "torch.ones(3).to(args.gpu) + torch.ones(3, device='cuda')": True,
    "torch.ones(3).to(f'cuda:{args.gpu_id}') + torch.ones(3, device='cuda:0')": True,
    "torch.ones(3).cuda(args.gpu_id) + torch.ones(3).cuda()": True,
    "torch.ones(3, device=torch.device('cuda:' + args.cuda)) + torch.ones(3).cuda()": True,
    "device = torch.device(args.gpu)\nnn.L1Loss()(torch.ones(3).to(device), torch.ones(3).cuda())": True,
    "torch.ones(3).to(args.gpu) + torch.ones(3).to(args.gpu)": False,
    "torch.ones(3).to(args.gpu) + torch.ones(3).to('cuda:1')": False,
    "torch.cuda.set_device(args.gpu)\ntorch.ones(3).to(args.gpu) + torch.ones(3).cuda()": False,
    "torch.ones(3).to(args.gpu) + torch.ones(3).to(args.first).to(args.gpu)": False,
    "torch.ones(3).to(args.first) + torch.ones(3).cuda()": False,
    "torch.ones(3).to(args.open) + torch.ones(3).cuda(1)": False,
}


@pytest.mark.parametrize("code", BY_DEFAULT)
def test_what_an_option_names_by_default_makes_a_warning(program: Program, code: str) -> None:
    findings = program(f"{OPTIONS}{code}\n").findings("device-mismatch")

    assert [(one.severity, one.confidence) for one in findings] == (
        [(Severity.WARNING, Confidence.MEDIUM)] if BY_DEFAULT[code] else []
    )
    assert all(any("by default" in step.words for step in one.trace) for one in findings)


CALLED = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
    def forward(self, x):
        return self.layer(x) + self.noise(x)
    def noise(self, x):
        return {noise}
net = Net().{there}
"""
CALLS = {
    ("torch.ones(3).cuda()", "cuda(1)", "net(torch.ones(3).cuda(1))"): ["return self.layer(x) + self.noise(x)"],
    ("torch.ones(3).cuda()", "to('cuda:1')", "for i in range(3):\n    net(torch.ones(3).cuda(1))"): [
        "return self.layer(x) + self.noise(x)"
    ],
    ("torch.ones(3).cuda()", "cuda(1)", "net.forward(torch.ones(3).cuda(1))"): ["return self.layer(x) + self.noise(x)"],
    ("torch.ones(3).cuda(1)", "cuda()", "net(torch.ones(3).cuda())"): ["return self.layer(x) + self.noise(x)"],
    # What is passed is on another GPU already: that is one mistake, at the call.
    ("torch.ones(3).cuda()", "cuda(1)", "net(torch.ones(3).cuda(2))"): ["net(torch.ones(3).cuda(2))"],
    ("torch.ones(3).to(x.device)", "cuda(1)", "net(torch.ones(3).cuda(1))"): [],
    ("torch.ones(3).to(self.layer.weight.device)", "cuda(1)", "net(torch.ones(3).cuda(1))"): [],
    ("torch.ones(3).cuda(1)", "cuda(1)", "net(torch.ones(3).cuda(1))"): [],
    ("torch.ones(3).cuda()", "cuda(1)", "with torch.cuda.device(1):\n    net(torch.ones(3).cuda(1))"): [],
    ("torch.ones(3).cuda()", "cuda(1)", "torch.cuda.set_device(1)\nnet(torch.ones(3).cuda(1))"): [],
    ("torch.ones(3).cuda()", "to(device)", "net(torch.ones(3).to(device))"): [],
}


@pytest.mark.parametrize("case", CALLS)
def test_a_call_tells_on_which_gpu_a_module_is_in_its_own_code(program: Program, case: tuple[str, str, str]) -> None:
    noise, there, call = case

    assert program(CALLED.format(noise=noise, there=there) + call + "\n").reported("device-mismatch") == CALLS[case]


@pytest.mark.parametrize(
    ("code", "names_one"),
    [
        ("devices = [torch.device('cuda', i) for i in range(2)]", True),
        ("for i in range(2):\n    torch.ones(3).cuda(i + 1)", True),
        ("for i in range(2):\n    place = lambda x: x.cuda(i)", True),
        ("for i in range(2):\n    print(i)\nfor i in devices:\n    torch.ones(3).cuda(i)", True),
        # Only in a function may the same name go through something else.
        ("for i in range(2):\n    print(i)\ndef put(devices):\n    return [x.cuda(i) for i in devices]", False),
        ("for i in range(2):\n    print(i)\ndef put(devices):\n    for i in devices:\n        x.cuda(i)", False),
        ("devices = [torch.device('npu', i) for i in range(2)]", False),
        ("devices = [torch.device(type='xpu', index=i) for i in range(2)]", False),
        ("names = ','.join(str(i) for i in range(2))\ndef put(device):\n    torch.cuda.set_device(device)", False),
        ("def put(device):\n    torch.cuda.set_device(device)\nfor i in range(2):\n    put(i)", True),
        ("def put(device):\n    torch.cuda.set_device(device)\nfor i in range(2):\n    print(i)\nput(0)", False),
        ("def put(gpu):\n    take(gpu)\ndef take(i):\n    x.cuda(i)\nfor i in range(2):\n    put(gpu=i)", True),
        ("def at(i=0):\n    return torch.device(f'cuda:{i}')\nfor i in range(2):\n    print(at())", False),
        ("def at(i=0):\n    return torch.device(f'cuda:{i}')\nx = [at(i) for i in range(2)]", True),
        ("class Net:\n    def __init__(self, gpu):\n        x.cuda(gpu)\nnets = [Net(i) for i in range(2)]", True),
    ],
)
def test_a_counter_names_a_further_gpu_where_it_counts_gpus(program: Program, code: str, names_one: bool) -> None:
    checkout = program(f"import torch\n{code}\n")

    assert names_further_gpu(checkout.project.evaluator(WITH_GPUS), checkout.file()) == names_one
