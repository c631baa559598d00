"""What runs with every training step, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout, every_step

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import torch
from torch import nn
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader([])
"""
# Each reads `loss.item()` at one place that runs with every step.
EVERY_STEP = {
    "a method that is looked up by a text": """
        class Trainer:
            def run(self, mode):
                step = getattr(self, "_" + mode)
                for x in loader:
                    step(x)
            def _train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                loss.item()
            def _test(self, x):
                loss = model(x).sum()
                return loss
        Trainer().run("train")
        Trainer().run("test")
        """,
    "a method that is looked up in every round": """
        class Trainer:
            def run(self, mode):
                for x in loader:
                    getattr(self, f"_{mode}")(x)
            def _train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                loss.item()
            def _test(self, x):
                loss = model(x).sum()
                return loss
        Trainer().run("train")
        Trainer().run("test")
        """,
    "around a function that updates by each of several optimizers": """
        optimizers = {"all": optimizer}
        def optimize(loss, names):
            for name in names:
                optimizers[name].zero_grad()
            loss.backward()
            for name in names:
                optimizers[name].step()
        for x in loader:
            loss = model(x).sum()
            optimize(loss, ["all"])
            loss.item()
        """,
    "a loop that makes whole steps, one by each optimizer": """
        def fit(models, optimizers, x):
            for i, one in enumerate(models):
                loss = one(x).sum()
                loss.backward()
                optimizers[i].step()
                loss.item()
        fit([model], [optimizer], torch.zeros(2))
        """,
    "around a function that has a scaler update by each": """
        scaler = torch.amp.GradScaler("cuda")
        def optimize(loss, optimizers):
            scaler.scale(loss).backward()
            for one in optimizers:
                scaler.step(one)
        for x in loader:
            loss = model(x).sum()
            optimize(loss, [optimizer])
            loss.item()
        """,
    "the module that a constructor makes for one of its callers": """
        class Mean(nn.Module):
            def forward(self, x):
                return model(x).sum()
        class Printed(nn.Module):
            def forward(self, x):
                loss = model(x).sum()
                loss.item()
                return loss
        class Trainer:
            def __init__(self, kind):
                if kind == "mean":
                    self.net = Mean()
                else:
                    self.net = Printed()
            def step(self, x):
                self.net.forward(x).backward()
                optimizer.step()
        trainer = Trainer("mean")
        Trainer("printed")
        for x in loader:
            trainer.step(x)
        """,
    "a loop that makes a step in every second round": """
        def prepare(x):
            model(x).sum().backward()
            optimizer.step()
        for i, x in enumerate(loader):
            if i % 2 == 0:
                prepare(x)
            loss = model(x).sum()
            loss.item()
        """,
    "a step in the first of several tries with each batch": """
        for x in loader:
            for i in range(3):
                loss = model(x).sum()
                loss.item()
                if i == 0:
                    loss.backward()
                    optimizer.step()
        """,
    "a step in the round whose number is counted otherwise": """
        for i, x in enumerate(loader):
            i = i % 2
            loss = model(x).sum()
            loss.item()
            if i == 0:
                loss.backward()
                optimizer.step()
        """,
    "what a step calls that has a loop of its own": """
        def refine(x):
            for _ in range(3):
                model(x).sum().backward()
                optimizer.step()
            loss = model(x).sum()
            loss.item()
        for x in loader:
            refine(x)
            model(x).sum().backward()
            optimizer.step()
        """,
    "the one of two that makes a step": """
        class Once:
            def train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                loss.item()
        class Often:
            def train(self, x):
                for part in x.split(2):
                    loss = model(part).sum()
                    loss.backward()
                    optimizer.step()
        def run(often):
            algorithm = Often() if often else Once()
            for x in loader:
                algorithm.train(x)
        """,
    "a probe of gradients in the loop that updates": """
        class Algorithm:
            def probe(self, x):
                loss = model(x).sum()
                loss.backward()
                return loss.item()
            def train(self, x):
                for part in x.split(2):
                    self.probe(part)
                    loss = model(part).sum()
                    loss.backward()
                    optimizer.step()
        def run(algorithm: Algorithm):
            for x in loader:
                algorithm.train(x)
        """,
    "the phase of the step": """
        def run(phase):
            for x in loader:
                loss = model(x).sum()
                if phase == "train":
                    loss.backward()
                    optimizer.step()
                if phase == "train":
                    loss.item()
        run("train")
        run("val")
        """,
    "a module that each step makes": """
        class Bins(nn.Module):
            def __init__(self, degrees):
                super().__init__()
                loss = degrees.sum()
                self.count = loss.item()
            def forward(self, x):
                return x
        class Fit:
            def __init__(self, net=Bins):
                self.net = net
            def run(self):
                for x in loader:
                    loss = self.net(x).sum()
                    loss.backward()
        """,
    "one of two arms that make the step": """
        for x in loader:
            loss = model(x).sum()
            if scaler:
                scaler.scale(loss).backward()
            else:
                loss.backward()
                loss.item()
        """,
    "a step loop": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            loss.item()
        """,
    "an epoch loop around it": """
        for epoch in range(9):
            for x in loader:
                loss = model(x).sum()
                loss.item()
                optimizer.step()
        """,
    "a while loop": """
        while True:
            loss = model(next(loader)).sum()
            loss.backward()
            loss.item()
        """,
    "a step in a callee": """
        def step(loss):
            loss.backward()
        for x in loader:
            loss = model(x).sum()
            step(loss)
            loss.item()
        """,
    "a step two calls below": """
        def backward(loss):
            loss.backward()
        def step(loss):
            backward(loss)
        for x in loader:
            loss = model(x).sum()
            step(loss)
            loss.item()
        """,
    "a callee of the loop": """
        def note(loss):
            return loss.item()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            note(loss)
        """,
    "three calls below the loop": """
        def third(loss):
            return loss.item()
        def second(loss):
            return third(loss)
        def first(loss):
            return second(loss)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            first(loss)
        """,
    "a function that trains by itself": """
        def train_step(x):
            loss = model(x).sum()
            loss.backward()
            return loss.item()
        for x in loader:
            train_step(x)
        """,
    "a closure for the optimizer": """
        for x in loader:
            def closure():
                loss = model(x).sum()
                loss.backward()
                loss.item()
                return loss
            optimizer.step(closure)
        """,
    "forward of the module": """
        class Net(nn.Module):
            def forward(self, loss):
                loss.item()
                return loss
        net = Net()
        for x in loader:
            net(x).backward()
        """,
    "forward through the wrapper": """
        class Net(nn.Module):
            def forward(self, loss):
                loss.item()
                return loss
        net = nn.DataParallel(Net())
        for x in loader:
            net(x).backward()
        """,
    "forward through a wrapper of one's own": """
        class Net(nn.Module):
            def forward(self, loss):
                loss.item()
                return loss
        class Parallel(nn.DataParallel):
            pass
        net = Parallel(Net())
        for x in loader:
            net(model(x).sum()).backward()
        """,
    "forward of the wrapper itself": """
        class Parallel(nn.DataParallel):
            def forward(self, loss):
                loss.item()
                return loss
        net = Parallel(nn.Linear(2, 2))
        for x in loader:
            net(model(x).sum()).backward()
        """,
    "forward of a submodule": """
        class Block(nn.Module):
            def forward(self, loss):
                return loss * loss.item()
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.block = Block()
            def forward(self, x):
                return self.block(x)
        net = Net()
        for x in loader:
            net(x).backward()
        """,
    "a trainer": """
        class Trainer:
            def fit(self):
                for epoch in range(9):
                    self.train_epoch()
            def train_epoch(self):
                for x in loader:
                    self.train_step(x)
            def train_step(self, x):
                loss = model(x).sum()
                loss.backward()
                return loss.item()
        Trainer().fit()
        """,
    "what computes an attribute that the loop reads": """
        class Meter:
            def update(self, value):
                self.total = value
            @property
            def mean(self):
                loss = self.total
                return loss.item()
        meter = Meter()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            meter.update(loss)
            print(meter.mean)
        """,
    "what computes an attribute that a callee reads": """
        class Meter:
            @property
            @torch.no_grad()
            def mean(self):
                loss = self.total
                return loss.item()
            def show(self):
                print(self.mean)
        meter = Meter()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            meter.show()
        """,
    "Lightning": """
        import pytorch_lightning as pl
        class Net(pl.LightningModule):
            def training_step(self, batch, batch_idx):
                loss = model(batch).sum()
                loss.item()
                return loss
        """,
    "new Lightning, and a callee": """
        import lightning as L
        class Net(L.LightningModule):
            def training_step(self, batch, batch_idx):
                return self.shared(batch)
            def shared(self, batch):
                loss = model(batch).sum()
                loss.item()
                return loss
        """,
    "a hook of Lightning": """
        import pytorch_lightning as pl
        class Net(pl.LightningModule):
            def on_before_optimizer_step(self, optimizer):
                loss = model(self.batch).sum()
                loss.item()
        """,
    "a callback of Lightning": """
        from lightning.pytorch.callbacks import Callback
        class Show(Callback):
            def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
                loss = model(batch).sum()
                loss.item()
        """,
    "a callback of transformers": """
        from transformers import TrainerCallback
        class Show(TrainerCallback):
            def on_step_end(self, args, state, control, **kwargs):
                loss = model(kwargs["inputs"]).sum()
                loss.item()
        """,
    "Lightning with an optimizer in a subclass": """
        import lightning as L
        class Bank(L.LightningModule):
            def configure_optimizers(self):
                return None
            def training_step(self, batch, batch_idx):
                loss = model(batch).sum()
                self.bank.append(loss.item())
        class Trained(Bank):
            def configure_optimizers(self):
                return optimizer
        """,
    "Lightning with an optimizer of its own": """
        import lightning as L
        class Bank(L.LightningModule):
            def configure_optimizers(self):
                return None
            def training_step(self, batch, batch_idx):
                loss = model(batch).sum()
                loss.backward()
                loss.item()
                self.optimizer.step()
        """,
    "transformers": """
        from transformers import Trainer
        class Mine(Trainer):
            def compute_loss(self, model, inputs, return_outputs=False):
                loss = model(**inputs).loss
                loss.item()
                return loss
        """,
    "Accelerate": """
        from accelerate import Accelerator
        accelerator = Accelerator()
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for x in loader:
            loss = model(x).sum()
            accelerator.backward(loss)
            loss.item()
        """,
    "a gradient scaler": """
        scaler = torch.cuda.amp.GradScaler()
        for x in loader:
            loss = model(x).sum()
            scaler.step(optimizer)
            loss.item()
        """,
    "two optimizers": """
        optimizer_d = torch.optim.Adam(model.parameters())
        for x in loader:
            loss = model(x).sum()
            optimizer_d.step()
            other = model(x).sum()
            optimizer.step()
            loss.item()
        """,
    "Ignite": """
        from ignite.engine import Engine
        def update(engine, batch):
            loss = model(batch).sum()
            loss.backward()
            return loss.item()
        trainer = Engine(update)
        trainer.run(loader)
        """,
    "an Ignite handler": """
        from ignite.engine import Engine, Events
        def update(engine, batch):
            loss = model(batch).sum()
            loss.backward()
            return loss
        trainer = Engine(update)
        @trainer.on(Events.ITERATION_COMPLETED)
        def note(engine):
            loss = engine.state.output
            loss.item()
        """,
    "an Ignite handler that is added": """
        from ignite.engine import Engine, Events
        def update(engine, batch):
            model(batch).sum().backward()
        def note(engine):
            loss = engine.state.output
            loss.item()
        trainer = Engine(update)
        trainer.add_event_handler(Events.ITERATION_COMPLETED, note)
        """,
    "an arm that one of two callers asks for through another": """
        def decode(loss, infer):
            if not infer:
                return loss
            loss.item()
        def encode(loss, infer=True):
            return decode(loss, infer=infer)
        for x in loader:
            loss = encode(model(x).sum(), infer=False)
            loss.backward()
        for x in loader:
            loss = encode(model(x).sum())
            loss.backward()
        """,
    "an arm that an option asks for through another": """
        def decode(loss, thorough):
            if thorough:
                loss.item()
        def encode(loss, thorough):
            decode(loss, thorough)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            encode(loss, args.thorough)
        """,
    "a function that is called from an arm and beside it": """
        def adaptive(loss):
            loss.item()
        def sample(loss, method):
            if method == "adaptive":
                adaptive(loss)
            else:
                fixed(loss)
        def fixed(loss):
            adaptive(loss)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            sample(loss, method="multistep")
        """,
    "functions that call each other": """
        def first(loss, depth):
            loss.item()
            second(loss, depth - 1)
        def second(loss, depth):
            if depth:
                first(loss, depth)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            second(loss, 3)
        """,
    "an arm that one of two calls asks for": """
        def assign(loss, mode="gpu"):
            if mode == "cpu":
                loss.item()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            assign(loss)
            assign(loss, mode="cpu")
        """,
    "one rank only": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            if torch.distributed.get_rank() == 0:
                loss.item()
        """,
    "a test of the data": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            if x.shape[0] > 1:
                loss.item()
        """,
    "most rounds": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i > 100:
                loss.item()
        """,
    "all rounds but some": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i % 100 == 0:
                continue
            loss.item()
        """,
    "a helper that makes the step now and then": """
        def learn(rows):
            loss = model(rows).sum()
            loss.backward()
            optimizer.step()
            loss.item()
        for i, x in enumerate(loader):
            if i % 4 == 0:
                learn(x)
        """,
    "a method that makes the step once there is enough": """
        class Agent:
            def learn(self):
                loss = model(self.rows).sum()
                loss.backward()
                optimizer.step()
                loss.item()
            def observe(self, x):
                self.rows.append(x)
                if len(self.rows) >= 32:
                    self.learn()
                    self.rows.clear()
        agent = Agent()
        for x in loader:
            agent.observe(x)
        """,
    "gradients that are accumulated": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i % 4 == 0:
                optimizer.step()
                loss.item()
        """,
    "in a try": """
        for x in loader:
            try:
                loss = model(x).sum()
                loss.backward()
                loss.item()
            except RuntimeError:
                pass
        """,
    "in a with": """
        for x in loader:
            with torch.autocast("cuda"):
                loss = model(x).sum()
            loss.backward()
            with torch.no_grad():
                loss.item()
        """,
    "a comprehension": """
        for x in loader:
            losses = [model(x).sum()]
            sum(losses).backward()
            [loss.item() for loss in losses]
        """,
    "Ignite's own trainer": """
        from ignite.engine import Events, create_supervised_trainer
        trainer = create_supervised_trainer(model, optimizer, nn.MSELoss())
        @trainer.on(Events.ITERATION_COMPLETED)
        def note(engine):
            loss = engine.state.output
            loss.item()
        """,
    "a check that one of several calls asks for": """
        def check(loss):
            loss.item()
        def measured(x, debug=False):
            loss = model(x).sum()
            if debug:
                check(loss)
            return loss
        for x in loader:
            loss = measured(x)
            loss.backward()
            measured(x, debug=True)
        """,
    "a check that a call further down asks for": """
        def check(loss):
            loss.item()
        def measured(x, debug=False):
            loss = model(x).sum()
            if debug:
                check(loss)
            return loss
        def again(x):
            return measured(x, True)
        for x in loader:
            loss = measured(x)
            loss.backward()
            again(x)
        """,
    "a check that depends on an option": """
        def check(loss):
            loss.item()
        def measured(x, checked=False):
            loss = model(x).sum()
            if checked:
                check(loss)
            return loss
        for x in loader:
            loss = measured(x, checked=args.checked)
            loss.backward()
        """,
    "what is not left out": """
        def check(loss):
            loss.item()
        def measured(x, quiet=False):
            loss = model(x).sum()
            if quiet:
                return loss
            check(loss)
            return loss
        for x in loader:
            measured(x).backward()
        """,
    "where nothing is passed by name, and a batch fills no such parameter": """
        def measured(x, size, target=None, *, weight=None):
            loss = model(x).sum()
            if weight is None:
                loss.item()
            return loss
        for x in loader:
            measured(*x).backward()
        """,
    "where nothing is passed for what a list leaves out": """
        def measured(x, target=None):
            loss = model(x).sum()
            if target is None:
                loss.item()
            return loss
        def train(*args):
            measured(*args).backward()
        for x in loader:
            train(x, None)
        """,
}  # fmt: skip

