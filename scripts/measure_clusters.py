#!/usr/bin/env python3
"""Measures gridmill on Ray or Spark, and compares it with the program, in CPU seconds.

    scripts/measure_clusters.py ray|spark [--puzzles N] [--functions solve,dedupe,...] [--parts N] [--program PATH]

Prints a row of a table for each function: the number of puzzles; CPU microseconds per puzzle of the program with one thread, of
gridmill's function in the tasks, and of all processes of the cluster; the seconds that the job took; and puzzles per second. The
puzzles are made by `gridmill generate`. Run this with the Python of a virtual environment that has the package `gridmill` and Ray
or PySpark, such as that of scripts/test-python. Linux only.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

TOKEN = f"GRIDMILL_MEASURE={uuid.uuid4()}"
TICK = os.sysconf("SC_CLK_TCK")
COMMANDS = {
    "solve": ["solve"],
    "verify": ["verify"],
    "canon": ["canon", "--transform"],
    "rate": ["rate"],
    "dedupe": ["dedupe", "--isomorphic"],
}


class Meter(threading.Thread):
    """Adds up the CPU seconds of this process and of all processes that it started, including those that have ended."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.ours: dict[tuple[str, str], int] = {}
        self.others: set[tuple[str, str]] = set()

    def run(self) -> None:
        while True:
            self.look()
            time.sleep(0.2)

    def look(self) -> float:
        """Returns the CPU seconds so far."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                process = (pid, fields[19])
                if process in self.others:
                    continue
                # Read only when the process is new, because it may overwrite its environment later.
                if (
                    process not in self.ours
                    and TOKEN.encode() not in Path(f"/proc/{pid}/environ").read_bytes()
                ):
                    self.others.add(process)
                    continue
                self.ours[process] = int(fields[11]) + int(fields[12])
            except (OSError, IndexError):
                continue
        return sum(self.ours.values()) / TICK


def timed(function: Callable[..., Any], folder: str) -> Callable[..., Any]:
    """Returns a function that also records its CPU seconds and its number of records, in a file of the folder."""

    def note(table: Any, *rest: Any, **arguments: Any) -> Any:
        start = time.process_time()
        made = function(table, *rest, **arguments)
        taken = time.process_time() - start
        Path(folder, str(uuid.uuid4())).write_text(f"{taken} {len(table)}")
        return made

    return note


def noted(folder: str) -> float:
    """Returns the CPU seconds that were recorded, and removes their files."""
    taken = 0.0
    for name in os.listdir(folder):
        taken += float(Path(folder, name).read_text().split()[0])
        os.unlink(Path(folder, name))
    return taken


def program_seconds(program: str, function: str, file: Path) -> float:
    """Returns the CPU seconds of the program with one thread."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [program, *COMMANDS[function], file, "-t", "1", "-q"], stdout=subprocess.DEVNULL, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start_ray(folder: str) -> tuple[Any, Any, Callable[[Any], int], Callable[[], None]]:
    import ray
    from ray.cluster_utils import Cluster

    import gridmill.ray as module

    node = {"num_cpus": 1, "object_store_memory": 512 << 20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    cluster.add_node(**node)
    cluster.add_node(**node)
    ray.init(cluster.address, log_to_driver=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    mapped = module._map
    module._map = lambda dataset, function, *rest, **how: mapped(
        dataset, timed(function, folder), *rest, **how
    )

    def consume(dataset: Any) -> int:
        return int(dataset.materialize().count())

    def stop() -> None:
        ray.shutdown()
        cluster.shutdown()

    return module, module.read, consume, stop


def start_spark(folder: str) -> tuple[Any, Any, Callable[[Any], int], Callable[[], None]]:
    import pyspark
    from pyspark.sql import SparkSession

    import gridmill.spark as module

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "8").config(
        "spark.ui.showConsoleProgress", "false"
    )
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    mapped = module._map
    module._map = lambda frame, function, *rest: mapped(frame, timed(function, folder), *rest)

    def consume(frame: Any) -> int:
        # Makes every column of every row, and keeps none.
        frame.write.format("noop").mode("overwrite").save()
        return 0

    return module, lambda path, **how: module.read(session, path, **how), consume, session.stop


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", choices=["ray", "spark"])
    parser.add_argument("--puzzles", type=int, default=2_000_000)
    parser.add_argument("--functions", default="solve,verify,canon,dedupe")
    parser.add_argument("--parts", type=int, help="partitions of the keys for dedupe, on Ray")
    parser.add_argument("--program", default="target/release/gridmill")
    arguments = parser.parse_args()

    name, _, value = TOKEN.partition("=")
    os.environ[name] = value
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "puzzles.txt")
        subprocess.run(
            [arguments.program, "generate", "-n", str(arguments.puzzles), "-q", "-o", file], check=True
        )
        notes = Path(folder, "notes")
        notes.mkdir()
        meter = Meter()
        # Processes from here on have the token in their environment; this one started without it.
        meter.start()
        start = {"ray": start_ray, "spark": start_spark}[arguments.engine]
        module, read, consume, stop = start(str(notes))
        print("| function | puzzles | program | in tasks | all | seconds | puzzles/s |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        try:
            # Starts the workers.
            consume(module.solve(read(str(file), shard_bytes=8 << 20)))
            for function in arguments.functions.split(","):
                alone = program_seconds(arguments.program, function, file)
                noted(str(notes))
                before, began = cpu(meter), time.monotonic()
                how = {"parts": arguments.parts, "isomorphic": True} if function == "dedupe" else {}
                consume(getattr(module, function)(read(str(file), shard_bytes=8 << 20), **how))
                taken = time.monotonic() - began
                whole, inside = cpu(meter) - before, noted(str(notes))
                figures = [
                    f"{seconds / arguments.puzzles * 1e6:.2f} µs" for seconds in (alone, inside, whole)
                ]
                print(
                    f"| {function} | {arguments.puzzles:,} | {' | '.join(figures)} | {taken:.1f} "
                    f"| {arguments.puzzles / taken:,.0f} |",
                    flush=True,
                )
        finally:
            stop()


def cpu(meter: Meter) -> float:
    """Returns the CPU seconds of the cluster and of this process."""
    return meter.look() + time.process_time()


if __name__ == "__main__":
    main()
