"""Which files a machine without a GPU can load, and who is prepared where one cannot be loaded."""

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


LOAD = "import os\nstate = torch.load(os.path.join(folder, 'last.pth'))\n"
NET = "import os\nfrom torch import nn\nnet = nn.Linear(2, 2).cuda()\n"
SAVE = "torch.save({}, os.path.join(folder, 'last.pth'))\n"
BACK = "net.cpu()\n"
FROM_GPU = "torch.save(torch.ones(2).cuda(), 'rows.pt')\n"


@pytest.mark.parametrize(
    ("source", "harmless"),
    [
        (BACK + SAVE.format("net.state_dict()"), True),
        (SAVE.format("net.cpu().state_dict()"), True),
        (BACK + SAVE.format("{'net': net.state_dict(), 'epoch': 3}"), True),
        (BACK + "net = nn.DataParallel(net)\n" + SAVE.format("net.module.state_dict()"), True),
        (BACK + SAVE.format("net.state_dict()") + "net.cuda()\n" + SAVE.format("net.state_dict()"), False),
        (SAVE.format("net.state_dict()"), False),
        (BACK + SAVE.format("{'net': net.state_dict(), 'optimizer': optimizer.state_dict()}"), False),
        (BACK + "torch.save(net.state_dict(), 'other.pth')\n", False),
        (BACK + "torch.save(net.state_dict(), path)\n", False),
        (SAVE.format("{k: v.cpu() for k, v in net.state_dict().items()}"), True),
        (SAVE.format("{k: v for k, v in net.state_dict().items()}"), False),
        (SAVE.format("{'net': {k: v.cpu() for k, v in net.state_dict().items()}}"), True),
        (SAVE.format("[p.detach().cpu() for p in net.parameters()]"), True),
        (SAVE.format("[p.detach() for p in net.parameters()]"), False),
        ("state = {k: v.cpu() for k, v in net.state_dict().items()}\nstate['x'] = x\n" + SAVE.format("state"), False),
    ],
)
def test_what_the_project_saves_from_the_host_needs_no_gpu(source: str, harmless: bool, tmp_path: Path) -> None:
    (load,) = loads(tmp_path, LOAD, train=NET + source)

    assert load.is_from_host is harmless


SAVING_TO = "from torch import nn\n\ndef save(net, path):\n    torch.save(net.cpu().state_dict(), path)\n"
LOADING_FROM = "\ndef load(path):\n    return torch.load(path)\n\nload({})\n"


@pytest.mark.parametrize(
    ("saved", "loaded", "harmless"),
    [
        ("save(net, 'out/a.pth')", "'a.pth'", True),
        ("save(net, 'a.pth')", "'b.pth'", False),
        ("save(net, 'a.pth')", "path", False),
        ("save(net, 'a.pth')\nsave(net, 'b.pth')", "'b.pth'", True),
        ("save(net, 'a.pth')\ntorch.save(net.cuda().state_dict(), 'a.pth')", "'a.pth'", False),
    ],
)
def test_callers_tell_files_apart(saved: str, loaded: str, harmless: bool, tmp_path: Path) -> None:
    train = f"{SAVING_TO}net = nn.Linear(2, 2).cuda()\n{saved}\n{FROM_GPU}"

    (load,) = loads(tmp_path, LOADING_FROM.format(loaded), train=train)

    assert load.is_from_host is harmless


OPENED = """
        import os
        from torch import nn
        class Net(nn.Module):
            def save(self, path):
                state = {state}
                with {written} as f:
                    torch.save(state, f)
        def train(folder):
            net = Net().cuda()
            net.save(os.path.join(folder, {name}))
        def serve(folder):
            path = os.path.join(folder, "m.pt")
            with open(os.path.join(folder, "names.txt")) as f:
                names = f.read()
            with {read} as f:
                return torch.load(f)
        """


