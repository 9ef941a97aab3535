"""Standard input and output as commands meet them: closed, full, in another encoding, with a byte order mark."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from bot.errors import BadInput

# What a write says where the output has no room; any other error of the system is not the output's.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def input_lines() -> Iterator[str]:
    """The lines of standard input, as UTF-8, without a byte order mark. Raises BadInput where it is closed."""
    stream = _input()
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8-sig", errors="replace")
    yield from stream


def input_bytes() -> bytes:
    """All of standard input. Raises BadInput where it is closed."""
    return _input().buffer.read()


def _input() -> TextIO:
    stream: TextIO | None = sys.stdin  # None where the shell closed it: `<&-`
    if stream is None:
        raise BadInput("Standard input is closed: give a file to read, as in `< file`.")
    return stream


def flush_output() -> None:
    """What was printed is out. Raises OSError where it cannot be."""
    stream: TextIO | None = sys.stdout
    if stream is not None:
        stream.flush()


def give_up_output() -> None:
    """Let what is left of standard output go nowhere: the interpreter writes it once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
