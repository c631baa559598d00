"""Tests that hold in every iteration of a loop, and throttles."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.steps.programs import HEAD as START, reads_every_step

Program: TypeAlias = Callable[[str], Checkout]

HEAD = f"{START}ALWAYS = True\n"
_HELPERS = """
def is_time(i):
    return i % 100 == 0
def is_answer(i):
    if i % 100 == 0 and i > 5:
        return True
    return False
def is_flag(i):
    if i > 5:
        return True
    return False
first = True
kept = None
"""
_THROTTLED = """
for i, x in enumerate(loader):
    loss = model(x).sum()
    loss.backward()
    step = i + 1
    self.step = i
    {test}
        loss.item()
"""
THROTTLES = {
    "modulo": "if i % 100 == 0:",
    "modulo, the same": "if i % 100 is 0:",
    "modulo, not": "if not i % 100:",
    "modulo and rank": "if rank == 0 and i % 100 == 0:",
    "modulo of more": "if (i + 1) % args.print_freq == 0:",
    "modulo of another": "if step % 100 == 99:",
    "modulo of rounds in all": "if (i + len(loader)) % 100 == 0:",
    "modulo through a name": "should = i % 100 == 0\n    if should:",
    "modulo through two names": "a = i % 100 == 0\n    b = a and rank == 0\n    if b:",
    "modulo through a function": "if is_time(i):",
    "modulo behind an answer": "if is_answer(i):",
    "the last round": "if i == len(loader) - 1:",
    "the first round": "if i == 0:",
    "the first rounds": "if i < 3:",
    "the first rounds of a sum": "seen = i + 10 * epoch\n    if seen < 3:",
    "some rounds": "if i in (1, 10, 100):",
    "some rounds of what is counted": "updates += 1\n    if updates in [10, 100, 1000]:",
    "a few of each hundred": "if i % 100 < len(x):",
    "debugging": "if args.debug:",
    "another device": "if x.device.type == 'mps':",
    "another device, held": "is_mps = 'mps' in str(device)\n    if is_mps and i:",
    "no CUDA": "if device.type != 'cuda':",
    "levels of debugging": "if self.opt.debug > 0:",
    "a test": "if opt.test:",
    "only an evaluation": "eval_only = args.eval_only\n    if eval_only:",
    "an evaluation": "if not model.training and args.report:",
    "an evaluation, written out": "if model.training is False:",
    "an evaluation's arm, written out": "if model.training is True:\n        pass\n    else:",
    "anything but training": "if model.training != True:",
    "an evaluation's arm": "if model.training or not args.report:\n        pass\n    else:",
    "either": "if i % 100 == 0 or i == len(loader) - 1:",
    "or an end": "done = scheduler.get_last_lr()[0] == 0.0\n    if i % 100 == 0 or done:",
    "or an end that is written out": "if i % 100 == 0 or scheduler.get_last_lr()[0] == 0.0:",
    "or the last of all": "if i % 100 == 0 or i + 1 >= total:",
    "or an option": "if i % 100 == 0 or args.log_all:",
    "or a flag": "if i % 100 == 0 or self.is_asked_for:",
    "or a mode": "if i % 100 == 0 or mode == 'debug':",
    "or nothing yet": "if i % 100 == 0 or shown is None:",
    "or a new epoch": "if i % 100 == 0 or epoch != last_epoch:",
    "or a warm-up": "if i % 100 == 0 or i < warmup:",
    "or a helper's word": "if i % 100 == 0 or is_over(x):",
    "or a failure": "if i % 100 == 0 or torch.isnan(loss):",
    "or an end, in a list": "if args.save and (i % 100 in [1, 2, 3] or done):",
    "or a flag that is off": "log_all = False\n    if i % 100 == 0 or log_all:",
    "an early continue but for a flag": "if i % 100 and not args.log_all:\n        continue\n    if True:",
    "a flag that a throttle sets": "show = False\n    if i > 0 and i % 100 == 0:\n        show = True\n    if show:",
    "a walrus": "if (now := i % 100 == 0):",
    "an attribute": "if self.step % 100 == 0:",
    "a clock": "if time.time() - start > 60:",
    "a mark that is put off": "if elapsed // 300 >= saved:\n        saved += 1",
    "a mark of a quotient": "if seen / size >= shown:\n        shown += 1",
    "a flag that is a buffer": "if not self.ready:\n        self.ready.fill_(True)",
    "a flag that is a buffer, copied into": "if self.ready:\n        continue\n    self.ready.data.copy_(done)\n    if True:",
    "a mark that is put off by more": "if i >= saved:\n        saved += 100",
    "a mark that is put off from here": "if i >= saved:\n        saved = i + args.every",
    "a mark that is doubled": "if i >= saved:\n        saved *= 2",
    "a count since a mark": "if seen - reported >= 100:\n        reported = seen",
    "a count since a mark, the other way round": "if i >= reported + 100:\n        reported = i",
    "an early continue before a mark": "if seen < reported + args.every:\n        continue\n    reported = seen\n    if True:",
    "an early continue before a mark, but for an end": (
        "done = seen >= total\n    if not done and args.every * 1000 + reported > seen:\n        continue\n"
        "    reported = seen\n    if True:"
    ),
    "an early continue before a mark that is put off": "if step < due:\n        continue\n    due += 100\n    if True:",
    "an early continue before a clock's mark": (
        "if time.time() - shown < 60:\n        continue\n    shown = time.time()\n    if True:"
    ),
    "a record": "if score > best:\n        best = score",
    "a record of what is read": "if score.item() < self.best:\n        self.best = score",
    "a record that is read": "if score < best:\n        kept = x\n        best = float(score)",
    "a record, the other way round": "if best <= score:\n        best = score.detach().clone()",
    "a record past an early continue": "if score <= best:\n        continue\n    best = score\n    if True:",
    "what a throttle fills": "shown = None\n    if i % 100 == 0:\n        shown = x\n    if shown is not None:",
    "what a throttle fills, as a test": "shown = None\n    if i % 100 == 0:\n        shown = x\n    if shown:",
    "what a throttle fills, and an option": (
        "shown = None\n    if i % 100 == 0 or done:\n        shown = x\n    if shown is not None and args.show:"
    ),
    "what a throttle chooses": "shown = x if i % 100 == 0 else None\n    if shown is not None:",
    "what an arm fills": (
        "if i % 100 == 0:\n        shown = x\n    else:\n        shown = None\n    if shown is None:\n        continue\n    if True:"
    ),
    "a window that fills": "if len(window) >= 100:\n        window.clear()",
    "a window that is made anew": "if len(window) > 50:\n        window = []",
    "a die": "if random.random() < 0.01:",
    "a remainder with a name": "rest = i % 100\n    if rest == 0:",
    "a remainder of two parts": "hundreds, rest = divmod(i, 100)\n    if rest == 0:",
    "a mark of portions": "if rank == 0 and saved < len(rows) // size:\n        saved = saved + 1",
    "a flag that is cleared": "if first:\n        first = False",
    "a debug log": "if logger.isEnabledFor(logging.DEBUG):",
    "a name that says so": "if should_log(i):",
    "a flag that says so, set by others": "if self.control.should_log:",
    "what is left of several": "if rank or i % 100 == 0:\n        y = x\n    else:\n        continue\n    if not rank:",
    "an early continue": "if i % 100:\n        continue\n    if True:",
    "a handler": "try:\n        pass\n    except RuntimeError:",
    "an array that is not finite": "if not numpy.all(numpy.isfinite(p)):",
    "an array with a NaN": "if numpy.isnan(p).any():",
    "an array, not all of it finite": "if not numpy.isfinite(p).all():",
    "a number that is not finite": "if not math.isfinite(value):",
    "a logged error": "if bad:\n        logger.error('bad %s', x)",
    "a warning": "if bad:\n        warnings.warn(f'bad {x}')",
    "a printed error": "if bad:\n        print('ERROR: bad', x)",
    "a printed error with its number": "if bad:\n        print(f'[Warning] {x} is bad')",
    "an error behind a test": "if good:\n        y = x\n    else:\n        self.log.error('bad')",
    "a failure": "if bad:\n        raise RuntimeError(loss)\n    if i % 100 == 0:",
}


@pytest.mark.parametrize("test", THROTTLES.values(), ids=THROTTLES)
def test_a_throttle_makes_it_now_and_then(program: Program, test: str) -> None:
    code = _HELPERS + _THROTTLED.format(test=test)

    assert not reads_every_step(program(HEAD + code))


@pytest.mark.parametrize(
    "test",
    [
        "if rank == 0:",
        "if model.training:",
        "if seen < 3:",
        "if args.verbose_loss:",
        "if not args.debug:",
        "if x.device.type == 'cuda':",
        "if x.device.type != 'mps':",
        "if x.device.type != 'cpu':",
        "if kind == 'cpu':",
        "if args.debug < 1:",
        "if args.debug_loss:",
        "debug = True\n    if debug:",
        "if x is not None:",
        "if is_flag(i):",
        "if i is not None:",
        "if i % 100 is not 0:",
        "if i % 1 == 0:",
        "if not i % 1:",
        "if seen >= count:\n        count += 1",
        "if seen - reported >= 1:\n        reported = seen",
        "if seen - reported >= 100:\n        reported = 0",
        "if len(window) >= 1:\n        window.clear()",
        "if len(window) >= 100:\n        others.clear()",
        "if rank == 1:\n        skipped += 1\n    if skipped == 0:",
        "updates += 1\n    updates = 0\n    if updates in [0, 1]:",
        "if i >= reported + 1:\n        reported = i",
        "if i > last:\n        last = i",
        "if seen / 1 >= shown:\n        shown += 1",
        "if not self.ready:\n        self.other.fill_(True)",
        "if self.step > last:\n        last = self.step",
        "if score > best:\n        best = other",
        "if score > best:\n        other = score",
        "if i < reported + 100:\n        reported = i",
        "if i >= reported * 100:\n        reported = i",
        "if seen < reported + 100:\n        continue\n    others = seen\n    if True:",
        "if seen >= most:\n        break\n    seen += 100\n    if True:",
        "if seen >= most:\n        continue\n    seen += 100\n    if True:",
        "if time.time() - start > 60:\n        break\n    if True:",
        "shown = None\n    if rank == 0:\n        shown = x\n    if shown is not None:",
        "shown = None\n    if i % 100 == 0:\n        shown = x\n    if shown is None:",
        "shown = None\n    if i % 100 == 0:\n        shown = x\n    elif rank == 0:\n        shown = model\n    if shown is not None:",
        "if i % 100 == 0:\n        kept = x\n    if kept is not None:",
        "if i % 100 == 0:\n        kept = x\n    elif rank == 1:\n        kept = None\n    if kept is not None:",
        "if random.random() < 0.5:",
        "hundreds, rest = divmod(i, 100)\n    if hundreds == 0:",
        "rest = x.size(0) % 8\n    if rest == 0:",
        "if elapsed // 1 >= saved:\n        saved += 1",
        "if elapsed // 300 >= saved:\n        written += 1",
        "if elapsed // 300 <= saved:\n        saved += 1",
        "if i >= 100:",
        "if i % 100 == 0 or i >= 100:",
        "if i % 100 == 0 or rank == 0:",
        "if i % 100 == 0 or is_main_process():",
        "if i % 100 == 0 or model.training:",
        "if i % 100 == 0 or len(x) > 1:",
        "if i % 100 == 0 or x is not None:",
        "if i % 100 == 0 or ALWAYS:",
        "always = not ALWAYS\n    if i % 100 == 0 or not always:",
        "if i % 100 == 0 or optimizer:",
        "if not model.training or args.report:",
        "if args.should_save:",
        "if not self.control.should_log:",
        "self.should_log = True\n    if self.should_log:",
        "if x.size(1) % 2 == 0:",
        "if not x.shape[-1] % 8:",
        "height, width = x.shape\n    if width % 8 == 0:",
        "if i % 100 and not ALWAYS:\n        continue\n    if True:",
        "if rank or i % 100 == 0:\n        y = x\n    else:\n        continue\n    if rank:",
        "if numpy.all(numpy.isfinite(p)):",
        "if not numpy.isnan(p).any():",
        "if numpy.random.rand() < 0.5:",
        "if good:\n        logger.info('good')",
        "if good:\n        print('errors so far', x)",
        "if good:\n        meter.error(x)",
        "if bad:\n        logger.error('bad')\n    else:\n        y = x",
        "if good:\n        if bad:\n            logger.error('bad')",
        "with ctx:",
    ],
)
def test_what_holds_in_most_rounds_is_no_throttle(program: Program, test: str) -> None:
    assert reads_every_step(program(HEAD + _HELPERS + _THROTTLED.format(test=test)))


_OPTION = """
parser = argparse.ArgumentParser()
parser.add_argument("--eval_oracle", {declared})
args = parser.parse_args()
"""


@pytest.mark.parametrize(
    ("declared", "is_read"),
    [("action='store_true'", False), ("action='store_false'", True), ("type=int, default=5", True)],
)
def test_a_part_of_a_mode_is_left_out_where_it_is_off(program: Program, declared: str, is_read: bool) -> None:
    head = "import argparse\n" + HEAD + _OPTION.format(declared=declared)

    assert reads_every_step(program(head + _THROTTLED.format(test="if args.eval_oracle:"))) is is_read


DATA = {
    "a comparison": "if torch.min(loss) < -1.0:",
    "a comparison with another": "if loss > x.cuda().max():",
    "a predicate": "if torch.isnan(loss):",
    "a predicate of any": "if torch.isnan(loss).any() or torch.isinf(loss).any():",
    "a predicate that does not hold": "if not torch.isfinite(loss):",
    "a predicate of all": "if torch.isfinite(loss).all():\n        pass\n    else:",
    "a name": "is_bad = torch.isnan(loss)\n    if is_bad:",
    "a conversion": "if bool(torch.isnan(loss).any()):",
    "a function of math": "if math.isnan(loss):",
    "a number that is read off": "if loss.detach().item() > 100:",
    "a comparison somewhere": "if (loss > 100).any():",
    "nothing there": "if not (loss != 0).any():",
    "no sum": "if loss.sum() == 0:",
    "and an option": "if args.check and torch.isnan(loss):",
    "one of two": "if not torch.isfinite(loss) or (i > 5 and loss > 1e4):",
    "nothing left": "kept = x.cuda()[loss > 0]\n    if len(kept) == 0:",
    "no elements": "kept = x.cuda()[loss > 0]\n    if not kept.numel():",
    "no rows": "kept = x.cuda()[loss > 0]\n    if kept.shape[0] < 1:",
    "a graph without edges": "if x.number_of_edges() == 0:",
    "no nodes in a graph": "if not graph.num_nodes():",
    "the other arm of some edges": "if graph.num_edges() > 0:\n        pass\n    else:",
    "the other arm of some rows": "kept = x.cuda()[loss > 0]\n    if kept.size(0) > 0:\n        pass\n    else:",
}


@pytest.mark.parametrize("test", DATA.values(), ids=DATA)
def test_what_a_tensor_seldom_holds_is_an_exception(program: Program, test: str) -> None:
    assert not reads_every_step(program("import math\n" + HEAD + _THROTTLED.format(test=test)))


AS_A_RULE = {
    "a predicate": "if torch.isfinite(loss):",
    "a predicate of all": "if torch.isfinite(loss).all():",
    "anything there": "if loss.any():",
    "anything there by a name": "mask = loss > 0\n    if mask.sum():",
    "a sum": "if (loss != 0).sum() > 0:",
    "an exception that is not": "if not torch.isnan(loss):",
    "an exception's other arm": "if loss > 100:\n        pass\n    else:",
    "past an exception": "if torch.isnan(loss):\n        continue\n    if True:",
    "a throttle or the rule": "if i % 100 == 0 or torch.isfinite(loss):",
    "past one that is so from some round on": (
        "if not torch.isfinite(loss) or (i > 5 and loss > 1e4):\n        continue\n    if True:"
    ),
    "or an option": "if args.verbose_loss or torch.isnan(loss):",
    "a number": "if x.shape[0] > 1:",
    "a number of its own": "if args.weight > 0:",
    "a length": "if len(x) > 1:",
    "anything left": "kept = x.cuda()[loss > 0]\n    if len(kept) > 0:",
    "the other arm of nothing left": "kept = x.cuda()[loss > 0]\n    if len(kept) == 0:\n        pass\n    else:",
    "some elements": "kept = x.cuda()[loss > 0]\n    if kept.numel() >= 1:",
    "one element": "if loss.numel() == 1:",
    "an empty list": "if len(losses) == 0:",
    "a graph with edges": "if graph.number_of_edges() > 0:",
    "a graph of one node": "if graph.num_nodes() == 1:",
    "nothing": "if loss is not None:",
    "an object": "if loss in losses:",
}


@pytest.mark.parametrize("test", AS_A_RULE.values(), ids=AS_A_RULE)
def test_what_a_tensor_mostly_holds_is_no_throttle(program: Program, test: str) -> None:
    assert reads_every_step(program(HEAD + _THROTTLED.format(test=test)))


def test_an_exception_within_an_expression_is_one(program: Program) -> None:
    code = """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            worst = loss.item() if torch.isnan(loss) else 0.0
        """

    assert not reads_every_step(program(_program(code)))


BESIDE = {
    "a regulariser": """
        for i, x in enumerate(loader):
            first = model(x).sum()
            first.backward()
            optimizer.step()
            if i % 16 == 0:
                loss = model(x).pow(2).sum()
                loss.backward()
                optimizer.step()
                loss.item()
        """,
    "gradients of a regulariser": """
        for i, x in enumerate(loader):
            if i % 16 == 0:
                loss = model(x).pow(2).sum()
                loss.backward()
                loss.item()
            model(x).sum().backward()
            optimizer.step()
        """,
    "a step with or without a scaler": """
        for i, x in enumerate(loader):
            model(x).sum().backward()
            if amp:
                scaler.step(optimizer)
            else:
                optimizer.step()
            if i % 16 == 0:
                loss = model(x).pow(2).sum()
                loss.backward()
                optimizer.step()
                loss.item()
        """,
    "a regulariser below an early continue": """
        for i, x in enumerate(loader):
            model(x).sum().backward()
            optimizer.step()
            if i % 16 != 0:
                continue
            loss = model(x).pow(2).sum()
            loss.backward()
            optimizer.step()
            loss.item()
        """,
    "a flag that processes agree on": """
        is_last = False
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            optimizer.step()
            if is_distributed:
                agreed = torch.tensor(is_last, device="cuda")
                torch.distributed.all_reduce(agreed)
                is_last = bool(agreed)
            if is_last or i % 16 == 0:
                loss.item()
        """,
    "what a test of the step reads": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i % 16 == 0 and loss.item() < 1.0:
                optimizer.step()
        """,
    "a function of one step": """
        def train(i, x):
            model(x).sum().backward()
            optimizer.step()
            if i % 16 == 0:
                loss = model(x).pow(2).sum()
                loss.backward()
                optimizer.step()
                loss.item()
        for i, x in enumerate(loader):
            train(i, x)
        """,
}