# Each reads `loss.item()` at one place that runs less often, or not in training at all.
NOT_EVERY_STEP = {
    "a method beside one that is looked up by a text": """
        class Trainer:
            def run(self, mode):
                step = getattr(self, "_" + mode)
                for x in loader:
                    step(x)
            def _train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                return loss
            def _test(self, x):
                loss = model(x).sum()
                loss.item()
        Trainer().run("train")
        Trainer().run("test")
        """,
    "a method that is looked up on something else": """
        class Trainer:
            def run(self, mode):
                for x in loader:
                    getattr(x, "_" + mode)(x)
            def _train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
                loss.item()
            def _test(self, x):
                loss = model(x).sum()
                return loss
        Trainer().run("train")
        Trainer().run("test")
        """,
    "a loop whose first round alone makes a step": """
        def prepare(x):
            model(x).sum().backward()
            optimizer.step()
        for i, x in enumerate(loader):
            if i == 0:
                prepare(x)
            loss = model(x).sum()
            loss.item()
        """,
    "the one of two that has a step loop of its own": """
        class Once:
            def train(self, x):
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
        class Often:
            def train(self, x):
                loss = model(x).sum()
                loss.item()
                for part in x.split(2):
                    model(part).sum().backward()
                    optimizer.step()
        def run(often):
            algorithm = Often() if often else Once()
            for x in loader:
                algorithm.train(x)
        """,
    "a probe of gradients beside the loop that updates": """
        class Algorithm:
            def probe(self, x):
                loss = model(x).sum()
                loss.backward()
                return loss.item()
            def train(self, x):
                self.probe(x)
                for part in x.split(2):
                    model(part).sum().backward()
                    optimizer.step()
        def run(algorithm: Algorithm):
            for x in loader:
                algorithm.train(x)
        """,
    "the constructor of a class that stands for its object": """
        class Bins(nn.Module):
            def __init__(self, degrees):
                super().__init__()
                loss = degrees.sum()
                self.count = loss.item()
            def forward(self, x):
                return x
        class Fit:
            def __init__(self, net=Bins):
                self.net = net
            def run(self):
                for x in loader:
                    loss = self.net(x)[:4].sum()
                    loss.backward()
        """,
    "the other arm of the step": """
        def run(phase):
            for x in loader:
                loss = model(x).sum()
                if phase == "train":
                    loss.backward()
                    optimizer.step()
                else:
                    loss.item()
        run("train")
        run("val")
        """,
    "another phase": """
        def run(phase):
            for x in loader:
                loss = model(x).sum()
                if phase == "train":
                    loss.backward()
                    optimizer.step()
                if phase == "val":
                    loss.item()
        run("train")
        run("val")
        """,
    "a check that an option for debugging asks for": """
        def check(loss):
            loss.item()
        def measured(x, debug=False):
            loss = model(x).sum()
            if debug:
                check(loss)
            return loss
        for x in loader:
            loss = measured(x, debug=args.debug)
            loss.backward()
        """,
    "after the loop": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
        loss.item()
        """,
    "every epoch": """
        for epoch in range(9):
            for x in loader:
                loss = model(x).sum()
                loss.backward()
            loss.item()
        """,
    "in the loop's else": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
        else:
            loss.item()
        """,
    "an evaluation": """
        model.eval()
        for x in loader:
            loss = model(x).sum()
            loss.item()
        """,
    "a scheduler's steps": """
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        for epoch in range(9):
            loss = model(epoch)
            scheduler.step()
            loss.item()
        """,
    "an environment's steps": """
        import gym
        env = gym.make("CartPole")
        for i in range(9):
            loss = env.step(i)
            loss.item()
        """,
    "a callee that is called after the loop": """
        def note(loss):
            return loss.item()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
        note(loss)
        """,
    "a validation in the epoch loop": """
        def validate():
            for x in loader:
                loss = model(x).sum()
                loss.item()
        for epoch in range(9):
            for x in loader:
                model(x).sum().backward()
            validate()
        """,
    "what computes an attribute that is read after the loop": """
        class Meter:
            @property
            def mean(self):
                loss = self.total
                return loss.item()
        meter = Meter()
        for x in loader:
            model(x).sum().backward()
        print(meter.mean)
        """,
    "what computes an attribute of that name for others": """
        class Meter:
            @property
            def mean(self):
                loss = self.total
                return loss.item()
        class Counter:
            def __init__(self):
                self.mean = 0.0
        meter, counter = Meter(), Counter()
        for x in loader:
            model(x).sum().backward()
            print(counter.mean)
        """,
    "what computes an attribute that is set": """
        class Meter:
            @property
            def mean(self):
                loss = self.total
                return loss.item()
            @mean.setter
            def mean(self, value):
                self.total = value
        meter = Meter()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            meter.mean = loss
        """,
    "what computes an attribute but once": """
        class Meter:
            @functools.cached_property
            def mean(self):
                loss = self.total
                return loss.item()
        meter = Meter()
        for x in loader:
            model(x).sum().backward()
            print(meter.mean)
        """,
    "Lightning's validation": """
        import pytorch_lightning as pl
        class Net(pl.LightningModule):
            def training_step(self, batch, batch_idx):
                return model(batch).sum()
            def validation_step(self, batch, batch_idx):
                loss = model(batch).sum()
                loss.item()
        """,
    "a helper that makes one step more now and then": """
        def learn(rows):
            model(rows).sum().backward()
            optimizer.step()
        def learn_more(rows):
            loss = model(rows).sum()
            loss.backward()
            optimizer.step()
            loss.item()
        for i, x in enumerate(loader):
            learn(x)
            if i % 4 == 0:
                learn_more(x)
        """,
    "a hook of Lightning's validation": """
        import pytorch_lightning as pl
        class Net(pl.LightningModule):
            def on_validation_batch_end(self, outputs, batch, batch_idx):
                loss = model(batch).sum()
                loss.item()
        """,
    "a callback of Keras": """
        from keras.callbacks import Callback
        class Show(Callback):
            def on_train_batch_end(self, batch, logs=None):
                loss = model(batch).sum()
                loss.item()
        """,
    "Lightning without an optimizer": """
        import lightning as L
        class Bank(L.LightningModule):
            def configure_optimizers(self):
                return None
            def training_step(self, batch, batch_idx):
                loss = model(batch).sum()
                self.bank.append(loss.item())
        """,
    "training_step of nobody": """
        class Net:
            def training_step(self, batch):
                loss = model(batch).sum()
                loss.item()
        """,
    "an Ignite evaluator": """
        from ignite.engine import Engine
        def evaluate(engine, batch):
            loss = model(batch).sum()
            return loss.item()
        Engine(evaluate).run(loader)
        """,
    "an arm against the constant that a caller hands on": """
        def decode(loss, infer):
            if not infer:
                return loss
            loss.item()
        def encode(loss, infer=True):
            return decode(loss, infer=infer)
        for x in loader:
            loss = encode(model(x).sum(), infer=False)
            loss.backward()
        """,
    "a function that is only called from such an arm": """
        def adaptive(loss):
            loss.item()
        def sample(loss, method):
            if method == "adaptive":
                adaptive(loss)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            sample(loss, method="multistep")
        """,
    "functions in such an arm that call each other": """
        def first(loss, depth):
            loss.item()
            second(loss, depth - 1)
        def second(loss, depth):
            first(loss, depth)
        def sample(loss, infer):
            if infer:
                first(loss, 3)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            sample(loss, False)
        """,
    "an arm that only the call after a failure asks for": """
        def assign(loss, mode="gpu"):
            if mode == "cpu":
                loss.item()
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            try:
                assign(loss)
            except RuntimeError:
                assign(loss, "cpu")
        """,
    "a check that no call asks for": """
        class Net(nn.Module):
            def check(self, loss):
                loss.item()
            def forward(self, x, debug=False):
                loss = x.sum()
                if debug:
                    self.check(loss)
                return loss
        net = Net()
        for x in loader:
            net(x).backward()
        """,
    "a check that no call in turn asks for": """
        def check(loss):
            loss.item()
        def inner(x, debug):
            loss = model(x).sum()
            if debug:
                check(loss)
            return loss
        def outer(x, debug=False):
            return inner(x, debug)
        for x in loader:
            outer(x).backward()
        """,
    "where nothing is passed, and all of a batch is": """
        def check(loss, size=None):
            if size is None:
                loss.item()
        def measured(x, size, target=None):
            loss = model(x).sum()
            if target is not None:
                check(loss, size)
            else:
                check(loss)
            return loss
        for x in loader:
            measured(*x).backward()
        """,
    "past an exit that every call takes": """
        def check(loss):
            loss.item()
        def measured(x, quiet=True):
            loss = model(x).sum()
            if quiet:
                return loss
            check(loss)
            return loss
        for x in loader:
            measured(x).backward()
        """,
    "an Ignite handler of epochs": """
        from ignite.engine import Engine, Events
        def update(engine, batch):
            loss = model(batch).sum()
            loss.backward()
            return loss
        trainer = Engine(update)
        @trainer.on(Events.EPOCH_COMPLETED)
        def note(engine):
            loss = engine.state.output
            loss.item()
        """,
    "an Ignite handler now and then": """
        from ignite.engine import Engine, Events
        def update(engine, batch):
            loss = model(batch).sum()
            loss.backward()
            return loss
        trainer = Engine(update)
        @trainer.on(Events.ITERATION_COMPLETED(every=100))
        def note(engine):
            loss = engine.state.output
            loss.item()
        """,
    "the module that a constructor makes for nobody": """
        class Mean(nn.Module):
            def forward(self, x):
                return model(x).sum()
        class Printed(nn.Module):
            def forward(self, x):
                loss = model(x).sum()
                loss.item()
                return loss
        class Trainer:
            def __init__(self, kind):
                if kind == "mean":
                    self.net = Mean()
                else:
                    self.net = Printed()
            def step(self, x):
                self.net.forward(x).backward()
                optimizer.step()
        trainer = Trainer("mean")
        for x in loader:
            trainer.step(x)
        """,
    "the module that a wrapper never runs": """
        class Net(nn.Module):
            def forward(self, loss):
                loss.item()
                return loss
        class Apart(nn.DataParallel):
            def forward(self, loss):
                return loss * 2
        net = Apart(Net())
        for x in loader:
            net(model(x).sum()).backward()
        """,
}  # fmt: skip


