from __future__ import annotations

import pytest

from torchlint.verify.gpus import chosen, present

TABLE = """0, GPU-aaaa-1, NVIDIA H200, 143771 MiB, 570.86.15
1, GPU-bbbb-2, NVIDIA H200, 143771 MiB, 570.86.15
2, GPU-cccc-3, NVIDIA L4, 23034 MiB, 570.86.15
"""


@pytest.mark.parametrize(
    ("visible", "found"),
    [
        (None, ["GPU-aaaa-1", "GPU-bbbb-2", "GPU-cccc-3"]),
        ("", []),
        ("2,0", ["GPU-cccc-3", "GPU-aaaa-1"]),
        ("0,7,1", ["GPU-aaaa-1"]),
        ("GPU-bb", ["GPU-bbbb-2"]),
        ("-1", []),
        ("MIG-9", ["MIG-9"]),
    ],
)
def test_cuda_visible_devices_leaves_what_cuda_would_see(visible: str | None, found: list[str]) -> None:
    assert [gpu.visible for gpu in chosen(TABLE, visible)] == found


def test_a_gpu_is_told_with_its_memory_and_driver() -> None:
    assert chosen(TABLE, "2")[0].words == "NVIDIA L4, 23034 MiB, driver 570.86.15"


def test_an_error_of_the_tool_is_no_gpu() -> None:
    assert chosen("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", None) == ()


def test_no_tool_is_no_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert present() == ()