@pytest.mark.parametrize(
    ("state", "written", "name", "read", "harmless"),
    [
        ("dict(w=self.cpu().state_dict())", "open(path, 'wb')", "'m.pt'", "open(path, 'rb')", True),
        ("self.cpu().state_dict()", "open(path, 'wb')", "'m.pt'", "open(path, 'rb')", True),
        ("self.cpu().state_dict()", "path.open('wb')", "'m.pt'", "path.open('rb')", True),
        ("self.state_dict()", "open(path, 'wb')", "'m.pt'", "open(path, 'rb')", False),
        ("self.cpu().state_dict()", "open(path, 'wb')", "'other.pt'", "open(path, 'rb')", False),
        ("self.cpu().state_dict()", "open(path, 'wb')", "folder.name", "open(path, 'rb')", False),
        ("self.cpu().state_dict()", "open(path, 'wb')", "'m.pt'", "store.open('rb')", False),
    ],
)
def test_an_opened_file_is_that_of_its_path(
    state: str, written: str, name: str, read: str, harmless: bool, tmp_path: Path
) -> None:
    program = textwrap.dedent(OPENED).format(state=state, written=written, name=name, read=read)

    (load,) = loads(tmp_path, program + FROM_GPU)

    assert load.is_from_host is harmless


@pytest.mark.parametrize(
    ("saved", "harmless"),
    [
        ("torch.save(net.cpu().state_dict(), path)", True),
        ("torch.save(net.state_dict(), path)", False),
        (f"torch.save(net.cpu().state_dict(), path)\n{FROM_GPU}", False),
        ("torch.save(torch.ones(2), path)", False),
        ("", False),
    ],
)
def test_where_every_state_is_saved_from_the_host_no_file_needs_a_gpu(
    saved: str, harmless: bool, tmp_path: Path
) -> None:
    (load,) = loads(tmp_path, LOADING_FROM.format("path"), train=NET + saved)

    assert load.is_from_host is harmless


def test_a_file_that_needs_no_gpu_may_have_been_written_by_anybody(tmp_path: Path) -> None:
    (load,) = loads(tmp_path, LOAD, train=NET + SAVE.format("net.cpu().state_dict()"))

    assert load.is_from_host
    assert not load.is_own


PREDICTOR = """
        from torch import nn
        class Predictor:
            def __init__(self, {parameter}):
                self.net, self.path = {net}, path
            def fit(self, xs):
                optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
                for x in xs:
                    self.net(torch.Tensor(x)).sum().backward()
                    optimizer.step()
                torch.save(self.net.state_dict(), {saved})
            def load(self):
                self.net.load_state_dict(torch.load(self.path))
        """


@pytest.mark.parametrize(
    ("parameter", "net", "saved", "more", "harmless"),
    [
        ("path", "nn.Linear(2, 2)", "self.path", "Predictor(args.net).load()", True),
        ("path", "nn.Linear(2, 2)", "self.other", "", False),
        ("path, net", "net", "self.path", "", False),
        ("path", "build()", "self.path", "", False),
        ("path", "nn.Linear(2, 2)", "self.path", "predictor = Predictor('a')\nmove(predictor.net)", False),
        ("path", "nn.Linear(2, 2)", "self.path", "predictor = Predictor('a')\npredictor.net.cuda()", False),
        (
            "path",
            "nn.Linear(2, 2)",
            "self.path",
            f"predictor = Predictor('a')\npredictor.path = 'b'\n{FROM_GPU}",
            False,
        ),
    ],
)
def test_what_an_object_saves_of_a_module_that_nobody_moves_it_can_load(
    parameter: str, net: str, saved: str, more: str, harmless: bool, tmp_path: Path
) -> None:
    source = textwrap.dedent(PREDICTOR).format(parameter=parameter, net=net, saved=saved) + more

    (load,) = loads(tmp_path, source)

    assert load.is_from_host is harmless


def test_a_module_that_another_file_moves_is_not_saved_from_the_host(tmp_path: Path) -> None:
    source = textwrap.dedent(PREDICTOR).format(parameter="path", net="nn.Linear(2, 2)", saved="self.path")

    (load,) = loads(tmp_path, source, other="from main import Predictor\np = Predictor('a')\np.net.to('cuda')\n")

    assert not load.is_from_host


COUNTED = "def save(epoch, folder):\n    torch.save({'epoch': epoch + 1}, os.path.join(folder, 'last.pth'))\n"


@pytest.mark.parametrize(
    ("source", "harmless"),
    [
        (COUNTED + "save(torch.load(path)['epoch'], folder)", True),
        (COUNTED.replace("'last", "'best"), False),
        (COUNTED + SAVE.format("net.state_dict()"), False),
        ("saved = torch.load(path)\n" + SAVE.format("{'best': saved['best']}"), False),
        ("epoch = torch.ones(2).cuda()\n" + SAVE.format("{'epoch': epoch}"), False),
    ],
)
def test_a_file_of_numbers_needs_no_gpu(source: str, harmless: bool, tmp_path: Path) -> None:
    (load,) = loads(tmp_path, LOAD, train=NET + source)

    assert load.is_from_host is harmless


