"""Scripts in processes of their own, whose hanging fails a test and not the run."""

from __future__ import annotations

import subprocess
import sys
import textwrap

LIMIT = 600
"""Seconds after which a process hangs. It only ends tests that hang: all that is run takes a few, on a machine that is not
busy."""


def run(script: str, *arguments: str) -> str:
    """Runs a script, and returns what it prints. It must end well, and in time."""
    command = [sys.executable, "-c", textwrap.dedent(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}"
    return done.stdout
