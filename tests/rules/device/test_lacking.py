"""Attributes that are read off a module that has none of that name."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.lacking import lacking_modules
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import ANYWHERE

NET = "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    pass\n"


def lacking(folder: Path, code: str, **others: str) -> list[str]:
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    path = folder / "program.py"
    path.write_text(NET + code)
    return [one.place.text for one in asked(lacking_modules, Project(folder).open(path, path.name), ANYWHERE, "device")]


def test_a_module_of_the_project_is_followed_to_the_read(tmp_path: Path) -> None:
    assert lacking(tmp_path, "def where(net):\n    return net.device\nwhere(Net())\n") == ["net.device"]


def test_layers_lack_it_and_wrappers_are_asked_about_elsewhere(tmp_path: Path) -> None:
    code = "nn.Linear(2, 2).device\nnn.DataParallel(Net()).device\nnn.parallel.DistributedDataParallel(Net()).device\n"

    assert lacking(tmp_path, code) == ["nn.Linear(2, 2).device"]


@pytest.mark.parametrize(
    "body",
    [
        "device = 'cpu'",
        "@property\n    def device(self):\n        return 'cpu'",
        "def __init__(self):\n        self.device = 'cpu'",
        "def __getattr__(self, name):\n        return name",
        "def __init__(self):\n        self.__dict__.update(device=1)",
        "device: torch.device",
        "def __init__(self):\n        self.device: torch.device",
    ],
)
def test_a_class_that_may_have_it_does_not_lack_it(tmp_path: Path, body: str) -> None:
    assert lacking(tmp_path, f"class Other(Net):\n    {body}\nOther().device\n") == []


def test_what_is_annotated_beside_a_class_is_not_its_own(tmp_path: Path) -> None:
    code = "class Other(Net):\n    index: int\nclass Settings:\n    device: torch.device\nOther().device\n"

    assert lacking(tmp_path, code) == ["Other().device"]


def test_a_base_class_outside_the_project_may_have_it(tmp_path: Path) -> None:
    code = "from somewhere import Base\nclass Other(Base, nn.Module):\n    pass\nOther().device\n"

    assert lacking(tmp_path, code) == []


def test_another_file_may_put_it_there(tmp_path: Path) -> None:
    read = "def where(net):\n    return net.device\nwhere(Net())\n"

    assert lacking(tmp_path, read, setup="def place(net, device):\n    net.device = device\n") == []


def test_a_subclass_may_complete_what_self_lacks(tmp_path: Path) -> None:
    code = "class Base(nn.Module):\n    def where(self):\n        return self.device\n"

    assert lacking(tmp_path, f"{code}class Done(Base):\n    device = 1\n") == []
    assert lacking(tmp_path, code) == ["self.device"]


def test_a_program_that_asks_first_is_prepared(tmp_path: Path) -> None:
    code = (
        "net = Net()\nif hasattr(net, 'device'):\n    net.device\n"
        "try:\n    net.device\nexcept AttributeError:\n    pass\n"
        "with contextlib.suppress(AttributeError):\n    net.device\n"
    )

    assert lacking(tmp_path, code) == []


READ = "def where(net: Net):\n    return net.device\n"


@pytest.mark.parametrize(
    "code",
    [
        "class Placed(Net):\n    def __init__(self):\n        self.device = 'cpu'\n",
        "class Placed(Net):\n    @property\n    def device(self):\n        return 'cpu'\n",
        "",
        "def again(net: Net):\n    return where(net)\n",
        "def main(fabric):\n    where(fabric.setup(Net()))\n",
        "def again(net: Net):\n    return where(net)\ndef main(fabric):\n    again(fabric.setup(Net()))\n",
    ],
    ids=[
        "a subclass sets it",
        "a subclass has a property",
        "nobody is seen",
        "nobody further up",
        "a wrapper is passed",
        "a wrapper is passed on",
    ],
)
def test_an_annotation_does_not_keep_others_out(tmp_path: Path, code: str) -> None:
    assert lacking(tmp_path, READ + code) == []


@pytest.mark.parametrize(
    "code",
    ["where(Net())\n", "class Other(Net):\n    pass\nwhere(Other())\n", "def again(net): where(net)\nagain(Net())\n"],
    ids=["the class itself", "a subclass that lacks it too", "by way of another function"],
)
def test_an_annotated_module_that_is_seen_where_it_is_made_lacks_it(tmp_path: Path, code: str) -> None:
    assert lacking(tmp_path, READ + code) == ["net.device"]


def test_an_attribute_that_only_an_annotation_tells_of_may_be_anything(tmp_path: Path) -> None:
    search = (
        "class Search:\n    def __init__(self, net{}):\n        self.net = net\n    def run(self): self.net.device\n"
    )

    assert lacking(tmp_path, search.format(": Net")) == []
    assert lacking(tmp_path, search.format("") + "Search(Net())\n") == ["self.net.device"]


def test_a_module_that_hands_itself_on_is_seen(tmp_path: Path) -> None:
    code = "class Sized(nn.Module):\n    def show(self): where(self)\ndef where(net):\n    return net.device\n"

    assert lacking(tmp_path, code) == ["net.device"]
