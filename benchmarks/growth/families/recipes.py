"""Training programs: many optimizers, losses, checkpoints and evaluations."""

from __future__ import annotations

from benchmarks.growth.family import Files, family
from benchmarks.growth.program import each, program, trainer, training

_NET = """
    net = nn.Linear(4, 1).cuda()
    loader = DataLoader(data, batch_size=2)
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
"""


@family()
def trainers(n: int) -> Files:
    """Whole trainings, one below the other."""
    return program("d = 'cuda'", [training()] * n)


@family()
def training_functions(n: int) -> Files:
    """Functions that each train, called one after the other with one model."""
    step = """
        def train$i(net, loader, optimizer):
            for batch in loader:
                loss = net(batch.cuda()).sum()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                print(loss.item())
    """
    return program(_NET, each(n, step), each(n, "train$i(net, loader, optimizer)"))


@family()
def evaluations(n: int) -> Files:
    """Functions that each evaluate, called in turn from the training loop."""
    step = """
        def test$i(net, loader):
            net.eval()
            with torch.no_grad():
                for batch in loader:
                    print(net(batch.cuda()).sum().item())
            net.train()
    """
    loop = """
        for batch in loader:
            loss = net(batch.cuda()).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    """
    return program(_NET, each(n, step), loop, each(n, "    test$i(net, loader)"))


@family()
def optimizers(n: int) -> Files:
    """Optimizers that all step in one loop."""
    made = each(n, "o$i = torch.optim.Adam(net.parameters(), lr=0.$j)")
    return program(
        _NET,
        made,
        "for batch in loader:",
        each(n, "    o$i.zero_grad()"),
        "    loss = net(batch.cuda()).sum()\n    loss.backward()",
        each(n, "    o$i.step()"),
        "    print(loss.item())",
    )


@family()
def schedulers(n: int) -> Files:
    """Schedulers that each wrap one optimizer, and step."""
    made = each(n, "s$i = torch.optim.lr_scheduler.StepLR(optimizer, $j)")
    return program(
        _NET,
        made,
        """
            for batch in loader:
                loss = net(batch.cuda()).sum()
                loss.backward()
                optimizer.step()
        """,
        each(n, "    s$i.step()"),
    )


@family()
def losses(n: int) -> Files:
    """Losses that are each computed, weighted, logged and added up."""
    steps = """
        l$i = nn.functional.mse_loss(net(batch), batch * $i)
        loss = loss + 0.$j * l$i
        log['l$i'] = l$i.item()
    """
    return program(
        _NET,
        "log = {}",
        """
            for batch in loader:
                loss = 0
                batch = batch.cuda()
        """,
        each(n, steps, 4),
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()",
    )


@family()
def backwards(n: int) -> Files:
    """Graphs that are each gone back through, in one step."""
    steps = each(n, "    l$i = net(batch).pow($j).sum()\n    l$i.backward(retain_graph=True)")
    return program(
        _NET,
        """
            for batch in loader:
                batch = batch.cuda()
                optimizer.zero_grad()
        """,
        steps,
        "    optimizer.step()",
    )


@family()
def checkpoints(n: int) -> Files:
    """Checkpoints that are each saved and loaded, with their states."""
    steps = """
        torch.save({'net': net.state_dict(), 'opt': optimizer.state_dict(), 'epoch': $i}, 'c$i.pt')
        c$i = torch.load('c$i.pt', map_location='cuda')
        net.load_state_dict(c$i['net'])
    """
    return program(_NET, each(n, steps), trainer(model="net"), "train('cuda')")


@family()
def loads(n: int) -> Files:
    """One state dict that is loaded into n models."""
    return program(
        "state = torch.load('a.pt')",
        each(
            n,
            """
            n$i = nn.Linear(4, $j)
            n$i.load_state_dict(state)
            n$i.cuda()
        """,
        ),
        trainer(model="n0"),
        "train('cuda')",
    )


@family()
def loaders(n: int) -> Files:
    """Loaders with workers, each gone through and moved."""
    loops = """
        l$i = DataLoader(data, batch_size=$j, num_workers=4, pin_memory=True)
        for batch in l$i:
            print(net(batch.to('cuda', non_blocking=True)).sum().item())
    """
    return program(_NET, each(n, loops), trainer(), "train('cuda')")


