"""Arguments that PyTorch had once: what the table says, and where a program passes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.rules.deprecated.test_removed_names import found_in_torch
from torchlint.fixing.draft import Draft
from torchlint.model.project import Project
from torchlint.pytorch.removed_arguments import REMOVED_ARGUMENTS, RENAMED
from torchlint.pytorch.requirements import Required, Version
from torchlint.registry import builtin_rules

Program: TypeAlias = Callable[[str], Checkout]
RULE = "removed-argument"
ROWS = [(name, row) for name, rows in REMOVED_ARGUMENTS.items() for row in rows]
LAST_RUN = (2, 13)
HEAD = "import torch\nfrom torch.optim import lr_scheduler\n"
PLATEAU = "lr_scheduler.ReduceLROnPlateau(optimizer, 'min', verbose=True)"


@pytest.mark.parametrize("name", ["torch.optim.lr_scheduler.ReduceLROnPlateau", "torch.optim.lr_scheduler.StepLR"])
def test_the_installed_pytorch_raises_for_an_argument_of_the_table(name: str) -> None:
    torch = pytest.importorskip("torch", minversion="2.13")
    scheduler = found_in_torch(name)
    assert callable(scheduler)
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))])
    given = {"step_size": 1} if name.endswith("StepLR") else {}

    with pytest.raises(TypeError, match="verbose"):
        scheduler(optimizer, **given, verbose=False)


@pytest.mark.parametrize("argument", RENAMED)
def test_what_took_the_place_of_an_argument_is_there(argument: str) -> None:
    pytest.importorskip("torch", minversion="2.13")
    found = [found_in_torch(name) for name, row in ROWS if row.argument == argument]

    for one in found:
        assert callable(one)
        # Functions of a companion that is not installed are left out.
        assert RENAMED[argument] in inspect.signature(one).parameters
    assert found


def test_a_file_with_an_argument_of_the_table_is_parsed() -> None:
    rule = builtin_rules()[RULE]

    for name, row in ROWS:
        called = f"{name}(x, {row.argument}=1)"
        assert any(word in called for word in rule.words), called


PASSED = {
    "by its name": (PLATEAU, True),
    "by its position": ("lr_scheduler.StepLR(optimizer, 30, 0.1, -1, True)", True),
    "one that is still there, at the last position": ("lr_scheduler.StepLR(optimizer, 30, 0.1, -1)", False),
    "of another class": ("Scheduler(optimizer, verbose=True)", False),
    "with others that are not seen": ("lr_scheduler.StepLR(optimizer, *more, verbose=True)", True),
    "that is not seen": ("lr_scheduler.StepLR(optimizer, **more)", False),
    "of a function": ("torch.use_deterministic_algorithms(d=True)", True),
    "of another name now": ("torch.einsum(equation='ij->i', operands=[x])", True),
    "by a position that another has now": ("torch.onnx.export(m, x, f, True, False, 1, [], [], None)", False),
}


@pytest.mark.parametrize(("code", "is_reported"), PASSED.values(), ids=PASSED)
def test_what_a_call_passes_is_told(program: Program, code: str, is_reported: bool) -> None:
    assert len(program(f"{HEAD}{code}\n").findings(RULE)) == is_reported


BASES = {
    "of its only base": ("lr_scheduler.LRScheduler", "optimizer, last_epoch, verbose", True),
    "by its old name": ("lr_scheduler._LRScheduler", "optimizer, last_epoch, verbose=verbose", True),
    "of several bases": ("lr_scheduler.LRScheduler, Named", "optimizer, last_epoch, verbose", False),
    "of a class of the project": ("Own", "optimizer, last_epoch, verbose", False),
    "with what it takes": ("lr_scheduler.LRScheduler", "optimizer, last_epoch", False),
}


@pytest.mark.parametrize(("bases", "given", "is_reported"), BASES.values(), ids=BASES)
def test_a_constructor_is_asked_what_its_base_takes(
    program: Program, bases: str, given: str, is_reported: bool
) -> None:
    code = (
        f"{HEAD}class Named: pass\nclass Own(lr_scheduler.LRScheduler):\n"
        "    def __init__(self, *args): self.args = args\n"
        f"class Warmup({bases}):\n    def __init__(self, optimizer, last_epoch=-1, verbose=False):\n"
        f"        super().__init__({given})\n"
    )

    assert len(program(code).findings(RULE)) == is_reported


FIXED = {
    "lr_scheduler.StepLR(optimizer, 30, verbose=False)": ("lr_scheduler.StepLR(optimizer, 30)", True),
    "lr_scheduler.StepLR(optimizer, verbose=True, step_size=30)": (
        "lr_scheduler.StepLR(optimizer, step_size=30)",
        False,
    ),
    "lr_scheduler.StepLR(optimizer, 30, 0.1, -1, False)": ("lr_scheduler.StepLR(optimizer, 30, 0.1, -1)", True),
    "torch.use_deterministic_algorithms(d=True)": (None, False),
}


@pytest.mark.parametrize(("code", "fixed"), FIXED.items())
def test_an_argument_without_result_is_removed(program: Program, code: str, fixed: tuple[str | None, bool]) -> None:
    (finding,) = program(f"{HEAD}{code}\n").findings(RULE)

    text, is_safe = fixed
    draft = Draft("main.py", f"{HEAD}{code}\n".encode())
    assert (draft.edited(finding.fix.edits).decode() if finding.fix else None) == (text and f"{HEAD}{text}\n")
    assert finding.fix is None or finding.fix.safe == is_safe


@pytest.mark.parametrize(("below", "severity"), [((2, 7), "info"), ((2, 8), "error"), (None, "error")])
def test_what_the_requirements_of_the_project_keep_out_is_no_error(
    below: Version | None, severity: str, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(f"{HEAD}scheduler = {PLATEAU}\n")
    checkout = Checkout(tmp_path, Project(tmp_path, companions=[Required("torch", None, below)]))

    assert [one.severity.value for one in checkout.findings(RULE)] == [severity]
