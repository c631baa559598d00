"""`torchlint verify` and `--verify-on-gpu`, as the command line has them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from shutil import copytree
from textwrap import dedent

import pytest

from tests.cli.conftest import Ran, Torchlint
from torchlint.cli.check import findings_around
from torchlint.verify.gpus import present
from torchlint.verify.installed import NO_TORCH
from torchlint.verify.running import NO_GPU

_DEMO = Path(__file__).parents[2] / "fixtures" / "demo-project"

needs_torch = pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="verifying runs PyTorch programs")


@needs_torch
@pytest.mark.skipif(bool(present()), reason="this machine has a GPU")
def test_who_asks_for_a_gpu_is_told_that_there_is_none(torchlint: Torchlint) -> None:
    ran = torchlint("--verify-on-gpu", "bce-without-sigmoid")

    assert (ran.code, ran.err) == (0, f"{NO_GPU}\n")
    assert ran.out.splitlines()[1].startswith("PROVED     bce-without-sigmoid")
    assert torchlint("verify", "bce-without-sigmoid").err == ""


@pytest.mark.parametrize(
    "arguments", [["verify"], ["--verify-on-gpu"], ["-v", "--verify-on-gpu"], ["check", "--verify-on-gpu"]]
)
def test_a_rule_that_is_none_is_told(torchlint: Torchlint, arguments: list[str]) -> None:
    if not importlib.util.find_spec("torch"):
        pytest.skip("verifying runs PyTorch programs")

    ran = torchlint(*arguments, "kept-grph")

    assert ran == Ran(2, "", "error: no rule `kept-grph` to verify; did you mean `kept-graph`?\n")


def test_without_torch_one_line_says_what_to_install(torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch) -> None:
    own = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *_: None if name == "torch" else own(name))

    assert torchlint("--verify-on-gpu") == Ran(2, "", f"error: {NO_TORCH}\n")
    assert torchlint("verify", "kept-graph") == Ran(2, "", f"error: {NO_TORCH}\n")


@needs_torch
def test_a_program_is_held_against_the_findings_in_the_project_around_it(here: Path, torchlint: Torchlint) -> None:
    copytree(_DEMO, here / "demo")
    train = here / "demo" / "train.py"
    text = train.read_text().replace('"cuda:0"', '"cuda:1"')
    train.write_text(text)

    ran = torchlint("verify", "--simulate", "--gpus", "3", "--steps", "40", "demo/train.py", "--epochs", "1")

    told = [line.split() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert ["CONFIRMED", "demo/model.py:19:12"] in [words[:2] for words in told]
    assert ["CONFIRMED", "demo/model.py:23:12"] in [words[:2] for words in told]


def test_a_broken_configuration_of_another_folder_stops_no_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    imports = "".join(f"import {name}\n" for name in ("torch", *(f"other.m{i}" for i in range(20))))
    for name, text in {
        "pyproject.toml": "[project]\nname = 'a'\n",
        "train.py": imports + "torch.zeros(3).cuda()\n",
        "unused.py": "import torch\n\ntorch.zeros(3).cuda()\n",
        "other/pyproject.toml": "[tool.torchlint\n",
        **{f"other/m{i}.py": "import torch\n" for i in range(20)},
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)

    found = findings_around(Path("train.py"))

    assert [one.rule for one in found] == ["hardcoded-cuda"]
    note, begun = capsys.readouterr().err.splitlines()
    assert note.startswith("note: other/pyproject.toml is not valid TOML: ")
    assert note.endswith("; its folder has the settings of the one above")
    assert begun == "linting 21 files of train.py, to find what it waits for; then it is run"


@pytest.mark.parametrize(
    ("imports", "linted"),
    [
        ("import helper", {"train.py", "helper.py"}),
        ("import importlib\nhelper = importlib.import_module(input())", {"train.py", "helper.py", "unused.py"}),
    ],
)
def test_what_a_program_does_not_import_is_not_linted_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, imports: str, linted: set[str]
) -> None:
    moved = "import torch\n\ntorch.zeros(3).cuda()\n"
    (tmp_path / "train.py").write_text(f"{imports}\n{moved}", "utf-8")
    for name in ("helper.py", "unused.py"):
        (tmp_path / name).write_text(moved, "utf-8")
    monkeypatch.chdir(tmp_path)

    assert {one.path for one in findings_around(Path("train.py"))} == linted


def test_rules_that_are_off_by_default_count_where_a_run_can_confirm_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = nn.Linear(4, 4)

            def forward(self, x):
                y = self.part(x)
                return y * 2 if y.sum() > 0 else y

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = torch.compile(Net().to(device))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            loss = (net(torch.ones(2, 4, device=device)) * torch.tensor(0.5, device=device)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """
    (tmp_path / "train.py").write_text(dedent(program), "utf-8")
    monkeypatch.chdir(tmp_path)

    found = {one.rule for one in findings_around(Path("train.py"))}

    assert found == {"graph-break", "constant-in-training-loop", "tensor-branch-in-training-loop"}
