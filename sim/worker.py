"""A worker process: it ends with its parent."""

import os
import signal
import threading
import time
from typing import Final

_SECONDS_OF_AN_ORPHAN: Final = 0.5


def enter_worker(parent: int) -> None:
    """Make a new worker process end with its parent, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        # A parent that was killed says nothing; its children get another parent.
        while os.getppid() == parent:
            time.sleep(_SECONDS_OF_AN_ORPHAN)
        os._exit(1)

    threading.Thread(target=watch, name="watch-parent", daemon=True).start()
