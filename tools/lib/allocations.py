"""Bar 8 of issue 4: what a warm run allocates."""

import re
import tempfile
from pathlib import Path

import bundle
import env
import watch
from bar import Figure

# Requests of a short and of a long run; their difference is warm.
SHORT, LONG = 50, 150
FLAT = 10000
# The kernel's own counting of pages is this coarse per thread.
NOISE = 1 << 20


def build_counter(folder):
    """The preloaded library that counts."""
    library = Path(folder) / "libcount_allocations.so"
    source = env.ROOT / "tools" / "lib" / "count_allocations.c"
    bundle.call(["clang-19", "-shared", "-fPIC", "-O2", "-o", library, source])
    return library


class Program:
    """A model's bundle on stages and shards, which serves one input set again and
    again."""

    def __init__(self, model, work):
        Path(work).mkdir(exist_ok=True)
        self.bundle = Path(work) / f"{model.name}.takt"
        bundle.compile_model(model.path, self.bundle, (1, 2, 2))
        bundle.write_requests(Path(work) / model.name, [model.sets[-1]])
        self.inputs = []
        for name in model.sets[-1]:
            file = Path(work) / model.name / "0000" / bundle.file_name(name)
            self.inputs += ["--input", f"{name}={file}"]

    def command(self, repeat):
        options = ["--bench", "--json", "--quiet", "--repeat", repeat]
        return [self.bundle / "run", *options, *self.inputs]


def count(program, counter, repeat):
    """(own, library's) allocations of a process that serves `repeat` requests."""
    preload = ["env", f"LD_PRELOAD={counter}", *program.command(repeat)]
    errors = bundle.call(preload).stderr
    found = re.search(r"allocations: own (\d+) library (\d+)", errors)
    return tuple(map(int, found.groups()))


def per_request(program, counter):
    """(own, library's) allocations that each request of a warm run costs."""
    short, long = (count(program, counter, repeat) for repeat in (SHORT, LONG))
    return tuple((many - few) / (LONG - SHORT) for few, many in zip(short, long))


def warm_run(context):
    """Every small model of issue 4 under the counter; one for long."""
    lines, good = [], True
    with tempfile.TemporaryDirectory() as work:
        counter = build_counter(work)
        small = [model for model in context.families() if not model.name.startswith("light_")]
        for model in small:
            program = Program(model, work)
            own, library = per_request(program, counter)
            good &= own == 0
            lines.append(f"{model.name}: own {own:g}, oneDNN's {library:g} per request")
        longest = Program(next(model for model in small if model.name == "t5_enc"), Path(work) / "long")
        _, memory = watch.run_watched(longest.command(FLAT))
    text = f"{len(lines)} models; over {FLAT} requests of t5_enc {memory.growth() / 1024:+.0f} KiB"
    return Figure(text, good and memory.growth() <= NOISE, "\n".join(lines))
