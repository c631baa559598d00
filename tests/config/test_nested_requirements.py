"""What folders of a project require for the code in them."""

from __future__ import annotations

from pathlib import Path

from torchlint.config import nested_requirements
from torchlint.pytorch.requirements import Required, Requirements


def test_folders_around_files_are_read_the_innermost_first(tmp_path: Path) -> None:
    inner = tmp_path / "train" / "models"
    inner.mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("torch>=2.6\n")
    (tmp_path / "train" / "requirements.txt").write_text("torch>=1.12\npytorch-lightning==1.9.5\n")
    (inner / "setup.py").write_text("setup(install_requires=['torch==2.0.1'])")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "requirements.txt").write_text("torch>=2.1\n")

    found = nested_requirements(tmp_path, {str(inner), str(tmp_path)})

    assert found == (
        Requirements(str(inner), (2, 0), (Required("torch", (2, 0), (2, 1)),)),
        Requirements(
            str(inner.parent),
            (1, 12),
            (Required("pytorch_lightning", (1, 9), (1, 10)), Required("torch", (1, 12), None)),
        ),
    )