def _reads_every_step(checkout: Checkout) -> bool:
    return every_step(checkout.place("loss.item()")) is not None


TOLD = """
def losses(x, only_return=False, *rest):
    loss = model(x).sum()
    if only_return:
        return loss
    loss.backward()
    optimizer.step()
def both(x, dry):
    losses(x)
    losses(x, only_return=dry)
def hand_on(x, dry=False):
    return losses(x, dry)
class Steps:
    def __call__(self, x, dry=False):
        loss = model(x).sum()
        if not dry:
            loss.backward()
            optimizer.step()
        return loss
steps = Steps()
for x in loader:
    loss = {call}
    loss.item()
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("losses(x)", True),
        ("losses(x, False)", True),
        ("losses(x, asked)", True),
        ("losses(*x)", True),
        ("losses(x, **asked)", True),
        ("losses(x, True)", False),
        ("losses(x, only_return=True)", False),
        ("hand_on(x)", True),
        ("hand_on(x, dry=True)", False),
        ("both(x, True)", True),
        ("steps(x)", True),
        ("steps(x, True)", False),
    ],
)
def test_a_call_that_passes_what_keeps_the_step_out_makes_none(program: Program, call: str, expected: bool) -> None:
    code = "from elsewhere import asked\n" + TOLD.format(call=call)

    assert _reads_every_step(program(_program(code))) is expected


@pytest.mark.parametrize("code", EVERY_STEP.values(), ids=EVERY_STEP)
def test_what_no_test_thins_out_runs_with_every_step(program: Program, code: str) -> None:
    assert _reads_every_step(program(_program(code)))


@pytest.mark.parametrize("code", NOT_EVERY_STEP.values(), ids=NOT_EVERY_STEP)
def test_what_runs_less_often_or_elsewhere_does_not(program: Program, code: str) -> None:
    assert not _reads_every_step(program(_program(code)))


def test_the_way_is_told_through_the_files(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": HEAD + dedent("""\
            from engine.loop import train
            train(model, loader, optimizer)
            """),
        "engine/__init__.py": "",
        "engine/loop.py": """\
            from .meters import Meter

            def train(model, loader, optimizer):
                meter = Meter()
                for x in loader:
                    loss = model(x).sum()
                    loss.backward()
                    meter.update(loss)
                    optimizer.step()
            """,
        "engine/meters.py": """\
            class Meter:
                def update(self, value):
                    self.add(value)

                def add(self, value):
                    self.total = value.item()
            """,
    })  # fmt: skip

    story = every_step(project.place("value.item()", "engine/meters.py"))

    assert [(step.path, step.span.line, step.words) for step in story or ()] == [
        ("engine/loop.py", 5, "this loop trains"),
        ("engine/loop.py", 8, "`Meter.update` is called every step here"),
        ("engine/meters.py", 3, "`Meter.add` is called every step here"),
    ]


def test_a_trainer_whose_step_a_subclass_in_another_file_writes(project_of: ProjectOf) -> None:
    project = project_of({
        "base.py": """\
            class Base:
                def fit(self, loader):
                    for x in loader:
                        self.train_step(x)

                def train_step(self, x):
                    raise NotImplementedError
            """,
        "main.py": HEAD + dedent("""\
            from base import Base

            class Mine(Base):
                def train_step(self, x):
                    loss = model(x).sum()
                    loss.backward()
                    loss.item()
            """),
    })  # fmt: skip

    assert _reads_every_step(project)


def test_a_step_function_passed_by_name_to_a_loop_in_another_file(project_of: ProjectOf) -> None:
    project = project_of({
        "loops.py": """\
            def run(step, loader):
                for x in loader:
                    step(x)
            """,
        "main.py": HEAD + dedent("""\
            from loops import run

            def step(x):
                loss = model(x).sum()
                loss.backward()
                loss.item()

            run(step, loader)
            """),
    })  # fmt: skip

    assert _reads_every_step(project)


def test_recursion_ends(program: Program) -> None:
    code = """
        def walk(x, depth):
            loss = model(x).sum()
            loss.backward()
            loss.item()
            return walk(x, depth - 1) if depth else None
        def a(x):
            b(x)
        def b(x):
            a(x)
        for x in loader:
            walk(x, 3)
            a(x)
        """

    assert _reads_every_step(program(_program(code)))


def _program(code: str) -> str:
    return HEAD + dedent(code)


def test_a_loop_that_only_asks_for_gradients_trains_nothing(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": "import torch\nfrom cam import Saliency\n\nsaliency = Saliency(torch.nn.Linear(2, 2).cuda())\n"
        "for picture in torch.utils.data.DataLoader([]):\n    print(saliency(picture.cuda()).item())\n",
        "cam.py": "class Saliency:\n    def __init__(self, model):\n        self.model = model\n\n"
        "    def __call__(self, x):\n        score = self.model(x).sum()\n        score.backward()\n        return score\n",
    })  # fmt: skip

    assert every_step(project.place("saliency(picture.cuda()).item()")) is None


SALIENCY = """\
import torch
def attention(model, picture):
    model(picture).sum().backward()
    return model.gradients().cpu()
