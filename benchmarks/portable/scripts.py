"""The scripts that are made to run without CUDA, and what each needs to start."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


def _nothing(_: Path) -> None:
    """Leave the folder as it is."""


def _characters(folder: Path) -> None:
    """Lay out the folders of Omniglot, with files that the stand-in for PIL makes images of."""
    for character in range(1205):
        place = folder.parent / "datas" / "omniglot_resized" / f"alphabet{character % 5}" / f"character{character:04}"
        place.mkdir(parents=True)
        for sample in range(20):
            (place / f"{sample:02}.png").touch()


def _voices(folder: Path) -> None:
    """Write a configuration of a WaveGlow that is small enough for a CPU, and name files to hear."""
    (folder / "train_files.txt").write_text("".join(f"{number}.wav\n" for number in range(4)))
    audio = {"filter_length": 1024, "hop_length": 256, "win_length": 1024, "sampling_rate": 22050}
    train = {"fp16_run": False, "output_directory": "checkpoints", "epochs": 1, "learning_rate": 1e-4, "sigma": 1.0,
             "iters_per_checkpoint": 2000, "batch_size": 2, "seed": 1234, "checkpoint_path": "",
             "with_tensorboard": False}  # fmt: skip
    data = {"training_files": "train_files.txt", "segment_length": 4096, **audio, "mel_fmin": 0.0, "mel_fmax": 8000.0}
    network = {"n_mel_channels": 80, "n_flows": 2, "n_group": 8, "n_early_every": 4, "n_early_size": 2,
               "WN_config": {"n_layers": 2, "n_channels": 16, "kernel_size": 3}}  # fmt: skip
    config = {"train_config": train, "data_config": data, "dist_config": {}, "waveglow_config": network}
    (folder / "config.json").write_text(json.dumps(config))


@dataclass(frozen=True, slots=True)
class Script:
    """A script of a repository, its arguments, and what lays out its data."""

    repository: str
    path: str
    arguments: tuple[str, ...] = ()
    lay_out: Callable[[Path], None] = _nothing


_GAN = "znxlwm+pytorch-MNIST-CelebA-GAN-DCGAN"
_FEW_SHOT = "floodsung+LearningToCompare_FSL"
_SMALL_IMAGES = ("--ngf", "8", "--ndf", "8", "--input_size", "64", "--resize_scale", "72")

SCRIPTS = (
    Script(_GAN, "pytorch_MNIST_DCGAN.py"),
    Script(_GAN, "pytorch_CelebA_DCGAN.py"),
    Script("znxlwm+pytorch-CycleGAN", "pytorch_cycleGAN.py", (*_SMALL_IMAGES, "--nb", "1")),
    Script("znxlwm+pytorch-pix2pix", "pytorch_pix2pix.py", ("--ngf", "8", "--ndf", "8")),
    Script("MorvanZhou+PyTorch-Tutorial", "tutorial-contents/502_GPU.py"),
    Script("xternalz+WideResNet-pytorch", "train.py", ("--layers", "10", "--widen-factor", "1", "-b", "8")),
    Script(_FEW_SHOT, "omniglot/omniglot_train_one_shot.py", (), _characters),
    Script(_FEW_SHOT, "omniglot/omniglot_train_few_shot.py", (), _characters),
    Script("NVIDIA+waveglow", "train.py", ("-c", "config.json"), _voices),
)
