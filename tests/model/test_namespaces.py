"""Namespaces: what they are given by name counts where it is read, and not where it is put in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import WITHOUT_CUDA

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]
RULE = "hardcoded-cuda"

_TWO = """
    import torch
    from types import SimpleNamespace

    def one():
        args = SimpleNamespace(device="cuda", size=3)
        {then}

    def other():
        args = SimpleNamespace(device="cpu")
        args.device = torch.device("cpu")
    """
READ = {
    "as a device": ("return torch.ones(args.size).to(args.device)", True),
    "by getattr": ("return torch.ones(2).to(getattr(args, 'device', 'cpu'))", True),
    "to be compared": ("return args.device != 'cpu'", False),
    "not at all": ("return args", False),
    "after it was replaced": ("args.device = 'cpu'\n        return torch.ones(2).to(args.device)", False),
    "after it was replaced without CUDA": (
        "if not torch.cuda.is_available(): args.device = 'cpu'\n        return torch.ones(2).to(args.device)",
        False,
    ),
}


@pytest.mark.parametrize(("then", "is_reported"), READ.values(), ids=READ)
def test_what_a_namespace_is_given_is_asked_for_where_it_is_read(
    program: Program, then: str, *, is_reported: bool
) -> None:
    reported = program(_TWO.format(then=then)).reported(RULE)

    assert reported == (['args = SimpleNamespace(device="cuda", size=3)'] if is_reported else [])


def test_who_hands_a_namespace_to_another_file_is_reported(project_of: ProjectOf) -> None:
    project = project_of({
        "library.py": "import torch\ndef build(args, net):\n    return net.to(torch.device(args.device))\n",
        "main.py": "import argparse\nfrom library import build\nbuild(argparse.Namespace(device='cuda'), net())\n",
    })  # fmt: skip

    assert project.reported(RULE) == ["build(argparse.Namespace(device='cuda'), net())"]
    assert project.reported(RULE, "library.py") == []


def test_what_a_namespace_was_never_given_is_no_option(program: Program) -> None:
    code = """
        from types import SimpleNamespace
        parser.add_argument("--device", default="cuda")
        args = SimpleNamespace(size=3)
        use(args.device)
        """

    assert program(code).literals("args.device", world=WITHOUT_CUDA) == ["Unknown"]


_OWN = """
    import torch

    class Settings({base}):
        def {method}(self, name):
            return self[name]

    def main(gpus=1):
        args = Settings(gpus=gpus)
        args.folder = None
        if args.gpus == 1:
            torch.ones(2).to(torch.device("cuda", 0))

    main()
    """


@pytest.mark.parametrize(
    ("base", "method", "is_known"),
    [
        ("dict", "__getattr__", True),
        ("dict", "__missing__", False),
        ("dict, Base", "__getattr__", False),
        ("object", "__getattr__", False),
    ],
)
def test_a_dict_that_looks_attributes_up_among_its_items_is_a_namespace(
    program: Program, base: str, method: str, *, is_known: bool
) -> None:
    checkout = program(_OWN.format(base=base, method=method))

    assert (checkout.literals("args.gpus", world=WITHOUT_CUDA) == [1]) is is_known
    assert len(checkout.findings(RULE)) == is_known


def test_a_dict_that_is_made_by_a_constructor_of_its_own_is_none(program: Program) -> None:
    code = _OWN.format(base="dict", method="__getattr__")
    made = code.replace("    def main(", "        def __init__(self, **more):\n            pass\n\n    def main(")

    assert program(made).findings(RULE) == []


BUILD = "from torch import nn\ndef build(conf):\n    return nn.Linear(4, 2).to(conf.train.device)\n"
CONF = 'from types import SimpleNamespace as S\ndef get_conf():\n    return S(train=S(device="cuda"))\n'
CALL = "import torch\nfrom build import build\nfrom conf import get_conf\nconf = get_conf()\n{}net = build(conf)\n"


@pytest.mark.parametrize(("code", "is_found"), [("", True), ('conf.train.device = "cpu"\n', False)])
def test_the_file_that_calls_may_have_changed_what_it_passes(
    project_of: Callable[[dict[str, str]], Checkout], code: str, is_found: bool
) -> None:
    main = f"{CALL.format(code)}net(torch.rand(3, 4))\n"

    checkout = project_of({"main.py": main, "build.py": BUILD, "conf.py": CONF})

    assert len(checkout.findings("unmoved-batch")) == is_found
