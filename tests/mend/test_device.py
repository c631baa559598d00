"""One device for a script full of `.cuda()`: its own where it has one, else one below the imports."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.mend.fixing import mended_text

_DEFINED = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'


def mended(text: str, folder: Path) -> str:
    return mended_text(folder, dedent(text).lstrip("\n"), "hardcoded-cuda")


def test_the_device_is_defined_once_below_the_imports(tmp_path: Path) -> None:
    text = """
        import torch
        from torch import nn

        def train(model, x):
            return model.cuda()(x.cuda(non_blocking=True))
        """

    assert mended(text, tmp_path) == (
        f"import torch\nfrom torch import nn\n\n{_DEFINED}\n"
        "def train(model, x):\n    return model.to(device)(x.to(device, non_blocking=True))\n"
    )


def test_a_device_of_the_file_is_used(tmp_path: Path) -> None:
    text = f"""
        import torch

        DEVICE = {_DEFINED.partition(" = ")[2]}
        def move(x):
            return x.cuda()
        """

    assert "return x.to(DEVICE)" in mended(text, tmp_path)
    assert mended(text, tmp_path).count("is_available") == 1


def test_a_device_of_the_function_is_used_where_it_is_set(tmp_path: Path) -> None:
    text = f"""
        import torch

        def main(x):
            y = x.cuda()
            {_DEFINED.strip()}
            return y, x.cuda()
        """

    assert "return y, x.to(device)" in mended(text, tmp_path)
    assert "y = x.to(DEVICE)" in mended(text, tmp_path)


def test_a_device_that_is_mended_too_is_used(tmp_path: Path) -> None:
    text = """
        import torch

        device = torch.device("cuda:0")

        def move(x):
            return x.cuda()
        """

    assert mended(text, tmp_path).count("is_available") == 1
    assert "return x.to(device)" in mended(text, tmp_path)


def test_a_name_that_means_something_else_is_left_alone(tmp_path: Path) -> None:
    text = """
        import torch

        def load(device):
            return torch.ones(len(device)).cuda()

        load("sensor 3")
        """

    assert "torch.ones(len(device)).to(DEVICE)" in mended(text, tmp_path)


def test_nobody_asks_for_cuda_before_the_program_says_what_is_visible(tmp_path: Path) -> None:
    text = """
        import os
        import torch

        os.environ["CUDA_VISIBLE_DEVICES"] = "1"

        def move(x):
            return x.cuda()
        """

    lines = mended(text, tmp_path).splitlines()

    assert lines.index('os.environ["CUDA_VISIBLE_DEVICES"] = "1"') < lines.index(_DEFINED.strip())


def test_where_the_function_says_what_is_visible_the_place_itself_chooses(tmp_path: Path) -> None:
    text = """
        import os
        import torch

        def main(x):
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            return x.cuda()
        """

    assert 'return x.to("cuda" if torch.cuda.is_available() else "cpu")' in mended(text, tmp_path)


def test_the_quotes_and_the_alias_of_the_file_are_used(tmp_path: Path) -> None:
    text = "import torch as t\n\ndef move(x):\n    print('x', 'y')\n    return x.cuda()\n"

    assert "device = t.device('cuda' if t.cuda.is_available() else 'cpu')\n" in mended(text, tmp_path)


def test_torch_is_imported_where_it_is_not(tmp_path: Path) -> None:
    text = '"""Doc."""\nfrom __future__ import annotations\nfrom torch import nn\n\nnet = nn.Linear(1, 1).cuda()\n'

    assert mended(text, tmp_path).startswith(
        f'"""Doc."""\nfrom __future__ import annotations\nimport torch\nfrom torch import nn\n\n{_DEFINED}'
    )


@pytest.mark.parametrize(
    "call",
    [
        "x.cuda(*where)",
        "x.cuda(**where)",
        "x.cuda(unknown)",
        "torch.cuda.current_stream().wait_stream(s)",
        "x.cuda(flag, other, third)",
    ],
)
def test_what_is_not_known_is_left_to_the_author(call: str, tmp_path: Path) -> None:
    text = f"import torch\n\ndef move(x, where, unknown, s, flag, other, third):\n    return {call}\n"

    assert mended(text, tmp_path) == text


def test_a_class_with_a_cuda_of_its_own_is_left_alone(tmp_path: Path) -> None:
    text = """
        import torch

        class Net(torch.nn.Module):
            def cuda(self):
                self.extra = self.extra.to("cpu")
                return super().cuda()

        net = Net().cuda()
        """

    assert "net = Net().cuda()" in mended(text, tmp_path)


def test_an_order_to_the_gpu_stands_behind_a_test(tmp_path: Path) -> None:
    text = """
        import torch

        def main(rank):
            torch.cuda.set_device(
                rank,
            )  # before anything else
            torch.cuda.synchronize()
            return torch.ones(1).cuda(rank)
        """

    assert mended(text, tmp_path).endswith(
        dedent("""\
        def main(rank):
            if torch.cuda.is_available():
                torch.cuda.set_device(
                    rank,
                )  # before anything else
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            return torch.ones(1).to(device)
        """)
    )


def test_an_index_of_the_command_line_makes_one_device(tmp_path: Path) -> None:
    text = """
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", type=int, default=0)
        args = parser.parse_args()
        GPU = args.gpu

        def move(x):
            return x.cuda(GPU), x.cuda(GPU)
        """

    assert 'device = torch.device(f"cuda:{GPU}" if torch.cuda.is_available() else "cpu")\n' in mended(text, tmp_path)
    assert "return x.to(device), x.to(device)" in mended(text, tmp_path)


_ASKS = "import torch\n\n\ndef move(x):\n    return x.cuda()\n"
_ACCELERATED = 'torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")'


def with_option(text: str, folder: Path, target: str) -> str:
    (folder / "torchlint.toml").write_text(f'target-torch = "{target}"\n\n[rules.hardcoded-cuda]\naccelerator = true\n')
    return mended(text, folder)


def test_any_accelerator_is_taken_for_who_asks_for_that(tmp_path: Path) -> None:
    assert with_option(_ASKS, tmp_path, "2.6") == (
        f"import torch\n\ndevice = {_ACCELERATED}\n\n\ndef move(x):\n    return x.to(device)\n"
    )


def test_before_there_were_accelerators_it_is_cuda(tmp_path: Path) -> None:
    assert _DEFINED in with_option(_ASKS, tmp_path, "2.5")


def test_an_accelerator_of_the_file_is_used(tmp_path: Path) -> None:
    text = _ASKS.replace("import torch\n", f"import torch\n\ndev = {_ACCELERATED}\n")

    assert "return x.to(dev)" in mended(text, tmp_path)


def test_an_index_is_of_the_current_accelerator(tmp_path: Path) -> None:
    text = "import sys\nimport torch\n\nGPU = int(sys.argv[1])\n\n\ndef move(x):\n    return x.cuda(GPU)\n"

    line = 'device = torch.device(GPU) if torch.accelerator.is_available() else torch.device("cpu")\n'
    assert line in with_option(text, tmp_path, "2.7")


@pytest.mark.parametrize(("index", "device"), [("", "device"), ("0", "device")], ids=["current", "first"])
def test_what_maps_storages_becomes_a_device(index: str, device: str, tmp_path: Path) -> None:
    call = f"torch.load(path, map_location=lambda storage, loc: storage.cuda({index}))"
    text = f"import torch\n\n\ndef load(path):\n    return {call}\n"

    assert f"return torch.load(path, map_location={device})" in mended(text, tmp_path)


NUMBERED = {
    "written out": ('model.to(f"cuda:{spare}")', 'model.to(f"cuda:{spare}" if torch.cuda.is_available() else "cpu")'),
    "as a device": (
        'model.to(torch.device(f"cuda:{spare}"))',
        'model.to(torch.device(f"cuda:{spare}" if torch.cuda.is_available() else "cpu"))',
    ),
    "by a name": (
        'model.to(torch.device("cuda", spare))',
        'model.to(torch.device("cuda", spare) if torch.cuda.is_available() else torch.device("cpu"))',
    ),
    "plain": ('model.to("cuda")', "model.to(device)"),
    "the first": ('model.to("cuda:0")', "model.to(device)"),
}


@pytest.mark.parametrize(("asked", "chosen"), NUMBERED.values(), ids=NUMBERED)
def test_a_device_keeps_its_number(asked: str, chosen: str, tmp_path: Path) -> None:
    text = f"import torch\n\n\ndef move(model, rank):\n    spare = 2 + int(rank)\n    return {asked}\n"

    assert f"    return {chosen}\n" in mended(text, tmp_path)


def test_an_index_that_is_counted_with_stays_one(tmp_path: Path) -> None:
    text = """
        import torch

        def share(images):
            gpu = torch.cuda.current_device()
            return images[gpu * 8 :]
        """

    assert "gpu = torch.cuda.current_device()\n" in mended(text, tmp_path)


def test_an_index_that_is_a_device_may_be_the_cpu(tmp_path: Path) -> None:
    text = """
        import torch

        def move(x):
            return torch.zeros(3, device=torch.cuda.current_device()) + x
        """

    chosen = 'device=torch.cuda.current_device() if torch.cuda.is_available() else "cpu")'
    assert chosen in mended(text, tmp_path)


def test_an_index_is_no_device_for_where_there_is_none(tmp_path: Path) -> None:
    text = """
        import torch

        class Detector:
            def __init__(self, net):
                self.device = torch.cuda.current_device()
                self.net = net

            def move(self, x):
                return self.net(x.cuda())
        """

    assert "self.net(x.to(device))" in mended(text, tmp_path)
