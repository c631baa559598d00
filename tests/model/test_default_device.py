"""What shuffles on the CPU in a program whose default device is the GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.creating import created_then_moved
from rules.sync.detectors.repeated_waits import waits_every_step
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import ANYWHERE, WITH_CUDA

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


STEP = (
    "net = torch.nn.Linear(3, 3).to('cuda' if torch.cuda.is_available() else 'cpu')\n"
    "for x in range(3):\n"
    "    y = net(x) * {}\n"
    "    if torch.isnan(y).any():\n        break\n"
    "    y.sum().backward()\n"
)
MADE = "torch.linspace(0, 1, 3)"


def branches(folder: Path, code: str, **others: str) -> list[int]:
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    path = folder / "program.py"
    path.write_text(code)
    found = asked(waits_every_step, Project(folder).open(path, path.name), ANYWHERE, "branch")
    return [wait.place.line for wait, _ in found]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (CHOICE, True),
        ("torch.set_default_tensor_type('torch.cuda.FloatTensor')\n", True),
        ("torch.set_default_tensor_type(torch.cuda.FloatTensor)\n", True),
        ("torch.set_default_device(chosen)\n", True),
        ("", False),
        ("torch.set_default_device('cpu')\n", False),
        ("torch.set_default_device(None)\n", False),
        ("torch.set_default_tensor_type(torch.DoubleTensor)\n", False),
        ("mine.set_default_device('cuda')\n", False),
    ],
)
def test_what_is_made_where_the_program_says_does_not_hold_a_result_on_the_host(
    tmp_path: Path, choice: str, expected: bool
) -> None:
    assert bool(branches(tmp_path, f"import torch\n{choice}{STEP.format(MADE)}")) is expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [("torch.Tensor([1.0, 2.0, 3.0])", True), ("torch.FloatTensor([1.0, 2.0, 3.0])", False),
     ("torch.from_numpy(numpy.ones(3))", False), ("torch.ones(3, device='cpu')", False)],
)  # fmt: skip
def test_some_tensors_are_made_on_the_host_whatever_the_default(tmp_path: Path, made: str, expected: bool) -> None:
    assert bool(branches(tmp_path, f"import torch, numpy\n{CHOICE}{STEP.format(made)}")) is expected


def test_what_another_program_sets_says_nothing(tmp_path: Path) -> None:
    code = f"import torch\n{STEP.format(MADE)}"

    assert branches(tmp_path, code, other=f"{HEAD}{CHOICE}") == []
    assert branches(tmp_path, code, other=f"import program\n{HEAD}{CHOICE}") == [5]
    assert branches(tmp_path, code, other=f"{HEAD}{CHOICE}", main="import other, program\n") == [5]
    assert branches(tmp_path, code, other=f"{HEAD}{SCRIPT}{CHOICE}", main="import other, program\n") == []


def test_what_the_default_device_makes_there_is_not_moved(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    code = "import torch\n{}for x in range(3):\n    y = torch.ones(2).to('cuda')\n    (x * y).sum().backward()\n"

    for choice, expected in (("", 1), (CHOICE, 0)):
        path.write_text(code.format(choice))
        assert len(list(asked(created_then_moved, Project(tmp_path).open(path, path.name), WITH_CUDA))) == expected


TRAIN = "def train(loader):\n    for rows in loader:\n        print(rows)\n"
LOADER = f"loader = {SHUFFLE}\n"


@pytest.mark.parametrize(
    "code",
    [
        f"{LOADER}for rows in loader:\n    print(rows)\n{CHOICE}print(rows)\n",
        f"{TRAIN}{LOADER}train(loader)\n{CHOICE}",
        f"def main():\n    {LOADER}    print(next(iter(loader)))\n    {CHOICE}main()\n",
        f"for rows in {SHUFFLE}:\n    print(rows)\n{CHOICE}",
        f"first, second = random_split([1], [1, 0])\n{CHOICE}",
        f"{LOADER}for rows in loader:\n    print(rows)\n{CHOICE}loader = DataLoader([1])\nfor rows in loader: pass\n",
    ],
)
def test_what_is_used_up_before_the_choice_shuffles_on_the_host(tmp_path: Path, code: str) -> None:
    assert shuffles(tmp_path, code) == []


@pytest.mark.parametrize(
    "code",
    [
        f"{LOADER}{CHOICE}for rows in loader:\n    print(rows)\n",
        f"{TRAIN}{LOADER}train(loader)\n{CHOICE}train(loader)\n",
        f"def train():\n    for rows in loader: print(rows)\n{LOADER}{CHOICE}train()\n",
        f"for epoch in range(3):\n    {LOADER}    print(next(iter(loader)))\n    {CHOICE}",
        f"def load():\n    {LOADER}    return loader\nloader = load()\n{CHOICE}for rows in loader: pass\n",
        f"{LOADER}loaders = [loader]\n{CHOICE}for one in loaders[0]: pass\n",
        f"class T: pass\nt = T()\nt.loader = {SHUFFLE}\n{CHOICE}for rows in t.loader: pass\n",
    ],
)
def test_what_is_read_after_the_choice_shuffles_under_it(tmp_path: Path, code: str) -> None:
    assert len(shuffles(tmp_path, code)) == 1


def test_what_only_a_function_that_nobody_calls_shuffles_is_in_no_program(tmp_path: Path) -> None:
    main = f"from program import *\n{HEAD}def main():\n    {CHOICE}{SCRIPT}main()\n"
    load = f"def load():\n    {SHUFFLE}\n"

    assert shuffles(tmp_path, f"{load}def measure():\n    load()\n", main=main) == []
    assert shuffles(tmp_path, load, main=f"{main}    load()\n") == [SHUFFLE]


@pytest.mark.parametrize(("called", "expected"), [("prepare()\n", [SHUFFLE]), ("", [])])
def test_a_function_that_nothing_calls_sets_no_default(tmp_path: Path, called: str, expected: list[str]) -> None:
    code = f"def prepare():\n    {CHOICE}\n{called}{SHUFFLE}\n"
    assert shuffles(tmp_path, code) == expected
