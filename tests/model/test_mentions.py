"""What a program may have objects of, as far as it names their classes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout
from torchlint.model.call_graph.mentions import is_made
from torchlint.model.worlds import ANYWHERE
from torchlint.pytorch.symbols import DATA_PARALLEL


def _is_made(checkout: Checkout) -> bool:
    return is_made(checkout.project.evaluator(ANYWHERE), DATA_PARALLEL)


@pytest.mark.parametrize(
    "code",
    [
        "import torch.nn as nn\nmodel = nn.DataParallel(net)\n",
        "from torch.nn import DataParallel\nkinds = {'dp': DataParallel}\n",
        "from torch.nn import DataParallel as DP\n",
        "from torch.nn.parallel import *\nmodel = DataParallel(net)\n",
        "import torch.nn as nn\nmodel = getattr(nn, 'DataParallel')(net)\n",
        "import torch.nn as nn\nclass Own(nn.DataParallel): pass\n",
        "import torch.nn as nn\nis_same = nn.DataParallel(net) == net\n",
    ],
)
def test_whoever_names_a_class_may_make_an_object_of_it(program: Callable[[str], Checkout], code: str) -> None:
    assert _is_made(program(code))


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nmodel = torch.nn.Linear(1, 1)\n",
        '"""Sees through a DataParallel."""\n# DataParallel(net)\n',
        "from torch.nn import DataParallel\nis_wrapped = isinstance(model, (DataParallel, list))\n",
        "import torch.nn as nn\nif type(model) in [nn.DataParallel]:\n    model = model.module\n",
        "from mine import DataParallel\nDataParallel(net)\n",
    ],
)
def test_whoever_only_asks_about_a_class_makes_none(program: Callable[[str], Checkout], code: str) -> None:
    assert not _is_made(program(code))
