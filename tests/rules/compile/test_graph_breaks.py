"""What breaks the graphs of compiled code, and on which calls it is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.compile.detectors.graph_breaks import graph_breaks
from torchlint.model import WITH_CUDA, Project
from torchlint.pytorch.untraced import Tracing

PROGRAM = """import torch
from torch import nn
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
    def forward(self, x):
        return scaled(self.body(x))
def scaled(y, verbose=False):
    n = y.max().item()
    return y * n
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
    def forward(self, x, cache=None):
        return self.part(x)
net = Net()
fast = torch.compile(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.randn(9, 4, 2):
    loss = fast(x).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
READ, COMPILE, HEAD = "n = y.max().item()", "fast = torch.compile(net)", "def scaled(y, verbose=False):"
FAST = "fast = net"


def found(folder: Path, *changes: tuple[str, str]) -> list[str]:
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "program.py"
    path.write_text(text)
    file = Project(folder).open(path, path.name)
    return [one.place.text for one in graph_breaks(file.evaluator(WITH_CUDA), file)]


@pytest.mark.parametrize(
    "changes",
    [
        (),
        ((COMPILE, "fast = torch.compile(net, mode='reduce-overhead')"),),
        ((COMPILE, "fast = torch.compile(model=net)"),),
        ((COMPILE, "net.compile()\nfast = net"),),
        ((COMPILE, "fast = torch.compile(nn.DataParallel(net))"),),
        ((COMPILE, "fast = torch.compile(net.forward)"),),
        ((COMPILE, "net.part = torch.compile(net.part)\nfast = net"),),
        ((COMPILE, FAST), (HEAD, f"@torch.compile\n{HEAD}")),
        ((COMPILE, FAST), (HEAD, f"@torch.compile(dynamic=True)\n{HEAD}")),
        ((COMPILE, "fast = torch.compile(nn.Sequential(net, nn.ReLU()))"),),
        (
            ("import torch\n", "import torch\nfrom tensordict.nn import TensorDictModule\n"),
            (COMPILE, "fast = torch.compile(TensorDictModule(net, in_keys=['x'], out_keys=['y']))"),
        ),
    ],
)
def test_what_is_compiled_is_followed_from_wherever_it_is(tmp_path: Path, changes: tuple[tuple[str, str], ...]) -> None:
    assert found(tmp_path, *changes) == ["y.max().item()"]


@pytest.mark.parametrize(
    "changes",
    [
        ((COMPILE, FAST),),
        ((COMPILE, "fast = torch.compile(net, disable=True)"),),
        ((HEAD, f"@torch.compiler.disable\n{HEAD}"),),
        ((HEAD, f"@torch.compiler.disable(recursive=False)\n{HEAD}"),),
        ((READ, f"n = 1.0\n    if not torch.compiler.is_compiling():\n        {READ}"),),
        ((READ, f"if torch.jit.is_scripting():\n        {READ}\n    n = 1.0"),),
        ((READ, f"if verbose:\n        {READ}\n    n = 1.0"),),
        ((READ, f"n = 1.0\n    try:\n        n = n / 1\n    except RuntimeError:\n        {READ}"),),
        ((COMPILE, f"torch._dynamo.config.capture_scalar_outputs = True\n{COMPILE}"),),
        ((READ, "n = y.shape[0] if y.shape[0] > 1 else int(y.dim())"),),
        ((READ, "n = max(y.max(), 1.0)"),),
        ((READ, "n = nn.LayerNorm(2, elementwise_affine=False)(y).sum()"),),
        ((READ, "import numpy as np\n    n = int(np.sqrt(y.shape[1])) + int(np.ceil(y.shape[1] / 2))"),),
        ((READ, "n = torch.zeros(2, requires_grad=False).sum()"),),
        ((READ, "n = torch.zeros(2, requires_grad=y.detach().requires_grad).sum()"),),
        ((READ, "n = y[y.argmax(dim=0)].sum()"),),
        ((READ, "n = torch.full((2,), y.sum()).sum()"),),
        ((READ, "import numpy as np\n    n = float(np.sqrt(y.shape[1]))"),),
        ((READ, "n = torch.full_like(y, 1.0).sum()\n    m = '%d' % y.shape[0]"),),
        ((READ, "from scipy import special\n    n = special.softmax"),),
        ((READ, "y = y.clone()\n    y[y > 0] = 0.0\n    n = 1.0"),),
        ((READ, "n = 1.0\n    assert y.isfinite().all()"),),
        # The compiled call leaves the cache to its default.
        (("return self.part(x)", "return self.part(x) if cache is None else cache.sum().item()"), (READ, "n = 1.0")),
    ],
)
def test_what_is_traced_or_kept_from_the_tracer_is_not_reported(
    tmp_path: Path, changes: tuple[tuple[str, str], ...]
) -> None:
    assert found(tmp_path, *changes) == []


@pytest.mark.parametrize(
    ("new", "place"),
    [
        ("n = int(y.max())", "int(y.max())"),
        ("n = 2.0 if y.max() > 0 else 1.0", "y.max() > 0"),
        ("n = 1.0\n    while y.max() > 3:\n        y = y / 2", "y.max() > 3"),
        ("n = 1.0\n    assert y.isfinite().all(), f'{y.shape}'", "y.isfinite().all()"),
        ("n = y[y > 0].mean()", "y[y > 0]"),
        ("n = torch.nonzero(y).sum()", "torch.nonzero(y)"),
        ("n = torch.where(y > 0)[0].sum()", "torch.where(y > 0)"),
        ("n = 1.0\n    print(y.shape)", "print(y.shape)"),
        ("import time\n    n = time.time()", "time.time()"),
        ("n = len(str(y))", "str(y)"),
        ("n = float(any(row.sum() > 0 for row in y))", "any(row.sum() > 0 for row in y)"),
        ("import copy\n    n = copy.deepcopy(y)", "copy.deepcopy(y)"),
        ("n = y + 1\n    n.data = y", "n.data"),
        ("n = torch.zeros(y.argmax() + 1).sum()", "torch.zeros(y.argmax() + 1)"),
        ("n = y[: y.argmax()].sum()", "y[: y.argmax()]"),
        ("n = y.repeat(y.argmax() + 1, 1).sum()", "y.repeat(y.argmax() + 1, 1)"),
        ("n = nn.Parameter(torch.ones(2))", "nn.Parameter(torch.ones(2))"),
        ("n = nn.LayerNorm(2)(y).sum()", "nn.LayerNorm(2)"),
        ("import numpy as np\n    n = int(np.prod(y.shape[1:]))", "int(np.prod(y.shape[1:]))"),
        ("n = torch.zeros(2, requires_grad=True).sum()", "torch.zeros(2, requires_grad=True)"),
        ("n = torch.zeros(2, requires_grad=y.requires_grad).sum()", "torch.zeros(2, requires_grad=y.requires_grad)"),
        ("n = 1.0 if 0 < y.max() < 2 else 2.0", "0 < y.max() < 2"),
        ("n = 1.0 if y.max() in (1, 2) else 2.0", "y.max() in (1, 2)"),
        ("n = sum(1.0 if row > 0 else 2.0 for row in y.sum(1))", "row > 0"),
        ("n = y.max()\n    while n > 3:\n        n = n / 2", "n > 3"),
        ("best = y.argmax()\n    n = y.flatten()[best]", "y.flatten()[best]"),
        ("n = [1.0, 2.0][y.argmax() * 0]", "[1.0, 2.0][y.argmax() * 0]"),
        ("n = y.split(y.argmax() + 1)[0].sum()", "y.split(y.argmax() + 1)"),
        ("n = nn.functional.pad(y, (0, y.argmax())).sum()", "nn.functional.pad(y, (0, y.argmax()))"),
        ("import copy\n    n = copy.deepcopy({'y': y})['y']", "copy.deepcopy({'y': y})"),
        ("n = len('%s' % y.max())", "'%s' % y.max()"),
        ("import numpy as np\n    n = np.mgrid[0:2, 0:2].sum()", "np.mgrid[0:2, 0:2]"),
        ("import math\n    n = math.tanh(y.max())", "math.tanh(y.max())"),
        ("from scipy import special\n    n = special.gamma(2.0)", "special.gamma(2.0)"),
        ("n = round(y.max())", "round(y.max())"),
    ],
)
def test_each_kind_is_found_in_a_helper(tmp_path: Path, new: str, place: str) -> None:
    assert found(tmp_path, (READ, new)) == [place]


OBJECT = """class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
    @property
    def largest(self):
        return self.body.weight.max().item()
    def __getitem__(self, row):
        return self.body.weight[row].min().item()
    def __len__(self):
        return int(self.body.weight.sum())
    def __enter__(self):
        print("entered")
    def __exit__(self, *given):
        return None
def read(value):
    return value.mean().item()
scale = Scale()
def scaled(y, verbose=False):
"""


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("n = scale.largest", "self.body.weight.max().item()"),
        ("n = scale[0]", "self.body.weight[row].min().item()"),
        ("n = 2.0 if len(scale) > 3 else 1.0", "int(self.body.weight.sum())"),
        ("n = 1.0\n    with scale:\n        y = y + 1", 'print("entered")'),
        ("n = sum(map(read, [y]))", "value.mean().item()"),
        ("from torch.utils.checkpoint import checkpoint\n    n = checkpoint(read, y)", "value.mean().item()"),
        ("scale[0:1] = 1.0\n    n = scale.body.weight.sum()", None),
    ],
)
def test_what_python_runs_for_an_expression_is_followed(tmp_path: Path, line: str, place: str | None) -> None:
    changes = ((f"{HEAD}\n", OBJECT), (READ, line))

    assert found(tmp_path, *changes) == ([place] if place is not None else [])


