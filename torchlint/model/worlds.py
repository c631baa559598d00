"""The worlds in which a question is asked: what the machine has, and with which options the program was started."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class World:
    """`cuda` is None where nobody knows.

    With `defaults`, the options and environment variables that are about devices and processes are as nobody touched
    them; other options (which data, which mode) may be anything, for they do not choose the device. Where it is known
    how many `gpus` there are, what is on a GPU is on a certain one.
    """

    cuda: bool | None
    defaults: bool
    gpus: int | None = None


ANYWHERE = World(cuda=None, defaults=False)
"""Any machine, any options: what may happen at all."""

WITHOUT_CUDA = World(cuda=False, defaults=True)
"""A laptop or CI runner on which the program is started as its author wrote it."""

WITH_CUDA = World(cuda=True, defaults=False)
"""A machine with GPUs: what several of them are used for can only go wrong there."""

WITH_GPUS = World(cuda=True, defaults=False, gpus=8)
"""A machine with as many GPUs as most programs name: what is on one of them does not meet what is on another."""

WITH_ONE_GPU = World(cuda=True, defaults=False, gpus=1)
"""A machine with a GPU, and no second one."""

BY_DEFAULT = World(cuda=True, defaults=True)
"""A machine with GPUs on which the program is started as its author wrote it."""
