"""What a file may be asked about what runs with every step, and what waits or piles up there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.model.training.steps import training_of
from torchlint.model.worlds import ANYWHERE
from torchlint.model.written import WrittenFile

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.model.syncs.asynchronous import PageableCopy, UnfinishedCopy
    from torchlint.model.syncs.elementwise import ElementTransfer
    from torchlint.model.syncs.keeping import KeptGraph
    from torchlint.model.syncs.reads import Read, WaitKind
    from torchlint.model.syncs.streams import Crossing
    from torchlint.model.syncs.sums import RunningSum
    from torchlint.model.syncs.timing import Timing
    from torchlint.model.syncs.waiting import Wait
    from torchlint.model.training.debug_switches import DebugSwitch
    from torchlint.model.training.entering import Story
    from torchlint.model.training.left_in_eval import LeftInEval
    from torchlint.model.training.left_in_train import LeftInTrain

# Whoever is called in more ways is told by the first.
_MOST_WAYS = 20


class AboutTraining(WrittenFile):
    """A file that can be asked these questions; what answers one is imported when somebody asks it."""

    def every_step(self, place: Place) -> Story | None:
        """Return the way from a training loop to a place that runs with every step, or None where none does."""
        return training_of(self.project).every_step(place)

    def every_forward(self, place: Place) -> Story | None:
        """Return the way from a module's `forward` to a place that runs whenever it does, or None where none leads."""
        from torchlint.model.training.forwards import with_every_forward

        return with_every_forward(self.project.evaluator(ANYWHERE), training_of(self.project), place)

    def every_evaluated_batch(self, place: Place) -> Story | None:
        """Return the evaluation loop with whose every round a place runs, or None where it is in none."""
        from torchlint.model.training.evaluation import every_evaluated_batch

        return every_evaluated_batch(self.project.evaluator(ANYWHERE), training_of(self.project), place)

    def waits_every_step(self, kind: WaitKind) -> Iterator[tuple[Wait, Story]]:
        """Yield the reads of a kind that make the host wait with every training step, with the way to each."""
        if self in training_of(self.project).files:
            for wait, story in self._waits(kind, self.every_step):
                yield wait, self._way_that_waits(wait, kind) or story if len(story) > 1 else story

    def waits_every_batch(self, kind: WaitKind) -> Iterator[tuple[Wait, Story]]:
        """Yield the reads of a kind that make the host wait with every batch of an evaluation."""
        return self._waits(kind, self.every_evaluated_batch)

    def _waits(self, kind: WaitKind, when: Callable[[Place], Story | None]) -> Iterator[tuple[Wait, Story]]:
        """Yield the waits among the reads that run when asked for; when is cheaper to say than what."""
        from torchlint.model.devices.host_programs import runs_on_host
        from torchlint.model.syncs.reads import reads

        if runs_on_host(self.project.evaluator(ANYWHERE), self):
            return
        found: set[tuple[str, int, int, int, int]] = set()
        for read in reads(self, kind):
            if read.place.key in found or (story := when(read.place)) is None:
                continue
            if (wait := self._wait_of(read, kind)) is not None:
                found.add(read.place.key)
                yield wait, story

    def _wait_of(self, read: Read, kind: WaitKind) -> Wait | None:
        """Return how a read waits, whoever calls its function, or else where one of the calls of a step comes to it.

        What may be anything as long as nobody says who calls may be no tensor by any of the calls that are known; of
        what is tested, which is a flag or a number more often, one of these has to show that it is.
        """
        from torchlint.model.syncs.waiting import may_be_anything, may_be_flag, may_be_no_tensor, wait_of

        ev = self.project.evaluator(ANYWHERE)
        wait = wait_of(ev, read, kind)
        if wait is not None and not may_be_anything(ev.evaluate(wait.tensor)):
            return wait
        reads = [read.within(frame) for frame in islice(training_of(self.project).frames_at(read.place), _MOST_WAYS)]
        waits = (wait_of(ev, one, kind) for one in reads)
        if (found := next((one for one in waits if one is not None), None)) is not None:
            # Of a table of losses, each seems to be called as all are: the flag of one is the target of another.
            is_flag = kind == "branch" and any(may_be_flag(ev.evaluate(one.tensor)) for one in reads)
            return None if is_flag else found
        is_open = kind != "branch" and not all(may_be_no_tensor(ev.evaluate(one.tensor)) for one in reads)
        return wait if is_open or not reads else None

    def _way_that_waits(self, wait: Wait, kind: WaitKind) -> Story | None:
        """Return a way on which what is passed makes the host wait: other calls of the function may pass a number."""
        from torchlint.model.syncs.reads import Read
        from torchlint.model.syncs.waiting import wait_of

        ev, read = self.project.evaluator(ANYWHERE), Read(wait.place, wait.tensor)
        for way in islice(training_of(self.project).ways_to(wait.place), _MOST_WAYS):
            found = wait_of(ev, read.within(way.frame), kind) if way.frame is not None else None
            if found is not None and found.is_sure is wait.is_sure:
                return way.story
        return None

    def running_sum(self, place: Place, tensor: Place) -> RunningSum | None:
        """Return the sum that a number out of a tensor is added to, where nobody reads it before the loop is over."""
        from torchlint.model.syncs.sums import running_sum

        return running_sum(place, tensor)

    def kept_graphs(self) -> Iterator[KeptGraph]:
        """Yield where graphs are kept step after step."""
        from torchlint.model.syncs.keeping import kept_graphs

        return kept_graphs(self.project.evaluator(ANYWHERE), training_of(self.project), self)

    def unsynchronized_timings(self) -> Iterator[Timing]:
        """Yield where a clock is read before the GPU is done with what was to be timed."""
        from torchlint.model.syncs.timing import unsynchronized_timings

        return unsynchronized_timings(self.project.evaluator(ANYWHERE), self)

    def unfinished_copies(self) -> Iterator[UnfinishedCopy]:
        """Yield the copies to the host that are read before anything has waited for them."""
        from torchlint.model.syncs.asynchronous import unfinished_copies

        return unfinished_copies(self.project.evaluator(ANYWHERE), self)

    def pageable_copies(self) -> Iterator[PageableCopy]:
        """Yield the copies of batches that are asked not to block, and block because the loader does not pin."""
        from torchlint.model.syncs.asynchronous import pageable_copies

        return pageable_copies(self.project.evaluator(ANYWHERE), self)

    def unordered_crossings(self) -> Iterator[Crossing]:
        """Yield where a tensor goes from one CUDA stream to another while nobody waits."""
        from torchlint.model.syncs.streams import unordered_crossings

        return unordered_crossings(self.project.evaluator(ANYWHERE), self)

    def element_transfers(self) -> Iterator[ElementTransfer]:
        """Yield the transfers between host and GPU that are repeated for each element."""
        from torchlint.model.syncs.elementwise import element_transfers

        return element_transfers(self.project.evaluator(ANYWHERE), self)

    def left_in_eval(self) -> Iterator[LeftInEval]:
        """Yield the calls that put a module into eval mode, in which a loop goes on to train it."""
        from torchlint.model.training.left_in_eval import left_in_eval

        return left_in_eval(self.project.evaluator(ANYWHERE), training_of(self.project), self)

    def left_in_train(self) -> Iterator[LeftInTrain]:
        """Yield the calls that evaluate a module in train mode, which nobody ever leaves."""
        from torchlint.model.training.left_in_train import left_in_train

        return left_in_train(self.project.evaluator(ANYWHERE), training_of(self.project), self)

    def debug_switches(self) -> Iterator[DebugSwitch]:
        """Yield where the file turns on what is for debugging, though nobody who runs the program asks for it."""
        from torchlint.model.training.debug_switches import debug_switches

        return debug_switches(self.project.evaluator(ANYWHERE), training_of(self.project), self)
