"""Ctrl-C and signals to stop: none is lost while a kernel is compiled.

LLVM calls back into Python. What a signal's handler raises there is printed and forgotten,
and the kernel half made. So a handler that comes there waits until the compiler is left.
"""

import signal
from collections.abc import Callable
from types import FrameType
from typing import Final

Handler = Callable[[int, FrameType | None], object]

_SOON: Final = 0.05  # seconds


def outside_the_compiler(stop: Handler) -> Handler:
    """Return a signal's handler that calls ``stop``, but never within a call of LLVM's.

    It uses SIGALRM to come again.
    """

    def handle(number: int, frame: FrameType | None) -> None:
        if _in_compiler(frame):
            signal.signal(signal.SIGALRM, lambda _, later: handle(number, later))
            signal.setitimer(signal.ITIMER_REAL, _SOON)
        else:
            stop(number, frame)

    return handle


def _in_compiler(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("llvmlite."):
            return True
        frame = frame.f_back
    return False
