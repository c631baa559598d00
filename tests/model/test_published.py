"""Files of weights that torchvision publishes."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project

CONFIG = 'import os\nroot = "/weights"\npath = os.path.join(root, "ResNet", "{name}")\n'
LOADING = """
import torch
from torchvision import models
from config import path
net = models.resnet152()
net.load_state_dict(torch.load({path}))
"""


def is_published(tmp_path: Path, name: str, path: str) -> bool:
    (tmp_path / "config.py").write_text(CONFIG.format(name=name))
    main = tmp_path / "main.py"
    main.write_text(LOADING.format(path=path))
    return next(iter(Project(tmp_path).open(main, "main.py").loads())).is_published


@pytest.mark.parametrize("name", ["resnet152-b121ed2d.pth", "alexnet-owt-4df8aa71.pth", "vgg19_bn-c79401a0.pth"])
@pytest.mark.parametrize("path", ["path", '"/weights/{name}"', 'root + "/{name}"', 'r"F:\\weights\\{name}"'])
def test_weights_are_known_by_their_architecture_and_hash(tmp_path: Path, name: str, path: str) -> None:
    assert is_published(tmp_path, name, path.format(name=name))


@pytest.mark.parametrize("name", ["resnet152.pth", "mine-b121ed2d.pth", "resnet152-epoch12.pth", "vgg16-caffe.pth"])
@pytest.mark.parametrize("path", ["path", '"/weights/{name}"', "sys.argv[1]"])
def test_other_files_may_hold_anything(tmp_path: Path, name: str, path: str) -> None:
    assert not is_published(tmp_path, name, path.format(name=name))
