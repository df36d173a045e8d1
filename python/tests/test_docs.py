"""Runs the examples of the documents and docstrings, and compares their output with what is shown.

A block marked `python` is a program, or a session after `>>>`, in which `…` matches any characters. A block marked
`console` has commands after `$ `. Here they only make files for the Python blocks below them, because `cargo test`
already compares their output. The blocks of a document run in order, share their names, and run in one directory
with a copy of datasets/.
Blocks marked `sh` and `text` are not run.
"""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import linecache
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import metadata
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch_stand_in

import gridmill

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["docs/python.md", "docs/recipes.md", "python/README.md"]
LANGUAGES = {"python", "console", "sh", "text"}
# The extension module, and modules that need other packages and have their own tests.
NOT_HERE = {"gridmill.ray", "gridmill.spark", "gridmill._gridmill"}


# Packages of recipes that not every environment has. PySpark also needs Java.
OPTIONAL = ("datasets", "jax", "pyspark")


class Block(NamedTuple):
    """A fenced block, the section it is in, and the number of its first line in the document."""

    section: str
    line: int
    language: str
    text: str


class Command(NamedTuple):
    """A shell command, and the exit code that it must have."""

    line: int
    text: str
    code: int


def blocks(text: str) -> Iterator[Block]:
    """Yields the fenced blocks of a document."""
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        section = text[: found.start()].rpartition("\n## ")[2].partition("\n")[0]
        yield Block(section, text.count("\n", 0, found.start(2)) + 1, found[1], found[2])


def commands(block: Block) -> Iterator[Command]:
    """Yields the shell commands of a block."""
    for found in re.finditer(r"^\$ ((?:.*\\\n)*.*)$", block.text, re.MULTILINE):
        code = re.search(r"# exit (\d+)$", found[1])
        yield Command(
            block.line + block.text.count("\n", 0, found.start()), found[1], int(code[1]) if code else 0
        )


def folder_of_command() -> str | None:
    """Returns the folder of the command `gridmill` of this version, or None if it has not been built."""
    given = os.environ.get("GRIDMILL_COMMAND")
    places = [given] if given else [ROOT / "target" / kind / "gridmill" for kind in ("release", "debug")]
    return next((str(Path(place).resolve().parent) for place in places if Path(place).is_file()), None)


def run_command(command: Command) -> None:
    ran = subprocess.run(["sh", "-c", command.text], check=False, capture_output=True, text=True)
    shown = f"line {command.line}: {command.text}\n{ran.stdout}{ran.stderr}"
    assert ran.returncode == command.code, f"{shown}exit code {ran.returncode}, expected {command.code}"


def run_program(document: str, block: Block, names: dict[str, Any]) -> None:
    """Runs a block without `>>>`. Tracebacks show the line numbers of the document."""
    text = "\n" * (block.line - 1) + block.text
    linecache.cache[document] = (len(text), None, text.splitlines(keepends=True), document)
    exec(compile(text, document, "exec"), names)  # noqa: S102


def run_session(document: str, block: Block, names: dict[str, Any]) -> None:
    """Runs a block with `>>>`, and compares what it prints."""
    test = doctest.DocTestParser().get_doctest(block.text, names, document, document, block.line - 1)
    test.globs = names
    run_doctest(test)


def run_doctest(test: doctest.DocTest) -> None:
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    failed, _ = runner.run(test, out=report.append, clear_globs=False)
    assert not failed, "".join(report)


def imported(section: list[Block]) -> list[str]:
    """Returns the names of the packages that a section imports."""
    programs = (block.text for block in section if block.language == "python")
    return [name for text in programs for name in re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)]


def lacking(section: list[Block]) -> str | None:
    """Returns a package that a section needs and this environment lacks, if there is one."""
    wanted = [name for name in imported(section) if name in OPTIONAL]
    if "pyspark" in wanted and not shutil.which("java"):
        return "java"
    return next((name for name in wanted if not importlib.util.find_spec(name)), None)


@contextmanager
def with_torch(section: list[Block]) -> Iterator[None]:
    """Provides a stand-in for torch, if it is missing, but only in a section that imports it, because other
    packages would take it for the real one."""
    with pytest.MonkeyPatch.context() as patch:
        if "torch" in imported(section) and not importlib.util.find_spec("torch"):
            for name, module in torch_stand_in.modules().items():
                patch.setitem(sys.modules, name, module)
        yield


def run_block(document: str, block: Block, names: dict[str, Any]) -> None:
    if block.language == "console":
        for command in commands(block):
            run_command(command)
    elif block.language == "python":
        run = run_session if block.text.startswith(">>>") else run_program
        run(document, block, names)


