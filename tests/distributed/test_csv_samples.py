"""Samples from CSV files: layouts, sample rates, and the line of every fault."""

from __future__ import annotations

import numpy as np
import pytest

from pyclfft.distributed import csv_samples
from pyclfft.distributed.csv_samples import read_samples
from pyclfft.errors import FormatError, PlanError


@pytest.fixture(params=["pandas", "numpy"])
def write(request, tmp_path, monkeypatch):
    """Return a function that writes a file which one of the two parsers will read."""
    if request.param == "pandas":
        pytest.importorskip("pandas")
        monkeypatch.setattr(csv_samples, "LARGE_BYTES", 0)
    else:
        monkeypatch.setattr(csv_samples, "_pandas", lambda: None)

    def to_file(text):
        path = tmp_path / "a.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return to_file


# text -> the samples, the rate if it is known, and the name of the column
LAYOUTS = {
    "1\n2\n3\n": ([1, 2, 3], None, "column 1"),
    "x\r\n1\r\n2\r\n": ([1, 2], None, "column 'x'"),
    "\ufeff1\n2\n": ([1, 2], None, "column 1"),
    "5": ([5], None, "column 1"),
    "# a\n\n  # b\nt,x\n0,1\n0.5,2 # c\n\n1.0,3e-3\n": ([1, 2, 3e-3], 2, "column 'x'"),
    "0 1\n1 2\n2 5\n": ([1, 2, 5], 1, "column 2"),
    "0\t1\n0.25\t2\n0.5\t5\n": ([1, 2, 5], 4, "column 2"),
    "0,1\n1,2\n9,5\n": ([0, 1, 9], None, "column 1"),  # no equal steps: no times
    "time (ms);a;b\n0;1;4\n0.5;2;5\n1.0;3;6\n": ([1, 2, 3], 2000, "column 'a'"),
    "a, Time_us\n7,0\n8,10\n9,20\n": ([7, 8, 9], 1e5, "column 'a'"),
    '"t","x"\n"0","1"\n"1","2"\n': ([1, 2], 1, "column 'x'"),
    "date,x\n2020-01-01,1\n2020-01-02,2\n": ([1, 2], None, "column 'x'"),
    "t\n0\n1\n": ([0, 1], None, "column 't'"),  # alone it holds the samples
    "1,2,\n3,4,\n": ([1, 3], None, "column 1"),
    "t,x\n0,1\n0.333,2\n0.667,3\n1.0,4\n": ([1, 2, 3, 4], 3, "column 'x'"),  # rounded times
}


@pytest.mark.parametrize("text", LAYOUTS, ids=repr)
def test_layouts(write, text):
    values, rate, column = LAYOUTS[text]
    found = read_samples(write(text))
    np.testing.assert_array_equal(found.values, np.array(values, "f8"))
    assert found.values.dtype == np.float64
    assert (found.rate, found.hertz, found.column) == (rate or 1, rate is not None, column)


TABLE = "t,a,b\n0,1,4\n1,2,5\n2,3,6\n"


def test_the_column_and_the_rate_that_a_user_names(write):
    path = write(TABLE)
    for column, values in {"b": [4, 5, 6], "3": [4, 5, 6], "2": [1, 2, 3], "t": [0, 1, 2]}.items():
        np.testing.assert_array_equal(read_samples(path, column).values, values)
    assert read_samples(path, rate=8.0).rate == 8
    assert read_samples(write("1|2\n3|4\n"), "2", "|").values.tolist() == [2, 4]
    assert read_samples(write("1;2\n3;4\n"), "1", delimiter=";").values.tolist() == [1, 3]
    # Times that are not needed may be anything.
    assert read_samples(write("t,x\n0,1\nnan,2\n7,3\n"), rate=2.0).values.tolist() == [1, 2, 3]


FAULTS = {
    "t,x\n# c\n0,1\n0.5,2\n\n1.0,\n": r"line 6: column 'x' is empty",
    "t,x\n0,1\n0.5\n1.0,3\n": r"line 3: column 'x' is empty",
    "x\n1\nnan\n": r"line 3: column 'x' holds nan",
    "x\n1\n-inf\n": r"line 3: column 'x' holds -inf",
    "1\n2\nthree\n": r"line 3: column 1 holds 'three', which is no number",
    "t,x\n0,1\n1,2\n3,3\n4,4\n": r"line 4: the times in column 't' .* from 1 to 3.*--sample-rate",
    "t,x\n1,1\n1,2\n1,3\n": r"the times in column 't' do not grow",
    "": "no row of numbers",
    "only words\n": "no row of numbers",
    b"\x89PNG\r\n\x1a\n\0\0": "no CSV file",
}


@pytest.mark.parametrize("text", FAULTS, ids=repr)
def test_faults(write, text):
    with pytest.raises(FormatError, match=FAULTS[text]) as raised:
        read_samples(write(text))
    assert str(raised.value).count("\n") == 0
    assert "a.csv" in str(raised.value)


def test_a_column_that_is_not_there(write):
    with pytest.raises(PlanError, match=r"no column 'c': choose from 1 to 3, or of t, a, b"):
        read_samples(write(TABLE), "c")
    with pytest.raises(PlanError, match="no column '0'"):
        read_samples(write(TABLE), "0")


def test_both_parsers_round_alike(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    numbers = np.random.default_rng(5).normal(size=600) * 10.0 ** np.arange(-300, 300)
    path = tmp_path / "a.csv"
    path.write_text("\n".join(map(repr, numbers.tolist())) + "\n")
    np.testing.assert_array_equal(read_samples(path).values, numbers)
    monkeypatch.setattr(csv_samples, "LARGE_BYTES", 0)
    np.testing.assert_array_equal(read_samples(path).values, numbers)