def show(model, pictures):
    return [attention(model, picture) for picture in pictures]
def maps(model, pictures):
    for picture in pictures:
        yield attention(model, picture)
"""


def test_a_function_for_gradients_in_a_file_that_updates_nothing_trains_nothing(program: Program) -> None:
    assert every_step(program(SALIENCY).place("model.gradients().cpu()")) is None


@pytest.mark.parametrize(
    "more",
    [
        "def clear(model):\n    for p in model.parameters():\n        p.grad = None\n",
        "def clear(p):\n    if p.grad is not None:\n        p.grad.zero_()\n",
        "def ask(loss, x):\n    return torch.autograd.grad(loss, x)\n",
    ],
)
def test_to_drop_gradients_or_to_ask_for_some_updates_nothing(program: Program, more: str) -> None:
    assert every_step(program(SALIENCY + more).place("model.gradients().cpu()")) is None


@pytest.mark.parametrize(
    "update",
    [
        "def finish(engine):\n    engine.step()\n",
        "def finish(model):\n    for p in model.parameters():\n        p.data -= p.grad\n",
        "from apex.optimizers import FusedLAMB\n",
    ],
    ids=["an unknown object", "by hand", "an optimizer"],
)
def test_a_function_for_gradients_beside_what_may_update_trains(program: Program, update: str) -> None:
    assert every_step(program(SALIENCY + update).place("model.gradients().cpu()")) is not None


def test_a_caller_that_steps_trains_with_what_it_calls_for_gradients(project_of: ProjectOf) -> None:
    train = (
        "from cam import maps\ndef train(model, optimizer, loader):\n    for pictures in loader:\n"
        "        maps(model, pictures)\n        optimizer.step()\n"
    )

    project = project_of({"cam.py": SALIENCY.replace("yield ", ""), "train.py": train})

    assert every_step(project.place("model.gradients().cpu()", "cam.py")) is not None


CHECK = """\
import torch
def assert_close(a, b):
    assert torch.allclose(a.cpu(), b.cpu())
