"""What other linters of PyTorch code expect of their own tests: which rule reports it here, or why none does.

A program for each expectation of TorchFix 0.7.0 (81 in its tests, by code) and for each of SonarSource's nine rules.
The table `CODES` says the same, which `docs/comparison.md` shows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.migration import CODES, Code
from torchlint.registry import builtin_rules

Program: TypeAlias = Callable[[str], Checkout]
_PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"
_CHECKPOINT = "from torch.utils.checkpoint import checkpoint\n"
_LOADER = "from torch.utils.data import DataLoader\n"

# The code of the other linter, a program, the rule that reports it (empty if none does), and how many there are.
EXPECTED = [
    ("TOR001", "import torch\nE, Z = torch.symeig(A, eigenvectors, True)", "removed-symbol"),
    ("TOR001", "from torch import symeig as xxx\nE, Z = xxx(A, eigenvectors, True)", "removed-symbol"),
    ("TOR001", "import torch\nx = torch.solve(A, b).solution", "removed-symbol"),
    ("TOR002", "import torch\nx = torch.zeros(1)\nx.require_grad = False", "require-grad-typo"),
    ("TOR003", f"{_CHECKPOINT}def f(x, y):\n    return checkpoint(g, x, y)", "reentrant-checkpoint"),
    ("TOR004", "from torch import symeig", ""),
    ("TOR101", "import torch\ntorch.cuda.amp.autocast()", "legacy-amp"),
    ("TOR101", "import torch\ntorch.cuda.amp.custom_fwd()", "legacy-amp"),
    ("TOR101", "import torch\ntorch.cpu.amp.autocast(dtype=torch.bfloat16)", "legacy-amp"),
    ("TOR101", "import torch\ntorch.nn.UpsamplingNearest2d()", "deprecated-symbol"),
    ("TOR101", "from torch import nn as xx\nxx.UpsamplingNearest2d()", "deprecated-symbol"),
    ("TOR101", "import torch\nx = torch.qr()", "removed-symbol"),
    ("TOR101", "from torch import linalg, qr\nx = qr()", "removed-symbol"),
    ("TOR101", "import functorch\nfunctorch.vmap(f, (None, 0))(a, b)", "deprecated-symbol"),
    ("TOR101", "from torch.utils import _pytree as xx\nxx._register_pytree_node()", "deprecated-symbol"),
    ("TOR101", "import torch\nwith torch.backends.cuda.sdp_kernel() as c:\n    pass", "deprecated-symbol"),
    ("TOR101", "from torch import nn\nm = nn.utils.weight_norm(nn.Linear(20, 40))", "deprecated-symbol"),
    ("TOR101", "import torch\nx = torch.chain_matmul(a, b)", "deprecated-symbol"),
    ("TOR101", "import torch\nx = torch.cholesky(a)", "removed-symbol"),
    ("TOR101", "import torch\nx = torch.ger(a, b)", "deprecated-symbol"),
    ("TOR101", "import torch\nx = torch.range(1, 3)", "deprecated-symbol"),
    ("TOR101", "import torch\nx = torch.lu_solve(a, b, c)", "deprecated-symbol"),
    ("TOR101", "import torch\nx = torch.norm(a)", "deprecated-symbol"),
    ("TOR101", "import torch\nx = torch.svd(a)", "deprecated-symbol"),
    ("TOR101", "import torch\nx = torch.triangular_solve(a, b)", "deprecated-symbol"),
    ("TOR101", "import torch\nx = torch.lu(a)", "deprecated-symbol"),
    ("TOR101", "import torch\ntorch.testing.assert_allclose(a, b)", "deprecated-symbol"),
    ("TOR102", "import torch\ntorch.load('tensors.pt', weights_only=False)", ""),
    ("TOR103", "from functorch import vmap, jacrev", ""),
    ("TOR104", "from torch.utils.data import _utils\nbatch = _utils.collate.default_collate(batch)", ""),
    ("TOR105", "from torch.utils.data._utils.collate import default_collate", ""),
    ("TOR106", "import torch\nb = torch.log(1 + a)", ""),
    ("TOR107", "import torch\nb = torch.exp(a) - 1", ""),
    ("TOR108", "import torch\ny = torch.log(torch.sum(torch.exp(x), 1, keepdim=True))", ""),
    ("TOR201", "import torchvision\ntorchvision.models.resnet50(pretrained=True)", "deprecated-argument"),
    ("TOR201", "import torchvision\ntorchvision.models.resnet50(True)", "deprecated-argument"),
    ("TOR201", "import torchvision\ntorchvision.models.resnet50(False)", "deprecated-argument"),
    (
        "TOR201",
        "import torchvision\ntorchvision.models.detection.ssdlite320_mobilenet_v3_large(pretrained_backbone=True)",
        "deprecated-argument",
    ),
    ("TOR202", "from torchvision.transforms import v2\nt = v2.Compose([v2.ToTensor()])", "deprecated-symbol"),
    ("TOR202", "from torchvision.transforms.v2 import ToTensor\nt = ToTensor()", "deprecated-symbol"),
    ("TOR203", "import torchvision.models as models", ""),
    ("TOR401", f"{_LOADER}loader = DataLoader(data, batch_size=10)", ""),
    ("TOR402", "optimizer.zero_grad(set_to_none=False)", ""),
    ("TOR901", "from torch.library import Library\nlib = Library('aten', 'IMPL')", ""),
    ("S1244", "import torch\nif torch.tensor(0.1) == 0.1:\n    pass", ""),
    ("S6929", "import torch\ny = torch.argmin(x)", ""),
    ("S6973", "from torch.optim import Adam\nadam = Adam(model.parameters())", ""),
    (
        "S6978",
        "from torch import nn\nclass Loss(nn.Module):\n    def __init__(self): self.a = 1\n    def forward(self, x): pass",
        "missing-super-init",
    ),
    (
        "S6978",
        "from torch import nn\nclass Net(nn.Module):\n    def __init__(self): self.a = nn.Linear(1, 1)",
        "missing-super-init",
    ),
    ("S6979", "from torch.autograd import Variable\nx = Variable(t)", ""),
    ("S6979", "from torch.autograd import Variable\nx = Variable(t, volatile=True)", "legacy-variable"),
    ("S6982", "model.load_state_dict(state)", ""),
    ("S6983", f"{_LOADER}loader = DataLoader(data, batch_size=32)", ""),
    ("S6984", "from einops import rearrange\ny = rearrange(x, '(b c -> b c')", ""),
    ("S6985", "import torch\nmodel = torch.load('model.pth', weights_only=False)", ""),
]
_IDS = [f"{code}-{at}" for at, (code, *_) in enumerate(EXPECTED)]


@pytest.mark.parametrize(("code", "text", "rule"), EXPECTED, ids=_IDS)
def test_it_is_reported_or_a_line_says_why_not(program: Program, code: str, text: str, rule: str) -> None:
    row = CODES[code]

    if rule:
        assert program(f"{text}\n").findings(rule)
        assert rule in row.every_rule
    else:
        assert "not covered: " in row.here or "where " in row.here


def test_the_page_shows_the_table() -> None:
    rows = [line for line in _PAGE.read_text("utf-8").splitlines() if line.startswith(("| TOR", "| S"))]

    assert rows == [f"| {code.name} | {code.about} | {code.here} |" for code in CODES.values()]
    assert CODES.keys() == {code for code, *_ in EXPECTED}


@pytest.mark.parametrize("code", CODES.values(), ids=lambda code: code.name)
def test_a_row_names_its_rules_in_its_words(code: Code) -> None:
    named = {word for word in code.here.split("`")[1::2] if "-" in word and " " not in word}

    assert named == set(code.every_rule) <= builtin_rules().keys()
    assert ("not covered: " in code.here) is (not named)
