"""The torch that a project is written for is the oldest one that its requirements let in."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.config import inferred_companions, inferred_target
from torchlint.config.versions import lower_bound, too_new
from torchlint.pytorch.requirements import Required


@pytest.mark.parametrize(
    ("requirement", "bound"),
    [
        ("torch>=2.1", (2, 1)),
        ("torch >= 2.1.2, < 3", (2, 1)),
        ("torch<3,>=2.10.0", (2, 10)),
        ("torch==1.13.1+cu117", (1, 13)),
        ("torch==2.*", (2, 0)),
        ("torch~=2.3", (2, 3)),
        ("torch>2", (2, 0)),
        ("torch===2.4.0", (2, 4)),
        ("Torch [opt-einsum] (>=2.2)", (2, 2)),
        ('torch>=2.2; python_version >= "3.12"', (2, 2)),
        ("torch>=2.2  # the first with flash attention 2", (2, 2)),
        ("pytorch=2.1.0=py3.10_cuda12.1_0", (2, 1)),
        ("pytorch::pytorch>=2.0", (2, 0)),
        ("pytorch 2.1.*", (2, 1)),
        ("torch", None),
        ("torch<2.6", None),
        ("torch!=2.1.0", None),
        ("torch @ https://example.org/torch-2.1.0.whl", (2, 1)),
        ("https://download.pytorch.org/whl/cu118/torch-2.0.1%2Bcu118-cp310-cp310-linux_x86_64.whl ; x", (2, 0)),
        ("torch @ git+https://github.com/pytorch/pytorch.git@v2.3.1", (2, 3)),
        ("git+https://github.com/pytorch/pytorch@v2.3.1-rc1", (2, 3)),
        ("git+ssh://git@github.com/own/fork.git@v1.13_fixes#egg=torch", (1, 13)),
        ("torch[opt] @ git+https://github.com/pytorch/pytorch.git@main", None),
        ("git+https://github.com/pytorch/pytorch.git@1946ac92", None),
        ("git+ssh://git@github.com/pytorch/pytorch.git", None),
        ("https://download.pytorch.org/whl/cu118/torchvision-0.15.2-cp310-cp310-linux_x86_64.whl", None),
        ("torchvision>=0.16", None),
        ("torch-geometric>=2.3", None),
        ("pytorch-lightning>=2.0", None),
        ("pytorch-cuda=11.8", None),
        ("", None),
    ],
)
def test_a_requirement_has_a_lower_bound(requirement: str, bound: tuple[int, int] | None) -> None:
    assert lower_bound(requirement) == bound


@pytest.mark.parametrize(
    ("name", "text", "target"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["numpy", "torch>=2.1"]', (2, 1)),
        ("pyproject.toml", '[project.optional-dependencies]\ngpu = ["torch>=2.2"]', (2, 2)),
        ("pyproject.toml", '[dependency-groups]\ntest = [{include-group = "x"}, "torch>=2.3"]', (2, 3)),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^2.1"', (2, 1)),
        ("pyproject.toml", '[tool.poetry.group.gpu.dependencies]\ntorch = {version = "~2.2", source = "cu"}', (2, 2)),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = [{version = "2.4.*"}, {version = ">=2.3"}]', (2, 3)),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "1.13 || >=2.1"', (1, 13)),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "*"', None),
        ("pyproject.toml", '[project]\ndependencies = "torch>=2.1"', None),
        ("pyproject.toml", "[project\n# torch>=2.1", None),
        ("requirements.txt", "numpy\ntorch==2.0.1 --hash=sha256:00\n", (2, 0)),
        ("requirements-gpu.txt", "torch \\\n    >=2.1\n", (2, 1)),
        ("requirements/base.txt", "torch>=2.1\n", (2, 1)),
        ("requirements.txt", "# torch>=2.1\ntorchvision==0.16\n-r torch.txt\n", None),
        ("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    torch>=1.12\n", (1, 12)),
        ("setup.cfg", "[options.extras_require]\ngpu = torch>=1.13\n", (1, 13)),
        ("setup.cfg", "install_requires = torch>=1.12", None),
        ("setup.py", "from setuptools import setup\nsetup(install_requires=['numpy', 'torch>=1.9'])", (1, 9)),
        ("setup.py", "import setuptools as s\nneeds = ('torch>=1.9', other)\ns.setup(install_requires=needs)", (1, 9)),
        ("setup.py", "setup(install_requires=open('requirements.txt').read())  # torch>=1.9", None),
        ("setup.py", "setup(install_requires=['torch>=1.9'", None),
        ("environment.yml", "dependencies:\n  - python=3.10\n  - pytorch=2.1.0\n", (2, 1)),
        ("environment.yaml", "dependencies:\n  - pip:\n    - 'torch>=2.2'\n", (2, 2)),
        ("environment.yml", "dependencies:\n  - pytorch-cuda=11.8  # torch\n", None),
    ],
)
def test_each_kind_of_file_is_read(project: Path, name: str, text: str, target: tuple[int, int] | None) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(text)

    assert inferred_target(project) == target


def test_of_several_requirements_the_oldest_counts(project: Path) -> None:
    (project / "requirements.txt").write_text(
        "torch>=2.6; python_version >= '3.13'\ntorch>=2.2; python_version < '3.13'\n"
    )
    (project / "pyproject.toml").write_text('[project]\ndependencies = ["torch>=2.4"]')

    assert inferred_target(project) == (2, 2)


def test_what_powershell_freezes_is_read(project: Path) -> None:
    (project / "requirements.txt").write_text("torch==2.5.1\r\n", encoding="utf-16")

    assert inferred_target(project) == (2, 5)


def test_a_project_without_requirements_is_written_for_no_torch(project: Path) -> None:
    assert inferred_target(project) is None


@pytest.mark.parametrize(
    ("versions", "bound"),
    [
        ("<2", (2, 0)),
        ("<2.0.0", (2, 0)),
        ("<1.9.5", (1, 10)),
        ("<=1.9.5", (1, 10)),
        (">=1.6,<2.1", (2, 1)),
        ("==1.9.5", (1, 10)),
        ("==1.9.*", (1, 10)),
        ("=1.9", (1, 10)),
        ("=1", (2, 0)),
        ("~=1.8", (2, 0)),
        ("~=1.8.2", (1, 9)),
        ("^1.8", (2, 0)),
        ("^0.14", (0, 15)),
        ("~1.8", (1, 9)),
        ("1.8.0", (1, 9)),
        ("^1.8 || ^2.1", (3, 0)),
        ("<2 || >=3", None),
        (">=1.6", None),
        ("!=1.7", None),
        ("", None),
    ],
)
def test_a_requirement_has_an_upper_bound(versions: str, bound: tuple[int, int] | None) -> None:
    assert too_new(versions) == bound


@pytest.mark.parametrize(
    ("name", "text", "required"),
    [
        ("requirements.txt", "pytorch-lightning==1.9.5\n", [Required("pytorch_lightning", (1, 9), (1, 10))]),
        ("requirements.txt", "pytorch_lightning<2\n", [Required("pytorch_lightning", None, (2, 0))]),
        ("requirements.txt", "Transformers[torch]>=4.46\n", [Required("transformers", (4, 46), None)]),
        ("requirements.txt", "transformers\nlightning-utilities<2\n", []),
        ("requirements.txt", "torch==1.8.1+cu111\n", [Required("torch", (1, 8), (1, 9))]),
        ("environment.yml", "dependencies:\n  - pytorch=1.8\n", [Required("torch", (1, 8), (1, 9))]),
        ("pyproject.toml", '[tool.poetry.dependencies]\nlightning = "^1.8"', [Required("lightning", (1, 8), (2, 0))]),
        ("environment.yml", "dependencies:\n  - pip:\n    - deepspeed>=0.19\n", [Required("deepspeed", (0, 19), None)]),
    ],
)
def test_requirements_of_companions_are_read(project: Path, name: str, text: str, required: list[Required]) -> None:
    (project / name).write_text(text)

    assert list(inferred_companions(project)) == required


def test_of_several_requirements_of_a_companion_each_counts(project: Path) -> None:
    (project / "requirements.txt").write_text("lightning>=1.8\n")
    (project / "requirements-old.txt").write_text("lightning==1.9.*\n")

    assert inferred_companions(project) == (Required("lightning", (1, 8), (1, 10)),)
