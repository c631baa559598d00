"""What keeps a demand for CUDA from machines that have none, and what does not: functions, classes and their callers."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.guards.programs import HEAD, RULE

Program: TypeAlias = Callable[[str], Checkout]

GUARDED = {
    "an object that is entered behind a test alone": """
        class Timer:
            def __enter__(self):
                self.start = torch.cuda.Event(enable_timing=True)
                self.start.record()
                return self
            def __exit__(self, *error):
                torch.cuda.synchronize()
        def main():
            if not torch.cuda.is_available():
                return
            with Timer():
                model.cuda()
        main()
        """,
    "an object that a stack of contexts enters": """
        import contextlib
        class Timer:
            def __enter__(self):
                torch.cuda.synchronize()
            def __exit__(self, *error):
                pass
        with contextlib.ExitStack() as stack:
            if torch.cuda.is_available():
                stack.enter_context(Timer())
        """,
    "an object whose constructor asserts it three calls further": """
        def created(gpus):
            if gpus > 0:
                assert torch.cuda.is_available()
            return nn.Linear(2, 2)
        def generator(gpus):
            return created(gpus)
        class Gan:
            def __init__(self):
                self.net = self.built()
            def built(self):
                net = generator(1)
                return net
            def step(self):
                self.net.cuda()
        Gan().step()
        """,
    "a device that a helper refuses": """
        def check(device):
            if device.type == "cuda" and not torch.cuda.is_available():
                raise RuntimeError("needs a GPU")
        class Runner:
            def __init__(self):
                self.device = torch.device("cuda")
                check(self.device)
                model.to(self.device)
        """,
    "a device that an object takes another one for": """
        class Runner:
            def __init__(self, name="cuda"):
                self.device = torch.device(name)
                if self.device.type == "cuda" and not torch.cuda.is_available():
                    self.device = torch.device("cpu")
                model.to(self.device)
        """,
    "a call that fails in the arm for machines without CUDA": """
        def refuse():
            print("no GPU")
            raise RuntimeError
        if torch.cuda.is_available():
            print("fine")
        else:
            refuse()
        model.cuda()
        """,
    "a method that a class without CUDA has not": """
        class Tests:
            if torch.cuda.is_available():
                def test_moving(self):
                    model.cuda()
        """,
    "an inner function that is only handed on behind a test": """
        import torch.distributed as dist
        def clip(optimizer):
            def whole(norm):
                return norm.cuda() ** 2
            return optimizer.clip(norm=whole if dist.is_initialized() else None)
        """,
    "a class for what runs on no CPU": """
        class Sharding:
            def __init__(self, shards):
                if shards < 1:
                    raise ValueError(shards)
                from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
                self.scaler = ShardedGradScaler()
            def move(self, batch):
                return batch.cuda()
        """,
    "a function for what runs on no CPU": """
        def in_fp8(batch):
            import transformer_engine.pytorch as te
            with te.fp8_autocast(enabled=True):
                return model(batch.cuda())
        """,
    "what only DataParallel calls": """
        class Spread(nn.DataParallel):
            def scatter(self, inputs, kwargs, device_ids):
                return _copied(inputs, device_ids), [{} for _ in device_ids]
        def _copied(inputs, device_ids):
            return [part.cuda(index) for part, index in zip(inputs, device_ids)]
        """,
    "an assert before a module is called": """
        class Embedding(nn.Module):
            def forward(self, positions):
                return positions + torch.arange(4, device="cuda")
        class Labels(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = Embedding()
            def forward(self, y):
                assert isinstance(y, torch.cuda.LongTensor)
                return self.embedding(y)
        """,
    "a ternary of calls": """
        model = model.cuda() if torch.cuda.is_available() else model
        """,
    "a helper chooses": """
        def try_gpu(i=0):
            if torch.cuda.device_count() >= i + 1:
                return torch.device(f"cuda:{i}")
            return torch.device("cpu")
        model.to(try_gpu())
        """,
    "a helper tests": """
        def has_gpu():
            return torch.cuda.is_available()
        if has_gpu():
            model.cuda()
        """,
    "a helper raises": """
        def require_gpu():
            if not torch.cuda.is_available():
                raise RuntimeError("needs a GPU")
        def main():
            require_gpu()
            model.cuda()
        main()
        """,
    "a helper raises two calls below": """
        def check():
            assert torch.cuda.is_available()
        def prepare():
            check()
        prepare()
        model.cuda()
        """,
    "every caller": """
        def move(model):
            return model.cuda()
        if torch.cuda.is_available():
            move(model)
        """,
    "every caller of the caller": """
        def move(model):
            return model.cuda()
        def prepare(model):
            return move(model)
        def main():
            if torch.cuda.is_available():
                prepare(model)
        main()
        """,
    "a helper that returns only with a GPU": """
        def require():
            if torch.cuda.is_available():
                return
            raise RuntimeError("needs a GPU")
        require()
        model.cuda()
        """,
    "an attribute that callers set by name": """
        class Predictor:
            def __init__(self, **kwargs):
                self.__dict__.update(cuda=True)
                self.__dict__.update(kwargs)
                if self.cuda:
                    model.cuda()
        Predictor(cuda=len(sys.argv) > 1)
        """,
    "a parameter that every call gives the device that there is": """
        def convert(x, device=None):
            device = device or torch.device("cuda:0")
            return torch.tensor(x, device=device)
        convert(2, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
        """,
    "a class attribute": """
        class Config:
            device = "cuda" if torch.cuda.is_available() else "cpu"
        model.to(Config.device)
        """,
}
UNGUARDED = {
    "an object that is entered with a test, and without one": """
        class Timer:
            def __enter__(self):
                torch.cuda.synchronize()
            def __exit__(self, *error):
                pass
        if torch.cuda.is_available():
            with Timer():
                model.cuda()
        with Timer() as timer:
            print(timer)
        """,
    "a call that is returned and asserts it only where more is asked": """
        def created(gpus):
            if gpus > 1:
                assert torch.cuda.is_available()
            return nn.Linear(2, 2)
        def generator(gpus):
            return created(gpus)
        class Gan:
            def __init__(self):
                self.net = generator(1)
            def step(self):
                self.net.cuda()
        Gan().step()
        """,
    "a device that an object needs before it asks": """
        class Runner:
            def __init__(self):
                self.device = torch.device("cuda")
                self.build()
                if self.device.type == "cuda" and not torch.cuda.is_available():
                    self.device = torch.device("cpu")
            def build(self):
                model.to(self.device)
        """,
    "a method that a class has in either case": """
        class Tests:
            if torch.backends.mkl.is_available():
                def test_moving(self):
                    model.cuda()
        """,
    "an inner function that is handed on elsewhere as well": """
        import torch.distributed as dist
        def clip(optimizer):
            def whole(norm):
                return norm.cuda() ** 2
            optimizer.watch(whole)
            return optimizer.clip(norm=whole if dist.is_initialized() else None)
        """,
    "an inner function that goes by another name": """
        def clip(optimizer):
            def whole(norm):
                return norm.cuda() ** 2
            handed = whole
            return optimizer.clip(norm=handed)
        """,
    "a class that may be for what runs on no CPU": """
        class Training:
            def __init__(self, shards):
                if shards > 1:
                    from torch.distributed.fsdp import FullyShardedDataParallel
                    FullyShardedDataParallel(model)
            def move(self, batch):
                return batch.cuda()
        """,
    "an assert before one of two calls of a module": """
        class Embedding(nn.Module):
            def forward(self, positions):
                return positions + torch.arange(4, device="cuda")
        class Labels(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = Embedding()
            def forward(self, y):
                assert isinstance(y, torch.cuda.LongTensor)
                return self.embedding(y)
            def sample(self, y):
                return self.embedding(y)
        """,
    "a helper that returns before it exits": """
        def init():
            if "OMPI_COMM_WORLD_LOCAL_SIZE" not in os.environ:
                return
            if not torch.cuda.is_available():
                sys.exit(1)
        init()
        model.cuda()
        """,
    "a helper that may return before it exits": """
        def init(paths):
            for path in paths:
                if os.path.exists(path):
                    return
            if not torch.cuda.is_available():
                sys.exit(1)
        init(sys.argv)
        model.cuda()
        """,
    "a helper that may exit for another reason": """
        def init():
            if len(sys.argv) > 1:
                raise ValueError("no arguments")
        init()
        model.cuda()
        """,
    "an abstract method": """
        class Trainer:
            def prepare(self):
                raise NotImplementedError
            def fit(self):
                self.prepare()
                model.cuda()
        """,
    "one caller without a guard": """
        def move(model):
            return model.cuda()
        if torch.cuda.is_available():
            move(model)
        move(model)
        """,
    "a guard in another function": """
        def check():
            assert torch.cuda.is_available()
        def main():
            model.cuda()
        main()
        """,
    "a helper that returns early": """
        def check():
            if not torch.cuda.is_available():
                return
        check()
        model.cuda()
        """,
    "a constructor": 'torch.zeros(2, device="cuda:1")',
    "a device object": 'torch.zeros(2).to(torch.device("cuda", 0))',
    "a dataclass's field": """
        from dataclasses import dataclass
        @dataclass
        class Config:
            device: str = "cuda"
        config = Config()
        model.to(config.device)
        """,
}


@pytest.mark.parametrize("code", GUARDED.values(), ids=GUARDED)
def test_a_machine_without_cuda_never_comes_here_or_is_prepared(program: Program, code: str) -> None:
    assert program(HEAD + dedent(code)).reported(RULE) == []


@pytest.mark.parametrize("code", UNGUARDED.values(), ids=UNGUARDED)
def test_what_keeps_nobody_away_is_no_guard(program: Program, code: str) -> None:
    assert len(program(HEAD + dedent(code)).reported(RULE)) == 1
