"""What keeps a demand for CUDA from machines that have none, and what does not: devices, streams and what asks about them."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.guards.programs import HEAD, RULE

Program: TypeAlias = Callable[[str], Checkout]

GUARDED = {
    "a device that is asked about before it is needed": """
        device = torch.device("cuda")
        if device.type == "cuda" and not torch.cuda.is_available():
            raise SystemExit("needs a GPU")
        model.to(device)
        """,
    "a device that another one is returned for": """
        def pick(name="cuda"):
            device = torch.device(name)
            if device.type == "cuda" and not torch.cuda.is_available():
                return torch.device("cpu")
            return device
        model.to(pick())
        """,
    "that no GPU is asked for, or which": """
        from settings import read
        args = read()
        if args.gpu:
            model.cuda()
        """,
    "a device that is given up": """
        def choose(name="cuda"):
            device = torch.device(name)
            if device.type == "cuda" and not torch.cuda.is_available():
                device = torch.device("cpu")
            return model.to(device)
        choose()
        """,
    "one of two devices that is given up": """
        def choose(rank, is_alone):
            device = torch.device("cpu") if is_alone else torch.device("cuda", rank)
            if not torch.cuda.is_available():
                device = torch.device("cpu")
            return model.to(device)
        """,
    "a build for no GPU": """
        def describe():
            if torch.version.cuda is not None or torch.version.hip is not None:
                return torch.cuda.get_device_capability()
        """,
    "a variable that holds a test of the device": """
        def move(x, batch):
            on_host = x.device == torch.device("cpu")
            if not on_host:
                return batch.cuda()
        """,
    "whether autocast is on": """
        def attend(x):
            if torch.is_autocast_enabled():
                return x.cuda()
        """,
    "what is made for devices": """
        def scatter(x, devices):
            streams = None
            if not x.is_cuda and devices != [-1]:
                streams = [x]
            if streams is not None:
                model.cuda()
        """,
    "a backend that says when it can be used": """
        class CudaBackend:
            def name(self):
                return "cuda"
            def is_available(self):
                return torch.cuda.is_available()
        class HostBackend:
            def name(self):
                return "cpu"
            def is_available(self):
                return True
        def backend():
            return next(one for one in (CudaBackend(), HostBackend()) if one.is_available())
        class Bench:
            def __init__(self):
                self.backend = CudaBackend()
            def run(self, x):
                return x.to(self.backend.name())
        """,
    "what is made for devices, as a truth": """
        def scatter(x, devices):
            streams = None
            if devices != [-1]:
                streams = [x]
            if not streams:
                return
            model.cuda()
        """,
    "whether some package finds a GPU": """
        import backend
        if backend.gpu.is_available():
            model.cuda()
        """,
    "an event that is none of the GPU's": """
        import threading
        done, made, stream = threading.Event(), torch.Event(), torch.Stream()
        """,
    "a stream on a device that somebody chose": """
        def warm_up(tensor, device):
            return torch.cuda.Stream(tensor.device), torch.cuda.Stream(device=device)
        """,
    "a stream where there is a GPU": """
        class Prefetcher:
            def __init__(self):
                self.stream = torch.cuda.Stream() if torch.cuda.is_available() else None
        """,
    "an index that says there is no GPU": """
        import argparse
        from updater import Updater
        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", type=int, default=-1, help="negative for the CPU")
        args = parser.parse_args()
        updater = Updater(models=(model,), device=args.gpu)
        """,
    "device count": """
        if torch.cuda.device_count() > 0:
            model.cuda()
        """,
    "device count as truth": """
        if torch.cuda.device_count():
            model.cuda()
        """,
    "a ternary of devices": """
        device = torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu")
        model.to(device)
        """,
    "a map of devices": """
        from transformers import AutoModel
        device = "cuda" if torch.cuda.is_available() else "cpu"
        AutoModel.from_pretrained("bert", device_map=device)
        AutoModel.from_pretrained("bert", device_map="auto")
        AutoModel.from_pretrained("bert", device_map="balanced_low_0")
        AutoModel.from_pretrained("bert", device_map={"": "cpu"})
        """,
    "the type of the device": """
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if device.type == "cuda":
            torch.cuda.set_device(0)
        """,
    "a word, no device": """
        stats = {"cuda": 1}
        print(stats["cuda"], "cuda", "runs on cuda:0")
        """,
}
UNGUARDED = {
    "a device that is asked for another kind": """
        class Runner:
            def __init__(self, name="cuda"):
                self.device = torch.device(name)
                if self.device.type == "mps" and not torch.cuda.is_available():
                    self.device = torch.device("cpu")
                model.to(self.device)
        """,
    "a device that is only talked about": """
        device = torch.device("cuda")
        if device.type == "cuda" and not torch.cuda.is_available():
            print("slow")
        model.to(device)
        """,
    "a device that is needed before it is given up": """
        def choose():
            device = torch.device("cuda")
            model.to(device)
            if not torch.cuda.is_available():
                device = torch.device("cpu")
            return device
        """,
    "a device that is given up for another reason": """
        def choose(small):
            device = torch.device("cuda")
            if small:
                device = torch.device("cpu")
            return model.to(device)
        """,
    "whether autocast is off": """
        def attend(x):
            if not torch.is_autocast_enabled():
                return x.cuda()
        """,
    "what is made whatever the device": """
        def scatter(x, devices):
            streams = None
            if x.numel():
                streams = [x]
            if streams is not None:
                model.cuda()
        """,
    "a backend that says so of any machine": """
        class CudaBackend:
            def name(self):
                return "cuda"
            def is_available(self):
                return True
        class HostBackend:
            def name(self):
                return "cpu"
            def is_available(self):
                return True
        def backend():
            return next(one for one in (CudaBackend(), HostBackend()) if one.is_available())
        class Bench:
            def __init__(self):
                self.backend = CudaBackend()
            def run(self, x):
                return x.to(self.backend.name())
        """,
    "a stream of which nobody knows whose it is": """
        def fetch(batch, stream):
            if stream is not None:
                torch.cuda.current_stream().wait_stream(stream)
            return batch
        """,
    "a stream for which another thing may stand": """
        class Fetching:
            def __init__(self, loader, device):
                self.loader = loader
                self.stream = torch.cuda.Stream(device=device) if device.type == "cuda" else "host"
            def __iter__(self):
                if self.stream is not None:
                    torch.cuda.current_stream().synchronize()
                return iter(self.loader)
        """,
    "nothing was made for a device": """
        def scatter(x, devices):
            streams = None
            if devices != [-1]:
                streams = [x]
            if streams is None:
                model.cuda()
        """,
    "made for a device and then for all": """
        def scatter(x, devices):
            streams = None
            if devices != [-1]:
                streams = [x]
            streams = streams or [None]
            if streams is not None:
                model.cuda()
        """,
    "that something is None, which may be false otherwise": """
        def load(loader):
            pinned = loader.pin_memory and torch.cuda.is_available()
            if pinned is not None:
                torch.cuda.set_device(0)
        """,
    "a stream of its own": """
        side = torch.cuda.Stream()
        """,
    "a stream on a device of its own": """
        side = torch.cuda.Stream("cuda:1")
        """,
    "an event of its own": """
        start = torch.cuda.Event(enable_timing=True)
        """,
    "another backend": """
        if torch.backends.mps.is_available():
            print("mps")
        model.to("cuda")
        """,
    "a device for a whole model": """
        from transformers import AutoModel
        AutoModel.from_pretrained("bert", device_map="cuda")
        """,
}


@pytest.mark.parametrize("code", GUARDED.values(), ids=GUARDED)
def test_a_machine_without_cuda_never_comes_here_or_is_prepared(program: Program, code: str) -> None:
    assert program(HEAD + dedent(code)).reported(RULE) == []


@pytest.mark.parametrize("code", UNGUARDED.values(), ids=UNGUARDED)
def test_what_keeps_nobody_away_is_no_guard(program: Program, code: str) -> None:
    assert len(program(HEAD + dedent(code)).reported(RULE)) == 1
