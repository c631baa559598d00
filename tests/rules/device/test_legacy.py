"""Old tensor types that mean CUDA."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.legacy import legacy_cuda_types
from tests.checkout import asked
from torchlint import Device, Tensor
from torchlint.model import Project
from torchlint.model.worlds import WITHOUT_CUDA
from torchlint.pytorch.factories import legacy_device


def legacy(folder: Path, code: str) -> list[tuple[str, bool]]:
    path = folder / "program.py"
    path.write_text(f"import torch\n{code}")
    return [
        (one.place.text, one.is_default)
        for one in asked(legacy_cuda_types, Project(folder).open(path, path.name), WITHOUT_CUDA)
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("torch.cuda.FloatTensor", "cuda"),
        ("torch.cuda.sparse.HalfTensor", "cuda"),
        ("torch.LongTensor", "cpu"),
        ("torch.Tensor", "cpu"),
        ("torch.nested_tensor", None),
        ("torch.MyTensor", None),
    ],
)
def test_old_constructors_have_their_device_in_their_name(name: str, kind: str | None) -> None:
    assert legacy_device(name) == kind


def test_what_they_make_is_a_tensor_there(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("import torch\ntorch.FloatTensor(2).sum()\ntorch.cuda.FloatTensor(2).sum()\n")

    owners = [call.owner for call in Project(tmp_path).open(path, path.name).method_calls("sum")]

    found = [one.value for owner in owners if owner is not None for one in owner.possibilities()]
    assert found == [Tensor(Device("cpu"), False), Tensor(Device("cuda"), False)]


def test_making_converting_and_defaulting_need_cuda(tmp_path: Path) -> None:
    code = (
        "x = torch.cuda.FloatTensor(2)\nx.type('torch.cuda.LongTensor')\n"
        "torch.set_default_tensor_type(torch.cuda.HalfTensor)\n"
    )

    assert legacy(tmp_path, code) == [
        ("torch.cuda.FloatTensor", False),
        ("'torch.cuda.LongTensor'", False),
        ("torch.cuda.HalfTensor", True),
    ]


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(torch.ones(1), torch.cuda.FloatTensor)\n",
        "torch.ones(1).type() == 'torch.cuda.FloatTensor'\n",
        "if torch.cuda.is_available():\n    torch.cuda.FloatTensor(2)\n",
        "kind = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor\nkind(2)\n",
    ],
)
def test_asking_and_what_cpus_never_reach_do_not(tmp_path: Path, code: str) -> None:
    assert legacy(tmp_path, code) == []
