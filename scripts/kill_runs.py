"""Kills runs at random moments, resumes them with --resume, and damages their files as a power cut could."""

import gzip
import hashlib
import json
import lzma
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from common import ROOT

# A run that takes longer hangs.
LIMIT = 300.0
# Seconds that a pipe takes for a whole input.
PIPE_SECONDS = 2.5


class Command(NamedTuple):
    """A command to be killed: its name, its options, its input, and whether its rows have times."""

    name: str
    options: tuple
    input: str
    has_times: bool


COMMANDS = (
    Command("solve", (), "many", True),
    Command("count", ("--limit", "50"), "many", True),
    Command("canon", ("--transform",), "some", False),
    Command("rate", ("--techniques",), "few", False),
    Command("verify", ("--all",), "many", False),
    Command("verify", (), "many", False),
    Command("check", ("--all",), "answers", False),
)
ENDINGS = (".csv", ".csv", ".csv.gz", ".csv.xz", ".csv.zst", ".jsonl", ".jsonl.gz")
# Lines of each input.
SIZES = {"many": 600_000, "some": 150_000, "few": 12_000, "answers": 300_000}


class Wrong(Exception):
    """A run with a wrong result."""


class Job(NamedTuple):
    """A command with an output, and the result of an uninterrupted run."""

    command: Command
    ending: str
    through_pipe: bool
    seconds: float
    code: int
    rows: bytes
    length: int
    counts: list

    def describe(self):
        pipe = " from a pipe" if self.through_pipe else ""
        return f"{' '.join((self.command.name, *self.command.options))} to {self.ending}{pipe}"


class Ended(NamedTuple):
    """How a run ended: its exit code (`None` if it was killed), its messages, and its time."""

    code: int | None
    messages: str
    seconds: float


class Feeder(threading.Thread):
    """Writes a file to a pipe, at the pace of a run that takes some seconds."""

    def __init__(self, path, pipe, seconds):
        super().__init__(daemon=True)
        self.path, self.pipe, self.seconds = path, pipe, seconds
        self.start()

    def run(self):
        text = self.path.read_bytes()
        portion = len(text) // 50 + 1
        try:
            for at in range(0, len(text), portion):
                self.pipe.write(text[at : at + portion])
                self.pipe.flush()
                time.sleep(self.seconds / 50)
            self.pipe.close()
        except (OSError, ValueError):
            pass