def test_a_backward_without_arguments_is_one_of_a_tensor(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import torch\n@torch.compile\ndef step(loss, engine):\n    loss.backward()\n    engine.backward(loss)\n"
    )
    file = Project(tmp_path).open(path, path.name)

    assert [one.place.text for one in graph_breaks(file.evaluator(WITH_CUDA), file)] == ["loss.backward()"]


def broken(folder: Path, compile_: str, line: str) -> list[tuple[str, Tracing | None, bool]]:
    path = folder / "program.py"
    path.write_text(PROGRAM.replace(COMPILE, compile_).replace(READ, line))
    file = Project(folder).open(path, path.name)
    breaks = graph_breaks(file.evaluator(WITH_CUDA), file)
    return [(one.place.text, one.way.entry.tracing, one.raises) for one in breaks]


def test_in_one_graph_only_what_raises_is_reported(tmp_path: Path) -> None:
    whole = "fast = torch.compile(net, fullgraph=True)"
    exported = "fast = net\ntorch.export.export(net, (torch.randn(4, 2),))"
    lines = "n = y.max().item()\n    print(n)\n    n = 1.0 if y.sum() > 0 else n"

    assert broken(tmp_path, whole, lines) == [
        ("print(n)", Tracing.WHOLE, True),
        ("y.sum() > 0", Tracing.WHOLE, True),
    ]
    assert broken(tmp_path, exported, lines) == [("y.sum() > 0", Tracing.EXPORTED, True)]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("n = y.max().item()\n    n = 1.0 if n > 0 else 2.0", None),
        ("n = y.max().item()\n    y = y if n > 0 else y + 1", "n > 0"),
        ("n = 1.0 if y.max().item() > 0 else 2.0", "y.max().item() > 0"),
        ("n = float(y.max())\n    y = y if not n else y + 1", "n"),
        ("n = y.max().item()\n    assert n > 0", None),
        ("n = 1.0\n    y = y if y.shape[0] > 0 else y + 1", None),
    ],
)
@pytest.mark.parametrize(
    ("compile_", "tracing"),
    [
        ("fast = torch.compile(net, fullgraph=True)", Tracing.WHOLE),
        ("options = dict(fullgraph=True)\nfast = torch.compile(net, **options)", Tracing.WHOLE),
        ("fast = net\ntorch.export.export(net, (torch.randn(4, 2),))", Tracing.EXPORTED),
    ],
)
def test_a_number_that_is_read_from_a_tensor_may_not_be_tested_in_one_graph(
    tmp_path: Path, line: str, place: str | None, compile_: str, tracing: Tracing
) -> None:
    assert broken(tmp_path, compile_, line) == ([(place, tracing, True)] if place is not None else [])