def close(loss):
    return loss.item()
def test_layer(one):
    for i in range(9):
        loss = one(torch.rand(2, 2).cuda()).sum()
        loss.backward()
        assert_close(one.weight.grad.data, one.weight.data)
        close(loss)
"""
TRAINED = """\
        one.optimizer.step()
"""
BY_HAND = """\
        one.weight.data -= 0.1 * one.weight.grad.data
"""


@pytest.mark.parametrize("name", ["test_layer.py", "layer_test.py", "tests/test_layer.py"])
def test_a_test_that_only_compares_gradients_trains_nothing(project_of: ProjectOf, name: str) -> None:
    elsewhere = "def test_training(optimizer):\n    optimizer.step()\n"

    assert every_step(project_of({name: CHECK + elsewhere}).place("loss.item()", name)) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_layer.py", CHECK + TRAINED),
        ("test_layer.py", CHECK + BY_HAND),
        ("layer.py", CHECK),
        ("test_layer.py", CHECK.replace("assert ", "return ").replace("assert_", "is_")),
    ],
    ids=["a step", "an update by hand", "no test's name", "nothing is checked"],
)
def test_a_loop_that_may_update_what_it_asks_gradients_of_trains(project_of: ProjectOf, name: str, text: str) -> None:
    assert every_step(project_of({name: text}).place("loss.item()", name)) is not None


def test_a_test_whose_loop_steps_in_a_function_trains(project_of: ProjectOf) -> None:
    text = CHECK.replace("        close(loss)\n", "        close(loss)\n        update(one)\n")
    text += "def update(one):\n    one.optimizer.step()\n"

    assert every_step(project_of({"test_layer.py": text}).place("loss.item()", "test_layer.py")) is not None


@pytest.mark.parametrize("made", ["", "    net = Net()\n"], ids=["outside", "in each round"])
def test_a_round_that_builds_what_it_trains_is_a_trial_and_no_step(program: Program, made: str) -> None:
    text = (
        "import torch\nfrom torch import nn\nclass Net(nn.Linear):\n    pass\nnet = Net(2, 2)\n"
        "def gradients(net):\n    loss = net(torch.ones(2).cuda()).sum()\n    loss.backward()\n    return loss\n"
        "def check(kind):\n    optimizer = 1\n" + made + "    print(gradients(net).item())\n"
        "for kind in range(3):\n    check(kind)\n"
    )

    assert (every_step(program(text).place("gradients(net).item()")) is None) is bool(made)


BUILDING = """\
import torch
from torch import nn
from torch.optim import Adam
def build(make, kind=Adam):
    net = make()
    return net, kind(net.parameters(), lr=0.1)
