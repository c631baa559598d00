"""The worlds in which a question is asked: the devices of the machine, and the options of the program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class World:
    """`cuda` is None if it is unknown.

    With `defaults`, the options and environment variables about devices and processes have their defaults; other
    options (which data, which mode) may be anything, for they do not choose the device. If the number of `gpus` is
    known, what is on a GPU is on a certain one.
    """

    cuda: bool | None
    defaults: bool
    gpus: int | None = None


ANYWHERE = World(cuda=None, defaults=False)
"""Any machine, any options."""

WITHOUT_CUDA = World(cuda=False, defaults=True)
"""A laptop or CI runner on which the program is started with its defaults."""

WITH_CUDA = World(cuda=True, defaults=False)
"""A machine with GPUs: only there can the use of several go wrong."""

WITH_GPUS = World(cuda=True, defaults=False, gpus=8)
"""A machine with as many GPUs as most programs name: tensors on different ones do not combine."""

GPUS_BY_DEFAULT = World(cuda=True, defaults=True, gpus=8)
"""The same, with a program that is started with its defaults: `--gpu` is `cuda:1` there."""

WITH_ONE_GPU = World(cuda=True, defaults=False, gpus=1)
"""A machine with a GPU, and no second one."""

BY_DEFAULT = World(cuda=True, defaults=True)
"""A machine with GPUs on which the program is started with its defaults."""