def test_where_a_graph_may_break_the_number_is_read_before_it_is_tested(tmp_path: Path) -> None:
    assert found(tmp_path, (READ, "n = y.max().item()\n    y = y if n > 0 else y + 1")) == ["y.max().item()"]


def test_what_is_disabled_on_purpose_is_a_mistake_in_one_graph(tmp_path: Path) -> None:
    disabled = f"@torch.compiler.disable\n{HEAD}"

    assert found(tmp_path, (HEAD, disabled)) == []
    assert found(tmp_path, (HEAD, disabled), (COMPILE, "fast = torch.compile(net, fullgraph=True)")) == [
        "scaled(self.body(x))"
    ]


MADE = "net = Net()\n"
ACCELERATED = "acc = Accelerator({})\nfast = acc.prepare(net)"
TRAINED = "fast = net\nTrainer(model=net, args=TrainingArguments('out'{}), train_dataset=[]).train()"


@pytest.mark.parametrize(
    ("setup", "imports", "is_compiled"),
    [
        (ACCELERATED.format("dynamo_backend='inductor'"), "from accelerate import Accelerator", True),
        (ACCELERATED.format("dynamo_plugin=TorchDynamoPlugin(backend='inductor')"),
         "from accelerate import Accelerator\nfrom accelerate.utils import TorchDynamoPlugin", True),
        (ACCELERATED.format("dynamo_backend='no'"), "from accelerate import Accelerator", False),
        (ACCELERATED.format(""), "from accelerate import Accelerator", False),
        (TRAINED.format(", torch_compile=True"), "from transformers import Trainer, TrainingArguments", True),
        (TRAINED.format(", torch_compile_mode='default'"), "from transformers import Trainer, TrainingArguments", True),
        (TRAINED.format(", torch_compile=False"), "from transformers import Trainer, TrainingArguments", False),
        (TRAINED.format(""), "from transformers import Trainer, TrainingArguments", False),
    ],
)  # fmt: skip
def test_what_a_framework_is_told_to_compile_is_followed(
    tmp_path: Path, setup: str, imports: str, is_compiled: bool
) -> None:
    changes = ((COMPILE, setup), ("import torch\n", f"import torch\n{imports}\n"))

    assert found(tmp_path, *changes) == (["y.max().item()"] if is_compiled else [])


LIGHTNING = """import lightning as L
import torch
class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(2, 2)
    def training_step(self, batch, number):
        y = self.body(batch)
        return y.mean() * y.max().item()
    def on_train_epoch_end(self):
        print(self.body.weight.max().item())
net = torch.compile(Net())
L.Trainer().fit(net, [])
"""


@pytest.mark.parametrize(
    ("text", "places"), [(LIGHTNING, ["y.max().item()"]), (LIGHTNING.replace("torch.compile(Net())", "Net()"), [])]
)
def test_the_steps_of_a_compiled_module_of_lightning_are_compiled(tmp_path: Path, text: str, places: list[str]) -> None:
    path = tmp_path / "program.py"
    path.write_text(text)
    file = Project(tmp_path).open(path, path.name)

    assert [one.place.text for one in graph_breaks(file.evaluator(WITH_CUDA), file)] == places
