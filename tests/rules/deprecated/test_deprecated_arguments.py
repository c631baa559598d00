"""Which arguments are deprecated, and what says the same."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from rules.deprecated.detectors.deprecated_arguments import deprecated_arguments
from tests.checkout import Checkout, asked
from torchlint.fixing.draft import Draft
from torchlint.model import Project
from torchlint.pytorch.losses import OLD_REDUCTION
from torchlint.pytorch.old_overloads import FUNCTIONS, METHODS

Program: TypeAlias = Callable[[str], Checkout]
RULE = "deprecated-argument"
HEAD = """\
import torch, timm, torchvision
from torch import nn
from torch.nn import functional as F
from torchvision import models
from elsewhere import anything, args
"""

MENDED = {
    "summed": ("F.mse_loss(x, y, size_average=False)", 'F.mse_loss(x, y, reduction="sum")'),
    "averaged": ("nn.MSELoss(size_average=True)", 'nn.MSELoss(reduction="mean")'),
    "not reduced": ("nn.MSELoss(reduce=False)", 'nn.MSELoss(reduction="none")'),
    "reduced": ("nn.MSELoss(reduce=True)", 'nn.MSELoss(reduction="mean")'),
    "neither reduced nor averaged": (
        "nn.MSELoss(size_average=False, reduce=False)",
        'nn.MSELoss(reduction="none")',
    ),
    "reduced and not averaged": (
        "nn.NLLLoss(w, reduce=True, ignore_index=1, size_average=False)",
        'nn.NLLLoss(w, reduction="sum", ignore_index=1)',
    ),
    "with another that is none": ("nn.MSELoss(size_average=None, reduce=False)", 'nn.MSELoss(reduction="none")'),
    "by position": ("nn.CrossEntropyLoss(None, False)", 'nn.CrossEntropyLoss(None, reduction="sum")'),
    "by position, both": ("nn.L1Loss(False, True)", 'nn.L1Loss(reduction="sum")'),
    "by position and by name": ("nn.L1Loss(False, reduce=True)", 'nn.L1Loss(reduction="sum")'),
    "by position, and more behind it": ("F.nll_loss(x, y, None, False, 1)", None),
    "with a reduction that counts for nothing": ('nn.MSELoss(size_average=False, reduction="mean")', None),
    "as somebody chooses": ("nn.MSELoss(size_average=False if args.sum else True)", None),
    "as a parameter says": (
        "def loss(x, y, size_average=True):\n    return F.mse_loss(x, y, size_average=size_average)\nloss(1, 2)",
        None,
    ),
    "with what nobody sees": ("nn.MSELoss(size_average=False, **anything())", None),
    "the mean by its old name": ('nn.MSELoss(reduction="elementwise_mean")', 'nn.MSELoss(reduction="mean")'),
    "weights by position": ("models.resnet18(True)", 'models.resnet18(weights="IMAGENET1K_V1")'),
    "no weights by position": (
        "models.resnet18(False, progress=False)",
        "models.resnet18(weights=None, progress=False)",
    ),
    "weights by position, and more behind it": ("models.resnet18(True, False)", None),
    "weights": ("models.resnet18(pretrained=True)", 'models.resnet18(weights="IMAGENET1K_V1")'),
    "no weights": ("models.vgg16(pretrained=False, progress=False)", "models.vgg16(weights=None, progress=False)"),
    "weights by an option": (
        "models.resnet18(pretrained=args.pretrained)",
        'models.resnet18(weights="IMAGENET1K_V1" if args.pretrained else None)',
    ),
    "weights by a test": ("models.resnet18(pretrained=not args.scratch)", None),
    "weights of a name": (
        "models.__dict__[args.arch](pretrained=True)",
        'models.__dict__[args.arch](weights="IMAGENET1K_V1")',
    ),
    "weights of an attribute": (
        "getattr(torchvision.models, args.arch)(pretrained=True)",
        'getattr(torchvision.models, args.arch)(weights="IMAGENET1K_V1")',
    ),
    "weights of a file": (
        "models.resnet.resnet50(pretrained=True)",
        'models.resnet.resnet50(weights="IMAGENET1K_V1")',
    ),
    "weights of a detector": ("models.detection.ssd300_vgg16(pretrained=True)", None),
    "no weights of a detector": (
        "models.detection.ssd300_vgg16(pretrained_backbone=False)",
        "models.detection.ssd300_vgg16(weights_backbone=None)",
    ),
    "scalars before the tensors": ("x.addmm_(0.5, 2, a, b)", "x.addmm_(a, b, beta=0.5, alpha=2)"),
    "scalars between the tensors": ("torch.addmm(0.5, x, 2, a, b)", "torch.addmm(x, a, b, beta=0.5, alpha=2)"),
    "a scalar before the tensors": ("p.data.addcdiv_(-args.lr, a, b)", "p.data.addcdiv_(a, b, value=-args.lr)"),
    "a scalar before the tensor": ("x.mul_(2).add_(1 - 0.9, a)", "x.mul_(2).add_(a, alpha=1 - 0.9)"),
    "a scalar and a result": ("torch.sub(x, 2, a, out=b)", "torch.sub(x, a, alpha=2, out=b)"),
    "a scalar and the other by keyword": ("x.addmm(0.5, a, b, alpha=2)", None),
    "weights of any model": ("models.get_model(args.arch, pretrained=True)", None),
}


@pytest.mark.parametrize(("code", "mended"), MENDED.values(), ids=MENDED)
def test_what_says_the_same_is_put_in_its_place(program: Program, code: str, mended: str | None) -> None:
    (finding,) = program(f"{HEAD}{code}\n").findings(RULE)

    draft = Draft("main.py", f"{HEAD}{code}\n".encode())
    text = draft.edited(finding.fix.edits).decode() if finding.fix is not None else None
    assert text == (f"{HEAD}{mended}\n" if mended is not None else None)


LEFT = {
    "scalars by keyword": "x.addmm_(a, b, beta=0.5, alpha=2)",
    "one argument": "x.add_(2)",
    "an `add` of two that may be of anything": "x.add(2, y)",
    "an `add_` of the project": "class Sums:\n    def add_(self, n, what): pass\nSums().add_(1, 2)",
    "what nobody sees": "x.addmm(0.5, *anything())",
    "a reduction": 'nn.MSELoss(reduction="sum")',
    "none": "nn.MSELoss(size_average=None, reduce=None)",
    "what may be none": "nn.MSELoss(size_average=anything())",
    "what is none unless it is passed": (
        "def loss(x, y, size_average=None):\n    return F.mse_loss(x, y, size_average=size_average)"
    ),
    "a loss of the project": "class MSELoss:\n    def __init__(self, size_average): pass\nMSELoss(size_average=False)",
    "a loss of others": "import focal\nfocal.FocalLoss(size_average=False)",
    "a method of that name": "anything().mse_loss(1, 2, size_average=False)",
    "weights": "models.resnet18(weights=None)",
    "models of timm": "timm.create_model('resnet18', pretrained=True)",
    "another function of a module of models": "models.vgg.make_layers(models.vgg.cfgs['D'], False)",
    "a truth value for another function": "anything(True)",
    "weights by position, as they are": "models.resnet18(weights)",
    "the mean": 'nn.MSELoss(reduction="mean")',
    "models of the project": "def resnet18(pretrained=False): pass\nresnet18(pretrained=True)",
    "models of who knows whom": "anything().resnet18(pretrained=True)",
    "an older release": "if torchvision.__version__ < '0.13':\n    models.resnet18(pretrained=True)",
    "one of two": "build = models.resnet18 if args.arch else timm.create_model\nbuild(pretrained=True)",
    "another class of torchvision": "torchvision.datasets.MNIST('data', pretrained=True)",
}


@pytest.mark.parametrize("code", LEFT.values(), ids=LEFT)
def test_what_is_new_or_of_others_is_left_alone(program: Program, code: str) -> None:
    assert program(f"{HEAD}{code}\n").reported(RULE) == []


@pytest.mark.parametrize(("target", "is_found"), [((1, 11), False), ((1, 12), True)])
def test_nothing_is_told_where_torchvision_has_nothing_else(
    tmp_path: Path, target: tuple[int, int], is_found: bool
) -> None:
    (tmp_path / "main.py").write_text(f"{HEAD}models.resnet18(pretrained=True)\n")

    file = Project(tmp_path, target).open(tmp_path / "main.py", "main.py")

    assert bool(list(asked(deprecated_arguments, file))) is is_found


def test_losses_take_their_arguments_where_pytorch_has_them() -> None:
    nn = pytest.importorskip("torch.nn")

    found = {}
    for module in (nn, nn.functional):
        for name, loss in vars(module).items():
            if callable(loss) and "size_average" in (inspect.signature(loss).parameters if _is_loss(name) else ()):
                at = list(inspect.signature(loss).parameters)
                found[f"{module.__name__}.{name}"] = (at.index("size_average"), at.index("reduce"))

    assert found == OLD_REDUCTION


TENSORS = {"addmv": ("v", "x", "v"), "addr": ("x", "v", "v"), "addbmm": ("x", "b", "b"), "baddbmm": ("b", "b", "b")}


@pytest.mark.parametrize(("name", "count", "keywords"), [(*key, row) for key, row in (METHODS | FUNCTIONS).items()])
def test_the_old_overload_warns_and_computes_the_same(name: str, count: int, keywords: dict[int, str]) -> None:
    torch = pytest.importorskip("torch")
    made = {"x": torch.rand(3, 3), "v": torch.rand(3), "b": torch.rand(2, 3, 3)}
    plain = name.removeprefix("torch.").removesuffix("_")
    owner, *operands = [made[letter].clone() for letter in TENSORS.get(plain, ("x", "x", "x"))]
    function, tensors = getattr(torch.Tensor, name, None), iter(operands)
    if function is None:
        function, tensors = getattr(torch, plain), iter([owner, *operands])
        bound = operands[:0]
    else:
        bound = [owner]
    old = [0.25 + i if i in keywords else next(tensors) for i in range(count)]
    new = [one for i, one in enumerate(old) if i not in keywords]
    again = [one.clone() for one in bound]
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="This overload of"):
            expected = function(*bound, *old)
    finally:
        torch.set_warn_always(always)

    assert torch.equal(function(*again, *new, **{word: old[i] for i, word in keywords.items()}), expected)


def _is_loss(name: str) -> bool:
    return any(word in name for word in ("Loss", "loss", "entropy", "kl_div"))


@pytest.mark.parametrize("size_average", [None, True, False])
@pytest.mark.parametrize("reduce", [None, True, False])
def test_the_reduction_is_that_of_pytorch(program: Program, size_average: bool | None, reduce: bool | None) -> None:
    reduction = pytest.importorskip("torch.nn._reduction")

    findings = program(f"{HEAD}nn.MSELoss(size_average={size_average}, reduce={reduce})\n").findings(RULE)

    said = [finding.message.partition("reduction=")[2].strip('`"') for finding in findings]
    is_passed = size_average is not None or reduce is not None
    assert said == ([reduction.legacy_get_string(size_average, reduce, emit_warning=False)] if is_passed else [])
