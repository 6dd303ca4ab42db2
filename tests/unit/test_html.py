"""What Jupyter shows of plans and of devices."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pyclfft
from pyclfft.runtime.html import DeviceList, nbytes, table


class Cells(HTMLParser):
    """The texts of a table's rows, and every tag that is still open."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.rows and {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def test_a_plan_is_a_table_of_its_passes(device):
    plan = pyclfft.Plan((64, 3 * 2**10), "complex64", axes=(0, 1))
    text = plan._repr_html_()
    cells = Cells(text)
    assert cells.open == []
    header, *rows = cells.rows
    assert header[1:3] == ["kernel", "step"]
    assert [row[1] for row in rows] == [each.kernel for each in plan.passes]
    assert [row[5] for row in rows] == [nbytes(each.reads + each.writes) for each in plan.passes]
    assert str(plan.problem) in text
    assert "workspace" in text
    widths = [int(each) for each in re.findall(r"width:(\d+)px", text)]
    assert len(widths) == 2 * len(plan.passes)
    moved = [number for each in plan.passes for number in (each.reads, each.writes)]
    most = max(each.reads + each.writes for each in plan.passes)
    assert widths == [round(140 * number / most) for number in moved]


def test_plans_without_elements_are_shown_too(device):
    plan = pyclfft.Plan((0, 8), "complex64", axes=1)
    assert len(Cells(plan._repr_html_()).rows) == 1 + len(plan.passes)


def test_devices_are_a_list_that_shows_as_a_table():
    found = pyclfft.devices()
    assert isinstance(found, list)
    assert found == list(found)
    cells = Cells(found._repr_html_())
    assert cells.open == []
    assert [row[0] for row in cells.rows[1:]] == [each.name.strip() for each in found]
    assert DeviceList()._repr_html_() == "<p>no OpenCL device</p>"


def test_words_are_escaped():
    assert "<b>" not in table(["<b>"], [["<b>&"]])
    assert Cells(table(["x"], [["<b>&"]])).rows == [["x"], ["<b>&"]]


def test_bytes():
    assert [nbytes(each) for each in (0, 1023, 1024, 3 * 2**20, 2**50)] == [
        "0 bytes", "1023 bytes", "1.0 KiB", "3.0 MiB", "1024.0 TiB",
    ]  # fmt: skip