def step(net, adam):
    loss = net(torch.ones(2).cuda()).sum()
    loss.backward()
    adam.step()
    return loss
def trial(make):
    net, adam = build(make)
    print(step(net, adam).item())
def train(make, batches):
    net, adam = build(make)
    for batch in batches:
        step(net, adam).tolist()
for make in zoo:
    trial(make)
"""


def test_a_function_that_makes_an_optimizer_builds_what_a_round_trains(program: Program) -> None:
    assert every_step(program(BUILDING).place("step(net, adam).item()")) is None
    assert every_step(program(BUILDING).place("step(net, adam).tolist()")) is not None


def test_another_optimizer_for_the_same_module_makes_no_trial(program: Program) -> None:
    text = BUILDING.replace("def trial(make):\n    net, adam = build(make)", "def trial(net):\n    adam = build(net)")
    text = text.replace("    net = make()\n    return net, kind(net", "    return kind(make")

    assert every_step(program(text).place("step(net, adam).item()")) is not None


def test_a_loss_that_is_built_in_each_round_makes_no_trial(program: Program) -> None:
    code = """
        for x in loader:
            criterion = nn.CrossEntropyLoss()
            loss = criterion(model(x), x)
            loss.backward()
            loss.item()
        """

    assert _reads_every_step(program(_program(code)))


SEARCH = """\
import torch
from somebody import Model, make
size = 1
model = Model(64).cuda()
while size < 4096:
    rows = torch.rand(size, 64, device="cuda")
    {made}
    loss = {called}
    loss.backward()
    size *= 2
    print(loss.item())
