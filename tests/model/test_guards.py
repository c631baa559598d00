"""What keeps a demand for CUDA from machines that have none, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout
from torchlint.source import UnreadableSourceError

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]
RULE = "hardcoded-cuda"
HEAD = "import os\nimport sys\nimport torch\nfrom torch import nn\nmodel = nn.Linear(2, 2)\n"

GUARDED = {
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
    "what runs before each test of a class": """
        import unittest
        class Tests(unittest.TestCase):
            def setUp(self):
                if not torch.cuda.is_available():
                    self.skipTest("needs a GPU")
            def test_moving(self):
                model.cuda()
        class More(Tests):
            def test_moving_again(self):
                self.move()
            def move(self):
                model.cuda()
        """,
    "what runs before all tests of a class": """
        import unittest
        class Tests(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                if not torch.cuda.is_available():
                    raise unittest.SkipTest("needs a GPU")
            def test_moving(self):
                model.cuda()
        """,
    "fixtures of tests": """
        import pytest
        @pytest.fixture
        def gpu():
            if not torch.cuda.is_available():
                pytest.skip("needs a GPU")
            return "cuda"
        def test_moving(gpu):
            model.cuda()
        """,
    "a fixture of every test": """
        import pytest
        @pytest.fixture(autouse=True)
        def needed():
            if not torch.cuda.is_available():
                pytest.skip("needs a GPU")
        def test_moving():
            model.cuda()
        class Tests:
            def test_moving(self):
                model.cuda()
        """,
    "what a loop has beside each device": """
        for name, is_there in (("cuda", torch.cuda.is_available()), ("cpu", True)):
            if is_there:
                model.to(name)
        for name, is_there in [("cuda", torch.cuda.is_available()), ("cpu", True)]:
            if not is_there:
                continue
            model.to(torch.device(name))
        """,
    "what a case asks besides its pattern": """
        match sys.argv[1]:
            case "gpu" if torch.cuda.is_available():
                device = torch.device("cuda")
                model.cuda()
            case _:
                device = torch.device("cpu")
        model.to(device)
        """,
    "an attempt that goes elsewhere where it fails": """
        def pick():
            try:
                torch.zeros(1, device="cuda")
            except (AssertionError, RuntimeError):
                return "cpu"
            return "cuda"
        model.to(pick())
        """,
    "the rest of an attempt": """
        try:
            torch.cuda.current_device()
        except Exception:
            device = torch.device("cpu")
        else:
            device = torch.device("cuda")
        model.to(device)
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
    "a list that is filled where there is CUDA": """
        ids = []
        for one in range(torch.cuda.device_count()):
            ids.append(one)
        if ids:
            model.cuda()
        """,
    "that several processes do it, if somebody says so": """
        from settings import read
        args = read()
        if args.distributed:
            model.cuda()
        """,
    "that no GPU is asked for, or which": """
        from settings import read
        args = read()
        if args.gpu:
            model.cuda()
        """,
    "whether DeepSpeed runs": """
        from transformers.integrations import is_deepspeed_zero3_enabled
        def gather(x):
            if is_deepspeed_zero3_enabled():
                return x.cuda()
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
    "a branch for what runs on no CPU": """
        def load(path, device, batch):
            if path.endswith(".engine"):
                import tensorrt as trt
                if device.type == "cpu":
                    return trt.Runtime(path), batch.cuda()
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
    "what is made for devices, as a truth": """
        def scatter(x, devices):
            streams = None
            if devices != [-1]:
                streams = [x]
            if not streams:
                return
            model.cuda()
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
    "a loop beside all GPUs": """
        def spread(parts):
            return [part.cuda(index) for part, index in zip(parts, range(torch.cuda.device_count()))]
        """,
    "a loop over a list of all GPUs": """
        indices = [index for index in range(torch.cuda.device_count())]
        for rank, index in enumerate(sorted(indices)):
            model.cuda(index)
        """,
    "a loop over the other GPUs": """
        for index in range(1, torch.cuda.device_count()):
            model.cuda(index)
        """,
    "a loop over the devices of a wrapper": """
        wrapped = nn.DataParallel(model, device_ids=[0, 1])
        for index in wrapped.device_ids:
            torch.cuda.set_device(index)
        """,
    "a loop over the devices of a wrapper of one's own": """
        class Spread(nn.DataParallel):
            def parts_of(self, image):
                return [image.cuda(index) for index in self.device_ids]
        """,
    "what only DataParallel calls": """
        class Spread(nn.DataParallel):
            def scatter(self, inputs, kwargs, device_ids):
                return _copied(inputs, device_ids), [{} for _ in device_ids]
        def _copied(inputs, device_ids):
            return [part.cuda(index) for part, index in zip(inputs, device_ids)]
        """,
    "whether some package finds a GPU": """
        import backend
        if backend.gpu.is_available():
            model.cuda()
        """,
    "whether a process group runs": """
        import torch.distributed as dist
        if dist.is_available() and dist.is_initialized():
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
    "an assert of what a loop goes through": """
        def cat(xs):
            for x in xs:
                assert isinstance(x, torch.cuda.LongTensor), x
            return torch.cat([*xs, torch.zeros(3, device="cuda")])
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
    "a loop over the devices": """
        for index in range(torch.cuda.device_count()):
            model.to(f"cuda:{index}")
        """,
    "a ternary": """
        model.to("cuda" if torch.cuda.is_available() else "cpu")
        """,
    "a ternary the other way round": """
        model.to("cpu" if not torch.cuda.is_available() else "cuda")
        """,
    "a ternary of calls": """
        model = model.cuda() if torch.cuda.is_available() else model
        """,
    "a ternary of devices": """
        device = torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu")
        model.to(device)
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
    "an if that chooses over a default": """
        device = "cpu"
        if torch.cuda.is_available():
            device = "cuda"
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
    "an option that chooses CUDA where it is asked to": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cpu")
        args = parser.parse_args()
        if args.device == "cuda":
            model.cuda()
        """,
    "an option that chooses CUDA and has to be given": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("device", choices=["cpu", "cuda"])
        args = parser.parse_args()
        if args.device == "cuda":
            model.cuda()
        """,
    "an option that falls back": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda")
        args = parser.parse_args()
        if args.device == "cuda" and not torch.cuda.is_available():
            args.device = "cpu"
        if args.device == "cuda":
            model.cuda()
        """,
    "a name holds the test": """
        use_cuda = torch.cuda.is_available()
        if use_cuda:
            model.cuda()
        """,
    "a name holds more than the test": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--no-cuda", action="store_true")
        args = parser.parse_args()
        use_cuda = not args.no_cuda and torch.cuda.is_available()
        device = torch.device("cuda" if use_cuda else "cpu")
        model.to(device)
        """,
    "the option itself is overwritten": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--cuda", action="store_true", default=True)
        args = parser.parse_args()
        args.cuda = args.cuda and torch.cuda.is_available()
        if args.cuda:
            model.cuda()
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
    "try": """
        try:
            model.cuda()
        except RuntimeError:
            print("on the CPU")
        """,
    "try with any": """
        try:
            model.cuda()
        except Exception:
            print("on the CPU")
        """,
    "while": """
        while torch.cuda.is_available():
            model.cuda()
            break
        """,
    "a comprehension": """
        [model.to(f"cuda:{i}") for i in range(torch.cuda.device_count())]
        """,
    "a comprehension's test": """
        [model.cuda() for _ in range(2) if torch.cuda.is_available()]
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
    "a chain that exits where neither a launcher nor a GPU is": """
        def init(args):
            if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
                args.gpu = int(os.environ["LOCAL_RANK"])
            elif "SLURM_PROCID" in os.environ:
                args.gpu = int(os.environ["SLURM_PROCID"]) % torch.cuda.device_count()
            elif torch.cuda.is_available():
                args.gpu = 0
                os.environ["MASTER_ADDR"] = "127.0.0.1"
            else:
                print("Does not support training without GPU.")
                sys.exit(1)
            torch.cuda.set_device(args.gpu)
        def main(args):
            init(args)
            model.cuda()
        if __name__ == "__main__":
            main(argparse.Namespace())
        """,
    "a launcher that nobody started": """
        def init():
            if "MASTER_ADDR" not in os.environ and not torch.cuda.is_available():
                with open("log") as log:
                    raise RuntimeError("needs a GPU")
        init()
        model.cuda()
        """,
    "a helper that returns only with a GPU": """
        def require():
            if torch.cuda.is_available():
                return
            raise RuntimeError("needs a GPU")
        require()
        model.cuda()
        """,
    "the default of a launcher's variable": """
        if int(os.environ.get("SLURM_PROCID", -1)) >= 0:
            model.cuda()
        if int(os.environ.get("LOCAL_RANK", "-1")) != -1:
            model.cuda()
        if int(os.environ.get("PMI_SIZE", 0)) > 1:
            model.cuda()
        """,
    "an attribute out of a dict that says no": """
        class Predictor:
            _defaults = {"cuda": False}
            def __init__(self, **kwargs):
                self.__dict__.update(self._defaults)
                for name, value in kwargs.items():
                    setattr(self, name, value)
                if self.cuda:
                    model.cuda()
        Predictor(confidence=0.5)
        """,
    "an attribute out of a dict that asks the machine": """
        class Predictor:
            _defaults = {"cuda": torch.cuda.is_available(), "confidence": 0.5}
            def __init__(self):
                vars(self).update(self._defaults)
            def predict(self):
                if self.cuda:
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
    "a dict of something else": """
        class Predictor:
            def __init__(self, other, use_cuda):
                self.cuda = False
                other.__dict__.update(cuda=True)
                other.update(cuda=True)
                if self.cuda:
                    model.cuda()
        """,
    "a default that no construction of the class below leaves": """
        class Base:
            def __init__(self, use_gpu=True):
                self.use_gpu = use_gpu
        class Metric(Base):
            def run(self):
                if self.use_gpu:
                    model.cuda()
        def main(use_gpu):
            Metric(use_gpu=use_gpu).run()
        main("--gpu" in sys.argv)
        """,
    "a decorator that skips": """
        import unittest
        class TestNet(unittest.TestCase):
            @unittest.skipUnless(torch.cuda.is_available(), "needs a GPU")
            def test_it(self):
                model.cuda()
        """,
    "a decorator of the class that skips": """
        import pytest
        @pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
        class TestNet:
            def test_it(self):
                model.cuda()
        """,
    "a decorator that asks for GPUs": """
        from lightning.fabric.utilities.testing import _RunIf
        @_RunIf(min_cuda_gpus=1)
        def test_it():
            model.cuda()
        """,
    "marks of a set of parameters": """
        import pytest
        from marks import needs_gpu
        @pytest.mark.parametrize("moved", [model, pytest.param(model.cuda(), marks=[needs_gpu])])
        def test_it(moved):
            pass
        """,
    "a decorator by another name": """
        import unittest
        needs_gpu = unittest.skipIf(not torch.cuda.is_available(), "needs a GPU")
        @needs_gpu
        def test_it():
            model.cuda()
        """,
    "a mark of the file": """
        import pytest
        pytestmark = [pytest.mark.slow, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]
        def test_it():
            model.cuda()
        """,
    "a skip of unittest": """
        import unittest
        class TestNet(unittest.TestCase):
            def test_it(self):
                if not torch.cuda.is_available():
                    self.skipTest("needs a GPU")
                model.cuda()
        """,
    "an error of a parser": """
        import argparse
        parser = argparse.ArgumentParser()
        if not torch.cuda.is_available():
            parser.error("needs a GPU")
        model.cuda()
        """,
    "a skip in the test": """
        import pytest
        def test_it():
            if not torch.cuda.is_available():
                pytest.skip("needs a GPU")
            model.cuda()
        """,
    "an option that is off": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--cuda", action="store_true")
        args = parser.parse_args()
        if args.cuda:
            model.cuda()
        """,
    "a parameter that every call gives the device that there is": """
        def convert(x, device=None):
            device = device or torch.device("cuda:0")
            return torch.tensor(x, device=device)
        convert(2, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
        """,
    "an option whose default is the CPU": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cpu")
        args = parser.parse_args()
        model.to(args.device)
        """,
    "an argument whose default is the CPU": """
        def move(model, device="cpu"):
            return model.to(device)
        move(model)
        """,
    "a class attribute": """
        class Config:
            device = "cuda" if torch.cuda.is_available() else "cpu"
        model.to(Config.device)
        """,
    "self holds the test": """
        class Trainer:
            def __init__(self):
                self.use_cuda = torch.cuda.is_available()
            def fit(self):
                if self.use_cuda:
                    model.cuda()
        """,
    "the test of a tensor": """
        def move(x):
            if x.is_cuda:
                return torch.zeros(2).cuda()
            return torch.zeros(2)
        move(torch.ones(2))
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
    "what runs before the tests of another class": """
        import unittest
        class Tests(unittest.TestCase):
            def setUp(self):
                if not torch.cuda.is_available():
                    self.skipTest("needs a GPU")
        class Others(unittest.TestCase):
            def setUp(self):
                print("starting")
            def test_moving(self):
                model.cuda()
        """,
    "a fixture that a test is not given": """
        import pytest
        @pytest.fixture
        def gpu():
            if not torch.cuda.is_available():
                pytest.skip("needs a GPU")
        def test_moving():
            model.cuda()
        """,
    "what a loop has beside another device": """
        for name, is_there in (("cuda", True), ("cpu", torch.cuda.is_available())):
            if is_there:
                model.to(name)
        """,
    "what a loop has beside each device, asked too late": """
        for name, is_there in (("cuda", torch.cuda.is_available()), ("cpu", True)):
            model.to(name)
            if is_there:
                break
        """,
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
    "an attempt that goes on": """
        try:
            torch.zeros(1, device="cuda")
        except RuntimeError:
            print("slow")
        model.cuda()
        """,
    "an attempt at something else": """
        def load(path):
            try:
                torch.zeros(1, device=sys.argv[1])
                state = torch.load(path, map_location="cpu")
            except RuntimeError:
                return None
            return model.cuda().load_state_dict(state)
        """,
    "an attempt that catches something else": """
        def load(path):
            try:
                state = torch.load(path, map_location="cuda")
            except FileNotFoundError:
                return None
            return model.load_state_dict(state)
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
    "an error that is only logged": """
        import logging
        logger = logging.getLogger()
        if not torch.cuda.is_available():
            logger.error("needs a GPU")
        model.cuda()
        """,
    "a mark of the file that has no test": """
        import pytest
        pytestmark = pytest.mark.slow
        def test_it():
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
    "a method that a class has in either case": """
        class Tests:
            if torch.backends.mkl.is_available():
                def test_moving(self):
                    model.cuda()
        """,
    "a list that options fill": """
        import argparse
        args = argparse.ArgumentParser().parse_args()
        args.parts = []
        for one in args.names.split(","):
            args.parts.append(one)
        if args.parts:
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
    "a file that knows what runs on no CPU": """
        from torch.distributed.fsdp import FullyShardedDataParallel
        class Training:
            def move(self, batch):
                return batch.cuda()
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
    "a list that is made of itself without end": """
        def collated(batch):
            for parts in zip(*batch):
                model.cuda()
            return {key: collated([part[key] for part in batch]) for key in batch[0]}
        """,
    "what is called like a hook of DataParallel": """
        class Spread(nn.Module):
            def scatter(self, inputs, kwargs, device_ids):
                return [part.cuda(index) for part, index in zip(inputs, device_ids)]
        """,
    "a hook of DataParallel that somebody else calls too": """
        class Spread(nn.DataParallel):
            def scatter(self, inputs, kwargs, device_ids):
                return [part.cuda(index) for part, index in zip(inputs, device_ids)]
        def spread(inputs):
            return Spread(model).scatter(inputs, {}, [0])
        """,
    "a hook of DataParallel with a forward of one's own": """
        class Spread(nn.DataParallel):
            def scatter(self, inputs, kwargs, device_ids):
                return [part.cuda(index) for part, index in zip(inputs, device_ids)]
            def forward(self, inputs):
                return self.scatter(inputs, {}, [0])
        """,
    "a loop over a list of all GPUs that gets another one": """
        indices = [index for index in range(torch.cuda.device_count())]
        indices.append(0)
        for index in indices:
            model.cuda(index)
        """,
    "a loop over all GPUs and another one": """
        for index in list(range(torch.cuda.device_count())) + [0]:
            model.cuda(index)
        """,
    "a loop up to the last GPU": """
        for index in range(0, torch.cuda.device_count() + 1):
            model.cuda(index)
        """,
    "a loop over the devices that an heir of a wrapper sets": """
        class Spread(nn.DataParallel):
            def __init__(self, module):
                super().__init__(module)
                self.device_ids = [0, 1]
            def parts_of(self, image):
                return [image.cuda(index) for index in self.device_ids]
        """,
    "a loop over the devices of a module": """
        class Spread(nn.Module):
            def parts_of(self, image):
                return [image.cuda(index) for index in self.device_ids]
        """,
    "a loop over the devices of DistributedDataParallel, which may be given any": """
        wrapped = nn.parallel.DistributedDataParallel(model, device_ids=[0])
        for index in wrapped.device_ids:
            torch.cuda.set_device(index)
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
    "that something is None, which may be false otherwise": """
        def load(loader):
            pinned = loader.pin_memory and torch.cuda.is_available()
            if pinned is not None:
                torch.cuda.set_device(0)
        """,
    "an option that names the first GPU": """
        import argparse
        from updater import Updater
        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", type=int, default=0, help="negative for the CPU")
        args = parser.parse_args()
        updater = Updater(models=(model,), device=args.gpu)
        """,
    "an assert about something else in a loop": """
        def cat(xs):
            for x in xs:
                assert isinstance(x, torch.LongTensor), x
            return torch.cat([*xs, torch.zeros(3, device="cuda")])
        """,
    "an assert of devices in a loop": """
        def cat(xs, y):
            for x in xs:
                assert x.device == y.device
            return torch.cat([*xs, torch.zeros(3, device="cuda")])
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
    "a stream of its own": """
        side = torch.cuda.Stream()
        """,
    "a stream on a device of its own": """
        side = torch.cuda.Stream("cuda:1")
        """,
    "an event of its own": """
        start = torch.cuda.Event(enable_timing=True)
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
    "a helper that exits only where a launcher started it": """
        def init():
            if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
                assert torch.cuda.is_available()
            else:
                print("not distributed")
        init()
        model.cuda()
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
    "an attribute out of a dict of the class": """
        class Predictor:
            _defaults = {"confidence": 0.5, "cuda": True}
            def __init__(self, **kwargs):
                self.__dict__.update(self._defaults)
                for name, value in kwargs.items():
                    setattr(self, name, value)
                self.generate()
            def generate(self):
                if self.cuda:
                    model.cuda()
        Predictor(confidence=0.1)
        """,
    "an attribute out of a dict of a base, for callers elsewhere": """
        class Base:
            _defaults = dict(cuda=True)
            def __init__(self, **kwargs):
                vars(self).update(self._defaults)
                self.__dict__.update(kwargs)
        class Predictor(Base):
            def predict(self):
                if self.cuda:
                    model.cuda()
        """,
    "an attribute out of a dict that is looped over": """
        class Predictor:
            def __init__(self):
                settings = {"device": "cuda:0"}
                for key in settings:
                    setattr(self, key, settings[key])
            def predict(self):
                model.to(self.device)
        """,
    "attributes by name": """
        class Predictor:
            def __init__(self):
                self.__dict__.update(use_cuda=True)
            def predict(self):
                if self.use_cuda:
                    model.cuda()
        """,
    "a default that a construction of the class below leaves": """
        class Base:
            def __init__(self, use_gpu=True):
                self.use_gpu = use_gpu
        class Metric(Base):
            def run(self):
                if self.use_gpu:
                    model.cuda()
        Metric().run()
        """,
    "a parameter that one call leaves to its default, and another gives the device that there is": """
        def convert(x, device=None):
            device = device or torch.device("cuda:0")
            return torch.tensor(x, device=device)
        convert(1)
        convert(2, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
        """,
    "a default that the constructor of the class below leaves": """
        class Base:
            def __init__(self, use_gpu=True):
                self.use_gpu = use_gpu
        class Metric(Base):
            def __init__(self, verbose):
                super().__init__()
            def run(self):
                if self.use_gpu:
                    model.cuda()
        Metric(False).run()
        """,
    "an abstract method": """
        class Trainer:
            def prepare(self):
                raise NotImplementedError
            def fit(self):
                self.prepare()
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
    "another backend": """
        if torch.backends.mps.is_available():
            print("mps")
        model.to("cuda")
        """,
    "the ternary's wrong arm": 'model.to("cpu" if torch.cuda.is_available() else "cuda")',
    "after the guarded arm": """
        if torch.cuda.is_available():
            print("fine")
        model.cuda()
        """,
    "one caller without a guard": """
        def move(model):
            return model.cuda()
        if torch.cuda.is_available():
            move(model)
        move(model)
        """,
    "an argument whose default is CUDA": """
        def move(model, device="cuda"):
            return model.to(device)
        move(model)
        """,
    "an option whose default is CUDA": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda")
        args = parser.parse_args()
        model.to(args.device)
        """,
    "an option that is on": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--no-cuda", dest="cuda", action="store_false")
        args = parser.parse_args()
        if args.cuda:
            model.cuda()
        """,
    "an option that only chooses CUDA, and does": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda")
        args = parser.parse_args()
        print(f"on {args.device}")
        if args.device == "cuda":
            model.to(torch.device("cuda:0"))
        """,
    "one of two options that choose CUDA, and do": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--use-gpu", action="store_true", default=True)
        parser.add_argument("--gpu-type", default="cuda")
        args = parser.parse_args()
        if args.use_gpu and args.gpu_type == "cuda":
            model.cuda()
        elif args.use_gpu and args.gpu_type == "mps":
            model.to("mps")
        """,
    "an option that is a device, where it is compared too": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda")
        args = parser.parse_args()
        model.to(args.device)
        if args.device == "cuda":
            torch.cuda.synchronize()
        """,
    "a handler that raises again": """
        try:
            model.cuda()
        except RuntimeError:
            print("no")
            raise
        """,
    "a handler of something else": """
        try:
            model.cuda()
        except KeyError:
            print("no")
        """,
    "a handler of interruptions": """
        try:
            model.cuda()
        except (RuntimeError, KeyboardInterrupt):
            torch.save(model.state_dict(), "model.pt")
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
    "a variable of the file": """
        DEVICE = torch.device("cuda")
        def move():
            return model.to(DEVICE)
        """,
    "a load": 'torch.load("a.pt", map_location="cuda:0")',
    "a device for a whole model": """
        from transformers import AutoModel
        AutoModel.from_pretrained("bert", device_map="cuda")
        """,
    "a device for a whole model, by default": """
        from transformers import AutoModel
        def load(name, device_map="cuda:0"):
            return AutoModel.from_pretrained(name, device_map=device_map)
        """,
    "a dataclass's field": """
        from dataclasses import dataclass
        @dataclass
        class Config:
            device: str = "cuda"
        config = Config()
        model.to(config.device)
        """,
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


def test_an_option_on_the_cpu_does_not_hide_another_one(program: Program) -> None:
    code = """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cpu")
        parser.add_argument("--teacher-device", default="cuda:1")
        args = parser.parse_args()
        model.to(args.device)
        model.to(args.teacher_device)
        """

    assert program(HEAD + dedent(code)).reported(RULE) == ['parser.add_argument("--teacher-device", default="cuda:1")']


def test_a_guard_in_main_before_spawning_guards_the_worker_in_another_file(project_of: ProjectOf) -> None:
    worker = "import torch\ndef run(rank, size):\n    torch.cuda.set_device(rank)\n    torch.zeros(2).cuda(rank)\n"
    main = "import torch\nimport torch.multiprocessing as mp\nfrom worker import run\n\ndef main():\n"
    spawn = "    mp.spawn(run, args=(2,), nprocs=2)\n\nmain()\n"

    guarded = project_of({"main.py": f"{main}    assert torch.cuda.is_available()\n{spawn}", "worker.py": worker})

    assert guarded.reported(RULE, "worker.py") == []


def test_without_that_guard_the_worker_is_reported(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": """\
            import torch.multiprocessing as mp
            from worker import run
            mp.spawn(run, args=(2,), nprocs=2)
            """,
        "worker.py": """\
            import torch
            def run(rank, size):
                torch.zeros(2).cuda(rank)
            """,
    })  # fmt: skip

    assert project.reported(RULE, "worker.py") == ["torch.zeros(2).cuda(rank)"]


def test_a_guard_in_another_file_counts_wherever_it_is_called(project_of: ProjectOf) -> None:
    project = project_of({
        "setup.py": """\
            import torch
            def require_gpu():
                if not torch.cuda.is_available():
                    raise SystemExit(1)
            """,
        "main.py": HEAD + dedent("""\
            from setup import require_gpu
            require_gpu()
            model.cuda()
            """),
    })  # fmt: skip

    assert project.reported(RULE) == []


STARTING = """\
import torch
class Starter:
    def init_dist_slurm(self, rank):
        torch.cuda.set_device(rank)
def init_dist_pytorch(rank):
    torch.cuda.set_device(rank)
"""
LOOKUPS = {
    "by a remainder": ('getattr(starting, "init_dist_%s" % args.launcher)(0)', ["slurm"]),
    "by a format": ('start = getattr(starting, "init_dist_{}".format(args.launcher))', ["slurm"]),
    "by an f-string": ('getattr(starting, f"init_{args.kind}_{args.launcher}")(0)', ["slurm"]),
    "by a sum": ('getattr(starting, "init_dist_" + args.launcher, None)(0)', ["slurm"]),
    "on an object": ('getattr(starting.Starter(), "init_dist_" + args.launcher)(0)', ["pytorch"]),
    "by another name": ('getattr(starting, "init_local_%s" % args.launcher)(0)', ["slurm", "pytorch"]),
    "on something else": ('getattr(parser, "init_dist_%s" % args.launcher)(0)', ["slurm", "pytorch"]),
    "by a name that begins with nothing": ('getattr(starting, "%s" % args.launcher)(0)', ["slurm", "pytorch"]),
}


@pytest.mark.parametrize(("lookup", "unguarded"), LOOKUPS.values(), ids=LOOKUPS)
@pytest.mark.parametrize("is_guarded", [True, False])
def test_what_is_looked_up_by_a_text_is_guarded_where_it_is_looked_up(
    project_of: ProjectOf, lookup: str, unguarded: list[str], *, is_guarded: bool
) -> None:
    test = 'args.launcher != "none"' if is_guarded else "len(sys.argv) > 1"
    project = project_of({
        "starting.py": STARTING,
        "main.py": f"""\
            import argparse
            import sys
            import starting
            import torch
            parser = argparse.ArgumentParser()
            parser.add_argument("--launcher", default="none")
            args = parser.parse_args()
            if {test}:
                {lookup}
            """,
    })  # fmt: skip

    assert len(project.reported(RULE, "starting.py")) == (len(unguarded) if is_guarded else 2)


def test_a_device_that_another_file_chooses_is_followed(project_of: ProjectOf) -> None:
    project = project_of({
        "settings.py": """\
            import torch
            DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
            OTHER = "cuda:1"
            """,
        "main.py": HEAD + dedent("""\
            import settings
            from settings import DEVICE
            model.to(DEVICE)
            model.to(settings.OTHER)
            """),
    })  # fmt: skip

    assert project.reported(RULE) == ["model.to(settings.OTHER)"]


BATCHES = """
    from torch.utils.data import DataLoader
    def train(dataset, model):
        for x in DataLoader(dataset, batch_size=8):
            y = None
            if {test}:
                x, y = x
            if y is not None:
                y = y.to("cuda")
            model(x, y=y)
    """


@pytest.mark.parametrize(
    "test", ["isinstance(x, (tuple, list))", "isinstance(x, list)", "not isinstance(x, torch.Tensor)"]
)
def test_a_batch_may_be_a_list_or_a_tensor(program: Program, test: str) -> None:
    code = HEAD + dedent(BATCHES).format(test=test)

    assert program(code).reported(RULE) == ['y = y.to("cuda")']


def test_what_is_no_class_of_batches_a_batch_is_not(program: Program) -> None:
    code = HEAD + dedent(BATCHES).format(test="isinstance(x, nn.Module)")

    assert program(code).reported(RULE) == []


AUGMENT = """\
    import torch
    class Augment:
        def __init__(self, device):
            self.buffer = torch.zeros(2, device=device)
    def noise(device):
        return torch.randn(2, device=device)
    """


def test_a_literal_that_is_used_where_it_stands_is_reported_there_alone(project_of: ProjectOf) -> None:
    train = """\
        from augment import Augment, noise
        def train(device):
            return Augment(device).buffer + noise(device)
        if __name__ == "__main__":
            device = "cuda"
            model.to(device)
            train(device)
        """

    project = project_of({"augment.py": AUGMENT, "main.py": HEAD + dedent(train)})

    assert project.reported(RULE) == ['device = "cuda"']
    assert project.reported(RULE, "augment.py") == []


def test_a_literal_that_calls_pass_to_another_file_is_reported_where_it_stands(project_of: ProjectOf) -> None:
    train = """\
        from augment import Augment, noise
        noise("cuda")
        if torch.cuda.is_available():
            noise("cuda:1")
        def train(device="cuda:2"):
            return Augment(device)
        """

    project = project_of({"augment.py": AUGMENT, "main.py": HEAD + dedent(train)})

    assert project.reported(RULE) == ['noise("cuda")', 'def train(device="cuda:2"):']
    assert project.reported(RULE, "augment.py") == []


@pytest.mark.parametrize(
    "move",
    [
        "    return x.to(torch.device(device))\n",
        "    place = torch.device(device)\n    return x.to(place)\n",
    ],
)
def test_what_another_file_makes_a_device_of_is_still_reported_where_it_stands(
    project_of: ProjectOf, move: str
) -> None:
    main = 'from moving import move\nmove(torch.zeros(2), "cuda")\n'

    project = project_of({"moving.py": f"import torch\ndef move(x, device):\n{move}", "main.py": HEAD + main})

    assert project.reported(RULE) == ['move(torch.zeros(2), "cuda")']
    assert project.reported(RULE, "moving.py") == []


def test_a_device_is_reported_where_it_is_made_one_and_nowhere_else(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "names.py": 'NAME = "cuda"\n',
            "places.py": "import torch\nfrom names import NAME\nPLACE = torch.device(NAME)\n",
            "main.py": f"{HEAD}from places import PLACE\nmodel.to(PLACE)\n",
        }
    )

    assert project.reported(RULE, "places.py") == ["PLACE = torch.device(NAME)"]
    assert project.reported(RULE) == []


def test_a_literal_that_a_stored_attribute_takes_to_another_file_is_reported_where_it_stands(
    project_of: ProjectOf,
) -> None:
    buffer = """\
        import torch
        class Buffer:
            def __init__(self, size, device="cpu"):
                self.size = size
                self.device = device
            def empty(self):
                return torch.zeros(self.size, device=self.device)
        """

    project = project_of({"buffer.py": buffer, "main.py": 'from buffer import Buffer\nBuffer(3, "cuda").empty()\n'})

    assert project.reported(RULE) == ['Buffer(3, "cuda").empty()']
    assert project.reported(RULE, "buffer.py") == []


def test_a_literal_that_is_imported_and_used_in_another_file_only_is_reported_where_it_is_used(
    project_of: ProjectOf,
) -> None:
    project = project_of(
        {
            "settings.py": 'NAMES = ["cuda"]\nDEVICE = "cuda"\n',
            "main.py": HEAD + "from settings import DEVICE\nmodel.to(DEVICE)\n",
        }
    )

    assert project.reported(RULE, "settings.py") == []
    assert project.reported(RULE) == ["model.to(DEVICE)"]


def test_what_a_function_puts_into_a_container_is_no_constant_of_those_that_read_it(project_of: ProjectOf) -> None:
    spread = "def move(layer, name, places):\n    return layer.to(places[name])\n"
    main = 'def place():\n    places = {"a": "cuda:0"}\n    return move(model, "a", places)\n'

    project = project_of({"spread.py": spread, "main.py": f"{HEAD}from spread import move\n{main}"})

    assert project.reported(RULE, "spread.py") == []


def test_what_a_file_puts_into_a_container_is_a_constant_of_those_that_read_it(project_of: ProjectOf) -> None:
    main = 'from places import PLACES\nmodel.to(PLACES["a"])\n'

    project = project_of({"places.py": 'PLACES = {"a": "cuda:0"}\n', "main.py": HEAD + main})

    assert project.reported(RULE) == ['model.to(PLACES["a"])']


def test_a_literal_that_another_file_only_compares_is_not_reported(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "names.py": 'def is_fast(device):\n    return device == "cuda"\n',
            "main.py": 'from names import is_fast\nprint(is_fast("cuda"))\n',
        }
    )

    assert project.reported(RULE) == []
    assert project.reported(RULE, "names.py") == []


def test_options_of_another_file_are_judged_by_their_default(project_of: ProjectOf) -> None:
    project = project_of({
        "options.py": """\
            import argparse
            def parse():
                parser = argparse.ArgumentParser()
                parser.add_argument('--device', default='cuda')
                parser.add_argument('--teacher', default='cpu')
                return parser.parse_args()
            """,
        "main.py": HEAD + dedent("""\
            from options import parse
            args = parse()
            model.to(args.device)
            model.to(args.teacher)
            """),
    })  # fmt: skip

    assert project.reported(RULE, "options.py") == ["parser.add_argument('--device', default='cuda')"]
    assert project.reported(RULE) == []


HEADS = """\
class Head:
    def __init__(self, device_id):
        self.device_id = device_id

    def forward(self, x):
        if self.device_id {test} None:
            return x
        return x.cuda(self.device_id[0])

Head({given}).forward(x)
"""


@pytest.mark.parametrize("test", ["is", "=="])
@pytest.mark.parametrize(("given", "is_found"), [("[0, 1]", True), ("None", False), ("unknown()", False)])
def test_no_device_is_none_however_it_is_asked(program: Program, test: str, given: str, *, is_found: bool) -> None:
    assert bool(program(HEADS.format(test=test, given=given)).reported(RULE)) is is_found


NETS = """\
import torch
from torch import nn

def build(where):
    return nn.Linear(2, 2).to(torch.device(where))
"""
ASKING = """\
import argparse
from nets import build
parser = argparse.ArgumentParser()
parser.add_argument('--where', default='{default}')
args = parser.parse_args()
{use}
"""


@pytest.mark.parametrize(
    ("default", "use", "is_found"),
    [
        ("cuda", "build(args.where)", True),
        ("cpu", "build(args.where)", False),
        ("cuda", "print(args.where)", False),
        ("cuda", "import torch\nif torch.cuda.is_available():\n    build(args.where)", False),
    ],
    ids=["passed on", "on the CPU", "never a device", "guarded"],
)
def test_an_option_that_a_call_passes_to_another_file_is_judged_by_its_default(
    project_of: ProjectOf, default: str, use: str, *, is_found: bool
) -> None:
    project = project_of({"nets.py": NETS, "main.py": ASKING.format(default=default, use=use)})

    assert bool(project.reported(RULE)) is is_found
    assert project.reported(RULE, "nets.py") == []


def test_a_library_function_that_nobody_calls_is_judged_by_its_own_default(project_of: ProjectOf) -> None:
    project = project_of({
        "library.py": """\
            import torch
            def zeros(device='cuda'):
                return torch.zeros(2, device=device)

            def ones(device='cpu'):
                return torch.ones(2, device=device)
            """,
    })  # fmt: skip

    assert project.reported(RULE, "library.py") == ["def zeros(device='cuda'):"]


IN_EITHER = """
import torch
def resume(half, device, x, y):
    if {test}:
        x.cuda()
    else:
        y.cuda()
resume(unknown(), unknown(), x, y)
"""


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("half", ["y.cuda()"]),
        ("not half", ["x.cuda()"]),
        ("half and x.any()", ["y.cuda()"]),
        ("x.type() == 'torch.cuda.HalfTensor'", ["y.cuda()"]),
        ("x.type() != 'torch.cuda.FloatTensor'", ["x.cuda()"]),
        ("device == 'cuda'", ["y.cuda()"]),
        ("world_size == 1", []),
        ("half_on_gpu", []),
        ("device == 'cpu'", []),
        ("device", []),
    ],
)
def test_where_nothing_says_cuda_yet_a_test_is_no_guard(program: Program, test: str, found: list[str]) -> None:
    assert program(IN_EITHER.format(test=test)).reported(RULE) == found


NAMED = """\
import torch
from elsewhere import unknown, read
args = read()
def pack(labels, other):
    labels_cuda = labels.to(unknown())
    on_gpu, rank, x_cpu = unknown(), torch.tensor(unknown()), labels.numpy()
    assert {test}
    return other.cuda()
pack(torch.ones(3), torch.ones(3))
"""


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("labels_cuda.ndim == 4", ["return other.cuda()"]),
        ("len(labels_cuda) == 4 and labels_cuda.max() < 3", ["return other.cuda()"]),
        ("x_cpu.max() < 3", ["return other.cuda()"]),
        ("labels_cuda.is_cuda", []),
        ("labels_cuda.device == args.gpu", []),
        ("on_gpu.ndim == 4", []),
        ("labels_cuda.ndim == 4 and args.gpu", []),
        ("rank == 0", []),
    ],
)
def test_a_tensor_that_is_called_by_where_it_is_says_nothing_of_what_there_is(
    program: Program, test: str, found: list[str]
) -> None:
    assert program(NAMED.format(test=test)).reported(RULE) == found


@pytest.mark.parametrize(
    ("test", "is_reported"), [("is None", True), ("== None", True), ("is not None", False), ("!= None", False)]
)
def test_that_no_device_was_chosen_is_no_guard(program: Program, test: str, *, is_reported: bool) -> None:
    code = f"import torch\ndef resume(gpu, x):\n    if gpu {test}:\n        x.cuda()\nresume(unknown(), x)\n"

    assert bool(program(code).reported(RULE)) is is_reported


@pytest.mark.parametrize(
    ("test", "is_reported"), [("not distributed", True), ("not using_deepspeed", True), ("using_deepspeed", False)]
)
def test_that_one_process_does_it_all_is_no_guard(program: Program, test: str, *, is_reported: bool) -> None:
    code = f"import torch\ndef start(distributed, using_deepspeed, x):\n    if {test}:\n        x.cuda()\nstart(*unknown(), x)\n"

    assert bool(program(code).reported(RULE)) is is_reported


@pytest.mark.parametrize(
    ("test", "is_reported"), [("0 <= rank < size", True), ("0 <= rank", False), ("1 <= rank < size", False)]
)
def test_that_a_rank_is_one_of_all_is_no_guard(program: Program, test: str, *, is_reported: bool) -> None:
    code = f"import torch\ndef start(rank, size, x):\n    assert {test}\n    x.cuda()\nstart(unknown(), 1, x)\n"

    assert bool(program(code).reported(RULE)) is is_reported


def test_a_method_called_cuda_leaves_it_to_whoever_calls_it(program: Program) -> None:
    code = (
        "import torch\nclass Boxes:\n    def __init__(self, data):\n        self.data = data\n"
        "    def cuda(self):\n        return Boxes(self.data.cuda())\nboxes = Boxes(torch.ones(2)).cuda()\n"
    )

    assert program(code).reported(RULE) == ["boxes = Boxes(torch.ones(2)).cuda()"]


SPAWNED = """
    import torch
    import torch.multiprocessing as mp

    def worker(rank, world_size):
        torch.cuda.set_device(rank)

    def main():
        gpus = torch.cuda.device_count()
        {start}

    if __name__ == "__main__":
        main()
    """
STARTED = {
    "one for each GPU": ("mp.spawn(worker, args=(gpus,), nprocs=gpus)", []),
    "by position": ("torch.multiprocessing.start_processes(worker, (gpus,), gpus // 2)", []),
    "so many as there are written": ("mp.spawn(worker, args=(2,), nprocs=2)", ["torch.cuda.set_device(rank)"]),
    "one at least": ("mp.spawn(worker, args=(1,), nprocs=max(gpus, 1))", ["torch.cuda.set_device(rank)"]),
    "one": ("mp.spawn(worker, args=(1,))", ["torch.cuda.set_device(rank)"]),
    "or called": (
        "if gpus > 1: mp.spawn(worker, args=(gpus,), nprocs=gpus)\n        else: worker(0, 1)",
        ["torch.cuda.set_device(rank)"],
    ),
}


@pytest.mark.parametrize(("start", "reported"), STARTED.values(), ids=STARTED)
def test_where_a_process_is_started_for_each_gpu_none_is_without_one(
    program: Program, start: str, reported: list[str]
) -> None:
    assert program(SPAWNED.format(start=start)).reported(RULE) == reported


ZOO = """\
import torch
def big(): x.cuda()
{kept}
class Deep:
    def __init__(self, name):
        if name == "tiny":
            self.body = None
        elif {test}:
            self.body = big()
Deep("small")
"""


@pytest.mark.parametrize(
    "kept", ["models = {'big': big}", "models = [big]", "models = dict()\nmodels['big'] = big", "torch.big = big"]
)
def test_calls_that_never_run_tell_nothing_of_a_function_that_is_kept(project_of: ProjectOf, kept: str) -> None:
    project = project_of({"main.py": ZOO.format(kept=kept, test="name == 'big'")})

    assert not project.place("x.cuda()").is_guarded


@pytest.mark.parametrize(
    ("kept", "test"),
    [
        ("models = {big: 1}", "name == 'big'"),
        ("models = {'big': big}", "torch.cuda.is_available()"),
        ("", "name == 'big'"),
    ],
    ids=["a key", "kept, and called behind a test", "called alone"],
)
def test_a_function_that_is_not_kept_runs_where_it_is_called(project_of: ProjectOf, kept: str, test: str) -> None:
    project = project_of({"main.py": ZOO.format(kept=kept, test=test)})

    assert project.place("x.cuda()").is_guarded


def test_a_table_in_another_file_keeps_a_function(project_of: ProjectOf) -> None:
    files = {"zoo.py": ZOO.format(kept="", test="name == 'big'"), "main.py": "from zoo import big\nall = {'b': big}\n"}
    project = project_of(files)

    assert not project.place("x.cuda()", "zoo.py").is_guarded


GONE_THROUGH = """
    import torch
    from tqdm import tqdm

    class Moved:
        def __init__(self, batches):
            self.batches = iter(batches)
        def __iter__(self):
            for batch in self.batches:
                yield batch.cuda()
        def __next__(self):
            return next(self.batches).cuda(non_blocking=True)

    def main(batches):
        moved = Moved(batches)
        has_cuda = torch.cuda.is_available()
        {use}
    """
ITERATED, FETCHED = "yield batch.cuda()", "return next(self.batches).cuda(non_blocking=True)"
USES = {
    "a loop behind a test": ("for batch in moved if has_cuda else batches: pass", []),
    "a loop over it where there was a test": (
        "if has_cuda:\n            batches = moved\n        for batch in batches: pass",
        [],
    ),
    "a loop over what wraps it": ("if has_cuda:\n            for i, b in enumerate(tqdm(moved)): pass", []),
    "a comprehension behind a test": ("return [batch for batch in moved] if has_cuda else []", []),
    "calls of iter and next behind a test": ("return (iter(moved), next(moved)) if has_cuda else None", []),
    "a call of next": ("return next(moved)", [ITERATED, FETCHED]),
    "a call of next, and of iter behind a test": ("return next(moved) if not has_cuda else iter(moved)", [FETCHED]),
    "a loop": ("for batch in moved: pass", [ITERATED, FETCHED]),
    "a loop behind a test, and a comprehension": (
        "if has_cuda:\n            for batch in moved: pass\n        return [batch for batch in moved]",
        [ITERATED, FETCHED],
    ),
    "a loop over something else": ("if has_cuda:\n            for batch in batches: pass", [ITERATED, FETCHED]),
}


@pytest.mark.parametrize(("use", "reported"), USES.values(), ids=USES)
def test_who_goes_through_an_object_calls_what_that_runs(program: Program, use: str, reported: list[str]) -> None:
    assert program(GONE_THROUGH.format(use=use)).reported(RULE) == reported


def test_where_a_process_for_each_gpu_goes_through_an_object_none_does_without_one(program: Program) -> None:
    code = """
        import torch
        import torch.multiprocessing as mp

        class Moved:
            def __init__(self, batches, index):
                self.batches, self.index = batches, index
            def __iter__(self):
                for batch in self.batches:
                    yield batch.cuda(self.index)

        def worker(index, batches):
            for batch in Moved(batches, index):
                print(batch)

        def main(batches):
            mp.spawn(worker, nprocs=torch.cuda.device_count(), args=(batches,))
        """

    assert program(code).reported(RULE) == []


DEEP = """\
    import sys, torch
    def use(x):
        return x.cuda()
    def first(x): return use(x)
    def second(x): return first(x)
    def third(x): return second(x)
    def fourth(x): return third(x) if x.dim() else fifth(x)
    def fifth(x): return fourth(x)
    def sixth(x): return fifth(x)
    def main():
        {guard}
        sixth(torch.ones(3))
    main()
    """


@pytest.mark.parametrize(
    ("guard", "reported"), [("pass", ["return x.cuda()"]), ("if not torch.cuda.is_available(): sys.exit(1)", [])]
)
def test_callers_are_followed_up_to_the_program(program: Program, guard: str, reported: list[str]) -> None:
    assert program(dedent(DEEP).format(guard=guard)).reported(RULE) == reported


def test_a_function_that_only_calls_itself_is_judged_by_itself(program: Program) -> None:
    code = HEAD + "def use(x, n):\n    return use(x.cuda(), n - 1) if n else x\n"

    assert program(code).reported(RULE) == ["return use(x.cuda(), n - 1) if n else x"]


PATCHED = """\
    class Rows:
        pass
    @patch
    def __init__(self: Rows, device):
        self.first = torch.zeros(2).to(device)
        self.first.cuda()
    """


def test_an_init_that_stands_in_no_class_is_a_function_like_any(program: Program) -> None:
    assert program(HEAD + dedent(PATCHED)).reported(RULE) == ["self.first.cuda()"]


NET = "import torch\n\ndef shift(x):\n    return x.cuda()\n"
OLD = """\
import sys
import torch
from net import shift

def main():
    {guard}
    print(shift(torch.ones(3)), torch.ones(3).cuda(async=True))

main()
"""


@pytest.mark.parametrize(
    ("guard", "reported"),
    [
        ("if not torch.cuda.is_available(): sys.exit(1)", []),
        ("if not torch.cuda.is_available(): print('slow')", ["return x.cuda()"]),
    ],
)
def test_a_caller_that_only_older_pythons_read_guards_what_it_calls(
    project_of: ProjectOf, guard: str, reported: list[str]
) -> None:
    project = project_of({"net.py": NET, "train.py": OLD.format(guard=guard)})

    assert project.reported(RULE, "net.py") == reported


def test_what_only_older_pythons_read_is_unreadable_itself_whoever_was_asked_before(project_of: ProjectOf) -> None:
    project = project_of({"net.py": NET, "train.py": OLD.format(guard="pass")})

    project.reported(RULE, "net.py")

    with pytest.raises(UnreadableSourceError):
        project.file("train.py")


MOVING = """\
import argparse
import torch
def load(batch, {parameter}):
    if use_cuda:
        batch = batch.cuda()
    return batch
parser = argparse.ArgumentParser()
args = parser.parse_args()
load(torch.ones(2), use_cuda=args.use_cuda)
{call}
"""


@pytest.mark.parametrize(
    ("parameter", "call", "is_reported"),
    [
        ("use_cuda=True", "load(torch.ones(2))", True),
        ("use_cuda=True", "if torch.cuda.is_available(): load(torch.ones(2))", False),
        ("use_cuda=True", "load(torch.ones(2), torch.cuda.is_available())", False),
        ("use_cuda=False", "load(torch.ones(2))", False),
        ("use_cuda=torch.cuda.is_available()", "load(torch.ones(2))", False),
        ("use_cuda", "load(torch.ones(2), True)", True),
        ("use_cuda=False", "load(torch.ones(2), use_cuda=True)", True),
        ("use_cuda", "load(torch.ones(2), use_cuda=1)", True),
        ("use_cuda", "if torch.cuda.is_available(): load(torch.ones(2), use_cuda=True)", False),
        ("use_cuda", "if args.gpu: load(torch.ones(2), use_cuda=True)", False),
        ("use_cuda", "load(torch.ones(2), use_cuda=False)", False),
        ("use_cuda", "load(torch.ones(2), use_cuda=None)", False),
        ("use_cuda", "load(torch.ones(2), use_cuda=args.gpu)", False),
    ],
)
def test_who_settles_a_parameter_by_a_constant_is_not_guarded_by_who_passes_an_option(
    program: Program, parameter: str, call: str, is_reported: bool
) -> None:
    project = program(MOVING.format(parameter=parameter, call=call))

    assert project.reported(RULE) == (["batch = batch.cuda()"] if is_reported else [])


WORKING = """\
import torch
import torch.multiprocessing as mp
def work(index, net):
    if index >= 0:
        net.cuda()
    net(torch.ones(2))
if __name__ == "__main__":
    {started}
"""


@pytest.mark.parametrize(
    ("started", "is_reported"),
    [
        ("work(-1, torch.nn.Linear(2, 2))", False),
        ("work(index=-1, net=torch.nn.Linear(2, 2))", False),
        ("mp.spawn(work, nprocs=torch.cuda.device_count()) if several else work(-1, net)", False),
        ("work(0, torch.nn.Linear(2, 2))", True),
        ("work(-1, net) if several else work(0, net)", True),
        ("mp.spawn(work, nprocs=2) if several else work(-1, net)", True),
    ],
)
def test_what_a_call_passes_may_rule_out_a_place(program: Program, started: str, is_reported: bool) -> None:
    assert program(WORKING.format(started=started)).reported(RULE) == (["net.cuda()"] if is_reported else [])


CHOSEN = """\
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--gpu-type", default="cuda", type=str)
parser.add_argument("--cpu", action="store_true")
args = parser.parse_args()
device = torch.device("cpu" if args.cpu else "cuda")
if {test}:
    torch.nn.Linear(2, 2).cuda()
"""


@pytest.mark.parametrize(("test", "is_second"), [("device.type == 'cuda'", False), ("args.gpu_type == 'cuda'", True)])
def test_what_asks_for_the_type_of_a_device_asks_for_no_option_of_that_name(
    program: Program, test: str, is_second: bool
) -> None:
    made = 'device = torch.device("cpu" if args.cpu else "cuda")'

    reported = program(CHOSEN.format(test=test)).reported(RULE)

    assert reported == [made, *(["torch.nn.Linear(2, 2).cuda()"] if is_second else [])]
