"""Runs scripts in separate processes, so that one that hangs fails its test instead of blocking the run."""

from __future__ import annotations

import subprocess
import sys
import textwrap

LIMIT = 600
"""Seconds after which a process counts as hanging. It is generous, because scripts take a few seconds, but
longer on a busy machine."""


def run(script: str, *arguments: str) -> str:
    """Runs a script, and returns its output. It must succeed within the time limit."""
    command = [sys.executable, "-c", textwrap.dedent(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}"
    return done.stdout