"""


@pytest.mark.parametrize(
    ("made", "called", "is_trial"),
    [
        ("net = Model(64).to('cuda')", "net(rows).sum()", True),
        ("net = Model(size).cuda()", "net(rows).sum()", True),
        ("net = model.to('cuda')", "net(rows).sum()", False),
        ("net = Model(64)", "net(rows).sum()", False),
        ("rows = make(64).cuda()", "model(rows).sum()", False),
        ("batch = Model(64).cuda()", "model(batch).sum()", False),
        ("criterion = Model.FocalLoss(64).cuda()", "criterion(model(rows))", False),
        ("net = torch.nn.Flatten(1).cuda()", "net(model(rows)).sum()", False),
    ],
)
def test_an_object_that_is_moved_and_called_is_a_module_that_the_round_builds(
    program: Program, made: str, called: str, is_trial: bool
) -> None:
    text = SEARCH.format(made=made, called=called)

    assert (every_step(program(text).place("loss.item()")) is None) is is_trial


@pytest.mark.parametrize(("other", "is_step"), [("Base", True), ("object", False)])
def test_a_method_that_one_family_has_is_meant_whatever_it_is_called_on(
    project_of: ProjectOf, other: str, *, is_step: bool
) -> None:
    project = project_of(
        {
            "base.py": "class Base:\n    def optimize_parameters(self):\n        pass\n",
            "one.py": "from base import Base\nclass One(Base):\n    def optimize_parameters(self):\n"
            "        self.loss = self.net(self.x.cuda())\n        self.loss.backward()\n        self.optimizer.step()\n"
            "        print(self.loss.item())\n",
            "two.py": f"from base import Base\nclass Two({other}):\n    def optimize_parameters(self):\n        return 1\n",
            "train.py": "from registry import build\nmodel = build('one')\nfor x in range(9):\n"
            "    model.optimize_parameters()\n",
        }
    )

    assert (every_step(project.place("self.loss.item()", "one.py")) is not None) is is_step


def test_a_scaler_of_timm_makes_the_step_itself(program: Program) -> None:
    code = """
        from timm.utils import NativeScaler
        loss_scaler = NativeScaler()
        for x in loader:
            loss = model(x).sum()
            loss_scaler(loss, optimizer, parameters=model.parameters())
            loss.item()
        """

    assert _reads_every_step(program(_program(code)))


def test_what_is_refused_further_up_thins_nothing(program: Program) -> None:
    code = """
        for x in loader:
            n = len(x)
            if n != 1:
                raise ValueError("one at a time")
            loss = model(x).sum()
            loss.backward()
            loss.item()
        """

    assert _reads_every_step(program(_program(code)))


def test_what_a_function_is_given_to_call_is_what_this_caller_gives(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "tools.py": "def apply(func, x):\n    return func(x)\n"
            "def halved(x):\n    def half(y):\n        return y.item()  # often\n    return apply(half, x)\n"
            "def listed(x):\n    def numbers(y):\n        return y.item()  # once\n    return apply(numbers, x)\n",
            "main.py": HEAD + "from tools import halved, listed\nfor x in loader:\n    loss = model(x.cuda()).sum()\n"
            "    loss.backward()\n    optimizer.step()\n    halved(loss)\nlisted(loss)\n",
        }
    )

    assert every_step(project.place("y.item()", "tools.py", "often")) is not None
    assert every_step(project.place("y.item()", "tools.py", "once")) is None


def test_the_way_that_is_told_is_one_that_the_tests_let_through(program: Program) -> None:
    code = """
        def window(loss, half=None):
            if half is not None:
                loss.item()
        def sines(loss):
            window(loss)
        def combs(loss):
            window(loss, half=3)
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            sines(loss)
            combs(loss)
        """

    story = every_step(program(_program(code)).place("loss.item()"))

    assert story is not None
    assert [step.words for step in story][1:] == [
        "`combs` is called every step here",
        "`window` is called every step here",
    ]


METER = """
class Meter:
    def update(self, **values):
        for value in values.values():
            if isinstance(value, torch.Tensor):
                value = value.item()
            self.add(value)
    def add(self, value):
        self.total = float(value)