def run_document(document: str, text: str) -> None:
    """Runs the blocks of a document in the current directory, except sections whose packages are missing."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for title, found in groupby(blocks(text), lambda block: block.section):
        section = list(found)
        if package := lacking(section):
            warnings.warn(f"{document}: {title!r} is left out: there is no {package}", stacklevel=2)
            continue
        with with_torch(section):
            for block in section:
                run_block(document, block, names)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to run examples in."""
    shutil.copytree(ROOT / "datasets", tmp_path / "datasets")
    monkeypatch.chdir(tmp_path)
    # Escaped, because doctest compares texts as ASCII.
    monkeypatch.setattr(doctest, "ELLIPSIS_MARKER", "\\u2026")
    # Keeps the cache of Hugging Face out of the home folder, and its library off the network.
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PATH", f"{folder_of_command() or '.'}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


@pytest.mark.parametrize("document", DOCUMENTS)
def test_examples_of_a_document_run_and_print_what_it_shows(document: str, folder: Path) -> None:
    text = (ROOT / document).read_text()
    if any(block.language == "console" for block in blocks(text)) and not folder_of_command():
        pytest.skip("needs the command: cargo build, or GRIDMILL_COMMAND=/path/of/gridmill")
    run_document(document, text)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_has_a_known_language(document: str) -> None:
    assert {block.language for block in blocks((ROOT / document).read_text())} <= LANGUAGES


GUIDES = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md"), *ROOT.glob("python/*.md")])


@pytest.mark.parametrize("document", GUIDES, ids=lambda path: str(path.name))
def test_install_commands_in_documents_name_existing_packages_and_extras(document: Path) -> None:
    extras = metadata("gridmill").get_all("Provides-Extra")
    for line in re.findall(r"\bpip (?:install|wheel) [^\n`#]*", document.read_text()):
        for name, extra in re.findall(r"([\w./*…-]*(?:gridmill|python)[\w./*…-]*)(?:\[(\w+)\])?", line):
            assert name == "./python" or name.endswith(".whl"), f"{line}: there is no {name} on PyPI"
            assert not extra or extra in extras, f"{line}: the package has no extra {extra!r}"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("python\n1 / 0", "division by zero"),
        ("python\n>>> 1 + 1\n3", "line 2"),
        ("python\nmade = 1\n```\n```python\n>>> made\n2", "line 5"),
        ("python\n>>> print('a', 1.5, 'b')\na … c", "Expected"),
        ("console\n$ exit 3", "exit code 3, expected 0"),
        ("console\n$ true # exit 1", "line 2: true"),
    ],
)
def test_a_wrong_example_is_found(block: str, message: str, folder: Path) -> None:
    with pytest.raises((AssertionError, ZeroDivisionError), match=message):
        run_document("a.md", f"```{block}\n```\n")


def test_a_right_example_passes(folder: Path) -> None:
    run_document(
        "a.md",
        "```console\n$ echo 1 > a.txt\n$ exit 2 # exit 2\n```\n```python\n>>> open('a.txt').read()\n'…\\n'\n```\n",
    )


def modules() -> list[Any]:
    """Returns the modules of the package, except those that need other packages."""
    names = [found.name for found in pkgutil.iter_modules(gridmill.__path__, "gridmill.")]
    inside = [importlib.import_module(name) for name in names if name not in NOT_HERE]
    return [gridmill, *inside]


@pytest.mark.parametrize("module", modules(), ids=lambda module: str(module.__name__))
def test_examples_of_docstrings_run_and_print_what_they_show(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for test in doctest.DocTestFinder().find(module):
        run_doctest(test)


def test_the_docstring_of_every_function_says_what_it_returns_and_raises() -> None:
    functions = [value for value in map(vars(gridmill).get, gridmill.__all__) if inspect.isfunction(value)]
    assert len(functions) >= 17
    for function in functions:
        returned = inspect.signature(function).return_annotation
        kind = getattr(gridmill, returned, object)
        is_result = isinstance(kind, type) and issubclass(kind, gridmill.Result)
        other = r"(uint8|bool) of shape|list of str|Returns (the records|what is)|Writes"
        expected = rf"Returns an? `{returned}`" if is_result else other
        assert re.search(expected, str(inspect.getdoc(function))), function.__name__
        assert "Raises" in str(inspect.getdoc(function)), function.__name__


@pytest.mark.parametrize("name", gridmill.__all__)
def test_every_public_name_has_an_example_and_is_in_the_guide(name: str) -> None:
    finder = doctest.DocTestFinder(recurse=False)
    # A union can't have a docstring.
    if name != "Puzzles":
        examples = [test.examples for test in finder.find(getattr(gridmill, name), name)]
        assert any(examples), f"the docstring of {name} has no example"
    guide = (ROOT / "docs/python.md").read_text()
    assert re.search(rf"\bgridmill\.{name}\b|`{name}\b", guide), f"docs/python.md does not mention {name}"
