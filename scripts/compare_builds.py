"""Compares two builds of gridmill, for scripts/record-bench --against COMMIT."""

import hashlib
import math
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple

from common import ROOT, bench_row, give_up, output_of, processor, run
from compare_jobs import BENCH, ENGINES, SLOW_ENGINES, Inputs, dataset, jobs

LEAST_SPEED = 0.95
MOST_INSTRUCTIONS = 1.03
CONFIDENCE = 0.95

FEATURES = "avx2 bmi2 avx512f avx512bw avx512vl avx512vbmi avx512_vbmi2 avx512_vpopcntdq avx512_bitalg gfni asimd sve"
ANSWER_COLUMNS = ["file", "puzzles", "engine", "share_without_guess", "guesses_per_puzzle", "rounds"]


class Pair(NamedTuple):
    """Two values of one kind: for the commit, and for the working tree."""

    parent: object
    new: object

    def map(self, function):
        return Pair(function(self.parent), function(self.new))


class Row(NamedTuple):
    """The result of a job: ratios of new to parent, where more than 1 is a higher speed, or more instructions."""

    speed: float
    interval: tuple
    confidence: float
    instructions: float | None

    def faults(self):
        low, high = self.interval
        if self.instructions is None:
            return ["too slow"] if self.speed < LEAST_SPEED else []
        is_slow = high < LEAST_SPEED and self.confidence >= CONFIDENCE
        slow = ["too slow"] if is_slow else []
        return slow + (["too many instructions"] if self.instructions > MOST_INSTRUCTIONS else [])


def compare(commit, rounds, files):
    """Compares the working tree with a commit, and prints the result. Returns the exit code."""
    commit = resolve(commit)
    for file in files:
        file.is_file() or give_up(f"no file {file}")
    programs = Pair(build_of_commit(commit), build_of_working_tree())
    counts = instructions_of(["true"]) is not None
    print_head(commit, rounds, counts)
    runs, lacking = engines_that_run(programs)
    with tempfile.TemporaryDirectory() as directory:
        inputs = Inputs(programs.parent, pathlib.Path(directory))
        print(f"\n{'class':<36} {'speed':>6}   {'interval':<14} {'instructions':>12}", flush=True)
        failed = [job.name for job in jobs(inputs, runs, files) if not is_well(programs, job, rounds, counts)]
    print(f"\nengines that ran: {', '.join(runs)}")
    print("".join(f"{engine} did not run: {message}\n" for engine, message in lacking.items()), end="")
    print(f"FAILED: {', '.join(failed)}" if failed else "all is well")
    return 1 if failed else 0


# The two programs


def resolve(commit):
    found = run(["git", "-C", ROOT, "rev-parse", "--verify", "--quiet", "--end-of-options", commit + "^{commit}"])
    return found.output.decode().strip() if found.code == 0 else give_up(f"no commit {commit}")


