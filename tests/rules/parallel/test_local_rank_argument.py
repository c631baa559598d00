"""What to put in place of an option that no launcher passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project
from torchlint.registry import builtin_rules


@pytest.mark.parametrize(
    ("default", "advice"),
    [
        ("", 'int(os.environ["LOCAL_RANK"])'),
        (", default=None", 'int(os.environ["LOCAL_RANK"])'),
        (", default=-1", 'int(os.environ.get("LOCAL_RANK", -1))'),
        (", default=0", 'int(os.environ.get("LOCAL_RANK", 0))'),
    ],
)
def test_who_runs_without_a_launcher_keeps_the_default(tmp_path: Path, default: str, advice: str) -> None:
    path = tmp_path / "main.py"
    option = f'parser.add_argument("--local_rank", type=int{default})\n'
    path.write_text(option + 'dist.init_process_group("nccl")\nprint(args.local_rank)\n')

    (finding,) = builtin_rules()["local-rank-argument"]().check(Project(tmp_path).open(path, "main.py"))

    assert finding.message.endswith(f"use the default `{advice}`")
