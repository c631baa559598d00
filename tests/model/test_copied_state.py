"""A checkpoint is recognized by where its tensors are copied to."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from torchlint.model import Project

HEAD = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(2, 2)
net = Net()
found = torch.load("x.pt")
"""


def is_checkpoint(folder: Path, source: str) -> bool:
    (folder / "main.py").write_text(HEAD + textwrap.dedent(source))
    (load,) = Project(folder).open(folder / "main.py", "main.py").loads()
    return load.is_checkpoint


@pytest.mark.parametrize(
    "source",
    [
        "net.out.weight.data.copy_(found[0])",
        "net.state_dict()['out.weight'].copy_(found[0])",
        """
        own = net.state_dict()
        for name in own:
            own[name].copy_(found[name])
        """,
        """
        own = net.state_dict()
        for name, value in found.items():
            own[name].data.copy_(value.data)
        """,
        """
        for name, parameter in net.named_parameters():
            parameter.data.copy_(found[name])
        """,
        """
        for parameter, value in zip(net.parameters(), found):
            parameter.data.copy_(value)
        """,
    ],
)
def test_what_is_copied_into_a_module_is_its_state(tmp_path: Path, source: str) -> None:
    assert is_checkpoint(tmp_path, source)


@pytest.mark.parametrize(
    "source",
    [
        "torch.zeros(2).copy_(found[0])",
        "net.out.bias.data.copy_(found.mean(0))",
        "net.out.bias.data.copy_(torch.zeros(2), found)",
        """
        rows = torch.zeros(4, 2)
        for i, row in enumerate(found):
            rows[i].copy_(row)
        """,
        """
        mean = found.mean(0)
        net.out.bias.data.copy_(mean)
        """,
    ],
)
def test_data_is_none(tmp_path: Path, source: str) -> None:
    assert not is_checkpoint(tmp_path, source)


WORK = """
class Work:
    def __init__(self):
        self.net = nn.Linear(2, 2)
    def load(self, found):
        {put}
Work().load(found)
"""


@pytest.mark.parametrize(
    "put",
    [
        "for name, value in found.items(): self.__dict__[name] = value",
        "for name, value in found.items(): setattr(self, name, value)",
        "self.__dict__.update(found)",
        "vars(self).update(found)",
    ],
)
def test_what_becomes_the_attributes_of_an_object_with_modules_is_its_state(tmp_path: Path, put: str) -> None:
    assert is_checkpoint(tmp_path, WORK.format(put=put))


@pytest.mark.parametrize(
    "put", ["self.__dict__.update(found)", "for name, value in found.items(): setattr(self, name, value)"]
)
def test_the_attributes_of_any_other_object_are_not(tmp_path: Path, put: str) -> None:
    assert not is_checkpoint(tmp_path, WORK.format(put=put).replace("nn.Linear(2, 2)", "None"))
