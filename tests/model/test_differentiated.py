"""What `backward()` shows about its receiver, whatever made it."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import HOST, Device, Tensor

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import torch
from elsewhere import build, make
model = build().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in make():
"""


def kinds(program: Program, body: str, head: str = HEAD) -> list[str]:
    code = head + indent(body, "    ")
    return sorted({type(value).__name__ for value in program(code).values("loss", mark="here")})


TENSORS = {
    "before": "loss = model(x)\nuse(loss)  # here\nloss.backward()\n",
    "after": "loss = model(x)\nloss.backward()\nuse(loss)  # here\n",
    "in an arm before": "loss = model(x)\nif y:\n    use(loss)  # here\nloss.backward()\n",
    "in an arm behind": "loss = model(x)\nloss.backward()\nif y:\n    use(loss)  # here\n",
    "where it is bound anew": "loss = model(x)\nloss.backward()\nloss = float(loss)  # here\n",
    "summed up": "loss = 0\nfor y in x:\n    loss += model(y)\nloss.backward()\nuse(loss)  # here\n",
    "averaged": "loss = model(x)\nloss.mean().backward()\nuse(loss)  # here\n",
    "scaled": "loss = model(x)\nscaler.scale(loss).backward()\nuse(loss)  # here\n",
    "in both arms": """\
loss = model(x)
if scaler:
    scaler.scale(loss).backward()
else:
    loss.backward()
use(loss)  # here
""",
    "in a with": "loss = model(x)\nwith sync():\n    loss.backward(retain_graph=True)\nuse(loss)  # here\n",
    "where an exception ends it": "loss = model(x)\nif loss > 9:  # here\n    raise ValueError\nloss.backward()\n",
    "one of two": "loss, y = model(x)\nloss.backward()\nuse(loss)  # here\n",
}
OPEN = {
    "never": ("loss = model(x)\nuse(loss)  # here\n", ["Unknown"]),
    "of something else": ("loss = model(x)\nx.backward()\nuse(loss)  # here\n", ["Unknown"]),
    "in one arm": ("loss = model(x)\nif y:\n    loss.backward()\nuse(loss)  # here\n", ["Unknown"]),
    "where it may fail": ("""\
loss = model(x)
try:
    loss.backward()
except RuntimeError:
    pass
use(loss)  # here
""", ["Unknown"]),
    "suppressed": ("loss = model(x)\nwith suppress():\n    loss.backward()\nuse(loss)  # here\n", ["Unknown"]),
    "for each of none": ("loss = model(x)\nfor y in x:\n    loss.backward()\nuse(loss)  # here\n", ["Unknown"]),
    "bound anew before": ("loss = model(x)\nuse(loss)  # here\nloss = make(loss)\nloss.backward()\n", ["Unknown"]),
    "bound anew behind": ("loss = model(x)\nloss.backward()\nloss = make()\nuse(loss)  # here\n", ["Unknown"]),
    "still 0": ("""\
loss = 0
for y in x:
    use(loss)  # here
    loss += model(y)
loss.backward()
""", ["Literal", "Unknown"]),
    "left where it is 0": ("loss = model(x)\nif loss == 0:  # here\n    continue\nloss.backward()\n", ["Unknown"]),
    "given a gradient by something else": ("loss = model(x)\nloss.backward(x)\nuse(loss)  # here\n", ["Unknown"]),
    "of what is called": ("loss = make()\nloss.compute().backward()\nuse(loss)  # here\n", ["Unknown"]),
    "in another function": ("loss = model(x)\ndef f(loss):\n    loss.backward()\nuse(loss)  # here\n", ["Unknown"]),
}  # fmt: skip


@pytest.mark.parametrize("body", TENSORS.values(), ids=TENSORS)
def test_what_goes_back_is_a_tensor(program: Program, body: str) -> None:
    assert kinds(program, body) == ["Tensor"]


@pytest.mark.parametrize(("body", "expected"), OPEN.values(), ids=OPEN)
def test_what_need_not_go_back_may_be_anything(program: Program, body: str, expected: list[str]) -> None:
    assert kinds(program, body) == expected


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [("self", ["Unknown"]), ("self, retain=False", ["Unknown"]), ("self, loss", ["Tensor"]), ("ctx, grad", ["Tensor"])],
)
def test_an_object_of_the_project_may_have_a_backward_of_its_own(
    program: Program, parameters: str, expected: list[str]
) -> None:
    kind = f"class Step:\n    def backward({parameters}):\n        pass\n"

    assert kinds(program, "loss = make()\nloss.backward()\nuse(loss)  # here\n", kind + HEAD) == expected


@pytest.mark.parametrize(
    ("framework", "expected"), [("mxnet", ["Unknown"]), ("torch", ["Tensor"]), ("torch.nn", ["Tensor"])]
)
def test_other_frameworks_go_back_by_the_same_name(program: Program, framework: str, expected: list[str]) -> None:
    head = f"import {framework}\nfrom elsewhere import net, xs\nfor x in xs:\n"

    assert kinds(program, "loss = net(x)\nloss.backward()\nuse(loss)  # here\n", head) == expected


LOOP = """\
def train(loader):
    for x in loader:
        loss = model({moved})
        {early}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{{loss:.3f}}")
"""


