"""What a file may be asked about what autograd records, what becomes of gradients, and what optimizers step with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.training.steps import training_of
from torchlint.model.worlds import ANYWHERE
from torchlint.model.written import WrittenFile

if TYPE_CHECKING:
    from torchlint.model.gradients.activated_losses import Mismatch, MismatchedLoss
    from torchlint.model.gradients.early_schedulers import EarlyScheduler
    from torchlint.model.gradients.exhausted import Exhausted
    from torchlint.model.gradients.forced_gradients import ForcedGradient
    from torchlint.model.gradients.freed_graphs import FreedGraph
    from torchlint.model.gradients.late_clips import LateClip
    from torchlint.model.gradients.leaf_changes import LeafChange
    from torchlint.model.gradients.left_recording import LeftRecording
    from torchlint.model.gradients.lost_gradients import LostGradients
    from torchlint.model.gradients.misspelled_flags import MisspelledFlag
    from torchlint.model.gradients.retained_graphs import RetainedGraph
    from torchlint.model.gradients.saved_results import SavedResult
    from torchlint.model.gradients.scaled_clips import ScaledClip
    from torchlint.model.gradients.scaler_orders import ScalerOrder
    from torchlint.model.gradients.stale_graphs import StaleGraph
    from torchlint.model.gradients.unzeroed import Unzeroed
    from torchlint.model.place import Place
    from torchlint.model.tensors.copied import CopiedTensor


class AboutGradients(WrittenFile):
    """A file that can be asked these questions; what answers one is imported when somebody asks it."""

    def leaf_changes(self) -> Iterator[LeafChange]:
        """Yield where leaves that want gradients are changed in place while autograd records, which it refuses."""
        from torchlint.model.gradients.leaf_changes import leaf_changes

        return leaf_changes(self.project.evaluator(ANYWHERE), self)

    def changed_results(self) -> Iterator[SavedResult]:
        """Yield where results are changed in place that `backward()` computes gradients from."""
        from torchlint.model.gradients.saved_results import changed_results

        return changed_results(self.project.evaluator(ANYWHERE), self)

    def forced_gradients(self) -> Iterator[ForcedGradient]:
        """Yield where a computed loss is made to want gradients by hand before `backward()` starts from it."""
        from torchlint.model.gradients.forced_gradients import forced_gradients

        return forced_gradients(self.project.evaluator(ANYWHERE), self)

    def misspelled_flags(self) -> Iterator[MisspelledFlag]:
        """Yield where a misspelled `requires_grad` of a tensor or module is set, which nobody reads."""
        from torchlint.model.gradients.misspelled_flags import misspelled_flags

        return misspelled_flags(self.project.evaluator(ANYWHERE), self)

    def idle_modes(self) -> Iterator[Place]:
        """Yield the statements that make a mode of autograd, `torch.no_grad()`, and enter it nowhere."""
        from torchlint.model.gradients.idle_modes import idle_modes

        return idle_modes(self)

    def copied_tensors(self) -> Iterator[CopiedTensor]:
        """Yield the calls of `torch.tensor` with what surely is a tensor already, or a list of some."""
        from torchlint.model.tensors.copied import copied_tensors

        return copied_tensors(self.project.evaluator(ANYWHERE), self)

    def scaled_clips(self) -> Iterator[ScaledClip]:
        """Yield where gradients are clipped while the scale of a gradient scaler is still in them."""
        from torchlint.model.gradients.scaled_clips import scaled_clips

        return scaled_clips(self.project.evaluator(ANYWHERE), self)

    def mismatched_losses(self, mismatch: Mismatch) -> Iterator[MismatchedLoss]:
        """Yield where a loss is surely given what an activation made that it applies itself, or lacks what it needs.

        `mismatch` is what is wrong: "softmax" or "sigmoid" before the loss that has it, "no log" before `NLLLoss`,
        "no log in kl" before `KLDivLoss`, "no sigmoid" before `BCELoss`.
        """
        from torchlint.model.gradients.activated_losses import mismatched_losses

        return mismatched_losses(self.project.evaluator(ANYWHERE), self, mismatch)

    def unzeroed_steps(self) -> Iterator[Unzeroed]:
        """Yield the steps of optimizers that are made with the gradients of all rounds of a loop so far."""
        from torchlint.model.gradients.unzeroed import unzeroed_steps

        return unzeroed_steps(self.project.evaluator(ANYWHERE), self)

    def early_schedulers(self) -> Iterator[EarlyScheduler]:
        """Yield where the learning rate is scheduled before the first step that it is for."""
        from torchlint.model.gradients.early_schedulers import early_schedulers

        return early_schedulers(self.project.evaluator(ANYWHERE), self)

    def lost_gradients(self) -> Iterator[LostGradients]:
        """Yield the steps of optimizers that come to gradients which were zeroed before."""
        from torchlint.model.gradients.lost_gradients import lost_gradients

        return lost_gradients(self.project.evaluator(ANYWHERE), self)

    def late_clips(self) -> Iterator[LateClip]:
        """Yield where gradients are clipped after the step that they were for."""
        from torchlint.model.gradients.late_clips import late_clips

        return late_clips(self.project.evaluator(ANYWHERE), self)

    def exhausted_parameters(self) -> Iterator[Exhausted]:
        """Yield where a generator of parameters is used that was used up before."""
        from torchlint.model.gradients.exhausted import exhausted

        return exhausted(self.project.evaluator(ANYWHERE), self)

    def retained_graphs(self) -> Iterator[RetainedGraph]:
        """Yield the calls that retain graphs which go back through all rounds of a loop so far."""
        from torchlint.model.gradients.retained_graphs import retained_graphs

        return retained_graphs(self.project.evaluator(ANYWHERE), self)

    def freed_graphs(self) -> Iterator[FreedGraph]:
        """Yield the calls of `backward()` that go through what an earlier one has freed, and raise."""
        from torchlint.model.gradients.freed_graphs import freed_graphs

        return freed_graphs(self.project.evaluator(ANYWHERE), self)

    def stale_graphs(self) -> Iterator[StaleGraph]:
        """Yield the calls of `backward()` that need weights as they were before an optimizer changed them."""
        from torchlint.model.gradients.stale_graphs import stale_graphs

        return stale_graphs(self.project.evaluator(ANYWHERE), self)

    def scaler_orders(self) -> Iterator[ScalerOrder]:
        """Yield the calls of gradient scalers that come at a time when these refuse them, or forget their scale."""
        from torchlint.model.gradients.scaler_orders import scaler_orders

        return scaler_orders(self.project.evaluator(ANYWHERE), self)

    def left_recording(self) -> Iterator[LeftRecording]:
        """Yield the calls that evaluate a module over batches and are recorded for nobody."""
        from torchlint.model.gradients.left_recording import left_recording

        return left_recording(self.project.evaluator(ANYWHERE), training_of(self.project), self)
