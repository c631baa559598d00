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


LEGACY = "torch.set_default_tensor_type('torch.cuda.FloatTensor')"
BACK = "torch.set_default_tensor_type('torch.FloatTensor')"
SCRIPT = 'if __name__ == "__main__":\n    '


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (f"if cuda:\n    {LEGACY}\nelse:\n    {BACK}\n", [SHUFFLE]),
        (f"if cuda:\n    if use:\n        {LEGACY}\n    if not use:\n        {BACK}\nelse:\n    {BACK}\n", [SHUFFLE]),
        (f"if cuda:\n    {LEGACY}\nelse:\n    {CHOICE}\n", [SHUFFLE]),
        (f"if cuda:\n    {LEGACY}\nif use:\n    {BACK}\n", []),
        (f"if cuda:\n    {LEGACY}\n    {BACK}\n", []),
    ],
    ids=["two arms", "arms in an arm", "the GPU in both arms", "tests of their own", "one after the other"],
)
def test_a_choice_counts_unless_another_may_follow_in_the_same_run(tmp_path: Path, code: str, found: list[str]) -> None:
    assert shuffles(tmp_path, f"{code}{SHUFFLE}\n") == found


@pytest.mark.parametrize(
    ("other", "used", "found"),
    [
        (f"{HEAD}{BACK}\n", "", [SHUFFLE]),
        (f"{HEAD}{SCRIPT}{BACK}\n", "import other\n", [SHUFFLE]),
        (f"{HEAD}{BACK}\n", "import other\n", []),
        (f"{HEAD}def reset():\n    {BACK}\n", "import other\n", []),
        (f"{HEAD}import program\n{BACK}\n", "", []),
        (f"{HEAD}{BACK}\n", "import importlib\nimportlib.import_module(name)\n", []),
        (f"{HEAD}{SCRIPT}{BACK}\n", "import importlib\nimportlib.import_module(name)\n", [SHUFFLE]),
    ],
    ids=[
        "a program of its own",
        "where it is started alone",
        "what is imported",
        "a function of what is imported",
        "what imports the program",
        "what may be imported by name",
        "what no import runs",
    ],
)
def test_another_choice_is_judged_by_the_programs_that_come_to_it(
    tmp_path: Path, other: str, used: str, found: list[str]
) -> None:
    assert shuffles(tmp_path, f"{used}{CHOICE}{SHUFFLE}\n", other=other) == found


def test_what_only_a_started_file_shuffles_is_in_no_other_program(tmp_path: Path) -> None:
    main = f"import program\n{HEAD}{CHOICE}"

    assert shuffles(tmp_path, f"{SCRIPT}{SHUFFLE}\n", main=main) == []
    assert shuffles(tmp_path, f"def load():\n    {SHUFFLE}\n{SCRIPT}load()\n", main=main) == [SHUFFLE]
