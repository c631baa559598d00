"""What `torch.load` loads: checkpoints are distinguished from data, and own files from those of others."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from torchlint.model import Project
from torchlint.model.checkpoints.loading import Load

HEAD = "import io\nimport torch\n"


def loads(folder: Path, source: str, **others: str) -> list[Load]:
    for name, text in {"main": source, **others}.items():
        (folder / f"{name}.py").write_text(HEAD + textwrap.dedent(text))
    return list(Project(folder).open(folder / "main.py", "main.py").loads())


@pytest.mark.parametrize(
    "source",
    [
        "def f(model, path): model.load_state_dict(torch.load(path))",
        """
        def f(model, path):
            saved = torch.load(path)
            state = {key: value for key, value in saved.items()}
            model.load_state_dict(state)
        """,
        """
        def f(path):
            saved = torch.load(path)
            return saved["epoch"]
        """,
        """
        def f(path):
            model = torch.load(path)
            model.eval()
        """,
        """
        def f(path):
            global model
            model = torch.load(path)
        f("best.pt")
        model.eval()
        """,
        """
        def f(path):
            global model
            with open(path) as file:
                model, optimizer = torch.load(file)
            model.eval()
        """,
        """
        def f(path):
            global model
            model = torch.load(path)
        def g():
            model.eval()
        """,
        """
        def f(path):
            model = torch.load(path)
            return model.train(False)
        """,
        """
        def read(path):
            return torch.load(path)

        def f(model, path):
            model.load_state_dict(read(path)["x"])
        """,
        """
        def f(path, folder):
            state = torch.load(path)
            for key, value in state.items():
                torch.save(value, folder + key)
        """,
        """
        def f(path, model):
            pretrained_dict = torch.load(path)
            for key in pretrained_dict.keys():
                model.get_parameter(key).copy_(pretrained_dict[key])
        """,
        """
        def f(model, path):
            loaded = torch.load(path)
            state = model.state_dict()
            loaded = {key: value for key, value in loaded.items() if key in state}
            state.update(loaded)
            model.load_state_dict(state)
        """,
        """
        def f(models, paths):
            states = []
            for path in paths:
                states.append(torch.load(path))
            for model, state in zip(models, states):
                model.load_state_dict(state)
        """,
        """
        def fill(model, values):
            model.load_state_dict(values)

        def f(model, path):
            fill(model, torch.load(path))
        """,
    ],
)
def test_what_becomes_a_state_is_a_checkpoint(source: str, tmp_path: Path) -> None:
    (load,) = loads(tmp_path, source)

    assert load.is_checkpoint


@pytest.mark.parametrize(
    "source",
    [
        "def f(path): return torch.load(path).float().mean()",
        """
        def f(model, path):
            rows = torch.load(path)
            return model(rows["inputs"])
        """,
        """
        def f(model, path):
            options = {}
            options.update(torch.load(path))
            model.load_state_dict(model.state_dict())
            return options
        """,
        """
        def f(model, path):
            model.update(torch.load(path))
            state = model.state_dict()
            state.update(rows=1)
            model.fill(state)
        """,
        """
        def f(model, path):
            saved = torch.load(path)
            saved = {"model": model}
            return saved["model"]
        """,
        """
        def f(path, folder):
            samples = torch.load(path)
            for key, value in samples.items():
                torch.save(value, folder + key)
        """,
        """
        def f(path):
            weights = torch.load(path)
            return weights.sum()
        """,
        """
        def f(path):
            global rows
            rows = torch.load(path)
        def g(rows):
            rows.eval()
        """,
        """
        def f(path):
            rows = torch.load(path)
        rows = torch.nn.Linear(1, 1)
        rows.eval()
        """,
        """
        def f(path, device):
            corpus = torch.load(path)
            return corpus.train.to(device)
        """,
    ],
)
def test_what_is_only_read_is_no_checkpoint(source: str, tmp_path: Path) -> None:
    (load,) = loads(tmp_path, source)

    assert not load.is_checkpoint


def test_a_checkpoint_is_known_by_what_another_file_does_with_it(tmp_path: Path) -> None:
    other = "from main import read\ndef f(model, path): model.load_state_dict(read(path))"

    (load,) = loads(tmp_path, "def read(path): return torch.load(path)", other=other)

    assert load.is_checkpoint


def test_a_file_is_own_where_the_function_saved_it_before(tmp_path: Path) -> None:
    source = """
        def f(model, path, other):
            torch.load(path)
            torch.save(model, path)
            torch.load(path)
            torch.load(other)
        """

    before, after, another = loads(tmp_path, source)

    assert (before.is_own, after.is_own, another.is_own) == (False, True, False)


SAVED_AND_TESTED = """
        def train(config, model, stop):
            for x in data:
                if model(x) > best:
                    torch.save(model.state_dict(), config.path)
                if stop:
                    break
            test(config, model)
        def test(config, model):
            model.load_state_dict(torch.load(config.path))
        """


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("train(config, model, False)", True),
        ("train(config, model, False)\nif asked:\n    test(config, model)", False),
        ("torch.save(model, config.path)\ntest(config, model)", True),
        ("torch.save(model, config.path)\ntest(other, model)", False),
        ("torch.save(model, config.other)\ntest(config, model)", False),
        ("def both(it, model):\n    test(it, model)\ntorch.save(model, it.path)\nboth(it, model)", True),
        ("def both(it, model):\n    test(it, model)\nboth(it, model)\ntorch.save(model, it.path)", False),
    ],
)
def test_a_file_is_own_where_every_caller_has_saved_it(source: str, own: bool, tmp_path: Path) -> None:
    (load,) = loads(tmp_path, textwrap.dedent(SAVED_AND_TESTED) + source)

    assert load.is_own is own


@pytest.mark.parametrize(
    ("read", "own"),
    [
        ("torch.load('last.pt')", True),
        ("torch.load(LAST)", True),
        ("torch.load(FIRST)", False),
        ("torch.load(folder)", False),
        ("LAST = given()\n    torch.load(LAST)", False),
    ],
)
def test_a_file_of_a_fixed_name_is_own_where_every_caller_has_saved_it(read: str, own: bool, tmp_path: Path) -> None:
    source = "def read(folder):\n    {}\ntorch.save(net, 'last.pt')\ntorch.save(net, LAST)\nread(FIRST)\n"

    (load,) = loads(tmp_path, source.format(read))

    assert load.is_own is own


def test_a_buffer_in_memory_is_own(tmp_path: Path) -> None:
    (load,) = loads(tmp_path, "buffer = io.BytesIO()\ntorch.load(buffer)")

    assert load.is_own


@pytest.mark.parametrize(
    "source",
    [
        """
        def test_roundtrip(tmp_path):
            path = tmp_path / "model.pt"
            write(path)
            torch.load(path)
        """,
        """
        import tempfile
        def f():
            with tempfile.TemporaryDirectory() as folder:
                write(folder)
                torch.load(folder + "/model.pt")
        """,
        """
        def read(path):
            return torch.load(path)
        def test_one(tmp_path):
            read(tmp_path / "one.pt")
        def test_two(tmp_path):
            path = tmp_path / "two.pt"
            read(path)
        """,
    ],
)
def test_what_lies_in_a_temporary_folder_is_ones_own(source: str, tmp_path: Path) -> None:
    (load,) = loads(tmp_path, source)

    assert load.is_own


TRAINING = """
        def train(model, path):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x in []:
                model(x).sum().backward()
                optimizer.step()
            torch.save(model.state_dict(), path + "/best.pt")
        """


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("def main(model, path):\n    train(model, path)\n    torch.load(path + '/best.pt')", True),
        ("def main(model, path):\n    for epoch in range(9):\n        train(model, path)\n    torch.load(path)", True),
        ("def main(model, path):\n    torch.load(path)\n    train(model, path)", False),
        ("def main(model, path, fit):\n    if fit:\n        train(model, path)\n    torch.load(path)", False),
        ("def main(model, path):\n    print(path)\n    torch.load(path)", False),
    ],
)
def test_what_is_loaded_after_training_was_written_by_this_run(source: str, own: bool, tmp_path: Path) -> None:
    (load,) = loads(tmp_path, textwrap.dedent(TRAINING) + source)

    assert load.is_own is own


OBJECT = """
        class Experiment:
            def train(self, path):
                optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
                for x in []:
                    self.model(x).sum().backward()
                    optimizer.step()
                torch.save(self.model.state_dict(), path)
            def predict(self, path):
                self.model.load_state_dict(torch.load(path))
        """


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("run = Experiment()\nrun.train('a')\nrun.predict('a')", True),
        ("run = Experiment()\nfor _ in range(3):\n    run.train('a')\n    if best:\n        run.predict('a')", True),
        ("def main():\n    run = Experiment()\n    run.train('a')\n    run.predict('a')\nmain()", True),
        ("run = Experiment()\nrun.predict('a')\nrun.train('a')", False),
        ("run = Experiment()\nif fit:\n    run.train('a')\nrun.predict('a')", False),
        ("run = Experiment()\nrun.train('a')\nrun.predict('a')\nExperiment().predict('b')", True),
        ("def fit(run):\n    run.train('a')\n    run.predict('a')\n\nExperiment().predict('b')", False),
        ("def read(path):\n    torch.load(path)\nExperiment().train('a')\nread('a')", False),
        ("Experiment()", False),
    ],
)
def test_what_every_caller_loads_after_training_was_written_by_this_run(source: str, own: bool, tmp_path: Path) -> None:
    load = loads(tmp_path, textwrap.dedent(OBJECT) + source)[-1]

    assert load.is_own is own


LIGHTNING = """
        import pytorch_lightning as pl
        from pytorch_lightning.callbacks import ModelCheckpoint
        from transformers import Trainer

        class Own(pl.Trainer):
            pass

        def fit(system, path):
            pl.Trainer(default_root_dir=path).fit(system)
        """


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("def main(system, path):\n    pl.Trainer().fit(system)\n    torch.load(path + '/best.pt')", True),
        ("def main(system, path):\n    Own().fit(system)\n    torch.load(path)", True),
        ("def main(system, path):\n    fit(system, path)\n    torch.load(path)", True),
        ("def main(model, path):\n    Trainer(model).train()\n    torch.load(path)", True),
        ("def main(system, path):\n    torch.load(path)\n    pl.Trainer().fit(system)", False),
        ("def main(system, path):\n    pl.Trainer().test(system)\n    torch.load(path)", False),
        ("def main(system, path):\n    system.fit(path)\n    torch.load(path)", False),
    ],
)
def test_the_trainer_of_a_framework_trains(source: str, own: bool, tmp_path: Path) -> None:
    load = loads(tmp_path, textwrap.dedent(LIGHTNING) + source)[-1]

    assert load.is_own is own


@pytest.mark.parametrize(
    ("source", "own"),
    [
        (
            "class Best:\n    saves = ModelCheckpoint()\n    def best(self): torch.load(self.saves.best_model_path)",
            True,
        ),
        ("trainer = pl.Trainer()\ndef best(): torch.load(trainer.checkpoint_callback.best_model_path)", True),
        ("def best(saves=ModelCheckpoint()):\n    path = str(saves.last_model_path)\n    torch.load(path)", True),
        ("def best(config): torch.load(config.best_model_path)", False),
        ("def best(saves=ModelCheckpoint()): torch.load(saves.dirpath)", False),
    ],
)
def test_a_trainer_tells_of_files_that_this_run_saved(source: str, own: bool, tmp_path: Path) -> None:
    (load,) = loads(tmp_path, textwrap.dedent(LIGHTNING) + source)

    assert load.is_own is own


ROLLING_BACK = """
        def main(model, path):
            for epoch in range(9):
                try:
                    {first}
                    {then}
                except RuntimeError:
                    model.load_state_dict(torch.load(path))
                    continue
                torch.save(model.state_dict(), path)
        """


@pytest.mark.parametrize(
    ("first", "then", "own"),
    [
        ("print(epoch)", "train(model, path)", True),
        ("train(model, path)", "load_best(model)", True),
        ("load_start(model)", "train(model, path)", False),
        ("print(epoch)", "evaluate(model)", False),
    ],
)
def test_who_rolls_back_a_training_that_failed_reads_its_own_file(
    first: str, then: str, own: bool, tmp_path: Path
) -> None:
    source = textwrap.dedent(TRAINING) + textwrap.dedent(ROLLING_BACK).format(first=first, then=then)

    (load,) = loads(tmp_path, source)

    assert load.is_own is own


def test_what_follows_a_training_that_did_not_fail_reads_its_own_file(tmp_path: Path) -> None:
    source = """
        def main(model, path):
            try:
                train(model, path)
            except KeyboardInterrupt:
                pass
            else:
                torch.load(path)
        """

    (load,) = loads(tmp_path, textwrap.dedent(TRAINING) + textwrap.dedent(source))

    assert load.is_own


def test_a_path_that_one_caller_takes_from_elsewhere_is_not_temporary(tmp_path: Path) -> None:
    source = """
        def read(path):
            return torch.load(path)
        def test_one(tmp_path):
            read(tmp_path / "one.pt")
        read("model.pt")
        """

    (load,) = loads(tmp_path, source)

    assert not load.is_own


FIXTURE = """
    import pytest
    from pytest import fixture
    {decorator}
    def weights(tmp_path_factory, request):
        path = {folder} / "weights.pt"
        torch.save(net.state_dict(), path)
        {given} path
    @fixture
    def best(weights):
        return weights
    {test}
        torch.load({read})
    """


@pytest.mark.parametrize("decorator", ["@pytest.fixture", "@fixture", '@pytest.fixture(scope="session")'])
@pytest.mark.parametrize("given", ["return", "yield"])
@pytest.mark.parametrize(
    ("test", "read"),
    [
        ("def test_loads(weights):", "weights"),
        ("def test_loads(best):", "best"),
        ("class TestNet:\n      def test_loads(self, weights):", "weights"),
        ("def test_loads(weights):", "str(weights)"),
        ("@fixture\n    def loaded(weights):", "weights"),
    ],
)
def test_what_a_fixture_puts_into_a_temporary_folder_is_the_tests_own(
    tmp_path: Path, decorator: str, given: str, test: str, read: str
) -> None:
    folder = 'tmp_path_factory.mktemp("models")'
    source = FIXTURE.format(decorator=decorator, folder=folder, given=given, test=test, read=read)

    assert loads(tmp_path, source)[0].is_own


@pytest.mark.parametrize(
    ("decorator", "folder", "test"),
    [
        ("", 'tmp_path_factory.mktemp("models")', "def test_loads(weights):"),
        ("@pytest.fixture", 'Path("models")', "def test_loads(weights):"),
        ("@pytest.fixture", 'tmp_path_factory.mktemp("models")', "def load(weights):"),
        ("@pytest.fixture", 'tmp_path_factory.mktemp("models")', "def test_loads(best, weights='weights.pt'):"),
        ("@pytest.fixture", 'tmp_path_factory.mktemp("models")', "def test_loads(others):\n        weights = 'a.pt'"),
    ],
    ids=["no fixture", "no temporary folder", "no test", "a default", "no parameter"],
)
def test_what_no_fixture_puts_there_may_be_anybodys(tmp_path: Path, decorator: str, folder: str, test: str) -> None:
    source = FIXTURE.format(decorator=decorator, folder=folder, given="return", test=test, read="weights")

    assert not loads(tmp_path, source)[0].is_own


@pytest.mark.parametrize(("folder", "own"), [(".", True), ("deeper", True), ("beside", False)])
def test_a_fixture_may_stand_in_a_conftest_around_the_test(tmp_path: Path, folder: str, own: bool) -> None:
    fixture = "import pytest\n@pytest.fixture\ndef weights(tmp_path):\n    return tmp_path / 'weights.pt'\n"
    inner = tmp_path / "deeper"
    for path in (inner, tmp_path / "beside"):
        path.mkdir()
    (tmp_path / folder / "conftest.py").write_text(fixture)

    test = inner / "test_loads.py"
    test.write_text("import torch\ndef test_loads(weights):\n    torch.load(weights)\n")

    assert [load.is_own for load in Project(tmp_path).open(test, "test_loads.py").loads()] == [own]