meter = Meter()
for x in loader:
    loss = model(x.cuda()).sum()
    loss.backward()
"""


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        (["meter.update(rate=0.1)", "meter.update(loss=loss)"], ["meter.update(loss=loss)"]),
        (["meter.update(loss=loss)", "meter.update(rate=0.1)"], ["meter.update(loss=loss)"]),
        (["meter.update(rate=0.1)", "meter.update(step=3)"], []),
    ],
    ids=["the second", "the first", "none"],
)
def test_the_call_that_is_told_is_one_that_passes_a_tensor(program: Program, calls: list[str], told: list[str]) -> None:
    project = program(_program(METER + "".join(f"    {call}\n" for call in calls)))

    findings = [one for one in project.findings("item-in-training-loop") if one.span.line < 15]

    text = project.file().source.text.split("\n")
    assert [text[one.trace[1].span.line - 1].strip() for one in findings] == told


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ('meter.update(**{"loss": loss})', 1),
        ('losses = {"loss": loss, "rate": 0.1}\n    meter.update(rate=0.1, **losses)', 1),
        ('losses = {"loss": loss}\n    meter.update(**{**losses})', 1),
        ('meter.update(**{"rate": 0.1})', 0),
        ("numbers = {key: len(value) for key, value in x.items()}\n    meter.update(**numbers)", 0),
        ('losses = {"loss": "none", "rate": 0.1}\n    meter.update(rate=0.1, **losses)', 0),
    ],
)
def test_what_is_unpacked_for_any_keywords_is_what_the_dict_holds(program: Program, call: str, found: int) -> None:
    project = program(_program(f"{METER}    {call}\n"))

    findings = [one for one in project.findings("item-in-training-loop") if one.span.line < 15]

    assert len(findings) == found


def test_the_call_that_is_told_may_be_further_out(program: Program) -> None:
    code = """
        def read(value):
            return value.item()
        def note(value):
            read(value)
        for x in loader:
            loss = model(x.cuda()).sum()
            loss.backward()
            note(numbers.mean(3))
            note(loss)
        """

    (finding,) = program(_program(code)).findings("item-in-training-loop")

    assert [(step.span.line, step.words) for step in finding.trace][1:] == [
        (15, "`note` is called every step here"),
        (10, "`read` is called every step here"),
    ]


def test_the_read_of_a_property_is_told_as_a_read(program: Program) -> None:
    code = """
        class Meter:
            @property
            def mean(self):
                return self.total.item()
        meter = Meter()
        for x in loader:
            meter.total = model(x.cuda()).sum()
            meter.total.backward()
            meter.mean
        """

    (finding,) = program(_program(code)).findings("item-in-training-loop")

    assert [step.words for step in finding.trace][1:] == ["`Meter.mean` is read every step here"]


_GOES_BACK = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        loss = 2 * grad * x
        loss.item()
        return loss

for x in loader:
    y = model(x)
    {}
    y.sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("called", "expected"),
    [
        ("y = Square.apply(y)", True),
        ("with torch.enable_grad():\n        y = Square.apply(y)", True),
        ("Square.apply(y.detach())", False),
        ("with torch.no_grad():\n        Square.apply(y)", False),
        ("if step % 100 == 0:\n        y = Square.apply(y)", False),
        ("pass", False),
    ],
)
def test_what_is_applied_every_step_goes_back_every_step(program: Program, called: str, expected: bool) -> None:
    assert _reads_every_step(program(HEAD + _GOES_BACK.format(called))) is expected