@family()
def detached(n: int) -> Files:
    """Tensors that each are detached, cloned or copied from the one before, and one is trained on."""
    return program(
        "d = 'cuda'",
        training().replace(
            "    loss =",
            "    y0 = model(batch)\n"
            + "\n".join(each(n, "    y$j = y$i.clone() if $i else y$i.detach().cpu()"))
            + "\n    loss =",
        ),
        f"print(y{n}.item())",
    )


@family()
def scalers(n: int) -> Files:
    """Steps under autocast with a scaler, one below the other."""
    steps = """
        with torch.autocast('cuda'):
            l$i = net(batch).sum()
        scaler.scale(l$i).backward()
        scaler.step(optimizer)
        scaler.update()
    """
    loop = "scaler = torch.cuda.amp.GradScaler()\nfor batch in loader:\n    batch = batch.cuda()"
    return program(_NET, loop, each(n, steps, 4))


@family()
def in_place(n: int) -> Files:
    """Tensors of a graph that are written in place, line by line."""
    steps = each(n, "    h$j = h$i.relu()\n    h$j += $i\n    h$j[0] = h$i.sum()")
    return program(
        _NET,
        """
            for batch in loader:
                optimizer.zero_grad()
                h0 = net(batch.cuda())
        """,
        steps,
        f"    h{n}.sum().backward()\n    optimizer.step()",
    )


@family()
def ranks(n: int) -> Files:
    """Collectives behind tests of the rank, one below the other."""
    steps = each(
        n,
        """
            if dist.get_rank() == $i:
                torch.save(net.state_dict(), 'r$i.pt')
            dist.barrier()
            dist.all_reduce(x)
            print(x.item())
        """,
    )
    return program(
        """
            import torch.distributed as dist
            dist.init_process_group('nccl')
            x = torch.ones(1).cuda()
        """,
        _NET,
        steps,
        trainer(),
        "train('cuda')",
    )


@family()
def checkpoints_in_checkpoints(n: int) -> Files:
    """Checkpoints that each hold the one before twice, of a wrapped model."""
    return program(
        "model = nn.DataParallel(nn.Linear(4, 1)).cuda()",
        "s0 = {'model': model.state_dict()}",
        each(n, "s$j = {'a': s$i, 'b': s$i, 'model': model.state_dict(), 'n': $i}\ntorch.save(s$j, 'a$i.pt')"),
        trainer(),
        "train('cuda')",
    )


@family()
def moved_at_the_end(n: int) -> Files:
    """Reads of tensors that are computed from each other, and moved only at the end."""
    return program(
        "def prepare(a, b):\n    return a.mul(b)",
        "def run(x0, d):",
        "    net = nn.Linear(4, 4).to(d)\n    for _ in range(10):",
        each(n, "        x$j = prepare(x$i, x$i)\n        print(x$j.ne(0).sum().item())"),
        f"        net(x{n}.to(d)).sum().backward()",
        trainer(),
        "run(torch.zeros(4), 'cuda')",
    )


@family()
def datasets_of_datasets(n: int) -> Files:
    """Data sets that each read two of the one before."""
    made = """
        class D$i(torch.utils.data.Dataset):
            def __init__(self):
                self.a = D$j()
                self.b = D$j()
            def __len__(self):
                return len(self.a)
            def __getitem__(self, i):
                x = self.a[i]
                y = self.b[i].cuda()
                return x + y
    """
    last = f"class D{n}(torch.utils.data.Dataset):\n    def __getitem__(self, i):\n        return torch.zeros(4)"
    return program(each(n, made), last, "data = D0()", trainer(), "train('cuda')")


@family()
def copies(n: int) -> Files:
    """Models that are each copied from the one before, moved and averaged."""
    copied = """
        net$j = copy.deepcopy(net$i).to('cuda')
        for p, q in zip(net$i.parameters(), net$j.parameters()):
            p.data.mul_(0.9).add_(q.data)
        net$j.load_state_dict(net$i.state_dict())
    """
    return program("import copy", "net0 = nn.Linear(4, 1).cuda()", each(n, copied), trainer(), "train('cuda')")


@family()
def parameter_groups(n: int) -> Files:
    """Lists of parameters that are each the two before, given to optimizers."""
    groups = """
        g$k = g$i + [p for p in g$j if p.requires_grad]
        opt$i = torch.optim.SGD([{'params': g$k, 'lr': 0.1}, {'params': g$j}], lr=0.1)
        opt$i.step()
    """
    made = "net = nn.Linear(4, 1).cuda()\ng0 = list(net.parameters())\ng1 = [*net.parameters()]"
    return program(made, each(n, groups), trainer(), "train('cuda')")
