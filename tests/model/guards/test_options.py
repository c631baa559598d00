"""What keeps a demand for CUDA from machines that have none, and what does not: options of a program, and defaults of its functions."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.guards.programs import HEAD, RULE

Program: TypeAlias = Callable[[str], Checkout]

GUARDED = {
    "an if that chooses over a default": """
        device = "cpu"
        if torch.cuda.is_available():
            device = "cuda"
        model.to(device)
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
    "the option itself is overwritten": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--cuda", action="store_true", default=True)
        args = parser.parse_args()
        args.cuda = args.cuda and torch.cuda.is_available()
        if args.cuda:
            model.cuda()
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
    "an option that is off": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--cuda", action="store_true")
        args = parser.parse_args()
        if args.cuda:
            model.cuda()
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
}
UNGUARDED = {
    "a list that options fill": """
        import argparse
        args = argparse.ArgumentParser().parse_args()
        args.parts = []
        for one in args.names.split(","):
            args.parts.append(one)
        if args.parts:
            model.cuda()
        """,
    "an option that names the first GPU": """
        import argparse
        from updater import Updater
        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", type=int, default=0, help="negative for the CPU")
        args = parser.parse_args()
        updater = Updater(models=(model,), device=args.gpu)
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
    "a device for a whole model, by default": """
        from transformers import AutoModel
        def load(name, device_map="cuda:0"):
            return AutoModel.from_pretrained(name, device_map=device_map)
        """,
}


@pytest.mark.parametrize("code", GUARDED.values(), ids=GUARDED)
def test_a_machine_without_cuda_never_comes_here_or_is_prepared(program: Program, code: str) -> None:
    assert program(HEAD + dedent(code)).reported(RULE) == []


@pytest.mark.parametrize("code", UNGUARDED.values(), ids=UNGUARDED)
def test_what_keeps_nobody_away_is_no_guard(program: Program, code: str) -> None:
    assert len(program(HEAD + dedent(code)).reported(RULE)) == 1
