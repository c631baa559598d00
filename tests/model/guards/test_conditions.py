"""What is a guard for CUDA, and what is not: dominating conditions."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.guards.programs import HEAD, RULE

Program: TypeAlias = Callable[[str], Checkout]

GUARDED = {
    "what a case asks besides its pattern": """
        match sys.argv[1]:
            case "gpu" if torch.cuda.is_available():
                device = torch.device("cuda")
                model.cuda()
            case _:
                device = torch.device("cpu")
        model.to(device)
        """,
    "an assert in the arm for machines without CUDA": """
        gpus = 1
        def build(verbose):
            if torch.cuda.is_available():
                assert gpus <= torch.cuda.device_count()
            else:
                assert gpus == 0
            if gpus:
                device = torch.cuda.current_device()
                model.cuda(device)
        """,
    "that several processes do it, if somebody says so": """
        from settings import read
        args = read()
        if args.distributed:
            model.cuda()
        """,
    "whether DeepSpeed runs": """
        from transformers.integrations import is_deepspeed_zero3_enabled
        def gather(x):
            if is_deepspeed_zero3_enabled():
                return x.cuda()
        """,
    "a branch for what runs on no CPU": """
        def load(path, device, batch):
            if path.endswith(".engine"):
                import tensorrt as trt
                if device.type == "cpu":
                    return trt.Runtime(path), batch.cuda()
        """,
    "what only CUDA makes is there": """
        class Fetching:
            def __init__(self, loader, device):
                self.loader = loader
                self.stream = torch.cuda.Stream(device=device) if device.type == "cuda" else None
            def __iter__(self):
                return (fetch(batch, self.stream) for batch in self.loader)
        def fetch(batch, stream):
            if stream is not None:
                torch.cuda.current_stream().wait_stream(stream)
            return batch
        """,
    "if": """
        if torch.cuda.is_available():
            model.cuda()
        """,
    "else of not": """
        if not torch.cuda.is_available():
            pass
        else:
            model.cuda()
        """,
    "elif": """
        if torch.backends.mps.is_available():
            model.to("mps")
        elif torch.cuda.is_available():
            model.cuda()
        """,
    "what is left of two": """
        if not (torch.cuda.is_available() or torch.xpu.is_available()):
            sys.exit()
        if torch.xpu.is_available():
            model.to("xpu")
        else:
            model.cuda()
        """,
    "with more": """
        if sys.platform == "linux" and torch.cuda.is_available() and torch.cuda.device_count() > 1:
            model.cuda()
        """,
    "a variable that holds something else first": """
        def load(loader):
            pinned = loader.pin_memory and torch.cuda.is_available()
            if pinned:
                torch.cuda.set_device(0)
        """,
    "a variable that holds a comparison first": """
        def load(batches):
            wide = len(batches) > 2 and torch.cuda.is_available()
            if wide:
                torch.cuda.set_device(0)
        """,
    "a variable that holds what keeps to the host": """
        def load(loader):
            plain = loader.plain or len(loader) < 2 or not torch.cuda.is_available()
            if not plain:
                torch.cuda.set_device(0)
        """,
    "an attribute that holds something else first, handed to a thread": """
        import threading
        def manage(pinned, index):
            if pinned:
                torch.cuda.set_device(index)
        class Batches:
            def __init__(self, loader):
                self.pinned = loader.pin_memory and torch.cuda.is_available()
                index = torch.cuda.current_device() if self.pinned else None
                threading.Thread(target=manage, args=(self.pinned, index)).start()
        """,
    "whether a process group runs": """
        import torch.distributed as dist
        if dist.is_available() and dist.is_initialized():
            model.cuda()
        """,
    "a ternary": """
        model.to("cuda" if torch.cuda.is_available() else "cpu")
        """,
    "a ternary the other way round": """
        model.to("cpu" if not torch.cuda.is_available() else "cuda")
        """,
    "and": """
        torch.cuda.is_available() and model.cuda()
        """,
    "or": """
        not torch.cuda.is_available() or model.cuda()
        """,
    "an if that chooses": """
        if torch.cuda.is_available():
            device = "cuda"
        else:
            device = "cpu"
        model.to(device)
        """,
    "an early return": """
        def main():
            if not torch.cuda.is_available():
                return
            model.cuda()
        main()
        """,
    "an early raise": """
        if not torch.cuda.is_available():
            raise SystemExit("needs a GPU")
        model.cuda()
        """,
    "an early exit": """
        if not torch.cuda.is_available():
            print("needs a GPU")
            sys.exit(1)
        model.cuda()
        """,
    "an early continue": """
        for name in ("cpu", "cuda"):
            if not torch.cuda.is_available():
                continue
            model.cuda()
        """,
    "assert": """
        assert torch.cuda.is_available(), "needs a GPU"
        model.cuda()
        """,
    "while": """
        while torch.cuda.is_available():
            model.cuda()
            break
        """,
    "a dict of something else": """
        class Predictor:
            def __init__(self, other, use_cuda):
                self.cuda = False
                other.__dict__.update(cuda=True)
                other.update(cuda=True)
                if self.cuda:
                    model.cuda()
        """,
    "an error of a parser": """
        import argparse
        parser = argparse.ArgumentParser()
        if not torch.cuda.is_available():
            parser.error("needs a GPU")
        model.cuda()
        """,
    "the test of a tensor": """
        def move(x):
            if x.is_cuda:
                return torch.zeros(2).cuda()
            return torch.zeros(2)
        move(torch.ones(2))
        """,
    "what only warns": """
        torch.cuda.manual_seed_all(0)
        scaler = torch.cuda.amp.GradScaler()
        """,
    "a file that is never loaded there": """
        if not torch.cuda.is_available():
            raise ImportError("needs a GPU")
        def move():
            model.cuda()
        """,
}
UNGUARDED = {
    "what a case asks of anything else": """
        match sys.argv[1]:
            case "gpu" if len(sys.argv) > 2:
                model.cuda()
        """,
    "what another case asks": """
        match sys.argv[1]:
            case "gpu" if torch.cuda.is_available():
                print("fast")
            case _:
                model.cuda()
        """,
    "what a case asks of its own name": """
        is_fast = False
        match sys.argv[1]:
            case is_fast if is_fast:
                model.cuda()
        """,
    "an error that is only logged": """
        import logging
        logger = logging.getLogger()
        if not torch.cuda.is_available():
            logger.error("needs a GPU")
        model.cuda()
        """,
    "an assert in the arm for machines with CUDA": """
        gpus = 1
        if torch.cuda.is_available():
            assert gpus == 0
        if gpus:
            model.cuda()
        """,
    "an assert that holds without CUDA": """
        gpus = 1
        if torch.cuda.is_available():
            assert gpus <= torch.cuda.device_count()
        else:
            assert gpus == 1
        if gpus:
            model.cuda()
        """,
    "an assert in one of several arms that a machine without CUDA may take": """
        def build(kind, gpus=1):
            if torch.cuda.is_available():
                assert gpus <= torch.cuda.device_count()
            elif kind == "tiny":
                assert gpus == 0
            if gpus:
                model.cuda()
        """,
    "that one process does it all": """
        from settings import read
        args = read()
        if args.distributed:
            print("many")
        else:
            model.cuda()
        """,
    "that nothing is spread": """
        def build(cfg):
            if not cfg.use_ddp:
                return model.cuda()
        """,
    "another branch for what runs on no CPU": """
        def load(path, batch):
            if path.endswith(".engine"):
                import tensorrt as trt
                return trt.Runtime(path), batch
            return None, batch.cuda()
        """,
    "a file that knows what runs on no CPU": """
        from torch.distributed.fsdp import FullyShardedDataParallel
        class Training:
            def move(self, batch):
                return batch.cuda()
        """,
    "a variable that holds a test of something else": """
        def move(x, batch):
            is_wide = x.shape[1] > 8
            if is_wide:
                return batch.cuda()
        """,
    "a variable that may hold another test": """
        def move(x, batch, known):
            on_host = x.device == torch.device("cpu")
            if known:
                on_host = False
            if not on_host:
                return batch.cuda()
        """,
    "what is made for another reason as well": """
        def scatter(x, devices):
            streams = None
            if devices != [-1]:
                streams = [x]
            if x.numel():
                streams = [None]
            if streams is not None:
                model.cuda()
        """,
    "a variable that may hold without CUDA too": """
        def load(loader):
            pinned = loader.pin_memory or torch.cuda.is_available()
            if pinned:
                torch.cuda.set_device(0)
        """,
    "the other arm of such a variable": """
        def load(loader):
            pinned = loader.pin_memory and torch.cuda.is_available()
            if not pinned:
                torch.cuda.set_device(0)
        """,
    "whether torch can run distributed": """
        import torch.distributed as dist
        if dist.is_available():
            model.cuda()
        """,
    "whether torch cannot run distributed": """
        import torch.distributed as dist
        if dist.is_available():
            print("distributed")
        else:
            model.cuda()
        """,
    "whether some package is there": """
        import apex
        if apex.is_available():
            model.cuda()
        """,
    "one of two": """
        if not (torch.cuda.is_available() or torch.xpu.is_available()):
            sys.exit()
        model.cuda()
        """,
    "nothing": "model.cuda()",
    "a test that only warns": """
        if not torch.cuda.is_available():
            print("this will be slow")
        model.cuda()
        """,
    "the other arm": """
        if torch.cuda.is_available():
            print("fine")
        else:
            model.cuda()
        """,
    "the test is negated": """
        if not torch.cuda.is_available():
            model.cuda()
        """,
    "or": """
        if torch.cuda.is_available() or len(sys.argv) > 1:
            model.cuda()
        """,
    "the ternary's wrong arm": 'model.to("cpu" if torch.cuda.is_available() else "cuda")',
    "after the guarded arm": """
        if torch.cuda.is_available():
            print("fine")
        model.cuda()
        """,
    "a name that is always true": """
        use_cuda = True
        if use_cuda:
            model.cuda()
        """,
    "a guard after it": """
        model.cuda()
        assert torch.cuda.is_available()
        """,
    "a variable of the file": """
        DEVICE = torch.device("cuda")
        def move():
            return model.to(DEVICE)
        """,
    "a load": 'torch.load("a.pt", map_location="cuda:0")',
    "a dict": """
        config = {"device": "cuda"}
        model.to(config["device"])
        """,
}


@pytest.mark.parametrize("code", GUARDED.values(), ids=GUARDED)
def test_a_machine_without_cuda_never_comes_here_or_is_prepared(program: Program, code: str) -> None:
    assert program(HEAD + dedent(code)).reported(RULE) == []


@pytest.mark.parametrize("code", UNGUARDED.values(), ids=UNGUARDED)
def test_what_keeps_nobody_away_is_no_guard(program: Program, code: str) -> None:
    assert len(program(HEAD + dedent(code)).reported(RULE)) == 1
