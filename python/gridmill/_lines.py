"""Reads the lines of a file that begin in a range of its bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.fs

# Bytes in memory at once, and more than any line has.
STEP = 8 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}


def filesystem(path: str) -> tuple[Any, str]:
    """Returns the file system of a path or URI, and the path in it."""
    if "://" in path:
        found, inside = pa.fs.FileSystem.from_uri(path)
        return found, inside
    return pa.fs.LocalFileSystem(), path


def codec(file: str) -> str | None:
    """Returns how a file is compressed, by the end of its name; `None` if it is not."""
    return CODECS.get(os.path.splitext(file)[1])


def whole_lines(file: str, start: int, stop: int | None) -> Iterator[tuple[int, bytes]]:
    """Yields the lines that begin from byte `start` to before `stop`: where some begin, and their text.

    The ranges of a file that are next to each other have each of its lines once. Compressed files are read to
    their end (`stop` is `None`), and their bytes are counted unpacked.
    """
    source, inside = filesystem(file)
    packing = codec(file)
    with (
        source.open_input_stream(inside, compression=packing)
        if packing
        else source.open_input_file(inside) as stream
    ):
        at = _skip(stream, start) if packing else _seek_line(stream, start)
        text = b""
        while stop is None or at < stop:
            more = stream.read(STEP)
            text += more
            end = _end(text, None if stop is None else stop - at) if more else len(text)
            if end:
                mark = len(BYTE_ORDER_MARK) if at == 0 and text.startswith(BYTE_ORDER_MARK) else 0
                yield at + mark, text[mark:end]
            at, text = at + end, text[end:]
            if not more:
                return
            if len(text) > STEP:
                raise ValueError(
                    f"{file}: the line at byte {at} is longer than {STEP >> 20} MB, so these are no puzzles"
                )


def _skip(stream: Any, count: int) -> int:
    """Reads past some bytes."""
    left = count
    while left and (read := stream.read(min(left, STEP))):
        left -= len(read)
    return count


def _seek_line(stream: Any, start: int) -> int:
    """Goes to the first line that begins at byte `start` or behind it, and returns where that is."""
    if start == 0:
        return 0
    # A line begins at `start` if a line feed stands in front of it.
    at = start - 1
    stream.seek(at)
    while block := stream.read(1 << 12):
        feed: int = block.find(b"\n")
        if feed >= 0:
            stream.seek(at + feed + 1)
            return at + feed + 1
        at += len(block)
    return at


def _end(text: bytes, limit: int | None) -> int:
    """Returns how much of a text is whole lines that begin before `limit`."""
    last = text.find(b"\n", max(0, limit - 1)) if limit is not None and limit <= len(text) else -1
    return (last if last >= 0 else text.rfind(b"\n")) + 1


def line_starts(text: bytes) -> npt.NDArray[np.int64]:
    """Returns where the lines of a text begin that are not empty."""
    bytes_ = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(bytes_ == ord("\n"))
    if text[-1:] != b"\n":
        ends = np.append(ends, len(text))
    starts = np.concatenate(([0], ends[:-1] + 1))
    empty = (ends == starts) | (
        (ends - starts == 1) & (bytes_[np.minimum(starts, len(text) - 1)] == ord("\r"))
    )
    found: npt.NDArray[np.int64] = starts[~empty]
    return found
