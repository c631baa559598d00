"""Which uses of mixed precision go by the names of one kind of device, and what says the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from rules.deprecated.detectors.legacy_amp import legacy_amp
from tests.checkout import Checkout, asked
from torchlint.fixing.draft import Draft
from torchlint.model import Project

Program: TypeAlias = Callable[[str], Checkout]
RULE = "legacy-amp"
TORCH = "import torch\n"
OLD, NEW = "from torch.cuda.amp import autocast\n", "from torch.amp import autocast\n"

FIXED = {
    "called": (f"{TORCH}torch.cuda.amp.autocast()", f'{TORCH}torch.amp.autocast("cuda")'),
    "on the host": (f"{TORCH}torch.cpu.amp.autocast()", f'{TORCH}torch.amp.autocast("cpu")'),
    "by position": (
        f"{TORCH}torch.cuda.amp.autocast(on, kind, True)",
        f'{TORCH}torch.amp.autocast("cuda", enabled=on, dtype=kind, cache_enabled=True)',
    ),
    "by keyword": (
        f"{TORCH}torch.cuda.amp.autocast(dtype=kind)",
        f'{TORCH}torch.amp.autocast("cuda", dtype=kind)',
    ),
    "a scaler": (f"{TORCH}torch.cuda.amp.GradScaler(1024)", f'{TORCH}torch.amp.GradScaler("cuda", 1024)'),
    "handed on": (f"{TORCH}torch.cuda.amp.autocast(*args)", None),
    "imported": (f"{OLD}autocast()", f'{NEW}autocast("cuda")'),
    "imported and used twice": (
        f"{OLD}autocast()\nwith autocast(False): pass",
        f'{NEW}autocast("cuda")\nwith autocast("cuda", enabled=False): pass',
    ),
    "imported and handed on": (f"{OLD}autocast()\nprecision = autocast", None),
    "imported by another name": (
        "from torch.cuda.amp import autocast as mixed\nmixed()",
        'from torch.amp import autocast as mixed\nmixed("cuda")',
    ),
    "imported with others": ("from torch.cuda.amp import autocast, common\nautocast()", None),
    "of a module": ("from torch.cuda import amp\namp.autocast()", 'from torch import amp\namp.autocast("cuda")'),
    "of a module by another name": (
        "import torch.cuda.amp as amp\namp.GradScaler()",
        'import torch.amp as amp\namp.GradScaler("cuda")',
    ),
    "of a module with others": ("from torch.cuda import amp, nccl\namp.autocast()", None),
    "a decorator": (
        f"{TORCH}@torch.cuda.amp.custom_fwd\ndef forward(ctx): pass",
        f'{TORCH}@torch.amp.custom_fwd(device_type="cuda")\ndef forward(ctx): pass',
    ),
    "a decorator that is called": (
        f"{TORCH}@torch.cuda.amp.custom_fwd(cast_inputs=kind)\ndef forward(ctx): pass",
        f'{TORCH}@torch.amp.custom_fwd(device_type="cuda", cast_inputs=kind)\ndef forward(ctx): pass',
    ),
}


@pytest.mark.parametrize(("code", "fixed"), FIXED.values(), ids=FIXED)
def test_what_says_the_same_is_put_in_its_place(program: Program, code: str, fixed: str | None) -> None:
    finding = program(code).findings(RULE)[0]

    draft = Draft("main.py", code.encode())
    assert (draft.edited(finding.fix.edits).decode() if finding.fix is not None else None) == fixed


LEFT = {
    "of torch.amp": "import torch\ntorch.amp.autocast('cuda')",
    "only compared with": "import torch\nisinstance(x, torch.cuda.amp.autocast)",
    "one of two": "import torch\nf = torch.amp.autocast if new else torch.cuda.amp.autocast\nf()",
    "where the other is not": (
        "try:\n    from torch.amp import GradScaler\nexcept ImportError:\n    from torch.cuda.amp import GradScaler\n"
        "GradScaler()"
    ),
    "behind a version": "import torch\nif torch.__version__ < '2.4':\n    s = torch.cuda.amp.GradScaler()",
}


@pytest.mark.parametrize("code", LEFT.values(), ids=LEFT)
def test_what_is_new_or_prepared_is_left_alone(program: Program, code: str) -> None:
    assert program(code).findings(RULE) == []


@pytest.mark.parametrize(
    ("word", "target", "is_found"),
    [("autocast", (1, 9), False), ("autocast", (1, 10), True), ("GradScaler", (2, 2), False)],
)
def test_nothing_is_told_where_the_oldest_torch_has_nothing_else(
    tmp_path: Path, word: str, target: tuple[int, int], is_found: bool
) -> None:
    (tmp_path / "main.py").write_text(f"import torch\ntorch.cuda.amp.{word}()\n")

    file = Project(tmp_path, target).open(tmp_path / "main.py", "main.py")

    assert bool(list(asked(legacy_amp, file))) == is_found


@pytest.mark.parametrize(
    ("placed", "word"),
    [
        ("x = torch.ones(2).to('cuda' if torch.cuda.is_available() else 'cpu')", "with the type of the device"),
        ("x = torch.ones(2).to('mps')", "with the type of the device"),
        ("x = torch.ones(2).cuda()", '`torch.amp.autocast("cuda")`'),
    ],
)
def test_a_program_that_runs_without_cuda_is_not_tied_to_it(program: Program, placed: str, word: str) -> None:
    (found,) = program(f"{TORCH}{placed}\nwith torch.cuda.amp.autocast():\n    x * x\n").findings(RULE)

    assert word in found.message
