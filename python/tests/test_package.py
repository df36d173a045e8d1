"""The package as users install it: the modules that it imports, its version, and its source distribution."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path, PurePosixPath

import pytest

import gridmill

PYTHON = Path(__file__).resolve().parents[1]
# Modules that take at least as long to import as the package itself, and that NumPy does not need.
SLOW = {
    "asyncio",
    "email",
    "importlib.metadata",
    "multiprocessing",
    "pandas",
    "polars",
    "pyarrow",
    "socket",
    "zipfile",
}


def test_importing_the_package_imports_few_modules_besides_numpy() -> None:
    program = (
        "import sys, numpy, numpy.typing; before = set(sys.modules); import gridmill; "
        "print(*set(sys.modules) - before)"
    )
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    imported = {name for name in ran.stdout.split() if name.partition(".")[0] != "gridmill"}
    assert not imported & SLOW
    assert len(imported) < 30, imported


def test_the_version_is_that_of_the_wheel() -> None:
    assert gridmill.__version__ == version("gridmill")


def test_the_source_distribution_has_what_the_package_needs_and_no_more(tmp_path: Path) -> None:
    maturin = Path(sys.executable).with_name("maturin")
    if not maturin.exists():
        pytest.skip("there is no maturin in this environment")
    subprocess.run([maturin, "sdist", "--out", tmp_path], cwd=PYTHON, check=True, capture_output=True)
    (distribution,) = tmp_path.iterdir()
    with tarfile.open(distribution) as archive:
        paths = [PurePosixPath(*PurePosixPath(name).parts[1:]) for name in archive.getnames()]
    parts = {"/".join(path.parts[:3]) if path.parts[0] == "crates" else path.parts[0] for path in paths}
    sources = {
        f"crates/{crate}/{part}"
        for crate in ("core", "data", "report")
        for part in ("Cargo.toml", "README.md", "src")
    }
    files = {
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "PKG-INFO",
        "README.md",
        "pyproject.toml",
    }
    assert parts == sources | files | {"gridmill", "python"}
    assert not [
        path for path in paths if path.parts[0] == "python" and path.parts[1] in ("tests", "examples")
    ]
    assert PurePosixPath("gridmill/py.typed") in paths
