"""What shuffles on the CPU in a program whose default device is the GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project

HEAD = "import torch\nfrom torch.utils.data import DataLoader, RandomSampler, random_split\n"
CHOICE = "torch.set_default_device('cuda')\n"
SHUFFLE = "DataLoader([1], shuffle=True)"


def shuffles(folder: Path, code: str, **others: str) -> list[str]:
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    path = folder / "program.py"
    path.write_text(HEAD + code)
    return [one.call.text for one in Project(folder).open(path, path.name).shuffles_on_host()]


@pytest.mark.parametrize("call", [SHUFFLE, "RandomSampler([1])", "random_split([1], [1, 0])"])
@pytest.mark.parametrize(
    "choice",
    [
        CHOICE,
        "torch.set_default_device(torch.device('cuda' if torch.cuda.is_available() else 'cpu'))\n",
        "torch.set_default_tensor_type('torch.cuda.FloatTensor')\n",
    ],
)
def test_what_draws_a_permutation_shuffles(tmp_path: Path, choice: str, call: str) -> None:
    assert shuffles(tmp_path, f"{choice}{call}\n") == [call]


@pytest.mark.parametrize(
    "code",
    [
        f"{CHOICE}DataLoader([1], shuffle=True, generator=torch.Generator('cuda'))\n",
        f"{CHOICE}DataLoader([1])\n",
        f"torch.set_default_device('cpu')\n{SHUFFLE}\n",
        f"{CHOICE}torch.set_default_device(None)\n{SHUFFLE}\n",
    ],
)
def test_a_generator_an_order_or_another_default_will_do(tmp_path: Path, code: str) -> None:
    assert shuffles(tmp_path, code) == []


def test_the_choice_counts_for_the_files_of_its_program(tmp_path: Path) -> None:
    assert shuffles(tmp_path, f"{SHUFFLE}\n", main=f"import program\n{HEAD}{CHOICE}") == [SHUFFLE]
    assert shuffles(tmp_path, f"{SHUFFLE}\n", main=f"{HEAD}{CHOICE}") == []