def build_of_commit(commit):
    """Builds a commit, unless an earlier build of it was kept, and returns the program."""
    kept = ROOT / "target/against" / f"{commit[:12]}-{environment_hash()}" / "gridmill"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as source:
            archive = subprocess.run(["git", "-C", ROOT, "archive", commit], check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", source], check=True, input=archive)
            built = build(source, ROOT / "target/against/build")
        kept.parent.mkdir(parents=True, exist_ok=True)
        # A copy that is interrupted must not look like a program.
        shutil.copy2(built, kept.with_suffix(".part")).rename(kept)
    return kept


def build_of_working_tree():
    return build(ROOT, ROOT / "target")


def build(source, target):
    command = ["cargo", "build", "--release", "--locked", "--target-dir", target]
    if subprocess.run(command, cwd=source).returncode != 0:
        give_up(f"{source} could not be built")
    return target / "release/gridmill"


def environment_hash():
    """Returns a short hash of the compiler and of the variables that a build depends on."""
    variables = sorted(item for item in os.environ.items() if item[0].startswith(("CARGO_", "RUST")))
    return hashlib.sha256((output_of("rustc", "-vV") + repr(variables)).encode()).hexdigest()[:8]


def engines_that_run(programs):
    """Returns the engines that run in both programs on this machine, and for each of the others the reason why it does not."""
    runs, lacking = [], {}
    for engine in ENGINES + SLOW_ENGINES:
        bench = [*BENCH.split(), "--rounds", "1", "--engine", engine, dataset("4x4")]
        asked = programs.map(lambda program: run([program, *bench]))
        refusals = [refused.messages for refused in asked if refused.code == 2]
        where = "not on this machine" if len(refusals) == 2 else "in one of the builds only"
        if refusals:
            lacking[engine] = f"{where} ({refusals[0]})"
        else:
            runs.append(engine)
    return runs, lacking


# Answers, times and instructions


def is_well(programs, job, rounds, counts):
    """Compares the programs in one job, and prints its row. Returns whether the working tree is no worse."""
    answers = programs.map(lambda program: answer(program, job))
    code, messages, _ = answers.parent
    if answers.parent != answers.new or code not in (0, 1):
        fault = f"the job could not be done: {messages}" if answers.parent == answers.new else "different answers"
        print(f"{job.name:<36} FAILED: {fault}", flush=True)
        return False
    row = measure(programs, job, rounds, counts)
    counted = "-" if row.instructions is None else f"{row.instructions:.4f}"
    low, high = row.interval
    faults = "  FAILED: " + ", ".join(row.faults()) if row.faults() else ""
    print(f"{job.name:<36} {row.speed:>6.3f}   {low:.3f} .. {high:.3f} {counted:>12}{faults}", flush=True)
    return not row.faults()


def answer(program, job):
    """Returns what must be the same for both programs: the exit code, the messages, and the output without its times.

    For a finished benchmark only ANSWER_COLUMNS must be the same, because its other output differs from version to version."""
    done = run([program, *job.arguments])
    output = done.output
    if job.is_bench() and done.code == 0:
        row = bench_row(output)
        return done.code, "", [row[name] for name in ANSWER_COLUMNS]
    if output.split(b"\n", 1)[0].endswith(b",time_ns"):
        output = [line.rpartition(b",")[0] for line in output.splitlines()]
    return done.code, done.messages, output


def measure(programs, job, rounds, counts):
    """Measures both programs in turn. The order alternates from round to round."""
    ratios = []
    for number in range(rounds):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        spent = {which: run([programs[which], *job.arguments]).seconds for which in order}
        ratios.append(spent[0] / spent[1])
    instructions = programs.map(lambda program: instructions_of([program, *job.arguments])) if counts else None
    more = instructions and instructions.new / instructions.parent
    return Row(statistics.median(ratios), *interval(ratios), more)


def instructions_of(command):
    """Returns the instructions that a command takes outside the kernel, or None if they can't be counted here."""
    with tempfile.NamedTemporaryFile("r") as report:
        perf = ["perf", "stat", "-x", ",", "-e", "instructions:u", "-o", report.name, "--"]
        try:
            run([*perf, *command])
        except FileNotFoundError:
            return None
        counts = [line.split(",")[0] for line in report if ",instructions" in line]
    return int(counts[0]) if counts and counts[0].isdigit() else None


def cut(rounds):
    """Returns how many of the sorted ratios to leave out on each side, and the confidence that remains.

    Whatever the distribution is, the true median is below the k-th of n ratios with the probability that at most k - 1
    of n coins show heads.
    """
    below = [sum(math.comb(rounds, heads) for heads in range(k + 1)) / 2**rounds for k in range(rounds)]
    most = max((k for k in range(rounds) if 1 - 2 * below[k] >= CONFIDENCE), default=0)
    return most, 1 - 2 * below[most]


def interval(ratios):
    """Returns the least and the greatest ratio that are not left out, and the confidence."""
    ordered, (most, confidence) = sorted(ratios), cut(len(ratios))
    return (ordered[most], ordered[-1 - most]), confidence


# The head


def print_head(commit, rounds, counts):
    """Prints what is compared, and on which machine."""
    describe = output_of("git", "describe", "--always", "--dirty").strip()
    judge = "the instructions, and with six rounds or more the whole interval" if counts else "the median of the speeds"
    print(f"""# {shlex.join(["scripts/record-bench", *sys.argv[1:]])}

- processor: {processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} at the start
- features: {", ".join(features()) or "unknown"}
- compiler: {output_of("rustc", "--version").strip()}
- parent: {output_of("git", "log", "-1", "--format=%h %s", commit).strip()}
- new: {describe}, with the changes of the working tree
- rounds: {rounds}, so an interval contains the true median with a probability of {100 * cut(rounds)[1]:.0f} %
- instructions: {"counted" if counts else "can't be counted here"}; judged by {judge}""")


def features():
    """Returns the features of the processor that backends use."""
    try:
        info = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return []
    found = re.search(r"^(?:flags|Features)\s*:(.*)", info, re.M)
    known = found[1].split() if found else []
    return [name for name in FEATURES.split() if name in known]
