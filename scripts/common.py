"""Functions that several scripts share."""

import csv
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Run(NamedTuple):
    """How a command ended, what it wrote to standard output and to standard error, and its processor time."""

    code: int
    output: bytes
    messages: str
    seconds: float


def output_of(*command):
    """Returns what a command prints, run in the folder of the project. Ends the script if the command fails."""
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{run.stderr}")
    return run.stdout


def give_up(message):
    """Ends the script with a message, if its job can't be done."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def run(command):
    """Runs a command with its output in a file, because a full pipe would block it. Its time is the processor time of all
    its threads, user and system."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(command, stdout=output, stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0), messages.seek(0)
        spent = usage.ru_utime + usage.ru_stime
        return Run(process.returncode, output.read(), messages.read().decode(errors="replace").strip(), spent)


def bench_row(output):
    """Returns the only row of the CSV that `gridmill bench` writes, by the names of its columns."""
    (row,) = csv.DictReader(output.decode().splitlines())
    return row


def processor():
    try:
        return re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.processor() or "unknown"
