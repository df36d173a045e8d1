"""The jobs in which two builds of gridmill are compared: engines on files, and whole commands.

The options have their old names (e.g. --times for --copies), because builds of older commits know only those.
"""

import math
from typing import NamedTuple

from common import ROOT, bench_row, give_up, run

ENGINES = ["lockstep-avx512", "lockstep-avx512-base", "lockstep-avx2", "lockstep-portable", "bitmask"]
SLOW_ENGINES = ["dancing-links", "singles", "backtracking"]
FILES = ["classics", "easy", "medium", "hard", "minimal", "multiple", "none", "4x4", "6x6", "16x16"]
FEW_PUZZLES = 20

# A pass of `bench` through a file takes the parent build at least about this long. `bench` repeats passes of less than
# 20 ms until that time is over, so their number, and with it the instructions, would depend on the load of the machine.
PASS_SECONDS = 0.06
BENCH = "bench --no-permute --export csv"

# A command, the file that it reads, and how many isomorphs of each of its puzzles.
COMMANDS = [
    ("solve", "minimal", 100),
    ("verify", "minimal", 100),
    ("check", "solved", 1),
    ("count", "multiple", 10),
    ("enumerate", "multiple", 10),
    ("canon", "minimal", 10),
    ("dedupe --isomorphic", "easy", 20),
    ("solve", "pencilmarks", 10),
    ("count", "pencilmarks", 10),
]


class Job(NamedTuple):
    """A job of both programs: its name in the table, and the arguments."""

    name: str
    arguments: list

    def is_bench(self):
        return self.arguments[0] == "bench"


def dataset(name):
    return ROOT / f"datasets/{name}.txt"


def jobs(inputs, engines, files):
    """Yields every engine on every file (slow engines on a few puzzles), and then whole commands."""
    for file in [*map(dataset, FILES), *files]:
        yield from (bench_job(inputs, engine, file) for engine in engines if engine not in SLOW_ENGINES)
    yield from (bench_job(inputs, engine, inputs.few()) for engine in engines if engine in SLOW_ENGINES)
    for command, name, times in COMMANDS:
        file = inputs.named(name)
        puzzles = inputs.enlarged(file, times) if times > 1 else file
        yield Job(f"{command} {file.name}", [*command.split(), "--quiet", "--threads", "1", puzzles])


def bench_job(inputs, engine, file):
    options = [*BENCH.split(), "--engine", engine]
    times = inputs.times_for(options, file)
    return Job(f"bench {file.name} {engine}", [*options, "--rounds", "3", inputs.enlarged(file, times)])


class Inputs:
    """Input files, which are made in a temporary directory."""

    def __init__(self, program, directory):
        self.program, self.directory = program, directory
        self.made = {}

    def named(self, name):
        """Returns the file of this name: one that is made here, or else one of datasets/."""
        return {"pencilmarks": self.pencilmarks, "solved": self.solved}.get(name, lambda: dataset(name))()

    def times_for(self, options, file):
        """Returns how many isomorphs of each puzzle keep the engine busy for PASS_SECONDS: a power of two."""
        return 2 ** max(0, math.ceil(math.log2(PASS_SECONDS / self.pass_seconds(options, file))))

    def pass_seconds(self, options, file):
        """Returns the best time of three tries, because a loaded machine can only make an engine slower."""
        tries = [run([self.program, *options, "--rounds", "1", file]) for _ in range(3)]
        if tries[0].code != 0:
            give_up(tries[0].messages)
        rows = [bench_row(done.output) for done in tries]
        return min(int(row["puzzles"]) / float(row["puzzles_per_second"]) for row in rows)

    def enlarged(self, file, times):
        """Returns a file with `times` random isomorphs of each puzzle; copies of it, if `shuffle` does not take its shape."""
        if (file, times) not in self.made:
            # With the number, because files in different folders may have the same name.
            made = self.made[file, times] = self.directory / f"{len(self.made)}-{file.name}"
            shuffle = [self.program, "shuffle", "--quiet", "--seed", "1", "--times", str(times), "-o", made, file]
            if run(shuffle).code != 0:
                made.write_bytes(file.read_bytes() * times)
        return self.made[file, times]

    def few(self):
        return self.write("few.txt", lines("easy")[:FEW_PUZZLES])

    def pencilmarks(self):
        """Returns the puzzles of minimal.txt as pencilmarks: nine places for each cell, one for each candidate."""
        every = "123456789"
        clues = {digit: "".join(place if place == digit else "." for place in every) for digit in every}
        puzzles = ("".join(clues.get(cell, every) for cell in line) for line in lines("minimal"))
        return self.write("pencilmarks.txt", puzzles)

    def solved(self):
        made = self.directory / "solved.csv"
        run([self.program, "solve", "--quiet", "-o", made, self.enlarged(dataset("minimal"), 100)])
        return made

    def write(self, name, texts):
        made = self.directory / name
        made.write_text("".join(text + "\n" for text in texts))
        return made


def lines(name):
    return dataset(name).read_text().splitlines()
