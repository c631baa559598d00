"""Which code of a framework runs with every step: trainers, hooks, callbacks and handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.steps.programs import in_program, reads_every_step

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]

# Each reads `loss.item()` at one place that runs with every step.
EVERY_STEP = {
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
    "Ignite's own trainer": """
        from ignite.engine import Events, create_supervised_trainer
        trainer = create_supervised_trainer(model, optimizer, nn.MSELoss())
        @trainer.on(Events.ITERATION_COMPLETED)
        def note(engine):
            loss = engine.state.output
            loss.item()
        """,
}
# Each reads `loss.item()` at one place that does not.
NOT_EVERY_STEP = {
    "Lightning's validation": """
        import pytorch_lightning as pl
        class Net(pl.LightningModule):
            def training_step(self, batch, batch_idx):
                return model(batch).sum()
            def validation_step(self, batch, batch_idx):
                loss = model(batch).sum()
                loss.item()
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
    "an Ignite evaluator": """
        from ignite.engine import Engine
        def evaluate(engine, batch):
            loss = model(batch).sum()
            return loss.item()
        Engine(evaluate).run(loader)
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
}


@pytest.mark.parametrize("code", EVERY_STEP.values(), ids=EVERY_STEP)
def test_what_no_test_thins_out_runs_with_every_step(program: Program, code: str) -> None:
    assert reads_every_step(program(in_program(code)))


@pytest.mark.parametrize("code", NOT_EVERY_STEP.values(), ids=NOT_EVERY_STEP)
def test_what_runs_less_often_or_elsewhere_does_not(program: Program, code: str) -> None:
    assert not reads_every_step(program(in_program(code)))
