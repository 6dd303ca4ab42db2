"""What Jupyter shows: the passes of a plan with a bar of bytes, and the devices, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import pyopencl as cl

from ..planning.passes import Pass
from . import describe

BAR = 140  # pixels that the longest bar is wide
_BAR_STYLE = "background:currentColor;opacity:0.45;height:0.7em"  # shows on light and on dark pages


class DeviceList(list[cl.Device]):
    """A list of devices that Jupyter shows as a table."""

    def _repr_html_(self) -> str:
        rows = [
            [
                each.name.strip(),
                describe.runtime_name(each),
                each.driver_version.strip(),
                "CPU" if describe.traits(each).is_cpu else "GPU",
                str(each.max_compute_units),
                f"{each.global_mem_size / 2**30:.1f} GiB",
                "yes" if describe.traits(each).fp64 else "no",
            ]
            for each in self
        ]
        header = ("device", "runtime", "driver", "type", "units", "memory", "double precision")
        return table(header, rows) if rows else "<p>no OpenCL device</p>"


def passes_table(passes: Sequence[Pass]) -> str:
    """Return the passes of a plan as a table of HTML, with a bar for the bytes that each moves.

    Parameters
    ----------
    passes : sequence of Pass
        The passes in the order of their launches.

    Returns
    -------
    str
        The bar's first part stands for the bytes that are read, its second part for those that are
        written.
    """
    most = max((each.reads + each.writes for each in passes), default=0)
    rows = [
        [
            str(number),
            each.kernel,
            each.step,
            " x ".join(map(str, each.global_size)),
            " x ".join(map(str, each.local_size)),
            nbytes(each.reads + each.writes),
            _Markup(_bar(each.reads, most) + _bar(each.writes, most)),
        ]
        for number, each in enumerate(passes, 1)
    ]
    header = ("", "kernel", "step", "work-items", "in groups of", "bytes", "read | written")
    return table(header, rows)


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of HTML; all words in it are escaped."""
    head = "".join(f"<th style='text-align:left'>{escape(words)}</th>" for words in header)
    body = "".join(
        "<tr>"
        + "".join(f"<td style='text-align:left'>{_cell(each)}</td>" for each in row)
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class _Markup(str):
    """Text that is HTML already."""


def _cell(text: Any) -> str:
    return text if isinstance(text, _Markup) else escape(text)


def _bar(count: int, most: int) -> str:
    width = round(BAR * count / most) if most else 0
    style = f"display:inline-block;width:{width}px;margin-right:2px;{_BAR_STYLE}"
    return f"<span style='{style}'></span>"


def nbytes(count: int) -> str:
    """Return a number of bytes with a binary unit, such as "12.0 MiB"."""
    size, units = float(count), iter(("KiB", "MiB", "GiB", "TiB"))
    unit = "bytes"
    while size >= 1024 and (larger := next(units, "")):
        size, unit = size / 1024, larger
    return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
