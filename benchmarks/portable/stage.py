"""Run a script until its first optimizer step, with stand-ins for the packages and the data that are not here.

    python stage.py SCRIPT [ARGUMENTS]

Prints what came first: `step`, or the exception.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import runpy
import sys
import types
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from typing import Any, ClassVar
from unittest.mock import MagicMock

import numpy as np
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils.data import Dataset
from torch.utils.data.dataloader import _BaseDataLoaderIter

# They draw, log and read: whatever they are asked for, nothing happens.
_SILENT = ("matplotlib", "matplotlib.pyplot", "imageio", "tensorboard_logger", "tensorboardX", "scipy", "scipy.misc",
           "scipy.io", "scipy.io.wavfile", "PIL", "tacotron2", "tacotron2.layers", "librosa")  # fmt: skip


class Images(Dataset[tuple[Any, int]]):
    """A few random images in place of a data set; what was written for one of torchvision's finds all it asks for."""

    def __init__(self, shape: Sequence[int], classes: int, transform: Callable[[Any], Any] | None, count: int) -> None:
        generator = torch.Generator().manual_seed(0)
        self.test_data = self.train_data = self.data = torch.randint(
            256, (count, *shape), generator=generator, dtype=torch.uint8
        )
        self.targets = self.test_labels = self.train_labels = torch.arange(count) % classes
        self.imgs = self.samples = [(f"{number}.png", number % classes) for number in range(count)]
        self.classes = [str(number) for number in range(classes)]
        self.class_to_idx = dict.fromkeys(("train", "val", "test", "trainA", "trainB", "testA", "testB"), 0)
        self._transform = transform

    def __len__(self) -> int:
        return len(self.imgs)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        image = self.data[index].float() / 255
        image = image.unsqueeze(0) if image.dim() == 2 else image
        return (self._transform(image) if self._transform else image), int(self.targets[index])


def _resized(size: int | Sequence[int]) -> Callable[[torch.Tensor], torch.Tensor]:
    shape = (size, size) if isinstance(size, int) else tuple(size)
    return lambda image: torch.nn.functional.interpolate(image[None], shape)[0]


def _normalized(mean: Sequence[float], std: Sequence[float], **_: object) -> Callable[[torch.Tensor], torch.Tensor]:
    # torchvision once went along the channels that there are, and let further means be.
    def transform(image: torch.Tensor) -> torch.Tensor:
        means, deviations = (torch.tensor(values[: len(image)])[:, None, None] for values in (mean, std))
        return (image - means) / deviations

    return transform


def _composed(steps: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def transform(image: Any) -> Any:
        for step in steps:
            image = step(image)
        return image

    return transform


def _as_it_is(*_: object, **__: object) -> Callable[[Any], Any]:
    return lambda image: image if isinstance(image, torch.Tensor) else torch.from_numpy(np.asarray(image)).float()


def _torchvision() -> None:
    """Put a torchvision in place that knows some data sets and what is done to their images."""
    names = ("torchvision", "torchvision.datasets", "torchvision.transforms")
    package, datasets, transforms = (types.ModuleType(name) for name in names)

    def of(shape: Sequence[int], classes: int, count: int) -> Callable[..., Images]:
        return lambda *_, transform=None, **__: Images(shape, classes, transform, count)

    def folder(root: str, transform: Callable[[Any], Any] | None = None, **_: object) -> Images:
        # The pairs of pix2pix stand side by side.
        return Images((3, 256, 512) if "facades" in root else (3, 64, 64), 2, transform, 6)

    datasets.MNIST, datasets.CIFAR10 = of((28, 28), 10, 128), of((3, 32, 32), 10, 32)
    datasets.ImageFolder = folder
    transforms.Compose, transforms.Normalize = _composed, _normalized
    transforms.Scale = transforms.Resize = transforms.RandomCrop = transforms.CenterCrop = _resized
    transforms.Lambda = lambda function: function
    for name in ("ToTensor", "ToPILImage", "RandomHorizontalFlip"):
        setattr(transforms, name, _as_it_is)
    package.datasets, package.transforms, package.utils = datasets, transforms, MagicMock()
    sys.modules |= {"torchvision": package, "torchvision.datasets": datasets, "torchvision.transforms": transforms,
                    "torchvision.utils": package.utils}  # fmt: skip


class _Silent(types.ModuleType):
    """A package in which everything is there and does nothing."""

    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> MagicMock:
        if name.startswith("__"):
            raise AttributeError(name)
        made = MagicMock()
        setattr(self, name, made)
        return made


class _Drawing:
    """An image of PIL's, of which only the size matters."""

    def convert(self, _: str) -> _Drawing:
        return self

    def resize(self, _: tuple[int, int], **__: object) -> _Drawing:
        return self

    def rotate(self, _: float) -> _Drawing:
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.random.default_rng(0).random((1, 28, 28))


class _Spectra:
    """The STFT of Tacotron 2, deaf."""

    def __init__(self, *_: object, hop_length: int, **__: object) -> None:
        self._hop = hop_length

    def mel_spectrogram(self, audio: torch.Tensor) -> torch.Tensor:
        return torch.zeros(1, 80, audio.size(1) // self._hop + 1)


def _stand_ins() -> None:
    for name in _SILENT:
        # Even where some of them are installed: nothing here is about drawing or hearing.
        sys.modules[name] = _Silent(name)
        sys.modules[name].__spec__ = ModuleSpec(name, None)
        package, _, child = name.rpartition(".")
        if package:
            setattr(sys.modules[package], child, sys.modules[name])
    sys.modules["PIL"].Image.open = lambda _: _Drawing()  # type: ignore[attr-defined]
    sys.modules["scipy.io.wavfile"].read = lambda _: (22050, np.zeros(8192, dtype=np.float32))  # type: ignore[attr-defined]
    sys.modules["tacotron2.layers"].TacotronSTFT = _Spectra  # type: ignore[attr-defined]
    if importlib.util.find_spec("torchvision") is None:
        _torchvision()
    sys.modules["matplotlib.pyplot"].imread = lambda _: np.zeros((64, 64, 3))  # type: ignore[attr-defined]
    _BaseDataLoaderIter.next = _BaseDataLoaderIter.__next__  # type: ignore[attr-defined]
    itertools.izip = zip  # type: ignore[attr-defined]


def _done(*_: object) -> None:
    print("\nstep", flush=True)
    # Neither workers of loaders nor the script's own `except` are to go on from here.
    os._exit(0)


def main() -> None:
    """Run the script that the command line names."""
    script, sys.argv = sys.argv[1], sys.argv[1:]
    torch.manual_seed(0)
    _stand_ins()
    register_optimizer_step_post_hook(_done)
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))  # noqa: PTH100, PTH120
    try:
        runpy.run_path(script, run_name="__main__")
    except Exception as error:
        print(f"\n{type(error).__name__}: {error}".splitlines()[1])
        raise


if __name__ == "__main__":
    main()
