"""A progress bar for work that takes long, of commands and of transforms in pieces."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import IO

PROGRESS_AFTER = 2.0  # seconds that work may take without a progress bar
PROGRESS_STEP = 0.5  # seconds from one state of the bar to the next


class Progress:
    """A progress bar on stderr, on terminals only, for work that takes longer than two seconds.

    A thread shows the bar, so that it is drawn anew even while a single step takes long. The code
    that does the work only sets the attributes.

    Parameters
    ----------
    total : int
        How much there is to do.
    unit : str
        What is counted, for example ``"frames"``.
    quiet : bool
        Show no bar.
    scale : bool
        Show large numbers with the letters k, M, G and T for thousands, millions and so on.

    Attributes
    ----------
    done : int
        How much of `total` is done.
    title : str
        What is being done.

    Examples
    --------
    >>> with Progress(3, "images") as progress:
    ...     for progress.title in ("a.png", "b.png", "c.png"):
    ...         progress.done += 1
    """

    _shown = False  # whether a bar is wanted at the moment

    def __init__(
        self, total: int, unit: str = "", quiet: bool = False, scale: bool = False
    ) -> None:
        self.done, self.title = 0, ""
        self._total, self._unit, self._scale = total, unit, scale
        # Work inside of work that shows a bar shows no second one.
        self._wanted = not (quiet or Progress._shown) and is_terminal(sys.stderr)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> Progress:
        if self._wanted:
            Progress._shown = True
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._wanted:
            self._thread.join()
            Progress._shown = False

    def add(self, done: int = 1) -> None:
        """Count more work as done."""
        self.done += done

    def reach(self, done: int) -> None:
        """Set how much work is done in all."""
        self.done = done

    def _show(self) -> None:
        begin = time.time()
        if self._ended.wait(PROGRESS_AFTER):
            return
        unit = f" {self._unit}" if self._unit else ""
        # Because of the delay, tqdm does not draw the bar before it has a title.
        from tqdm import tqdm  # here, since a program that shows no bar need not import it

        with tqdm(
            total=self._total, unit=unit, unit_scale=self._scale, file=sys.stderr, leave=False,
            delay=1e-9,
        ) as bar:  # fmt: skip
            bar.start_t = begin
            while True:
                bar.n = self.done
                bar.set_description(self.title)
                if self._ended.wait(PROGRESS_STEP):
                    return


def is_terminal(stream: IO[str] | None) -> bool:
    """Return whether a standard stream, which may be closed, is a terminal."""
    return stream is not None and stream.isatty()