@pytest.mark.parametrize("code", BESIDE.values(), ids=BESIDE)
def test_one_more_step_now_and_then_is_throttled(program: Program, code: str) -> None:
    assert not reads_every_step(program(_program(code)))


THE_STEP = {
    "accumulated gradients": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i % 4 == 0:
                optimizer.step()
                loss.item()
        """,
    "gradients that are not exchanged": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            if i % 4:
                with model.no_sync():
                    loss.backward()
            else:
                loss.backward()
                optimizer.step()
                loss.item()
        """,
    "two that take turns": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            if i % 2 == 0:
                loss.backward()
                optimizer.step()
                loss.item()
            else:
                model(x).pow(2).sum().backward()
                optimizer.step()
        """,
    "a warm-up before the loop": """
        model(next(iter(loader))).sum().backward()
        optimizer.step()
        for i, x in enumerate(loader):
            loss = model(x).sum()
            if i % 4 == 0:
                loss.backward()
                optimizer.step()
                loss.item()
        """,
    "a limit that ends the loop": """
        for i, x in enumerate(loader):
            if args.max_steps > 0 and done > args.max_steps:
                break
            loss = model(x).sum()
            loss.backward()
            optimizer.step()
            loss.item()
        """,
    "rounds that an earlier run has made": """
        for i, x in enumerate(loader):
            if steps_done > 0:
                steps_done -= 1
                continue
            loss = model(x).sum()
            loss.backward()
            if (i + 1) % args.accumulation == 0:
                optimizer.step()
            loss.item()
        """,
    "a function that leaves early": """
        def train(i, x):
            if i % 4:
                return
            with timed:
                loss = model(x).sum()
                loss.backward()
                optimizer.step()
            loss.item()
        for i, x in enumerate(loader):
            train(i, x)
        """,
    "a step that is rarer still": """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            if i % 4 == 0:
                loss.backward()
                optimizer.step()
                loss.item()
            if i % 100 == 0:
                model(x).pow(2).sum().backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("code", THE_STEP.values(), ids=THE_STEP)
def test_where_the_step_itself_waits_its_turn_is_no_throttle(program: Program, code: str) -> None:
    assert reads_every_step(program(_program(code)))


def _program(code: str) -> str:
    return HEAD + dedent(code)
