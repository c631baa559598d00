"""Strings as device arguments of PyTorch, and which of them it rejects."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.device_strings import is_device, refused_devices
from torchlint.model import Project


def refused(folder: Path, code: str) -> list[tuple[int, str]]:
    path = folder / "program.py"
    path.write_text(f"import torch\nfrom torch import nn\n{code}")
    return [(one.place.line, one.text) for one in refused_devices(Project(folder).open(path, path.name))]


@pytest.mark.parametrize("text", ["cpu", "cuda", "cuda:0", "cuda:12", "mps", "meta", "xla:1", "npu:0"])
def test_a_kind_with_an_index_or_none_is_a_device(text: str) -> None:
    assert is_device(text)


@pytest.mark.parametrize(
    "text", ["", "gpu", "CUDA", "cuda0", "cuda:", "cuda: 0", "cuda:-1", "cuda:01", "cuda:0,1", " cuda"]
)
def test_a_list_a_padded_index_and_another_spelling_are_none(text: str) -> None:
    assert not is_device(text)


def test_a_text_is_followed_to_the_call_that_refuses_it(tmp_path: Path) -> None:
    code = "def place(model, where):\n    return model.to(where)\n\nplace(nn.Linear(2, 2), 'gpu')\n"

    assert refused(tmp_path, code) == [(6, "gpu")]


def test_a_method_of_the_program_takes_what_it_likes(tmp_path: Path) -> None:
    code = "class Box:\n    def to(self, where):\n        return where\n\nBox().to('gpu')\n"

    assert refused(tmp_path, code) == []


def test_a_text_that_the_program_compares_with_is_its_own(tmp_path: Path) -> None:
    code = (
        "def place(model, where='gpu'):\n    if where == 'gpu':\n        where = 'cuda'\n    return model.to(where)\n\n"
        "place(nn.Linear(2, 2))\n"
    )

    assert refused(tmp_path, code) == []


def test_a_refusal_that_is_caught_or_waited_for_is_no_mistake(tmp_path: Path) -> None:
    code = (
        "import pytest\n\ntry:\n    torch.device('gpu')\nexcept RuntimeError:\n    pass\n"
        "with pytest.raises(RuntimeError):\n    torch.device('gpu')\n"
    )

    assert refused(tmp_path, code) == []


def test_an_option_counts_by_its_default_unless_a_test_decides(tmp_path: Path) -> None:
    option = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--gpu', default='0,1')\n"
    asked = f"{option}args = parser.parse_args()\n"

    assert refused(tmp_path, f"{asked}torch.device('cuda:{{}}'.format(args.gpu))\n") == [(7, "cuda:0,1")]
    assert (
        refused(tmp_path, f"{asked}if len(args.gpu.split(',')) == 1:\n    torch.device(f'cuda:{{args.gpu}}')\n") == []
    )


@pytest.mark.parametrize(("kind", "found"), [("nn.Parameter", []), ("object", [(5, "fp16")])])
def test_a_parameter_of_a_module_is_no_object_for_options(
    tmp_path: Path, kind: str, found: list[tuple[int, str]]
) -> None:
    code = (
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--dtype', default='fp16')\n"
        f"def step(param: {kind}, grad: torch.Tensor):\n    return grad.to(param.dtype)\n"
    )

    assert refused(tmp_path, code) == found


def test_a_project_that_registers_a_backend_has_names_of_its_own(tmp_path: Path) -> None:
    code = "torch.utils.rename_privateuse1_backend('gpu')\ntorch.device('gpu')\n"

    assert refused(tmp_path, code) == []


@pytest.mark.parametrize("text", ["auto", "balanced", "sequential"])
def test_a_way_to_spread_a_model_over_devices_is_no_device_and_not_refused(tmp_path: Path, text: str) -> None:
    code = f"from transformers import AutoModel\nAutoModel.from_pretrained('bert', device_map='{text}')\n"

    assert refused(tmp_path, code) == []


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("gpu != -1", []),
        ("not gpu == -1", []),
        ("gpu not in (-1, -2)", []),
        ("gpu > -1", []),
        ("gpu != -2", [(4, "cuda:-1")]),
        ("gpu in (-1, 0)", [(4, "cuda:-1")]),
    ],
)
def test_a_number_that_a_test_leaves_out_is_in_no_text(tmp_path: Path, test: str, found: list[tuple[int, str]]) -> None:
    code = f"def pick(gpu=-1):\n    return torch.device(f'cuda:{{gpu}}') if {test} else None\n\npick()\n"

    assert refused(tmp_path, code) == found


def test_an_option_of_another_script_is_not_this_ones(tmp_path: Path) -> None:
    declared = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--{}', default='0')\n"
    (tmp_path / "other.py").write_text(declared.format("gpu") + "args = parser.parse_args()\n")

    assert refused(tmp_path, declared.format("card") + "args = parser.parse_args()\ntorch.device(args.gpu)\n") == []
    assert refused(tmp_path, declared.format("gpu") + "args = parser.parse_args()\ntorch.device(args.gpu)\n")


MOVE = "def move(model, device, extra):\n    return model.to(device)\n\n\n"


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ("move(torch.nn.Linear(2, 2), 'cuda:0,1')", []),
        ("move(torch.nn.Linear(2, 2), extra=3, device='cuda:0,1')", [(7, "cuda:0,1")]),
        ("move(torch.nn.Linear(2, 2), 'cuda:0,1', 3)\nmove(torch.nn.Linear(2, 2), 'gpu')", [(7, "cuda:0,1")]),
        ("move(torch.nn.Linear(2, 2), 'cuda:0,1', *rest)", [(7, "cuda:0,1")]),
    ],
    ids=["left out", "all", "left out by one", "perhaps all"],
)
def test_a_call_that_leaves_out_an_argument_raises_first(
    tmp_path: Path, calls: str, found: list[tuple[int, str]]
) -> None:
    assert refused(tmp_path, f"{MOVE}{calls}\n") == found


def test_so_do_all_calls_of_a_function_that_names_the_device_itself(tmp_path: Path) -> None:
    code = "def move(model, extra{}):\n    return model.to('cuda:0,1')\n\n\nmove(torch.nn.Linear(2, 2))\n"

    assert refused(tmp_path, code.format("")) == []
    assert refused(tmp_path, code.format("=1")) == [(4, "cuda:0,1")]


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("set_sync_debug_mode('warn')", []),
        ("set_per_process_memory_fraction(0.5, 'gpu')", [(3, "gpu")]),
        ("synchronize('gpu')", [(3, "gpu")]),
    ],
)
def test_a_device_stands_where_a_function_of_cuda_takes_it(
    tmp_path: Path, call: str, found: list[tuple[int, str]]
) -> None:
    assert refused(tmp_path, f"torch.cuda.{call}\n") == found
