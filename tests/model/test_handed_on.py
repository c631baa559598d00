"""Functions of other packages that a program takes for values, or only calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout
from torchlint.model.call_graph.used_as_values import comes_by_import, is_used_as_value
from torchlint.model.worlds import ANYWHERE

_NAMES = ("torch.distributed.barrier", "torch.distributed.gather")


def _is_passed_on(checkout: Checkout) -> bool:
    return is_used_as_value(checkout.project.evaluator(ANYWHERE), *_NAMES)


@pytest.mark.parametrize(
    "code",
    [
        "import torch.distributed as dist\nstart(dist)\n",
        "import torch\nwait = torch.distributed.barrier\n",
        "import torch\ndef package():\n    return torch.distributed\n",
        "from torch import distributed\nclass Group:\n    calls = distributed\n",
        "from torch.distributed import barrier\nhooks = [barrier]\n",
        "def main():\n    from torch.distributed import gather as collect\n    run(collect)\n",
        "import torch\nimport sys\ngetattr(torch, 'distributed').barrier()\n",
        "import torch\nname = 'distributed'\ngetattr(torch, name).barrier()\n",
        "import torch.distributed as dist\ngetattr(dist, name)()\n",
    ],
)
def test_whoever_names_a_function_without_calling_it_may_hand_it_on(
    program: Callable[[str], Checkout], code: str
) -> None:
    assert _is_passed_on(program(code))


@pytest.mark.parametrize(
    "code",
    [
        "import torch.distributed as dist\ndist.barrier()\n",
        "import torch\nif torch.distributed.is_initialized():\n    torch.distributed.barrier()\n",
        "import torch.distributed as dist\nif hasattr(dist, 'is_available'):\n    dist.barrier()\n",
        "import torch\nimport torch.distributed\nlinear = getattr(torch, kind)\n",
        "from torch.distributed import barrier\nbarrier()\n",
        "args.distributed = True\nstart(args.distributed)\n",
    ],
)
def test_calls_hand_nothing_on(program: Callable[[str], Checkout], code: str) -> None:
    assert not _is_passed_on(program(code))


def test_what_another_file_imports_is_handed_on_under_its_name(
    project_of: Callable[[dict[str, str]], Checkout],
) -> None:
    checkout = project_of(
        {"base.py": "import torch.distributed as dist\n", "main.py": "from base import dist\nf(dist)\n"}
    )

    assert _is_passed_on(checkout)


def test_a_name_comes_by_import_where_a_scope_around_it_imports_it(program: Callable[[str], Checkout]) -> None:
    text = "import a.b\ndef f(x):\n    from c import d\n    y = x\n    return a.b.c, d.e, x.f, y.g, f().h, z.i\n"
    checkout = program(text)

    places = [checkout.place(one) for one in ("a.b.c", "d.e", "x.f", "y.g", "f().h", "z.i")]

    assert [comes_by_import(place) for place in places] == [True, True, False, False, False, True]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("def f(x):\n    if dist.get_rank() == 0:\n        x.gather(0, i)\n", []),
        ("def f(x):\n    if dist.get_rank() == 0:\n        x.gather(0, i)\nf(dist)\n", ["x.gather(0, i)"]),
    ],
)
def test_a_package_that_is_handed_on_is_still_found(
    program: Callable[[str], Checkout], code: str, lines: list[str]
) -> None:
    checkout = program(f"import torch.distributed as dist\n{code}")

    assert checkout.reported("collective-on-one-rank") == lines