class Runner:
    """The program, its inputs, and the jobs that are killed."""

    def __init__(self, program, folder, sizes):
        self.program, self.folder = program, folder
        self.sizes = sizes
        self.make_inputs()
        self.jobs = {}
        self.lock = threading.Lock()

    def make_inputs(self):
        """Makes inputs of puzzles that all differ; some records are malformed, in conflict or wrong."""
        sources = [ROOT / "datasets" / f"{name}.txt" for name in ("easy", "medium", "hard", "minimal")]
        lines = [line for path in sources for line in path.read_text().splitlines() if len(line) == 81]
        seeds = self.folder / "seeds.txt"
        seeds.write_text("\n".join(lines) + "\n")
        for name, size in self.sizes.items():
            times = str(size // len(lines) + 1)
            made = subprocess.run([self.program, "shuffle", seeds, "--copies", times, "--seed", "7", "-q"], capture_output=True)
            texts = [row.split(b",")[-1][:81] for row in made.stdout.splitlines() if len(row) >= 81][:size]
            texts = [text for text in texts if len(text) == 81 and not text.isalpha()]
            for at in range(500, len(texts), 4001):
                texts[at] = texts[at][:80] if at % 2 else b"11" + texts[at][2:]
            (self.folder / f"{name}.txt").write_bytes(b"\n".join(texts) + b"\n")
        answers = self.folder / "answers.txt"
        solved = subprocess.run([self.program, "solve", answers, "-q"], capture_output=True).stdout.splitlines()
        rows = [b",".join(row.split(b",")[:2]) for row in solved]
        for at in range(700, len(rows), 5003):
            rows[at] = rows[at][:-1] + b"0"
        answers.with_suffix(".csv").write_bytes(b"\n".join(rows) + b"\n")

    def input(self, command):
        return self.folder / (f"{command.input}.csv" if command.name == "check" else f"{command.input}.txt")

    def start(self, command, output, through_pipe, extra=()):
        """Starts a run."""
        source = "-" if through_pipe else self.input(command)
        arguments = [self.program, command.name, source, *command.options, "-o", output, "--no-progress", *extra]
        messages = tempfile.TemporaryFile()
        piped = subprocess.PIPE if through_pipe else subprocess.DEVNULL
        process = subprocess.Popen(arguments, stdin=piped, stdout=subprocess.DEVNULL, stderr=messages)
        if through_pipe:
            Feeder(self.input(command), process.stdin, PIPE_SECONDS)
        return process, messages

    def run(self, command, output, through_pipe, extra=(), until=None):
        """Runs a command to its end, or kills it when `until` returns true."""
        begun = time.monotonic()
        process, messages = self.start(command, output, through_pipe, extra)
        while process.poll() is None:
            now = time.monotonic() - begun
            if now > LIMIT:
                process.kill()
                process.wait()
                raise Wrong("hangs")
            if until and until(now):
                process.kill()
                break
            time.sleep(0.001 if until else 0.02)
        process.wait()
        seconds = time.monotonic() - begun
        if process.stdin:
            try:
                process.stdin.close()
            except OSError:
                pass
        messages.seek(0)
        code = None if process.returncode == -9 else process.returncode
        return Ended(code, messages.read().decode(errors="replace"), seconds)

    def job(self, command, ending, through_pipe):
        """Returns a job. Its uninterrupted run happens only once."""
        key = (command, ending, through_pipe)
        with self.lock:
            if key not in self.jobs:
                with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                    output = pathlib.Path(folder) / f"o{ending}"
                    ended = self.run(command, output, through_pipe)
                    if ended.code not in (0, 1):
                        raise SystemExit(f"{command}: {ended.messages}")
                    rows, length = content(command, output), output.stat().st_size
                counts = counts_of(ended.messages)
                self.jobs[key] = Job(command, ending, through_pipe, ended.seconds, ended.code, rows, length, counts)
            return self.jobs[key]


def content(command, path):
    """Returns a hash of a file without its times, which differ from run to run."""
    text = path.read_bytes()
    if command.has_times:
        if path.suffix == ".gz":
            text = gzip.decompress(text)
        elif path.suffix == ".xz":
            text = lzma.decompress(text)
        text = re.sub(rb',"time_ns":\d+|,\d*(?=\n)', b"", text)
    return hashlib.sha256(text).digest()


def counts_of(messages):
    """Returns the lines of a summary that do not depend on time or on how the input was read."""
    varying = ("gridmill:", "input", "engine", "wall time", "a puzzle", "backend", "…")
    lines = [line for line in messages.splitlines() if not line.strip().startswith(varying)]
    return [line for line in lines if ": record " not in line]


def journal_of(output):
    """Returns the last entry of a journal, or `None` if there is no journal."""
    try:
        text = output.with_name(output.name + ".journal").read_bytes()
        return json.loads(text.split(b"\n")[1])
    except FileNotFoundError:
        return None


def partial_of(output):
    return output.with_name(output.name + ".partial")


class Counts:
    """The counts that are printed at the end."""

    def __init__(self):
        self.lock = threading.Lock()
        self.numbers = {}
        # Seconds of work whose rows were in the file but are computed again; seconds from the last entry to the kill.
        self.repeated, self.since = [], []
        self.wrong = []

    def add(self, name, more=1):
        with self.lock:
            self.numbers[name] = self.numbers.get(name, 0) + more
            return self.numbers[name]

    def get(self, name):
        return self.numbers.get(name, 0)


class Killer:
    """Kills runs of one output, and resumes them."""

    def __init__(self, runner, job, folder, counts, chance):
        self.runner, self.job, self.counts, self.chance = runner, job, counts, chance
        self.output = pathlib.Path(folder) / f"o{job.ending}"
        self.journals = []

    def extra(self):
        """Chooses options that do not change the rows."""
        chance = self.chance
        extra = ["--resume", "--threads", str(chance.choice((1, 2, 2, 4)))]
        if chance.random() < 0.3:
            extra += ["--chunk-bytes", str(chance.choice((500, 20_000, 300_000)))]
        return extra + ["--no-mmap"] * (chance.random() < 0.3)

    def run(self, until=None):
        job = self.job
        return self.runner.run(job.command, self.output, job.through_pipe, self.extra(), until)

    def moment(self):
        """Chooses when to kill: at any time, at the very beginning, or while the output gets its name."""
        kind = self.chance.random()
        if kind < 0.12:
            at = self.chance.uniform(0, 0.05)
        elif kind < 0.3:
            delay = self.chance.choice((0, 0, 0.0005, 0.002, 0.01))
            return lambda _: self.is_ending() and (time.sleep(delay) or True)
        else:
            at = self.chance.uniform(0, max(self.job.seconds, PIPE_SECONDS if self.job.through_pipe else 0.1) * 1.1)
        return lambda now: now >= at

    def is_ending(self):
        try:
            text = self.output.with_name(self.output.name + ".journal").read_bytes()
            return b'"is_complete":true' in text
        except (OSError, ValueError):
            return self.output.exists()

    def kill(self):
        """Kills one run. Returns how it ended, and the last entry of the journal."""
        before = journal_of(self.output)
        until = self.moment()
        keep = self.keep_journals(until)
        ended = self.run(keep)
        journal = journal_of(self.output)
        if ended.code is None:
            self.note(before, journal, ended)
        return ended, journal

    def keep_journals(self, until):
        """Keeps copies of the journal during a run, because a power cut may bring back an older one."""
        last = [0.0]

        def watch(now):
            if now - last[0] > 0.2:
                last[0] = now
                try:
                    text = self.output.with_name(self.output.name + ".journal").read_bytes()
                    if not self.journals or self.journals[-1] != text:
                        self.journals.append(text)
                except OSError:
                    pass
            return until(now)

        return watch

    def note(self, before, journal, ended):
        """Notes where a kill hit, and how much work it cost."""
        if self.output.exists():
            self.counts.add("after the output got its name")
        elif journal is None:
            self.counts.add("before there was a journal")
        elif journal["progress"]["is_complete"]:
            self.counts.add("between the last entry and the name")
        elif before is None and journal["progress"]["written"] is None:
            self.counts.add("before the first entry")
        else:
            self.counts.add("between two entries")
        earlier = before["progress"]["seconds"] if before else 0.0
        kept = journal["progress"]["seconds"] if journal else earlier
        if self.output.exists():
            return
        self.counts.since.append(max(earlier + ended.seconds - kept, 0.0))
        if journal and self.job.ending in (".csv", ".jsonl") and partial_of(self.output).exists():
            lost = partial_of(self.output).stat().st_size - journal["output"]
            self.counts.repeated.append(lost / self.job.length * self.job.seconds)

    def finish(self):
        """Resumes the run to its end, and compares the result."""
        ended = self.run()
        self.counts.add("resumed to the end")
        self.compare(ended)

    def compare(self, ended):
        job = self.job
        if ended.code != job.code:
            raise Wrong(f"exit code {ended.code} instead of {job.code}: {ended.messages}")
        if content(job.command, self.output) != job.rows:
            raise Wrong("different rows")
        if counts_of(ended.messages) != job.counts:
            raise Wrong(f"different counts: {counts_of(ended.messages)} instead of {job.counts}")
        left = [path.name for path in self.output.parent.iterdir() if path != self.output]
        if left:
            raise Wrong(f"did not remove {left}")

    def round_of_kills(self):
        """Kills a run once or several times in a row, then resumes it to its end."""
        for _ in range(self.chance.choice((1, 1, 1, 2, 2, 3, 5))):
            ended, _ = self.kill()
            if ended.code is not None:
                self.counts.add("ended before the kill")
                self.compare(ended)
                return
            self.counts.add("kills")
        self.finish()

    def round_of_power_cut(self):
        """Kills a run, damages its files as a power cut could, and checks that it can be resumed, or is refused."""
        ended, journal = self.kill()
        if ended.code is not None or journal is None or self.output.exists() or not partial_of(self.output).exists():
            if ended.code is None:
                self.finish()
            return
        kept = journal["output"]
        cut = self.chance.choice(("tail", "tail", "tail", "older", "truncated", "garbled", "lost", "other rows"))
        if not self.cut(cut, kept):
            self.finish()
            return
        self.counts.add("power cuts")
        self.counts.add(f"power cut: {cut}")
        if cut in ("tail", "older"):
            self.finish()
        else:
            self.refused()
            self.counts.add("refused")
            partial_of(self.output).unlink()
            self.output.with_name(self.output.name + ".journal").unlink(missing_ok=True)
            self.finish()

    def cut(self, cut, kept):
        """Damages the files in one way. Returns false if there is nothing to damage."""
        journal, partial = self.output.with_name(self.output.name + ".journal"), partial_of(self.output)
        length, text = partial.stat().st_size, bytearray(journal.read_bytes())
        if cut == "tail":
            with partial.open("r+b") as file:
                file.truncate(self.chance.randint(kept, length))
        elif cut == "older":
            whole = [text for text in self.journals if text]
            if not whole:
                return False
            journal.write_bytes(self.chance.choice(whole))
        elif cut == "truncated":
            journal.write_bytes(text[: self.chance.randrange(len(text))])
        elif cut == "garbled":
            at = self.chance.randrange(len(text))
            text[at] ^= self.chance.randint(1, 255)
            journal.write_bytes(text)
        elif kept == 0:
            return False
        elif cut == "lost":
            with partial.open("r+b") as file:
                file.truncate(self.chance.randrange(kept))
        else:
            with partial.open("r+b") as file:
                file.seek(kept - self.chance.randint(1, min(kept, 256)))
                old = file.read(1)
                file.seek(-1, 1)
                file.write(bytes([old[0] ^ 1]))
        return True

    def refused(self):
        """Checks that a run is refused and changes no file."""
        before = state_of(self.output.parent)
        ended = self.run()
        if ended.code != 2 or "gridmill: " not in ended.messages:
            raise Wrong(f"not refused: {ended.code}: {ended.messages}")
        if state_of(self.output.parent) != before:
            raise Wrong("refused, but files were changed")


def state_of(folder):
    """Returns the names and the content of all files of a folder."""
    return {path.name: hashlib.sha256(path.read_bytes()).digest() for path in folder.iterdir()}


def kill_runs(program, kills, power_cuts, seed, jobs, sizes=SIZES):
    """Makes this number of kills and power cuts, in several threads, and returns the counts."""
    counts = Counts()
    with tempfile.TemporaryDirectory(prefix="gridmill-kills-") as folder:
        runner = Runner(program, pathlib.Path(folder), sizes)

        def rounds(number):
            chance = random.Random(f"{seed}-{number}")
            while True:
                is_cut = counts.get("kills") >= kills
                if is_cut and counts.get("power cuts") >= power_cuts:
                    return
                one_round(runner, counts, chance, is_cut)

        with ThreadPoolExecutor(jobs) as pool:
            for done in [pool.submit(rounds, number) for number in range(jobs)]:
                done.result()
    return counts


def one_round(runner, counts, chance, is_cut):
    command = chance.choice(COMMANDS)
    endings = [ending for ending in ENDINGS if fits(command, ending)]
    job = runner.job(command, chance.choice(endings), chance.random() < 0.4)
    folder = tempfile.mkdtemp(dir=runner.folder)
    try:
        killer = Killer(runner, job, folder, counts, chance)
        killer.round_of_power_cut() if is_cut else killer.round_of_kills()
        shutil.rmtree(folder)
    except Wrong as wrong:
        counts.wrong.append(f"{job.describe()}: {wrong} (files in {folder})")
        print(counts.wrong[-1], flush=True)


def fits(command, ending):
    """Returns whether a command can write such a file, and whether its rows can be compared without their times."""
    if command.name in ("verify", "check") and "jsonl" in ending:
        return False
    return not (command.has_times and ending.endswith(".zst"))