@pytest.mark.parametrize(
    ("early", "tested"),
    [
        ("if loss > 9: print(x)", ["if loss > 9: print(x)"]),
        ("if loss == 0: continue", []),
        ("if x.dim() > 2: print(x.dim())", []),
    ],
)
def test_a_loss_of_an_unknown_model_is_waited_for(program: Program, early: str, tested: list[str]) -> None:
    project = program(HEAD.removesuffix("for x in make():\n") + LOOP.format(moved="x.cuda()", early=early))

    assert project.reported("tensor-branch-in-training-loop") == tested
    assert project.reported("tensor-print-in-training-loop") == ['print(f"{loss:.3f}")']


SUMMED = """\
import torch
from elsewhere import build
model = build().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler()
def train(loader, total):
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        {back}
        optimizer.step()
        {kept}
    return total
"""


@pytest.mark.parametrize(
    ("back", "kept", "expected"),
    [
        ("loss.backward()", "total += loss.cpu()", ["total += loss.cpu()"]),
        ("scaler.scale(loss).backward()", "total += loss.cpu()", ["total += loss.cpu()"]),
        ("loss.mean().backward()", "total += loss.cpu().mean()", ["total += loss.cpu().mean()"]),
        ("loss.backward()", "total += loss.cpu().item()", []),
        ("loss.backward()", "total += loss.detach().cpu()", []),
        ("loss.backward()", "loss = loss.data\n        total += loss.cpu()", []),
    ],
)
def test_what_goes_back_has_a_graph_whatever_it_was_computed_of(
    program: Program, back: str, kept: str, expected: list[str]
) -> None:
    assert program(SUMMED.format(back=back, kept=kept)).reported("kept-graph") == expected


def test_a_loss_of_a_program_without_devices_is_not_waited_for(program: Program) -> None:
    head = HEAD.removesuffix("for x in make():\n").replace(".cuda()", "")
    project = program(head + LOOP.format(moved="x", early="pass"))

    assert project.reported("tensor-print-in-training-loop") == []


@pytest.mark.parametrize(
    ("call", "expected"), [("torch._C._get_cudnn_enabled()", "Unknown"), ("torch._C._nn.gelu(x)", "Tensor")]
)
def test_what_torch_tells_of_itself_is_no_tensor(program: Program, call: str, expected: str) -> None:
    assert kinds(program, f"loss = {call}\nuse(loss)  # here\n") == [expected]


KEPT = """\
import torch
from elsewhere import build, make
class Trainer:
    def __init__(self):
        self.model = build().cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.reset()
    def reset(self):
        {reset}
    def step(self, x):
        self.loss = self.model(x)
        {between}
        self.loss.backward()
        use(self.loss)  # here
"""


@pytest.mark.parametrize(
    ("reset", "between", "expected"),
    [
        ("pass", "self.optimizer.zero_grad()", ["Tensor"]),
        ("pass", "self.reset()", ["Tensor"]),
        ("self.loss = make()", "self.optimizer.zero_grad()", ["Tensor"]),
    ],
)
def test_an_attribute_that_goes_back_is_a_tensor(
    program: Program, reset: str, between: str, expected: list[str]
) -> None:
    values = program(KEPT.format(reset=reset, between=between)).values("self.loss", mark="here")

    assert sorted(type(value).__name__ for value in values) == expected


@pytest.mark.parametrize(
    "between",
    ["use(self.loss)  # here\n        self.loss = make()", "use(self.loss)  # here\n        self.reset()",
     "use(self.loss)  # here\n        self = make()"],
)  # fmt: skip
def test_an_attribute_that_may_be_bound_anew_before_may_be_anything(program: Program, between: str) -> None:
    code = KEPT.format(reset="self.loss = make()", between=between).removesuffix("        use(self.loss)  # here\n")

    assert [type(value).__name__ for value in program(code).values("self.loss", mark="here")] == ["Unknown"]


def test_an_attribute_that_goes_back_is_waited_for(program: Program) -> None:
    code = """
        import torch
        class Trainer:
            def __init__(self, model):
                self.model = model
                self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
            def train(self, loader):
                for x in loader:
                    self.loss = self.model(x.cuda()).sum()
                    self.optimizer.zero_grad()
                    self.loss.backward()
                    self.optimizer.step()
                    print("%.5f" % self.loss)
        """

    assert program(code).reported("tensor-print-in-training-loop") == ['print("%.5f" % self.loss)']


ON_HOST = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
from elsewhere import losses, given, there
host = torch.device("cpu")
model = nn.Linear(3, 3).to(host)
loss_of, mine = losses.Triplet(), given.mine
def train(data):
    for x, y in DataLoader(data):
        out = model(x.to(host))
        {body}
        loss.backward()
        loss  # here
train([])
"""


@pytest.mark.parametrize(
    ("body", "device"),
    [
        ("loss = loss_of(out, y.to(host))", HOST),
        ("loss = loss_of(embeddings=model(x), margin=0.5)", HOST),
        ("pairs = mine(out, y); loss = loss_of(out, y, pairs)", HOST),
        ("loss, _ = loss_of(out, mine(out))", HOST),
        ("loss = loss_of(x, y)", None),
        ("loss = loss_of(out, given)", None),
        ("loss = loss_of(out, y.to(there))", None),
        ("loss = loss_of(*given, out)", None),
        ("loss = loss_of(out, **given)", None),
        ("loss = loss_of(out.cuda(), y)", None),
        ("loss = loss_of(out, mine())", None),
        ("loss = loss_of(out) if y else given()", None),
        ("loss = loss_of(out)\n        if given:\n            loss = loss_of(given)", None),
    ],
)
def test_what_others_make_of_outputs_on_the_host_goes_back_from_there(
    program: Program, body: str, device: Device | None
) -> None:
    assert program(ON_HOST.format(body=body)).values("loss", mark="here") == [Tensor(device, True)]