@pytest.mark.parametrize(
    ("saved", "loaded", "harmless"),
    [
        ("f'{folder}/last.pth'", "folder + '/last.pth'", True),
        ("f'{folder}/last.pth'", "f'{folder}/best.pth'", False),
        ("f'{folder}last.pth'", "'last.pth'", False),
        ("f'data/{split}.pth'", "f'data/{name}.pth'", True),
        ("f'data/{split}.pth'", "f'pretrained/{name}.pth'", False),
        ("f'{folder}/{split}.pth'", "f'{folder}/{split}.pth'", False),
        ("f'{folder}/{split}_net.pth'", "f'{folder}/{name}_net.pth'", True),
        ("os.path.join(folder, '%s_net_%02d.pth' % (name, 3))", "'%s/%s_net_%d.pth' % (folder, name, epoch)", True),
        ("os.path.join(folder, '{}_net.pth'.format(name))", "f'{folder}/{name}_net.pth'", True),
        ("os.path.join(folder, '%s_net.pth' % name)", "f'{folder}/net_{name}.pth'", False),
        ("f'data/{name}'", "f'data/{name}'", False),
    ],
)
def test_files_are_known_by_what_is_written_of_their_names(
    saved: str, loaded: str, harmless: bool, tmp_path: Path
) -> None:
    saving = f"torch.save(net.cpu().state_dict(), {saved})\n{FROM_GPU}"

    (load,) = loads(tmp_path, f"torch.load({loaded})", train=NET + saving)

    assert load.is_from_host is harmless


@pytest.mark.parametrize(
    ("other", "harmless"), [("f'net/{name}.pth'", True), ("'train.pth'", False), ("f'data/{name}.pth'", False)]
)
def test_one_file_of_a_folder_that_holds_more_may_be_any(other: str, harmless: bool, tmp_path: Path) -> None:
    saves = "torch.save(net.cpu().state_dict(), f'data/{name}.pth')\nnet.cuda()\n"
    saves += f"torch.save(net.state_dict(), {other})"

    (load,) = loads(tmp_path, "torch.load(f'data/{name}.pth')", train=NET + saves)

    assert load.is_from_host is harmless


HANDLED = """
        def f(model, path):
            try:
                model.load_state_dict(torch.load(path))
            except {caught}:
                {instead}
        """
HELPED = {
    "loads to the CPU": "model.load_state_dict(torch.load(path, map_location='cpu'))",
    "has a function that does": "load_otherwise(model, path)",
    "says what is wanting": "print('needs the GPU that it was saved from')",
    "takes another device": "model = start_on(model, cpu)",
}
NOT_HELPED = {
    "starts from nothing": "start = 0",
    "says no more than that it failed": "print('no checkpoint found')",
    "looks for the file elsewhere": "download(path)",
    "leaves": "raise SystemExit(1)",
}


@pytest.mark.parametrize("instead", HELPED.values(), ids=HELPED)
def test_whoever_loads_otherwise_where_that_failed_is_prepared(instead: str, tmp_path: Path) -> None:
    load = loads(tmp_path, HANDLED.format(caught="RuntimeError", instead=instead))[0]

    assert load.is_guarded


@pytest.mark.parametrize("instead", NOT_HELPED.values(), ids=NOT_HELPED)
def test_whoever_goes_on_without_what_was_not_loaded_is_not_prepared(instead: str, tmp_path: Path) -> None:
    load = loads(tmp_path, HANDLED.format(caught="Exception", instead=instead))[0]

    assert not load.is_guarded


def test_what_catches_no_failed_load_is_no_help(tmp_path: Path) -> None:
    instead = "model.load_state_dict(torch.load(path, map_location='cpu'))"

    load = loads(tmp_path, HANDLED.format(caught="KeyError", instead=instead))[0]

    assert not load.is_guarded


def test_a_caller_may_load_otherwise(tmp_path: Path) -> None:
    source = """
        def read(model, path, **where):
            model.load_state_dict(torch.load(path))
        def f(model, path):
            try:
                read(model, path)
            except RuntimeError:
                load_to_host(model, path)
        """

    (load,) = loads(tmp_path, source)

    assert load.is_guarded
