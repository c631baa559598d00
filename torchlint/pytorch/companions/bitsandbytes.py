"""bitsandbytes: optimizers and kernels for CUDA."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, CudaLibrary
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "bitsandbytes",
    "bitsandbytes 0.50.2",
    classes={
        Role.OPTIMIZER: (
            "AdEMAMix AdEMAMix32bit AdEMAMix8bit Adagrad Adagrad32bit Adagrad8bit Adam Adam32bit Adam8bit AdamW"
            " AdamW32bit AdamW8bit LAMB LAMB32bit LAMB8bit LARS LARS32bit LARS8bit Lion Lion32bit Lion8bit"
            " PagedAdEMAMix PagedAdEMAMix32bit PagedAdEMAMix8bit PagedAdam PagedAdam32bit PagedAdam8bit"
            " PagedAdamW PagedAdamW32bit PagedAdamW8bit PagedLion PagedLion32bit PagedLion8bit RMSprop"
            " RMSprop32bit RMSprop8bit SGD SGD32bit SGD8bit"
        ),
    },
    # Its kernels for the CPU are of 2025, and slow: https://github.com/bitsandbytes-foundation/bitsandbytes/releases
    cuda=(CudaLibrary("bitsandbytes.", source="https://huggingface.co/docs/bitsandbytes/installation"),),
)
