"""Objects for settings, as yacs and its like make them: what is about devices is its default wherever it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import ANYWHERE, WITHOUT_CUDA

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]
RULE = "hardcoded-cuda"

_MADE = "from yacs.config import CfgNode as CN\n_C = CN()\n_C.MODEL = CN()\n_C.MODEL.DEVICE = 'cuda'\n_C.STEPS = 3\n"
_USED = "def train(node):\n    use(node.MODEL.DEVICE)\n    use(node.STEPS)\n"
PASSED = {
    "as it is": "train(_C)",
    "a copy": "train(_C.clone())",
    "after a file was merged": "_C.merge_from_file('a.yaml')\ntrain(_C)",
    "by a function": "def defaults():\n    return _C.clone()\ncfg = defaults()\ntrain(cfg)",
}


@pytest.mark.parametrize("then", PASSED.values(), ids=PASSED)
def test_a_setting_about_devices_is_its_default_for_whom_it_is_passed_to(program: Program, then: str) -> None:
    project = program(f"{_MADE}{_USED}{then}\n")

    assert project.literals("node.MODEL.DEVICE", world=WITHOUT_CUDA) == ["cuda"]


def test_other_settings_may_be_anything(program: Program) -> None:
    project = program(f"{_MADE}{_USED}train(_C)\n")

    assert project.literals("node.STEPS", world=WITHOUT_CUDA) == ["Unknown", 3]
    assert project.literals("node.MODEL.DEVICE", world=ANYWHERE) == ["Unknown", "cuda"]


def test_what_the_call_is_given_is_a_default(program: Program) -> None:
    code = "from easydict import EasyDict\ndef train(c):\n    use(c.device, c.gpu)\n"

    project = program(f"{code}train(EasyDict({{'device': 'cuda'}}, gpu=1))\n")

    assert project.literals("c.device", world=WITHOUT_CUDA) == ["cuda"]
    assert project.literals("c.gpu", world=WITHOUT_CUDA) == [1]


def test_each_object_has_settings_of_its_own(program: Program) -> None:
    code = "from yacs.config import CfgNode\na, b = CfgNode(), CfgNode()\na.device = 'cuda'\nb.device = 'cpu'\n"

    project = program(f"{code}def train(cfg):\n    use(cfg.device)\ntrain(b)\n")

    assert project.literals("cfg.device", world=WITHOUT_CUDA) == ["cpu"]


CUDA_SET = "from yacs.config import CfgNode\n_C = CfgNode()\n_C.DEVICE = 'cuda'\n"
TAKEN_BACK = {
    "never": ("", True),
    "without CUDA": ("    if not torch.cuda.is_available():\n        cfg.DEVICE = 'cpu'\n", False),
    "always": ("    cfg.DEVICE = 'cuda' if torch.cuda.is_available() else 'cpu'\n", False),
}


@pytest.mark.parametrize(("taken_back", "is_reported"), TAKEN_BACK.values(), ids=TAKEN_BACK)
def test_who_takes_a_default_back_does_so_for_all_of_the_program(
    project_of: ProjectOf, taken_back: str, *, is_reported: bool
) -> None:
    project = project_of(
        {
            "settings.py": CUDA_SET,
            "model.py": "def build(cfg, net):\n    return net.to(cfg.DEVICE)\n",
            "main.py": f"import torch\nfrom settings import _C as cfg\nfrom model import build\n"
            f"def main(net):\n{taken_back}    build(cfg, net)\n",
        }
    )

    assert bool(project.reported(RULE, "settings.py")) is is_reported
    assert project.reported(RULE, "model.py") == []


NAMESPACES = ["from types import SimpleNamespace as Node", "from yacs.config import CfgNode as Node"]


@pytest.mark.parametrize("imported", NAMESPACES)
def test_a_setting_under_another_name_is_reported_once_where_it_is_set(project_of: ProjectOf, imported: str) -> None:
    project = project_of(
        {
            "settings.py": f"{imported}\n_C = Node()\n_C.device = 'cuda'\n",
            "main.py": "import torch\nfrom settings import _C as cfg\nnet().to(torch.device(cfg.device))\n",
        }
    )

    assert project.reported(RULE, "settings.py") == ["_C.device = 'cuda'"]
    assert project.reported(RULE) == []


def test_a_setting_in_a_group_is_reported_once_for_all_who_read_it(project_of: ProjectOf) -> None:
    reading = (
        "import torch\nfrom settings import _C as cfg\ndevice = torch.device(cfg.MODEL.DEVICE)\nnet().to(device)\n"
    )

    project = project_of({"settings.py": _MADE, "main.py": reading, "other.py": reading})

    assert project.reported(RULE, "settings.py") == ["_C.MODEL.DEVICE = 'cuda'"]
    assert project.reported(RULE) == project.reported(RULE, "other.py") == []


def test_a_constant_of_another_file_is_reported_once_where_it_becomes_a_device(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "constants.py": "DEVICE = 'cuda'\n",
            "main.py": "import torch\nfrom constants import DEVICE\nnet().to(\n    torch.device(\n        DEVICE))\n",
        }
    )

    assert project.reported(RULE) == ["DEVICE))"]


CHOSEN = """\
from yacs.config import CfgNode
_C = CfgNode()
_C.MODEL = CfgNode()
_C.MODEL.NAME = "small"
_C.MODEL.WIDTH = "narrow"

class Small: ...
class Large: ...

MODELS = {"small": Small, "large": Large}
WIDTHS = {"narrow": 1, "wide": 2}

def build(cfg):
    use(MODELS[cfg.MODEL.NAME], WIDTHS[cfg.MODEL.WIDTH])

build(_C)
"""


def test_files_of_settings_choose_any_class_of_a_table(program: Program) -> None:
    project = program(CHOSEN)

    assert len(project.literals("MODELS[cfg.MODEL.NAME]")) == 2
    assert project.literals("WIDTHS[cfg.MODEL.WIDTH]") == [1]
