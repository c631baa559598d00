"""What PyTorch's calls are given for a device."""

from __future__ import annotations

from pathlib import Path

from rules.device.detectors.cuda_contexts import contexts_as_devices
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.devices.device_arguments import DeviceArgument, device_arguments


def given(folder: Path, code: str) -> list[DeviceArgument]:
    path = folder / "program.py"
    path.write_text(f"import torch\nfrom torch import nn\n{code}")
    return list(asked(device_arguments, Project(folder).open(path, path.name)))


def test_functions_and_methods_of_pytorch_take_devices_for_sure(tmp_path: Path) -> None:
    code = "d = 'cpu'\ntorch.ones(2, device=d)\nnn.Linear(2, 2).to(d)\ntorch.load('x', map_location=d)\n"

    found = given(tmp_path, code)

    assert sorted((one.call.line, one.place.text, one.is_sure) for one in found) == [
        (4, "d", True),
        (5, "d", True),
        (6, "d", True),
    ]


def test_what_is_moved_may_be_unknown(tmp_path: Path) -> None:
    found = given(tmp_path, "def place(thing):\n    return thing.to('cuda')\n")

    assert [one.is_sure for one in found] == [False]


def test_the_device_of_cuda_is_its_first_argument(tmp_path: Path) -> None:
    found = given(tmp_path, "torch.ones(2).cuda(1)\ntorch.ones(2).cuda()\n")

    assert [one.place.text for one in found] == ["1"]


def test_a_context_that_chooses_the_gpu_is_an_object_and_no_device(tmp_path: Path) -> None:
    (one,) = given(tmp_path, "gpu = torch.cuda.device(0)\ntorch.ones(2).to(gpu)\n")

    (possibility,) = one.place.possibilities()

    assert one.site(possibility).text == "torch.cuda.device(0)"


def test_the_functions_of_cuda_take_its_contexts(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import torch\n"
        "gpu = torch.cuda.device(0)\n"
        "torch.cuda.get_device_capability(gpu)\n"
        "torch.cuda.Stream(device=gpu)\n"
        "torch.cuda.get_rng_state(device=gpu)\n"
        "torch.ones(2, device=gpu)\n"
    )

    refused = asked(contexts_as_devices, Project(tmp_path).open(path, path.name))

    assert sorted(one.call.text for one in refused) == [
        "torch.cuda.get_rng_state(device=gpu)",
        "torch.ones(2, device=gpu)",
    ]
